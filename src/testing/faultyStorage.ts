import type { SessionStorage } from '../session/storage.ts'

/** One call of a storage. */
export interface StorageCall {
  readonly method: 'read' | 'readMessages' | 'readHistory' | 'write' | 'setAside' | 'list' | 'delete'
  /** The session, `null` for `list`. */
  readonly id: string | null
  /** Counts all calls from 0. */
  readonly index: number
}

/** What goes wrong with a call. Nothing given: it only takes its time. */
export interface PlannedFault {
  /** ms to wait before the call is made. */
  readonly delay?: number
  /** The name of the error that it rejects with, such as `QuotaExceededError`. */
  readonly error?: string
  /** The call is made, and only then does it reject: its answer got lost. */
  readonly late?: boolean
  /** It never answers. With `late` the call is made all the same. */
  readonly hang?: boolean
  /** `read` answers with the record that it found the last time, where it found one: a copy that lags behind. */
  readonly stale?: boolean
}

/** Says what goes wrong with a call; `undefined` or `null`: nothing. */
export type FaultPlan = (call: StorageCall) => PlannedFault | null | undefined

/** A storage that fails as planned. */
export interface FaultyStorage extends SessionStorage {
  /** The calls so far. */
  readonly calls: readonly StorageCall[]
  /** Replaces the plan from now on. */
  setPlan(plan: FaultPlan): void
}

/**
 * Puts a plan of failures in front of a storage, for tests: calls that fail, take long, never answer, or do their work and then fail.
 *
 * @example
 * const storage = faultyStorage(memoryStorage(), ({ method }) => method === 'write' ? { error: 'QuotaExceededError' } : null)
 */
export function faultyStorage(storage: SessionStorage, plan: FaultPlan = () => null): FaultyStorage {
  let current = plan
  const calls: StorageCall[] = []
  const found = new Map<string | null, unknown>()

  async function run<Result>(
    method: StorageCall['method'],
    id: string | null,
    call: () => Promise<Result>,
  ): Promise<Result> {
    const made = { method, id, index: calls.length }
    calls.push(made)
    const { delay, error, late = false, hang = false, stale = false } = current(made) ?? {}
    if (delay !== undefined) await new Promise((resolve) => setTimeout(resolve, delay))
    const fails = error !== undefined || hang
    const result = fails && !late ? undefined : await call()
    if (hang) return new Promise(() => {})
    if (method === 'read' && !fails) {
      const before = found.get(id)
      if (stale && before !== undefined) return before as Result
      found.set(id, result)
    }
    if (error !== undefined) throw Object.assign(new Error(`Planned failure of ${method}.`), { name: error })
    return result as Result
  }

  return {
    ...(storage.durable === undefined ? {} : { durable: storage.durable }),
    ...(storage.scope === undefined ? {} : { scope: storage.scope }),
    calls,
    setPlan(next) {
      current = next
    },
    read: (id) => run('read', id, () => storage.read(id)),
    readMessages: (id) => run('readMessages', id, () => storage.readMessages(id)),
    readHistory: (id) => run('readHistory', id, () => storage.readHistory(id)),
    write: (record, expected, writes) =>
      run('write', record.id, () => storage.write(record, expected, writes)),
    setAside: (id, revision, at) => run('setAside', id, () => storage.setAside(id, revision, at)),
    list: () => run('list', null, () => storage.list()),
    delete: (id) => run('delete', id, () => storage.delete(id)),
  }
}

/** A plan that takes the faults one call after the other, and lets everything work after the last. */
export function faultsInOrder(faults: readonly (PlannedFault | null)[]): FaultPlan {
  let next = 0
  return () => faults[next++]
}
