import { TodoAgentError } from '../core/errors.ts'
import { type DriverRole, deepFreeze } from '../core/todo.ts'
import { liveSessions } from './live.ts'
import { readPresence } from './presence.ts'
import { type SessionSummary, summarize } from './record.ts'
import type { SessionStorage } from './storage.ts'
import { browserTabs, driverLock, type TabPlatform } from './tabs.ts'

// TYPES

/** A saved session, and which tab runs it. Frozen, and the same object until something of it has changed. */
export interface SavedSession extends SessionSummary {
  /** `self`: this tab runs it, `other`: another one does. A run that no tab is at is `interrupted`. */
  readonly driver: DriverRole
}

/** The saved sessions of one storage, as all tabs change them. */
export interface SessionList {
  /**
   * Reads the list, the session changed last first. After an announcement only the sessions that it names are read, so that a run costs the
   * same beside a thousand sessions as beside ten. Rejects with `storage_failed`.
   */
  read(): Promise<readonly SavedSession[]>
  /** Calls `listener` when the list may have changed, in this tab or another one, at most about twice a second. */
  watch(listener: () => void): () => void
  /** Tells this tab and the others that a session was stored or deleted; `null`: several were. */
  announce(id: string | null): void
}

/** What a tab tells the others. `null`: anything may have changed. */
interface ListMessage {
  readonly ids: readonly string[] | null
}

// VALUES

/** The least time between two announcements, in ms. */
const TELL_EVERY = 500
/** With more changes than this, reading all is quicker. */
const MOST_SINGLE_READS = 32

const lists = new WeakMap<SessionStorage, SessionList>()

/** The list of a storage: one per page, so that whoever changes a session and whoever shows it meet. */
export function sessionListOf(storage: SessionStorage): SessionList {
  let list = lists.get(storage)
  if (!list) {
    list = createSessionList(storage)
    lists.set(storage, list)
  }
  return list
}

// LIST

export function createSessionList(storage: SessionStorage, platform: TabPlatform = browserTabs): SessionList {
  const { scope } = storage
  const listeners = new Set<() => void>()
  let channel: BroadcastChannel | undefined
  // `null`: anything may have changed.
  let changed: Set<string> | null = null
  let untold: Set<string> | null = new Set()
  let timer: ReturnType<typeof setTimeout> | undefined
  let known = new Map<string, SessionSummary>()
  let shown = new Map<string, SavedSession>()
  let reading: Promise<unknown> = Promise.resolve()
  const waits = new Map<string, AbortController>()

  // TELL

  function open(): BroadcastChannel | undefined {
    if (channel || scope === undefined) return channel
    channel = platform.channel(`use-todo-agent-list:${scope}`)
    channel?.addEventListener('message', ({ data }: MessageEvent<ListMessage>) => hear(data.ids))
    return channel
  }

  function announce(id: string | null): void {
    if (listeners.size === 0 && !open()) return
    untold = joined(untold, id === null ? null : [id])
    if (timer === undefined) tell()
  }

  function tell(): void {
    timer = undefined
    if (untold?.size === 0) return
    const ids = untold && [...untold]
    untold = new Set()
    timer = setTimeout(tell, TELL_EVERY)
    open()?.postMessage({ ids } satisfies ListMessage)
    hear(ids)
  }

  function hear(ids: readonly string[] | null): void {
    changed = joined(changed, ids)
    for (const listener of [...listeners]) listener()
  }

  // READ

  function read(): Promise<readonly SavedSession[]> {
    const result = reading.then(readNow)
    reading = result.catch(() => {})
    return result
  }

  async function readNow(): Promise<readonly SavedSession[]> {
    const ids = changed
    changed = new Set()
    try {
      const few = ids && ids.size > 0 && ids.size <= MOST_SINGLE_READS
      if (few && listeners.size > 0) await readEach(ids)
      else known = new Map((await storage.list()).map((summary) => [summary.id, summary]))
    } catch (cause) {
      changed = null
      throw new TodoAgentError('storage_failed', 'The saved sessions could not be read. Try again.', {
        cause,
      })
    }
    const { driven } = await readPresence(scope, platform)
    return show(driven)
  }

  async function readEach(ids: ReadonlySet<string>): Promise<void> {
    const records = await Promise.all([...ids].map(async (id) => [id, await storage.read(id)] as const))
    for (const [id, record] of records) {
      const summary = summarize(record)
      if (summary) known.set(id, summary)
      else known.delete(id)
    }
  }

  function show(driven: ReadonlySet<string>): readonly SavedSession[] {
    const next = [...known.values()].map((summary): SavedSession => {
      const driver = driverOf(summary, driven)
      const run = driver === 'none' && summary.run === 'running' ? 'interrupted' : summary.run
      const session = { ...summary, run, driver }
      const before = shown.get(summary.id)
      return before && isSame(before, session) ? before : deepFreeze(session)
    })
    shown = new Map(next.map((session) => [session.id, session]))
    waitForOthers()
    return Object.freeze(next.sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1)))
  }

  // A lock alone says nothing: it is held for a moment by a tab that takes over, too.
  function driverOf({ id, run }: SessionSummary, driven: ReadonlySet<string>): DriverRole {
    if (run !== 'running') return 'none'
    if (liveSessions(storage).get(id)?.session.store.getState().driver === 'self') return 'self'
    return driven.has(id) ? 'other' : 'none'
  }

  /** Finds out when a tab that runs a session is closed or killed: it tells nobody. */
  function waitForOthers(): void {
    for (const id of waits.keys()) {
      if (listeners.size === 0 || shown.get(id)?.driver !== 'other') stopWaiting(id)
    }
    if (listeners.size === 0) return
    for (const { id, driver } of shown.values()) {
      if (driver === 'other' && !waits.has(id)) void waitFor(id)
    }
  }

  async function waitFor(id: string): Promise<void> {
    const wait = new AbortController()
    waits.set(id, wait)
    try {
      await platform.locks?.request(
        driverLock(scope ?? '', id),
        { mode: 'shared', signal: wait.signal },
        () => {},
      )
    } catch {
      // No longer of interest.
    }
    if (wait.signal.aborted) return
    waits.delete(id)
    hear([id])
  }

  function stopWaiting(id: string): void {
    waits.get(id)?.abort()
    waits.delete(id)
  }

  return {
    read,
    announce,
    watch(listener) {
      // Each call is a listener of its own.
      const own = () => listener()
      // What happened while nobody listened is not known.
      if (listeners.size === 0) changed = null
      listeners.add(own)
      open()
      return () => {
        listeners.delete(own)
        if (listeners.size === 0) waitForOthers()
      }
    },
  }
}

// HELPERS

function joined(ids: Set<string> | null, more: readonly string[] | null): Set<string> | null {
  if (!ids || !more) return null
  for (const id of more) ids.add(id)
  return ids
}

function isSame(one: SavedSession, two: SavedSession): boolean {
  return (Object.keys(two) as (keyof SavedSession)[]).every((key) => one[key] === two[key])
}
