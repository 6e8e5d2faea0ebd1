import type { UIMessage } from 'ai'
import { describe, requireText, TodoAgentError } from '../core/errors.ts'
import { createTodoSession, type TodoSession, type TodoSessionOptions } from './createTodoSession.ts'
import { defaultStorage } from './indexedDb.ts'
import { type LiveSession, liveSessions } from './live.ts'
import { markOpen, readPresence } from './presence.ts'
import { parseRecord } from './record.ts'
import { type SavedSession, sessionListOf } from './sessionList.ts'
import type { SessionStorage } from './storage.ts'

// TYPES

/** Options of {@link retainTodoSession}. */
export interface RetainOptions {
  /**
   * How long a run goes on when nobody holds its session any more, in ms; then it is stopped, as by the person, and can be resumed.
   * `Infinity`: to its end. Of several holders the one that asks for most is heard.
   * @default 60000
   */
  readonly keepAlive?: number | undefined
}

// VALUES

// How long a session without holders stays: over a remount of StrictMode, or a change of route.
const LINGER = 1000
const KEEP_ALIVE = 60_000
// Browsers take a longer wait for none at all.
const LONGEST_TIMEOUT = 2 ** 31 - 1

const known = new WeakMap<TodoSession, LiveSession>()

// LIVE

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
  const sessions = liveSessions(storage)
  const found = sessions.get(id)
  if (found) return found.session as unknown as TodoSession<Message>
  const session = createTodoSession<Message>({ ...options, id, storage })
  const onServer = !options.storage && typeof document === 'undefined' && typeof indexedDB === 'undefined'
  if (!onServer) sessions.set(id, entryOf(session))
  return session
}

/**
 * Holds a session and starts its first read. It stays the live one of its id until the last holder has released it, its run has ended and
 * nothing of it is unsaved. The returned function releases it; calling that again does nothing.
 *
 * A run belongs to its session, not to who started it: it goes on when the holders are gone, for `keepAlive`.
 *
 * @throws TypeError when `keepAlive` is no time
 */
export function retainTodoSession<Message extends UIMessage>(
  session: TodoSession<Message>,
  { keepAlive }: RetainOptions = {},
): () => void {
  requireKeepAlive(keepAlive)
  const entry = entryOf(session)
  const sessions = liveSessions(session.storage)
  if (!sessions.has(session.id)) {
    sessions.set(session.id, entry)
    // It was let go of in the meantime, and what is stored may have moved on.
    void session.refresh()
  }
  if (entry.holders === 0) {
    clearTimeout(entry.lingers)
    clearTimeout(entry.expires)
    entry.expires = undefined
    entry.keepAlive = undefined
    entry.unmark ??= markOpen(session.id, session.storage.scope)
  }
  entry.holders += 1
  entry.left = false
  if (keepAlive !== undefined) entry.keepAlive = Math.max(keepAlive, entry.keepAlive ?? 0)
  void session.ready()
  const unwatch = session.watchTabs()
  let released = false
  return () => {
    if (released) return
    released = true
    unwatch()
    entry.holders -= 1
    if (entry.holders === 0) leave(entry)
  }
}

/** @throws TypeError when it is neither a number of ms of at least 0 nor `undefined` */
export function requireKeepAlive(keepAlive: unknown): void {
  if (keepAlive === undefined || (typeof keepAlive === 'number' && keepAlive >= 0)) return
  throw new TypeError(
    `\`keepAlive\` must be a number of ms of at least 0, or Infinity, got ${describe(keepAlive)}.`,
  )
}

// SAVED

/** All saved sessions, the one changed last first, and which tab runs them. Rejects with `storage_failed`. */
export function listSessions(storage: SessionStorage = defaultStorage()): Promise<readonly SavedSession[]> {
  return sessionListOf(storage).read()
}

/**
 * Deletes everything that is stored of a session. A run of it is stopped first, in this tab or another one. A live session of that id goes
 * on empty. Rejects with `storage_failed`.
 */
export async function deleteSession(id: string, storage: SessionStorage = defaultStorage()): Promise<void> {
  const { driven } = await readPresence(storage.scope)
  await remove(id, storage, driven)
}

/** Deletes all saved sessions, as {@link deleteSession} does; also those that can't be read. */
export async function deleteAllSessions(storage: SessionStorage = defaultStorage()): Promise<void> {
  const { driven } = await readPresence(storage.scope)
  const sessions = await listSessions(storage)
  await Promise.all(sessions.map(({ id }) => remove(id, storage, driven)))
}

/**
 * Gives a saved session another title. Rejects with `unknown_session`, `read_only`, `storage_failed`.
 *
 * @throws TypeError for a blank title
 */
export async function renameSession(
  id: string,
  title: string,
  storage: SessionStorage = defaultStorage(),
): Promise<void> {
  requireText('title', title)
  await withSavedSession(id, storage, async (session) => {
    const { saved } = await session.commit((data) => ({ ...data, title: title.trim() }))
    if (saved) return
    const why = session.store.getState().persistenceDetail ?? ''
    throw new TodoAgentError(
      'storage_failed',
      `The title of session "${id}" could not be saved. ${why}`.trim(),
    )
  })
}

/** Opens a session that is saved, for as long as `use` takes. Rejects with `unknown_session`, `read_only`, `storage_failed`. */
export async function withSavedSession<Result>(
  id: string,
  storage: SessionStorage,
  use: (session: TodoSession) => Promise<Result>,
): Promise<Result> {
  // A session that is live may hold more than the storage, which may have failed.
  const sessions = liveSessions(storage)
  const live = sessions.get(id)?.session.store.getState()
  if (!live?.hydrated || live.createdAt === null) await requireReadable(id, storage)
  // Not retained: who only looks in has no say in how long a run goes on.
  const wasLive = sessions.has(id)
  const session = getTodoSession(id, { storage })
  try {
    await session.ready()
    return await use(session)
  } finally {
    const entry = sessions.get(id)
    if (!wasLive && entry?.holders === 0) void letGo(entry)
  }
}

async function requireReadable(id: string, storage: SessionStorage): Promise<void> {
  const { kind } = parseRecord(id, await readRecord(id, storage))
  if (kind === 'none') throw new TodoAgentError('unknown_session', `There is no saved session "${id}".`)
  if (kind === 'current') return
  const why = kind === 'newer' ? 'it was saved by a newer version of this page' : 'its record is damaged'
  throw new TodoAgentError('read_only', `Session "${id}" can only be deleted: ${why}.`)
}

async function readRecord(id: string, storage: SessionStorage): Promise<unknown> {
  try {
    return await storage.read(id)
  } catch (cause) {
    throw new TodoAgentError('storage_failed', `Session "${id}" could not be read. Try again.`, { cause })
  }
}

async function remove(id: string, storage: SessionStorage, driven: ReadonlySet<string>): Promise<void> {
  const session = getTodoSession(id, { storage })
  const { driver } = session.store.getState()
  await session.stopRun()
  if (driver !== 'self' && driven.has(id)) {
    const unwatch = session.watchTabs()
    await session.takeOver().finally(unwatch)
  }
  await session.delete()
  const entry = liveSessions(storage).get(id)
  if (entry?.holders === 0) await letGo(entry)
}

// HELPERS

function entryOf<Message extends UIMessage>(typed: TodoSession<Message>): LiveSession {
  const session = typed as unknown as TodoSession
  const found = known.get(session)
  if (found) return found
  const entry: LiveSession = { session, holders: 0, keepAlive: undefined, left: false }
  known.set(session, entry)
  session.store.subscribe((state, before) => {
    if (state.driver === before.driver || !entry.left) return
    if (state.driver === 'self') onRunWithoutHolders(entry)
    else linger(entry)
  })
  return entry
}

/** The last holder has gone. */
function leave(entry: LiveSession): void {
  entry.left = true
  expire(entry)
  linger(entry)
}

// A second session of its id must not come up beside the run, so it is the live one again.
function onRunWithoutHolders(entry: LiveSession): void {
  const { session } = entry
  const sessions = liveSessions(session.storage)
  if (!sessions.has(session.id)) sessions.set(session.id, entry)
  if (entry.expires === undefined) expire(entry)
}

function expire(entry: LiveSession): void {
  const { keepAlive = KEEP_ALIVE } = entry
  if (keepAlive > LONGEST_TIMEOUT) return
  entry.expires = setTimeout(() => {
    entry.expires = undefined
    void entry.session.stopRun()
  }, keepAlive)
}

function linger(entry: LiveSession): void {
  clearTimeout(entry.lingers)
  entry.lingers = setTimeout(() => void letGo(entry), LINGER)
}

/** Forgets a session that nobody holds, unless it runs or this page has the only copy of something in it. */
async function letGo(entry: LiveSession): Promise<void> {
  const { session } = entry
  await session.flush()
  const { persistence, driver } = session.store.getState()
  const sessions = liveSessions(session.storage)
  const safe = persistence === 'saved' || persistence === 'read_only' || persistence === 'loading'
  const inMemory = persistence === 'memory' && session.storage.durable === false
  const isFree = entry.holders === 0 && driver !== 'self' && (safe || inMemory)
  if (!isFree || sessions.get(session.id) !== entry) return
  sessions.delete(session.id)
  clearTimeout(entry.lingers)
  clearTimeout(entry.expires)
  entry.expires = undefined
  entry.unmark?.()
  entry.unmark = undefined
}
