import { packHeads, readHeads } from './heads.ts'
import { completion, reconnecting, request, within } from './idb.ts'
import { joinMessage, splitMessage } from './messageBlocks.ts'
import {
  entryNumber,
  type HistoryBounds,
  type PackedHistory,
  packHistory,
  recentOf,
  trimHistory,
  withoutRecent,
} from './packedHistory.ts'
import { headOf, lastWriteId, mayReplace, revisionOf, type SessionRecord, summaryOf } from './record.ts'
import { checkRetention } from './retention.ts'
import {
  type Retention,
  type SessionStorage,
  type SessionWrites,
  storable,
  type WriteResult,
} from './storage.ts'

// TYPES

/** Options of {@link indexedDbStorage}. */
export interface IndexedDbStorageOptions {
  /**
   * The database. It is the kit's own: the host's idb-keyval store is another one.
   * @default 'use-todo-agent'
   */
  readonly databaseName?: string
  /**
   * Which sessions are kept. When a new one is saved, those beyond that are deleted; never one that is open. `{}` keeps all.
   * @default { keep: 1000 }
   */
  readonly retention?: Retention
}

interface Reduced {
  readonly index: number
  readonly skipped: boolean
  readonly cause: unknown
}

// VALUES

// The mark of this database. It changes only when the database was wiped, which tells a wiped session from a deleted one.
const MARK = ['database']

/**
 * The storage that sessions use when they are given none: the browser's IndexedDB, through idb-keyval. Touches nothing until it is used.
 * Where there is no IndexedDB its methods reject, and sessions live in memory.
 */
export function indexedDbStorage(options: IndexedDbStorageOptions = {}): SessionStorage {
  const { databaseName = 'use-todo-agent', retention = { keep: 1000 } } = options
  checkRetention(retention)
  const use = reconnecting(databaseName)
  // The mark beside which a session was last seen, or seen to be missing at first.
  const marks = new Map<string, unknown>()
  // The recent history entries in the record that was last read or written here, and which write that was.
  const recents = new Map<string, { readonly writeId: unknown; readonly entries: readonly unknown[] }>()

  /**
   * Writes without waiting for the check: when it fails, all that was asked for after it is undone. It reads the head of the session, not
   * its record. False when the check failed, or there is no head.
   */
  function writeAhead(
    record: SessionRecord,
    expected: number,
    writes: SessionWrites,
    history: PackedHistory,
    reduced: Reduced[],
  ): Promise<boolean> {
    return use('readwrite', async (store) => {
      writes.signal?.throwIfAborted()
      const { transaction } = store
      const done = completion(store, writes.signal)
      const asked: IDBRequest<unknown> = store.get(['head', record.id])
      let passed = true
      asked.onsuccess = () => {
        passed = mayReplace(asked.result, record, expected)
        if (passed) transaction.commit?.()
        else transaction.abort()
      }
      putAll(store, record, writes, history, reduced)
      await done.catch((error: unknown) => {
        if (passed) throw error
      })
      return passed
    })
  }

  function writeChecked(
    record: SessionRecord,
    expected: number | null,
    writes: SessionWrites,
    reduced: Reduced[],
  ): Promise<WriteResult> {
    const { id } = record
    return use('readwrite', async (store) => {
      writes.signal?.throwIfAborted()
      const done = completion(store, writes.signal)
      const [stored, mark] = await Promise.all([
        request<unknown>(store.get(['session', id])),
        request<unknown>(store.get(MARK)),
      ])
      see(id, stored, mark)
      if (!mayReplace(stored, record, expected))
        return {
          written: false,
          stored: withoutRecent(stored),
          lost: stored === undefined && mark !== marks.get(id),
        }
      const known = mark ?? `${Date.now()}.${Math.random()}`
      if (mark === undefined) store.put(known, MARK)
      const recent = trims(writes)
        ? await trimStored(store, id, recentOf(stored), writes.history)
        : recentOf(stored)
      putAll(store, record, writes, remember(record, recent, writes), reduced)
      await done
      marks.set(id, known)
      return { written: true, reduced }
    })
  }

  /** A look that finds nothing leaves the mark as it is: it tells the next write why nothing is there. */
  function see(id: string, stored: unknown, mark: unknown): void {
    if (stored !== undefined || !marks.has(id)) marks.set(id, mark)
  }

  /** What becomes of the history with a write. Known from now on, so that the next one can be made before this one is answered. */
  function remember(
    { id, writeIds }: SessionRecord,
    recent: readonly unknown[],
    { history }: SessionWrites,
  ): PackedHistory {
    const packed = packHistory(recent, history?.puts ?? [])
    recents.set(id, { writeId: writeIds.at(-1), entries: packed.recent })
    return packed
  }

  return {
    scope: databaseName,
    retention,

    read: (id) =>
      use('readonly', async (store) => {
        const [stored, mark] = await Promise.all([
          request(store.get(['session', id])),
          request(store.get(MARK)),
        ])
        see(id, stored, mark)
        recents.set(id, { writeId: lastWriteId(stored), entries: recentOf(stored) })
        return withoutRecent(stored)
      }),

    readMessages: (id) =>
      use('readonly', async (store) => {
        const range = within('message', id)
        const [keys, values] = await Promise.all([
          request(store.getAllKeys(range)),
          request(store.getAll(range)),
        ])
        const stored: { head?: unknown; readonly blocks: unknown[] }[] = []
        for (const [order, key] of keys.entries()) {
          const [, , index, place] = key as [string, string, number, number | undefined]
          const message = stored[index] ?? { blocks: [] }
          stored[index] = message
          if (place === undefined) message.head = values[order]
          else message.blocks[place] = values[order]
        }
        return Array.from(stored, (message) => message && joinMessage(message.head, message.blocks))
      }),

    readHistory: (id) =>
      use('readonly', async (store) => {
        const [packed, stored] = await Promise.all([
          request<unknown[]>(store.getAll(within('revision', id))),
          request<unknown>(store.get(['session', id])),
        ])
        return [...packed.flat(), ...recentOf(stored)]
      }),

    async write(record, expectedRevision, writes = {}) {
      const reduced: Reduced[] = []
      const { id, writeIds } = record
      const recent = recents.get(id)
      const known = recent !== undefined && recent.writeId === writeIds.at(-2)
      const ahead = expectedRevision !== null && expectedRevision >= 0 && !trims(writes)
      if (known && ahead) {
        const history = remember(record, recent.entries, writes)
        if (await writeAhead(record, expectedRevision, writes, history, reduced))
          return { written: true, reduced }
      }
      reduced.length = 0
      return writeChecked(record, expectedRevision, writes, reduced)
    },

    setAside: (id, revision, at) =>
      use('readwrite', async (store) => {
        const done = completion(store)
        const stored: unknown = await request(store.get(['session', id]))
        if (stored === undefined || revisionOf(stored) !== revision) return
        store.put(stored, ['damaged', id, at])
        store.delete(['session', id])
        store.delete(['head', id])
        await done
      }),

    async list() {
      const { heads, tidy } = await use('readonly', readHeads)
      if (!tidy) packHeads(use).catch(() => {})
      return heads.map(summaryOf)
    },

    delete: (id) =>
      use('readwrite', async (store) => {
        const done = completion(store)
        recents.delete(id)
        deleteAll(store, id)
        await done
      }),
  }
}

let shared: SessionStorage | undefined

/** The storage that sessions without one of their own use: one per page, so that they find each other. */
export function defaultStorage(): SessionStorage {
  shared ??= indexedDbStorage()
  return shared
}

// RECORDS

function deleteAll(store: IDBObjectStore, id: string): void {
  store.delete(['session', id])
  store.delete(['head', id])
  for (const kind of ['message', 'revision', 'damaged']) store.delete(within(kind, id))
}

function trims({ history }: SessionWrites): boolean {
  return history?.deleteBelow !== undefined || history?.deleteAbove !== undefined
}

/** Deletes the history that goes away with a write, and gives those of the recent entries that stay. */
async function trimStored(
  store: IDBObjectStore,
  id: string,
  recent: readonly unknown[],
  bounds: HistoryBounds = {},
): Promise<readonly unknown[]> {
  const { deleteBelow = 0, deleteAbove = Number.POSITIVE_INFINITY } = bounds
  const keys = await request(store.getAllKeys(within('revision', id)))
  // A value is stored under the number of its first entry.
  const firsts = keys.map((key) => (key as [string, string, number])[2])
  const below = firsts.findLastIndex((first) => first <= deleteBelow)
  const above = firsts.findIndex((first) => first > deleteAbove)
  const last = above < 0 ? keys.length - 1 : above - 1
  if (below > 0) store.delete(IDBKeyRange.bound(keys[0], keys[below - 1]))
  if (above >= 0) store.delete(IDBKeyRange.bound(keys[above], keys.at(-1)))
  for (const place of new Set([below, last])) {
    const key = keys[place]
    if (key === undefined) continue
    const entries = [await request<unknown>(store.get(key))].flat()
    const kept = trimHistory(entries, bounds)
    if (kept.length === entries.length) continue
    store.delete(key)
    if (kept.length > 0) store.put(kept, ['revision', id, entryNumber(kept[0])])
  }
  return trimHistory(recent, bounds)
}

/** Puts all of a write, or, when something in it is refused, nothing. */
function putAll(
  store: IDBObjectStore,
  record: SessionRecord,
  { messages }: SessionWrites,
  { full, recent }: PackedHistory,
  reduced: Reduced[],
): void {
  const { id } = record
  try {
    store.put({ ...headOf(record), writeIds: record.writeIds.slice(-1) }, ['head', id])
    keep(recent.length > 0 ? { ...record, recent } : record, ['session', id])
    if (messages?.deleteFrom !== undefined)
      store.delete(IDBKeyRange.bound(['message', id, messages.deleteFrom], ['message', id, []]))
    for (const { index, message, sameParts } of messages?.puts ?? []) {
      const key = ['message', id, index]
      const report = (skipped: boolean, cause: unknown) => reduced.push({ index, skipped, cause })
      const { head, blocks } = splitMessage(message, sameParts)
      if (sameParts === undefined) store.delete(IDBKeyRange.bound(key, [...key, []], true))
      for (const { place, parts } of blocks) keep(parts, [...key, place], report)
      keep(head, key, report)
    }
    for (const entries of full) keep(entries, ['revision', id, entryNumber(entries[0])])
  } catch (error) {
    store.transaction.abort()
    throw error
  }

  function keep(
    value: unknown,
    key: IDBValidKey,
    report: (skipped: boolean, cause: unknown) => void = () => {},
  ): void {
    storable(value, (plain) => store.put(plain, key), report)
  }
}
