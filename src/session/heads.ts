import type { UseStore } from 'idb-keyval'
import { allOf, completion, request } from './idb.ts'
import { parseHead, readHead, type SessionHead } from './record.ts'

// What the heads of all sessions said when they were packed.
const PACKED = ['heads']
// With more heads than this beside it they are packed anew.
const MOST_HEADS = 64

/**
 * The heads of all sessions. Reading a thousand values takes tens of milliseconds, reading one that holds as much a few: so there is one value
 * with what all heads said at some time, and only the heads that were written since are read beside it. `tidy`: packing them anew would gain
 * nothing.
 */
export async function readHeads(
  store: IDBObjectStore,
): Promise<{ heads: readonly SessionHead[]; tidy: boolean }> {
  const [packed, since, count] = await Promise.all([
    request<unknown>(store.get(PACKED)),
    request<unknown[]>(store.getAll(allOf('head'))),
    request(store.count(allOf('session'))),
  ])
  const heads = new Map<string, SessionHead>()
  const add = (head: SessionHead | null) => head && heads.set(head.id, head)
  for (const value of [...unpack(packed), ...since]) add(parseHead(value))
  if (heads.size === count) return { heads: [...heads.values()], tidy: since.length <= MOST_HEADS }

  // Some were deleted, or were put there by hand.
  const keys = await request(store.getAllKeys(allOf('session')))
  const stored = new Set(keys.map((key) => (key as [string, string])[1]))
  const deleted = [...heads.keys()].filter((id) => !stored.has(id))
  const missing = [...stored].filter((id) => !heads.has(id))
  const records = await Promise.all(missing.map((id) => request<unknown>(store.get(['session', id]))))
  const found = records.flatMap((record) => readHead(record) ?? [])
  for (const id of deleted) heads.delete(id)
  for (const head of found) add(head)
  return { heads: [...heads.values()], tidy: since.length + deleted.length + found.length === 0 }
}

/** Puts what the heads say into one value. A session whose own head is gone gets it back with its next write. */
export function packHeads(use: UseStore): Promise<void> {
  return use('readwrite', async (store) => {
    const done = completion(store)
    const { heads } = await readHeads(store)
    store.put(JSON.stringify(heads), PACKED)
    store.delete(allOf('head'))
    await done
  })
}

function unpack(packed: unknown): readonly unknown[] {
  try {
    const heads: unknown = JSON.parse(String(packed ?? '[]'))
    return Array.isArray(heads) ? heads : []
  } catch {
    return []
  }
}
