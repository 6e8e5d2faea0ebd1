import type { UIMessage } from 'ai'
import { TodoAgentError } from '../core/errors.ts'
import type { Persistence } from '../core/todo.ts'
import { type Attempt, afterLanding, createAttempt, recordOf, writesOf } from './attempt.ts'
import { type CommitResult, createPendingCommit, type PendingCommit } from './commit.ts'
import { createDeadline } from './deadline.ts'
import { type Found, findStored, type InterruptedRun } from './findStored.ts'
import { type HistoryEntry, parseHistory } from './history.ts'
import { inTime } from './inTime.ts'
import {
  applyOperation,
  type Base,
  emptyBase,
  type Operation,
  rebaseOperation,
  type Working,
  workOn,
} from './pending.ts'
import { parseRecord, revisionOf, type SessionProblem, type SessionRecord } from './record.ts'
import {
  namedError,
  type SessionStorage,
  type SessionWrites,
  storageFault,
  type WriteResult,
} from './storage.ts'
import { closedError, faultDetail, goneDetail, readOnlyDetail, readOnlyError } from './trouble.ts'

// TYPES

export interface SyncOptions<Message extends UIMessage> {
  readonly id: string
  readonly storage: SessionStorage
  readonly now: () => number
  /** How long the first read, or a commit, waits for the storage, in ms. */
  readonly saveTimeout: number
  /** Waits before what failed is tried again, in ms; the last one repeats. */
  readonly retryDelays: readonly number[]
  readonly historyLimit: number
  /** Something that views show may have changed. */
  onUpdate(): void
  /** The storage has something new of this session, or no longer has it. */
  onStored(): void
  /** Something else than before is known to be stored. Comes before `onUpdate`. */
  onAdopt(from: Base<Message>, to: Base<Message>): void
  onProblem(problem: SessionProblem): void
}

/**
 * Why what is stored is read again. `changed`: something may be new. `deleted`: another tab says that it deleted the session. `claimed`: a run
 * is about to begin, and must not go on with a session that was deleted, told or not. Where nothing is stored for one of the last two, and
 * nothing waits to be, the session begins anew.
 */
export type RefreshReason = 'changed' | 'deleted' | 'claimed'

/**
 * Keeps a session and its storage in step. Changes are made in memory at once and kept as functions until they are stored. All work on the
 * storage is done one after the other: nothing is written before a read has succeeded, a write holds the newest state, and one that meets
 * another tab's write is made again on that.
 */
export interface Sync<Message extends UIMessage> {
  /** Starts the first read. Resolves when the session can be used, and never rejects. */
  start(): Promise<void>
  opened(): boolean
  working(): Working<Message>
  base(): Base<Message>
  persistence(): { readonly persistence: Persistence; readonly persistenceDetail: string | null }
  /** Changes wait to be stored. */
  dirty(): boolean
  submit(operation: Operation<Message>): Promise<CommitResult>
  /** Reads what is stored and goes on from it. Never rejects. @default 'changed' */
  refresh(why?: RefreshReason): Promise<void>
  /**
   * Calls `use` with the history up to that moment, the entries that are not stored yet included. What storage does not give within the
   * limit is left out.
   */
  withHistory<Result>(
    use: (entries: readonly HistoryEntry[], complete: boolean) => Result,
  ): Promise<{ readonly result: Result }>
  /** Tries to store what is not stored yet. Never rejects. */
  flush(): Promise<void>
  /** Writes the newest state without waiting for the write that is under way: the page may be about to go away. */
  hurry(): void
  /**
   * Deletes the session from the storage and begins it anew, after `onRemoved`. Rejects when the storage fails. `alone` keeps the other tabs
   * away from it, until what it resolves with is called.
   */
  remove(alone: () => Promise<() => void>, onRemoved: () => void): Promise<void>
  close(): void
}

// VALUES

// A call that has not answered after this many times the limit is given up: it must not hold up the others for ever.
const PATIENCE = 15
const KEPT_GHOSTS = 20
let instances = 0

export function createSync<Message extends UIMessage>(options: SyncOptions<Message>): Sync<Message> {
  const { id, storage, now, saveTimeout, retryDelays, historyLimit, onUpdate, onStored, onAdopt, onProblem } =
    options
  // Not crypto.randomUUID: it is missing on insecure origins.
  const writer = `${Math.random().toString(36).slice(2, 10)}${++instances}`
  const soon = createDeadline(saveTimeout)
  let writes = 0

  // `opening`: changes wait, for what is stored or for a deletion.
  let phase: 'new' | 'opening' | 'open' = 'new'
  // `gone`: deleted by someone else. `none`: there is nothing to store in. Both live on in memory.
  let standing: 'normal' | 'read_only' | 'gone' | 'none' = 'normal'
  let closed = false
  // Until a read succeeded it is not known what a write would overwrite.
  let unread = true
  let base = emptyBase<Message>()
  let working = workOn(base)
  // Changes not made yet, and changes made but not stored yet.
  let waiting: readonly PendingCommit<Message>[] = []
  let pending: readonly PendingCommit<Message>[] = []
  let inFlight: Attempt<Message> | null = null
  // The messages that are known not to be stored as they are.
  const told = new Set<string>()
  // Writes whose answer is not known: they may have landed, or land yet.
  let ghosts: readonly Attempt<Message>[] = []
  let fault: unknown = null
  let failures = 0
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let chain: Promise<unknown> = Promise.resolve()
  let queued = false
  let opening: Promise<void> | undefined
  let rereading: Promise<void> | null = null
  let onOpened = () => {}
  // A run that was under way when it was read is shown as interrupted, and stored as it was until someone changes it.
  let interrupted: InterruptedRun | null = null

  return {
    start,
    opened: () => phase !== 'new' && !(phase === 'opening' && unread),
    working: () => working,
    base: () => base,
    persistence,
    dirty: () => pending.length > 0 || waiting.length > 0,
    submit,
    refresh,
    withHistory,
    flush,
    hurry,
    remove,
    close() {
      closed = true
      clearTimeout(retryTimer)
      soon.close()
    },
  }

  // OPEN

  function start(): Promise<void> {
    opening ??= new Promise((resolve) => {
      const late = () => trouble(namedError('TimeoutError', 'The first read has not answered.'))
      const timer = setTimeout(late, saveTimeout)
      onOpened = () => {
        clearTimeout(timer)
        resolve()
      }
      phase = 'opening'
      work()
    })
    return opening
  }

  /** Goes on from `to`: the changes that are not stored yet are made again on it. */
  function openOn(to: Base<Message>): void {
    const from = base
    const again = [...pending, ...waiting]
    phase = 'open'
    base = to
    working = workOn(to)
    pending = []
    waiting = []
    if (from !== to) {
      ghosts = []
      onAdopt(from, to)
    }
    for (const item of again) replay(item, from)
    if (!unread && pending.length === 0) fault = null
    onOpened()
    onUpdate()
  }

  function replay(item: PendingCommit<Message>, from: Base<Message>): void {
    item.operation = rebaseOperation(item.operation, from, base)
    item.attempted = false
    try {
      make(item)
    } catch (cause) {
      onProblem({ code: 'change_dropped', message: `A change of session "${id}" could not be made.`, cause })
      item.refuse(cause)
    }
  }

  // CHANGE

  function submit(operation: Operation<Message>): Promise<CommitResult> {
    if (closed) return Promise.reject(closedError(id))
    if (standing === 'read_only') return Promise.reject(readOnlyError(id))
    void start()
    return new Promise((resolve, reject) => {
      const onLate = () => trouble(namedError('TimeoutError', 'The write has not answered.'))
      const item = createPendingCommit(operation, working.revision, {
        soon,
        onLate,
        resolve,
        reject,
      })
      if (phase !== 'open') {
        waiting = [...waiting, item]
        return
      }
      try {
        if (!make(item)) return
      } catch (error) {
        return item.refuse(error)
      }
      // It is known not to answer: the agent need not wait for each of its steps.
      if (inFlight && fault !== null && storageFault(fault) === 'slow') item.settle(false)
      onUpdate()
      work()
    })
  }

  /** Makes a change in memory. False when it changed nothing. */
  function make(item: PendingCommit<Message>): boolean {
    const next = applyOperation(working, item.operation)
    const savable = standing === 'normal' && !unread
    item.revision = next.revision
    if (next === working) {
      const last = pending.at(-1)
      if (savable && last && !last.settled) last.followers.push(item)
      else item.settle(savable && !last, false)
      return false
    }
    working = next.entries.length > 2 * historyLimit ? forgetOldest(next) : next
    if (standing === 'normal') pending = [...pending, item]
    if (!savable) item.settle(false)
    return true
  }

  /** Where nothing can be stored, history must not grow for ever. */
  function forgetOldest(next: Working<Message>): Working<Message> {
    const entries = next.entries.slice(-historyLimit)
    return { ...next, keptEntries: (entries[0]?.n ?? 1) - 1, entries }
  }

  /** Takes back what is not stored yet from the storage's point of view. In memory it stands. */
  function drop(settle: (item: PendingCommit<Message>) => void): void {
    const dropped = pending
    pending = []
    for (const item of dropped) settle(item)
  }

  // WORK

  /** Runs a task when those before it have ended. */
  function exclusive<Result>(task: () => Promise<Result>): Promise<Result> {
    const run = chain.then(task)
    chain = run.catch(() => {})
    return run
  }

  function hasWork(): boolean {
    return standing === 'normal' && phase !== 'new' && (unread || pending.length > 0)
  }

  /** Reads, if that is still to be done, or else writes what is not stored yet. */
  function work(): void {
    if (queued || !hasWork()) return
    queued = true
    clearTimeout(retryTimer)
    retryTimer = undefined
    void exclusive(async () => {
      queued = false
      if (!hasWork()) return
      try {
        await (unread ? readFirst() : writeNewest())
      } catch (error) {
        failures += 1
        trouble(error)
        for (const item of pending) if (unread || item.attempted) item.settle(false)
        if (unread || pending.every((item) => item.attempted)) return retryLater()
      }
      work()
    })
  }

  function retryLater(): void {
    if (closed || queued || !hasWork()) return
    const delay = retryDelays[Math.min(failures, retryDelays.length) - 1]
    if (delay !== undefined) retryTimer = setTimeout(work, delay)
  }

  // READ

  async function readFirst(): Promise<void> {
    const found = await limited(async () => find(await storage.read(id)))
    unread = false
    fault = null
    failures = 0
    take(found)
  }

  function find(stored: unknown): Promise<Found<Message>> {
    return findStored(stored, { id, storage, at: now(), base, working })
  }

  function take(found: Found<Message>): void {
    for (const problem of found.problems) onProblem(problem)
    interrupted = found.interrupted ?? interrupted
    if (found.readOnly) {
      standing = 'read_only'
      for (const item of waiting) item.refuse(readOnlyError(id))
      waiting = []
      drop((item) => item.refuse(readOnlyError(id)))
    }
    openOn(found.base)
  }

  // WRITE

  async function writeNewest(): Promise<void> {
    const attempt = attemptOnto(base)
    for (const item of attempt.items) item.attempted = true
    inFlight = attempt
    try {
      const result = await write(attempt)
      if (!result.written) await meet(result.stored, result.lost ?? false)
    } catch (error) {
      ghosts = [...ghosts, attempt].slice(-KEPT_GHOSTS)
      throw error
    } finally {
      inFlight = null
    }
  }

  async function write(attempt: Attempt<Message>): Promise<WriteResult> {
    try {
      const result = await put(attempt, writesOf(attempt, historyLimit))
      if (result.written) landed(attempt)
      return result
    } catch (error) {
      const last = attempt.after.lastEntry
      if (storageFault(error) !== 'full' || last === 0) throw error
      ghosts = [...ghosts, attempt]
      // The list matters more than how it came to be.
      const result = await put(attempt, {
        ...writesOf(attempt, historyLimit),
        history: { puts: [], deleteBelow: last + 1 },
      })
      if (!result.written) return result
      working = { ...working, keptEntries: last, entries: working.entries.filter((entry) => entry.n > last) }
      landed(attempt)
      const message = `The history of session "${id}" was deleted to make room for its list.`
      onProblem({ code: 'history_dropped', message, cause: error })
      return result
    }
  }

  async function put({ after, onto }: Attempt<Message>, writes: SessionWrites): Promise<WriteResult> {
    const abort = new AbortController()
    const writing = () =>
      storage.write(recordOf(id, after, interrupted), onto.expected, { ...writes, signal: abort.signal })
    const result = await limited(writing, () => abort.abort())
    for (const { index, skipped, cause } of (result.written && result.reduced) || []) {
      const what = skipped ? 'could not be saved' : 'was saved without what is not plain data in it'
      const code = skipped ? 'message_skipped' : 'message_reduced'
      // A message that grows is written many times.
      const key = `${code} ${after.messages[index]?.id}`
      if (told.has(key)) continue
      told.add(key)
      onProblem({ code, message: `Message ${index} of session "${id}" ${what}.`, cause })
    }
    return result
  }

  function attemptOnto(onto: Base<Message>): Attempt<Message> {
    writes += 1
    return createAttempt(`${writer}.${writes}`, working, onto, pending)
  }

  /** What an attempt holds is stored; what was changed since is still to be. */
  function landed(attempt: Attempt<Message>): void {
    base = attempt.after
    working = afterLanding(working, attempt)
    ghosts = ghosts.filter((ghost) => ghost.onto === base)
    fault = null
    failures = 0
    settleStored(attempt.items)
    onStored()
    onUpdate()
  }

  function settleStored(items: readonly PendingCommit<Message>[]): void {
    const stored = new Set(items)
    pending = pending.filter((item) => !stored.has(item))
    for (const item of items) item.settle(true)
  }

  /** Something else is stored than was expected: takes it over, and makes the changes again that are not in it. */
  async function meet(stored: unknown, lost: boolean): Promise<void> {
    const parsed = parseRecord(id, stored)
    const damaged = parsed.kind === 'damaged'
    if ((lost && base.expected !== null) || damaged) {
      if (damaged) {
        await limited(() => storage.setAside(id, revisionOf(stored), now()))
        for (const problem of parsed.problems) onProblem(problem)
      }
      // All of it is in memory and is written again.
      const { revision, lastEntry, messages } = base
      base = { ...emptyBase(), revision, lastEntry, messages: damaged ? messages : [] }
      return
    }
    const record = parsed.kind === 'none' ? null : parsed.record
    const asExpected = record
      ? record.revision === base.expected && record.writeIds.at(-1) === base.writeIds.at(-1)
      : base.expected === null
    if (asExpected) {
      throw namedError('DataError', 'The storage refused a write onto the revision that it holds.')
    }
    if (base.createdAt !== null && record?.createdAt !== base.createdAt) return leave()
    const ghost = newestGhost(record?.writeIds ?? [])
    if (ghost && record?.writeIds.at(-1) === ghost.writeId) return landed(ghost)
    const found = await limited(() => find(stored))
    if (ghost) settleStored(ghost.items)
    take(found)
  }

  function newestGhost(writeIds: readonly string[]): Attempt<Message> | undefined {
    const writeId = writeIds.findLast((stored) => ghosts.some((ghost) => ghost.writeId === stored))
    return ghosts.find((ghost) => ghost.writeId === writeId)
  }

  /** Someone else deleted the session. It goes on in memory, so that nothing which was deleted comes back. */
  function leave(): void {
    standing = 'gone'
    onProblem({ code: 'deleted_elsewhere', message: goneDetail })
    drop((item) => item.settle(false))
    onUpdate()
  }

  // ON REQUEST

  function refresh(why: RefreshReason = 'changed'): Promise<void> {
    // One that has not begun yet sees what this one would.
    if (rereading && why === 'changed') return rereading
    const refreshed = reread(why)
    if (why === 'changed') rereading = refreshed
    return refreshed
  }

  async function reread(why: RefreshReason): Promise<void> {
    await start()
    await exclusive(async () => {
      if (why === 'changed') rereading = null
      if (unread || (standing !== 'normal' && standing !== 'read_only')) return
      try {
        const stored = await limited(() => storage.read(id))
        const writeId = (stored as Partial<SessionRecord> | undefined)?.writeIds?.at(-1)
        if (stored === undefined) {
          if (base.expected === null || pending.length > 0) return
          // Whether it was deleted or wiped shows at the next write, unless it was told, or has to be known.
          if (why === 'deleted') openOn(emptyBase())
          else if (why === 'claimed') await meetNothing()
          return
        }
        if (revisionOf(stored) === base.expected && writeId === base.writeIds.at(-1)) return
        await meet(stored, false)
      } catch {
        // What is known stays known.
      }
    })
    work()
  }

  /** Nothing is stored any more. A write of what was is refused, and the refusal says whether someone deleted it. */
  async function meetNothing(): Promise<void> {
    const result = await write(attemptOnto(base))
    if (result.written) return
    if (result.lost || result.stored !== undefined) await meet(result.stored, result.lost ?? false)
    else openOn(emptyBase())
  }

  async function withHistory<Result>(
    use: (entries: readonly HistoryEntry[], complete: boolean) => Result,
  ): Promise<{ readonly result: Result }> {
    await start()
    return new Promise((resolve) => {
      let used = false
      // In the same turn as the read, so that what is stored and what is not yet make up all of it.
      const finish = (stored: readonly unknown[] | null) => {
        if (used) return
        used = true
        clearTimeout(timer)
        const entries = parseHistory(stored ?? [], working.keptEntries)
        if (stored && stored.length > 0 && working.keptEntries > 0 && entries.length === 0) {
          const message = `Older history of session "${id}" could not be read and was left out.`
          onProblem({ code: 'damaged_history', message })
        }
        const all = [...entries, ...working.entries].slice(-historyLimit)
        resolve({ result: use(all, stored !== null && !unread) })
      }
      const timer = setTimeout(finish, saveTimeout, null)
      const reading = async () => finish(await limited(() => storage.readHistory(id)))
      refresh()
        .then(() => exclusive(reading))
        .catch(() => finish(null))
    })
  }

  async function flush(): Promise<void> {
    if (phase === 'new') return
    await start()
    work()
    for (let seen: unknown; seen !== chain; ) {
      seen = chain
      await seen
    }
  }

  function hurry(): void {
    const flying = inFlight
    if (!flying || pending.every((item) => item.attempted)) {
      work()
      return
    }
    const ghost = attemptOnto(flying.after)
    ghosts = [...ghosts, ghost].slice(-KEPT_GHOSTS)
    // Whether it landed shows when the next write meets it.
    limited(() =>
      storage.write(
        recordOf(id, ghost.after, interrupted),
        ghost.onto.expected,
        writesOf(ghost, historyLimit),
      ),
    ).catch(() => {})
  }

  function remove(alone: () => Promise<() => void>, onRemoved: () => void): Promise<void> {
    if (phase === 'open') phase = 'opening'
    return exclusive(async () => {
      phase = 'opening'
      const release = await alone()
      try {
        await removeNow(onRemoved)
      } finally {
        release()
      }
    })
  }

  async function removeNow(onRemoved: () => void): Promise<void> {
    try {
      await limited(() => storage.delete(id))
    } catch (cause) {
      const nothingThere = storageFault(cause) === 'unavailable' && base.createdAt === null
      if (!nothingThere) {
        const left = waiting
        phase = 'open'
        waiting = []
        for (const item of left) replay(item, base)
        onUpdate()
        work()
        throw new TodoAgentError(
          'storage_failed',
          `Session "${id}" could not be deleted: ${faultDetail(cause)} Try again.`,
          { cause },
        )
      }
    }
    drop((item) => item.settle(false))
    opening ??= Promise.resolve()
    unread = false
    fault = null
    if (standing !== 'none') standing = 'normal'
    onRemoved()
    openOn(emptyBase())
    work()
  }

  // TROUBLE

  /** Takes a failure of the storage down. The session goes on in memory. */
  function trouble(error: unknown): void {
    const first = fault === null
    fault = error
    if ((error as Error | null)?.name === 'NotSupportedError') {
      standing = 'none'
      drop((item) => item.settle(false))
    }
    if (phase === 'opening' && unread) openOn(base)
    if (first) onProblem({ code: 'not_saved', message: faultDetail(error), cause: error })
    onUpdate()
  }

  function limited<Result>(call: () => Promise<Result>, onGiveUp?: () => void): Promise<Result> {
    return inTime(call, saveTimeout * PATIENCE, { soon, onGiveUp })
  }

  function persistence(): { persistence: Persistence; persistenceDetail: string | null } {
    if (phase !== 'open' && unread) return { persistence: 'loading', persistenceDetail: null }
    if (standing === 'read_only') return { persistence: 'read_only', persistenceDetail: readOnlyDetail }
    if (standing === 'gone') return { persistence: 'memory', persistenceDetail: goneDetail }
    if (fault !== null) {
      const none = storageFault(fault) === 'unavailable'
      return { persistence: none ? 'memory' : 'failed', persistenceDetail: faultDetail(fault) }
    }
    if (storage.durable === false) return { persistence: 'memory', persistenceDetail: null }
    return {
      persistence: pending.length > 0 || waiting.length > 0 ? 'saving' : 'saved',
      persistenceDetail: null,
    }
  }
}
