import type { UIMessage } from 'ai'
import { createTodoSession, type TodoSession, type TodoSessionOptions } from './createTodoSession.ts'
import { defaultStorage } from './indexedDb.ts'
import type { SessionSummary } from './record.ts'
import type { SessionStorage } from './storage.ts'

interface Entry {
  readonly session: TodoSession
  holders: number
  timer?: ReturnType<typeof setTimeout> | undefined
}

// How long a session without holders stays: over a remount of StrictMode, or a change of route.
const LINGER = 1000

const live = new WeakMap<SessionStorage, Map<string, Entry>>()

/**
 * The live session of an id, one per storage and page, made when there is none; `options` count only then. It does no work: call it while
 * rendering, and `retainTodoSession` once mounted.
 *
 * On a server without a storage of its own each call makes a new one, so that requests never share state.
 */
export function getTodoSession<Message extends UIMessage = UIMessage>(
  id: string,
  options: Omit<TodoSessionOptions, 'id'> = {},
): TodoSession<Message> {
  const storage = options.storage ?? defaultStorage()
  const sessions = sessionsOf(storage)
  const found = sessions.get(id)
  if (found) return found.session as unknown as TodoSession<Message>
  const session = createTodoSession<Message>({ ...options, id, storage })
  const onServer = !options.storage && typeof document === 'undefined' && typeof indexedDB === 'undefined'
  if (!onServer) sessions.set(id, { session: session as unknown as TodoSession, holders: 0 })
  return session
}

/**
 * Holds a session and starts its first read. It stays the live one of its id until the last holder has released it and nothing of it is
 * unsaved. The returned function releases it; calling that again does nothing.
 */
export function retainTodoSession<Message extends UIMessage>(session: TodoSession<Message>): () => void {
  const sessions = sessionsOf(session.storage)
  const held = session as unknown as TodoSession
  const found = sessions.get(session.id)
  const entry: Entry = found?.session === held ? found : { session: held, holders: 0 }
  // It was let go of in the meantime, and what is stored may have moved on.
  if (!found) {
    sessions.set(session.id, entry)
    void session.refresh()
  }
  entry.holders += 1
  clearTimeout(entry.timer)
  void session.ready()
  const unwatch = session.watchTabs()
  let released = false
  return () => {
    if (released) return
    released = true
    unwatch()
    entry.holders -= 1
    if (entry.holders === 0) entry.timer = setTimeout(letGo, LINGER, entry)
  }
}

/** Deletes everything that is stored of a session. A live one of that id goes on empty. Rejects with `storage_failed`. */
export async function deleteSession(id: string, storage: SessionStorage = defaultStorage()): Promise<void> {
  await getTodoSession(id, { storage }).delete()
  const entry = sessionsOf(storage).get(id)
  if (entry?.holders === 0) letGo(entry)
}

/** All saved sessions, the one changed last first. Rejects when the storage fails. */
export async function listSessions(
  storage: SessionStorage = defaultStorage(),
): Promise<readonly SessionSummary[]> {
  const summaries = await storage.list()
  return [...summaries].sort((a, b) => b.updatedAt - a.updatedAt)
}

function sessionsOf(storage: SessionStorage): Map<string, Entry> {
  let sessions = live.get(storage)
  if (!sessions) {
    sessions = new Map()
    live.set(storage, sessions)
  }
  return sessions
}

/** Forgets a session that nobody holds, unless this page has the only copy of something in it. */
async function letGo(entry: Entry): Promise<void> {
  const { session } = entry
  await session.flush()
  const { persistence } = session.store.getState()
  const sessions = sessionsOf(session.storage)
  const safe = persistence === 'saved' || persistence === 'read_only' || persistence === 'loading'
  const inMemory = persistence === 'memory' && session.storage.durable === false
  if (entry.holders === 0 && (safe || inMemory) && sessions.get(session.id) === entry)
    sessions.delete(session.id)
}
