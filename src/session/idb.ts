import { promisifyRequest, type UseStore } from 'idb-keyval'
import { namedError } from './storage.ts'

// What the IndexedDB storage needs beside idb-keyval: ranges of keys, the end of a transaction, and a connection that is made anew.

const STORE = 'records'
const OPEN_LIMIT = 5_000

export function request<Result>(asked: IDBRequest<Result>): Promise<Result> {
  return promisifyRequest(asked)
}

// Arrays sort after texts and numbers, so an empty one as the last part is beyond all keys that begin alike.
export function within(kind: string, id: string): IDBKeyRange {
  return IDBKeyRange.bound([kind, id], [kind, id, []])
}

export function allOf(kind: string): IDBKeyRange {
  return IDBKeyRange.bound([kind], [kind, []])
}

/** Settles with the transaction of `store`. Made before any request, so that no end is missed. */
export function completion(store: IDBObjectStore, signal?: AbortSignal): Promise<void> {
  const { transaction } = store
  const abort = () => {
    try {
      transaction.abort()
    } catch {
      // It had ended already.
    }
  }
  signal?.addEventListener('abort', abort)
  const done = promisifyRequest(transaction)
    .catch((error: unknown) => {
      throw error ?? namedError('AbortError', 'The transaction was aborted.')
    })
    .finally(() => signal?.removeEventListener('abort', abort))
  done.catch(() => {})
  return done
}

// CONNECTION

// Failures that another connection would not mend.
const final = ['QuotaExceededError', 'DataCloneError', 'NotSupportedError', 'SecurityError', 'TypeError']

/**
 * Runs transactions on a connection that is made anew, once per call, when it turned out to be lost: closed by the browser, by a deletion
 * or an upgrade in another tab. A failed open is not remembered.
 *
 * idb-keyval's own `createStore` would do, but for a database without our object store: it holds a connection then which nobody can close,
 * and which blocks the upgrade that would add the store.
 */
export function reconnecting(databaseName: string): UseStore {
  let connection: Promise<IDBDatabase> | undefined

  function forget(lost: Promise<IDBDatabase>): void {
    if (connection === lost) connection = undefined
  }

  function connect(): Promise<IDBDatabase> {
    if (typeof indexedDB === 'undefined') throw namedError('NotSupportedError', 'There is no IndexedDB here.')
    const opening = openInTime(databaseName)
    connection = opening
    opening.then(
      (database) => {
        database.onclose = () => forget(opening)
        // Another tab deletes or upgrades the database: it waits until every connection is closed.
        database.onversionchange = () => {
          forget(opening)
          database.close()
        }
      },
      () => forget(opening),
    )
    return opening
  }

  return async (mode, work) => {
    const tried = connection ?? connect()
    const run = async (opening: Promise<IDBDatabase>) => {
      const database = await opening
      return work(database.transaction(STORE, mode).objectStore(STORE))
    }
    try {
      return await run(tried)
    } catch (error) {
      if (final.includes((error as Error | null)?.name ?? '')) throw error
      forget(tried)
      tried.then((database) => database.close()).catch(() => {})
      return await run(connection ?? connect())
    }
  }
}

/** An open that never answers must not hold up every later call. */
function openInTime(databaseName: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(namedError('TimeoutError', 'IndexedDB did not open.'))
    }, OPEN_LIMIT)
    open(databaseName)
      .then((database) => (late ? database.close() : resolve(database)), reject)
      .finally(() => clearTimeout(timer))
  })
}

/** Opens the database in the version that it has, or in the next one when it was made without our object store. */
async function open(databaseName: string, version?: number): Promise<IDBDatabase> {
  const opening = indexedDB.open(databaseName, version)
  opening.onupgradeneeded = () => {
    if (!opening.result.objectStoreNames.contains(STORE)) opening.result.createObjectStore(STORE)
  }
  const database = await promisifyRequest(opening)
  if (database.objectStoreNames.contains(STORE)) return database
  database.close()
  return open(databaseName, database.version + 1)
}
