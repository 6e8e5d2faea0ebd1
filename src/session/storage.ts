import { describe } from '../core/errors.ts'
import type { HistoryEntry } from './history.ts'
import { mayReplace, revisionOf, type SessionRecord, type SessionSummary, summarize } from './record.ts'

// TYPES

/** A message to store at its place in the transcript. */
export interface MessagePut {
  readonly index: number
  /** The whole of it. */
  readonly message: unknown
  /**
   * How many of its first parts are stored there already, as they are: a storage may keep those and store the rest. A run is one message, and
   * grows with each step. Left out when the message replaces one with more parts, or one that may be damaged.
   */
  readonly sameParts?: number
}

/** What goes into the same transaction as the record of a session. */
export interface SessionWrites {
  /** Messages to put at their place in the transcript; those at `deleteFrom` and after it are deleted. */
  readonly messages?: {
    readonly puts: readonly MessagePut[]
    readonly deleteFrom?: number
  }
  /** History entries to put under their number, after those below `deleteBelow` or above `deleteAbove` were deleted. */
  readonly history?: {
    readonly puts: readonly HistoryEntry[]
    readonly deleteBelow?: number
    readonly deleteAbove?: number
  }
  /** Aborted when the session no longer waits for this write: it should not land any more, but may. */
  readonly signal?: AbortSignal
}

/** Whether a write was made. */
export type WriteResult =
  | {
      readonly written: true
      /** Messages that could not be stored as they are: as plain JSON instead, or not at all. */
      readonly reduced?: readonly {
        readonly index: number
        readonly skipped: boolean
        readonly cause: unknown
      }[]
    }
  | {
      readonly written: false
      /** What is stored instead of the expected revision, `undefined` when nothing is. */
      readonly stored: unknown
      /** Nothing is stored because the storage was emptied as a whole, not because someone deleted this session. */
      readonly lost?: boolean
    }

/** Which saved sessions are kept. One that is open, in any tab, always is; it counts all the same. */
export interface Retention {
  /**
   * How many: those changed last.
   * @default Infinity
   */
  readonly keep?: number
  /**
   * How long after their last change, in ms.
   * @default Infinity
   */
  readonly maxAge?: number
}

/**
 * Where sessions are kept. IndexedDB and memory ship; a remote store can be one too. `testing/storageContract` tells whether yours holds
 * what a session relies on. Each method may reject: the session then goes on in memory and tries again.
 *
 * What is read may be anything: sessions check all of it. What is written is plain data, frozen, and must be copied when it is kept.
 */
export interface SessionStorage {
  /**
   * False for a storage that does not outlive the page.
   * @default true
   */
  readonly durable?: boolean
  /**
   * Names the storage among the tabs of a page: those with the same scope agree on who runs a session, and tell each other of changes.
   * @default none: each tab is alone
   */
  readonly scope?: string
  /**
   * Which sessions are kept. Looked at after a session was stored for the first time.
   * @default none: all of them
   */
  readonly retention?: Retention
  /** The record of a session as it is stored, `undefined` when there is none. */
  read(id: string): Promise<unknown>
  /** The messages in order. A hole is `undefined`. Never older than the record that was read before: a session asks in that order. */
  readMessages(id: string): Promise<readonly unknown[]>
  /** The history entries, oldest first. */
  readHistory(id: string): Promise<readonly unknown[]>
  /**
   * Stores the record, and `writes` with it, all or nothing, but only onto what it was derived from: compare-and-set with
   * {@link mayReplace}. `expectedRevision` is `null` when nothing may be stored yet.
   */
  write(record: SessionRecord, expectedRevision: number | null, writes?: SessionWrites): Promise<WriteResult>
  /** Moves a record that can't be read out of the way, if its {@link revisionOf} is still the given one. */
  setAside(id: string, revision: number | null, at: number): Promise<void>
  /** All sessions, without their messages. */
  list(): Promise<readonly SessionSummary[]>
  /** Deletes everything of a session. */
  delete(id: string): Promise<void>
}

/** What a failure of storage means for the person. */
export type StorageFault = 'unavailable' | 'full' | 'slow' | 'failed'

// MEMORY

interface MemoryEntry {
  record: unknown
  messages: unknown[]
  history: Map<number, unknown>
}

/** Throws a `TypeError` for what is plainly no storage. */
export function requireStorage(storage: SessionStorage): void {
  if (typeof storage?.read !== 'function') {
    throw new TypeError(
      `\`storage\` must be a SessionStorage, such as memoryStorage(), got ${describe(storage)}.`,
    )
  }
}

/** A storage that lives as long as the page: for tests, stories and servers. Sessions that share it see each other's changes. */
export function memoryStorage(): SessionStorage {
  const sessions = new Map<string, MemoryEntry>()
  const aside = new Map<string, unknown>()

  return {
    durable: false,
    async read(id) {
      return structuredClone(sessions.get(id)?.record)
    },
    async readMessages(id) {
      return structuredClone(sessions.get(id)?.messages ?? [])
    },
    async readHistory(id) {
      const history = sessions.get(id)?.history ?? new Map<number, unknown>()
      return [...history.keys()].sort((a, b) => a - b).map((n) => structuredClone(history.get(n)))
    },
    async write(record, expectedRevision, writes = {}) {
      const entry = sessions.get(record.id) ?? { record: undefined, messages: [], history: new Map() }
      if (!mayReplace(entry.record, record, expectedRevision)) {
        return { written: false, stored: structuredClone(entry.record) }
      }
      const reduced: { index: number; skipped: boolean; cause: unknown }[] = []
      const stored = structuredClone(record)
      const entries = writes.history?.puts.map((put) => structuredClone(put)) ?? []
      const messages = entry.messages.slice(0, writes.messages?.deleteFrom)
      for (const { index, message, sameParts } of writes.messages?.puts ?? []) {
        const keep = (value: unknown) => cloneOnto(messages[index], value, sameParts)
        messages[index] = storable(message, keep, (skipped, cause) => reduced.push({ index, skipped, cause }))
      }
      const { deleteBelow = 0, deleteAbove = Number.POSITIVE_INFINITY } = writes.history ?? {}
      const history = new Map([...entry.history].filter(([n]) => n >= deleteBelow && n <= deleteAbove))
      for (const item of entries) history.set(item.n, item)
      sessions.set(record.id, { record: stored, messages, history })
      return { written: true, reduced }
    },
    async setAside(id, revision, at) {
      const entry = sessions.get(id)
      if (!entry || revisionOf(entry.record) !== revision) return
      aside.set(JSON.stringify([id, at]), entry.record)
      entry.record = undefined
    },
    async list() {
      return [...sessions.values()].flatMap(({ record }) => summarize(record) ?? [])
    },
    async delete(id) {
      sessions.delete(id)
      for (const key of aside.keys()) if (JSON.parse(key)[0] === id) aside.delete(key)
    },
  }
}

/** A copy of a message that shares the parts which are the same in the stored one: a stored message never changes. */
function cloneOnto(stored: unknown, message: unknown, sameParts = 0): unknown {
  const { parts: known } = (stored ?? {}) as { readonly parts?: unknown }
  const { parts } = (message ?? {}) as { readonly parts?: unknown }
  if (!Array.isArray(parts) || !Array.isArray(known) || known.length < sameParts)
    return structuredClone(message)
  const rest = structuredClone({ ...(message as object), parts: parts.slice(sameParts) })
  return { ...rest, parts: [...known.slice(0, sameParts), ...rest.parts] }
}

// HELPERS

/**
 * Keeps a value with `keep`, or, where that refuses it (a function in it, say), its plain JSON part, or nothing. `report` hears of the
 * last two.
 */
export function storable<Kept>(
  value: unknown,
  keep: (value: unknown) => Kept,
  report: (skipped: boolean, cause: unknown) => void,
): Kept | undefined {
  try {
    return keep(value)
  } catch (cause) {
    // Not the value's fault: nothing of it would do.
    if ((cause as Error | null)?.name === 'QuotaExceededError') throw cause
    try {
      const kept = keep(JSON.parse(JSON.stringify(value, bigIntToText)))
      report(false, cause)
      return kept
    } catch {
      report(true, cause)
      return undefined
    }
  }
}

function bigIntToText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

/** An error with a name of its own, as the platform's have. */
export function namedError(name: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { name })
}

const faultNames: Readonly<Record<string, StorageFault>> = {
  NotSupportedError: 'unavailable',
  SecurityError: 'unavailable',
  InvalidStateError: 'unavailable',
  QuotaExceededError: 'full',
  TimeoutError: 'slow',
}

/** Tells failures of storage apart by their name, never by their text. */
export function storageFault(error: unknown): StorageFault {
  return faultNames[(error as { name?: string } | null | undefined)?.name ?? ''] ?? 'failed'
}
