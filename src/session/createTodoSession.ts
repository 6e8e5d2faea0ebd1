import type { UIMessage } from 'ai'
import { createStore } from 'zustand/vanilla'
import { requireText, requireWhole } from '../core/errors.ts'
import { type ExtraState, exportExtra, importExtra } from '../core/extra.ts'
import {
  type DraftTodo,
  type DriverRole,
  deepFreeze,
  emptyView,
  idleRun,
  type RunView,
  remaining,
  type Todo,
  type TodoChange,
  type TodoControls,
  type TodoList,
  type TodoSource,
  type TodoView,
} from '../core/todo.ts'
import { aloud } from './aloud.ts'
import type { CommitResult } from './commit.ts'
import {
  type CommitCause,
  entriesUpTo,
  expandHistory,
  type HistoryEntry,
  type Revision,
  rewindTarget,
} from './history.ts'
import { defaultStorage } from './indexedDb.ts'
import { inTime } from './inTime.ts'
import { mergeMessages } from './messages.ts'
import { hurryOnHide } from './pageHide.ts'
import type { Base } from './pending.ts'
import { emptyData, type SessionData, type SessionProblem } from './record.ts'
import { pruneSoon } from './retention.ts'
import { sessionListOf } from './sessionList.ts'
import { requireStorage, type SessionStorage } from './storage.ts'
import { createSync, type RefreshReason } from './sync.ts'
import { createTabs, type DriverClaim } from './tabs.ts'

// TYPES

/** Options of {@link createTodoSession}. */
export interface TodoSessionOptions {
  /** Names the conversation. Sessions with different ids never see each other. */
  readonly id: string
  /** @default the browser's IndexedDB, in a database of the kit's own */
  readonly storage?: SessionStorage
  /** Hears of each thing that was wrong in what was read or written. All of it is worked around already. */
  readonly onProblem?: (problem: SessionProblem) => void
  /**
   * How long the first read, or a commit, waits for the storage, in ms.
   * @default 2000
   */
  readonly saveTimeout?: number
  /**
   * Waits before a failed read or write is tried again, in ms; the last one repeats, and an empty list means: only with the next commit.
   * @default [1000, 5000, 30000]
   */
  readonly retryDelays?: readonly number[]
  /**
   * How many revisions of the list are kept, to go back to when a message is edited or answered again.
   * @default 500
   */
  readonly historyLimit?: number
  /** The clock. @default Date.now */
  readonly now?: () => number
}

/** The state of a session. Everything but the messages is frozen, and keeps its identity until it changes. */
export interface SessionState<Message extends UIMessage = UIMessage> extends TodoView {
  /** What is saved beside the messages. `todos`, `mode` and `run` are parts of it. */
  readonly data: SessionData
  /** The transcript. Replace a message, and the part of it, to change it: what is changed in place is not noticed. */
  readonly messages: readonly Message[]
  /** The first read has settled. False: an empty list may not be the truth. */
  readonly hydrated: boolean
  /** ms since 1970; `null` while nothing was committed. */
  readonly createdAt: number | null
  readonly updatedAt: number | null
  /** The newest problems, at most 20, oldest first. */
  readonly problems: readonly SessionProblem[]
}

/** A session as a whole, at one moment. */
export interface SessionSnapshot<Message extends UIMessage = UIMessage> {
  readonly data: SessionData
  readonly messages: readonly Message[]
  /** Oldest first. */
  readonly history: readonly HistoryEntry[]
}

/** What comes with a commit. */
export interface CommitOptions<Message extends UIMessage = UIMessage> {
  readonly cause?: CommitCause
  /** What it does to the list, for the history. */
  readonly changes?: readonly TodoChange[]
  /** The whole transcript, saved in the same transaction. Only messages and parts that are other objects than those last saved are written. */
  readonly messages?: readonly Message[]
  /**
   * Whether those messages are shown too. A chat that streams into the session shows its own.
   * @default true
   */
  readonly show?: boolean
}

/** One conversation: its list, mode, guard state and transcript, live and saved. */
export interface TodoSession<Message extends UIMessage = UIMessage>
  extends TodoSource<SessionState<Message>> {
  readonly storage: SessionStorage
  /** Starts the first read, and resolves when it has settled. Never rejects. */
  ready(): Promise<void>
  /**
   * Changes the session. The change shows at once; the promise resolves when it is stored, or when storing failed or took longer than
   * `saveTimeout`. Before the first read has settled, changes wait and are then made on what was read.
   *
   * `change` gets the data and returns the new data, or the same reference for no change. It must be pure: it runs again when another tab
   * wrote in between.
   *
   * Rejects with what `change` threw, with a `TypeError` that names the field when it gave data that can't be saved, or a `TodoAgentError`: `read_only` when a newer version of the kit saved the session,
   * `session_closed` after `close`.
   */
  commit(change: (data: SessionData) => SessionData, options?: CommitOptions<Message>): Promise<CommitResult>
  /** Shows a transcript without saving it. */
  setMessages(messages: readonly Message[]): void
  /** Shows a transcript and saves it. Resolves with whether it is stored; never rejects. */
  saveMessages(messages: readonly Message[], options?: Pick<CommitOptions<Message>, 'show'>): Promise<boolean>
  /** The transcript as it is stored, or will be by the write that waits: what a view shows may be ahead of it. */
  savedMessages(): readonly Message[]
  setDraft(draft: readonly DraftTodo[] | null): void
  setControls(controls: TodoControls): void
  /**
   * Claims the session for one run: in this tab and, where tabs share the storage, among all of them. What another tab has stored is known
   * then. The claim's signal is aborted when the run is to stop. Rejects with `session_busy` while another run is under way; one that is stopping already is waited for.
   */
  claim(signal?: AbortSignal): Promise<DriverClaim>
  /** Stops the run of this tab, if there is one, and resolves when it has ended. */
  stopRun(): Promise<void>
  /** Stops the run of another tab, and resolves when it has let go of the session. */
  takeOver(): Promise<void>
  /** Follows what other tabs do with the session, until the returned function is called. */
  watchTabs(): () => void
  /**
   * Takes list, ids, guard and mode back to what they were when `messageId` was the last message; `null`: to the start of the session.
   * The transcript is the caller's: pass it, cut, as `messages`. Where history does not reach, nothing changes.
   */
  rewind(messageId: string | null, options?: Pick<CommitOptions<Message>, 'messages'>): Promise<CommitResult>
  /** The revisions of list, guard and mode, oldest first, with the list after each. */
  history(): Promise<readonly Revision[]>
  /** The list as it was when the message was last touched, `null` when the message is not known. */
  listAt(messageId: string): Promise<TodoList | null>
  /** All that a copy of the session needs, as it is stored or will be by the write that waits. */
  snapshot(): Promise<SessionSnapshot<Message>>
  getAllTodos(): readonly Todo[]
  /** The unfinished items. */
  getRemainingTodos(): readonly Todo[]
  /** List and guard state under the six names that other implementations persist too. */
  exportExtra(): ExtraState
  /** Takes over list and guard state of another implementation. Anything odd in it is put right. */
  importExtra(extra: unknown): Promise<CommitResult>
  /** Reads again what is stored, for when another tab wrote. Changes that aren't stored yet are kept. Never rejects. */
  refresh(): Promise<void>
  /** Resolves when everything is stored, or storing has failed. Never rejects. */
  flush(): Promise<void>
  /** Deletes all that is stored of the session, which then goes on empty. Rejects with `storage_failed`. */
  delete(): Promise<void>
  /** Ends the session: what is not stored yet is tried once more, and later commits are refused. */
  close(): void
}

// VALUES

const KEPT_PROBLEMS = 20

/**
 * Makes a session. It does no work, and touches no browser API, before `ready` or the first commit.
 *
 * Two sessions of one id would both be right, but each would learn of the other's changes only at its next write: use `getTodoSession`,
 * which hands out one per page.
 *
 * @throws TypeError that names the option
 *
 * @example
 * const session = createTodoSession({ id: 'trip-to-lyon' })
 * await session.ready()
 * await session.commit((data) => ({ ...data, title: 'Trip to Lyon' }))
 */
export function createTodoSession<Message extends UIMessage = UIMessage>(
  options: TodoSessionOptions,
): TodoSession<Message> {
  const { id, storage = defaultStorage(), onProblem, now = Date.now } = options
  const { saveTimeout = 2000, retryDelays = [1000, 5000, 30_000], historyLimit = 500 } = options
  requireText('id', id)
  requireStorage(storage)
  requireWhole('saveTimeout', saveTimeout, 1)
  requireWhole('historyLimit', historyLimit, 1)

  const initial: SessionState<Message> = Object.freeze({
    ...emptyView,
    data: emptyData,
    messages: Object.freeze([]),
    hydrated: false,
    createdAt: null,
    updatedAt: null,
    problems: Object.freeze([]),
  })
  const { getState, getInitialState, setState, subscribe } = createStore<SessionState<Message>>(() => initial)
  const sync = createSync<Message>({
    id,
    storage,
    now,
    saveTimeout,
    retryDelays,
    historyLimit,
    onUpdate: () => publish(),
    onStored() {
      tabs.announce('changed')
      sessionListOf(storage).announce(id)
      if (sync.base().writeIds.length === 1) pruneSoon(storage)
    },
    onAdopt,
    onProblem: report,
  })
  const tabs = createTabs({
    id,
    scope: storage.scope ?? null,
    onRole: (driver) => publish(driver),
    onChanged: (deleted) => catchUp(deleted ? 'deleted' : 'changed'),
    onMissing: (what, cause) =>
      report({
        code: 'tabs_not_shared',
        message: `Tabs do not share session "${id}", since ${what} can't be used here. Keep it open in one tab at a time.`,
        cause,
      }),
  })
  let closed = false

  // STATE

  function update(changes: Partial<SessionState<Message>>): void {
    const state = getState()
    const keys = Object.keys(changes) as (keyof SessionState<Message>)[]
    if (keys.every((key) => Object.is(state[key], changes[key]))) return
    aloud(() => setState(Object.freeze({ ...state, ...changes }), true))
  }

  function publish(driver = getState().driver): void {
    const { data, revision, createdAt, updatedAt } = sync.working()
    update({
      data,
      todos: data.list.todos,
      mode: data.mode,
      run: runOf(data.run, driver),
      driver,
      revision,
      createdAt,
      updatedAt: createdAt === null ? null : updatedAt,
      hydrated: sync.opened(),
      ...sync.persistence(),
    })
    watch()
  }

  let elsewhere: { readonly run: RunView; readonly shown: RunView } | null = null

  // What was read as interrupted is under way after all, in another tab. What was read as ended is over only once that tab lets go: until
  // then it is the run before.
  function runOf(run: RunView, driver: DriverRole): RunView {
    if (driver !== 'other' || run.status === 'running') return run
    const known = run.status === 'interrupted' ? run : idleRun
    if (elsewhere?.run !== run) elsewhere = { run, shown: deepFreeze({ ...known, status: 'running' }) }
    return elsewhere.shown
  }

  /** Reads what is stored, and waits for it only so long. */
  function catchUp(why?: RefreshReason): Promise<void> {
    return inTime(() => sync.refresh(why), saveTimeout).catch(() => {})
  }

  function onAdopt(from: Base<Message>, to: Base<Message>): void {
    if (from.messages === to.messages) return
    const theirs = to.messages.filter((message) => message !== undefined)
    update({ messages: mergeMessages(from.messages, getState().messages, theirs) })
  }

  function report(problem: SessionProblem): void {
    update({ problems: Object.freeze([...getState().problems, problem].slice(-KEPT_PROBLEMS)) })
    aloud(() => onProblem?.(problem))
  }

  /** A page that goes away while something is not stored writes it at once. */
  function watch(): void {
    if (sync.dirty() && !closed) hurryOnHide.add(sync.hurry)
    else hurryOnHide.delete(sync.hurry)
  }

  // CHANGE

  function commit(
    change: (data: SessionData) => SessionData,
    { cause, changes = [], messages, show = true }: CommitOptions<Message> = {},
  ) {
    const at = now()
    const parent = parentOf(messages ?? getState().messages, cause?.messageId)
    const done = sync.submit({ change, at, cause: cause ?? null, parent, changes, messages })
    if (messages && show) update({ messages })
    learnReasons(changes)
    watch()
    return done
  }

  function saved(): readonly Message[] {
    return sync.working().messages.filter((message) => message !== undefined)
  }

  /** Keeps other tabs from running the session, and stops the one that does, until the returned function is called. */
  async function keepAlone(): Promise<() => void> {
    if (storage.scope === undefined || getState().driver === 'self') return () => {}
    try {
      return (await tabs.claim()).release
    } catch {
      await tabs.takeOver()
      return tabs.claim().then(
        ({ release }) => release,
        () => () => {},
      )
    }
  }

  // REASONS

  function learnReasons(changes: readonly TodoChange[]): void {
    const { reasons } = getState()
    const learnt = reasonsIn(changes)
    if (Object.keys(learnt).some((id) => reasons[Number(id)] !== learnt[Number(id)])) {
      update({ reasons: Object.freeze({ ...reasons, ...learnt }) })
    }
  }

  /** Reads the reasons of completed items from the history, where there may be some that are not known yet. */
  async function readReasons(): Promise<void> {
    await sync.start()
    const { todos, reasons } = getState()
    if (todos.every((todo) => todo.status !== 'completed' || todo.id in reasons)) return
    const revisions = await history()
    learnReasons(revisions.flatMap((revision) => revision.changes))
  }

  // HISTORY

  async function history(): Promise<readonly Revision[]> {
    const { result } = await sync.withHistory(
      (entries) => expandHistory(entries, sync.working().data).revisions,
    )
    return result
  }

  /** Where the message stands in any of the transcripts: some may have been cut already. */
  function orderOf(messageId: string | null, given: readonly Message[]) {
    const transcripts = [sync.base().messages, sync.working().messages, getState().messages, given]
    const upTo = new Set<string>()
    const after = new Set<string>()
    let found = false
    if (messageId === null) return { upTo, after, found }
    upTo.add(messageId)
    for (const transcript of transcripts) {
      const ids = transcript.flatMap((message) => (message ? [message.id] : []))
      const index = ids.indexOf(messageId)
      if (index < 0) continue
      found = true
      for (const [place, other] of ids.entries()) (place <= index ? upTo : after).add(other)
    }
    return { upTo, after, found }
  }

  return {
    id,
    storage,
    store: { getState, getInitialState, subscribe },
    ready: sync.start,
    commit,
    setMessages: (messages) => update({ messages }),
    async saveMessages(messages, { show = true } = {}) {
      if (show) update({ messages })
      const { saved } = await commit((data) => data, { messages, show }).catch(() => ({ saved: false }))
      return saved
    },
    savedMessages: saved,
    setDraft: (draft) => update({ draft: deepFreeze(draft) }),
    setControls: (controls) => update({ controls: Object.freeze(controls) }),
    async claim(signal) {
      const claim = await tabs.claim(signal)
      // What another tab stored last may not have been told yet.
      if (storage.scope !== undefined) await catchUp('claimed')
      return claim
    },
    stopRun: tabs.stop,
    async takeOver() {
      if (getState().driver === 'self') return
      let stopped: Promise<unknown> = Promise.resolve()
      await tabs.takeOver(async () => {
        await catchUp()
        // A tab that did not answer finds its run ended when it wakes up. Where nothing can be changed, nothing is to be stopped.
        stopped = commit((data) =>
          data.run.status === 'idle' ? data : { ...data, run: stoppedRun(data.run, now()) },
        ).catch(() => {})
      })
      await stopped
    },
    watchTabs() {
      void readReasons()
      return tabs.watch()
    },
    async rewind(messageId, { messages } = {}) {
      const rewound = await sync.withHistory((entries, complete) => {
        const seen = sync.working().data
        const target = rewindTarget(entries, seen, messageId, orderOf(messageId, messages ?? []))
        if (messages) update({ messages })
        return sync.submit({
          change(data) {
            const { list, guard, mode } = target
            const same = list === data.list && guard === data.guard && mode === data.mode
            // Without the whole history it is only known what to make of the list that was seen.
            if (same || (!complete && data.list !== seen.list)) return data
            return { ...data, list, guard, mode, modeChange: null }
          },
          at: now(),
          cause: null,
          parent: null,
          changes: [],
          messages,
          keepEntries: target.n,
        })
      })
      return rewound.result
    },
    history,
    async listAt(messageId) {
      const { result } = await sync.withHistory((entries) => {
        const order = orderOf(messageId, [])
        const touched = entries.findLastIndex((entry) => entry.cause?.messageId === messageId)
        if (touched < 0 && !order.found) return null
        const count = touched < 0 ? entriesUpTo(entries, messageId, order) : touched + 1
        return expandHistory(entries.slice(count), sync.working().data).before.list
      })
      return result
    },
    async snapshot() {
      const { result } = await sync.withHistory((entries) => {
        return { data: sync.working().data, messages: saved(), history: entries }
      })
      return result
    },
    getAllTodos: () => getState().todos,
    getRemainingTodos: () => remaining(getState().todos),
    exportExtra: () => exportExtra({ todos: getState().data.list, guard: getState().data.guard }),
    importExtra: (extra) => {
      const at = now()
      return commit((data) => ({ ...data, ...importExtra(extra, { now: at, previous: data.list }) }))
    },
    refresh: () => sync.refresh(),
    flush: sync.flush,
    async delete() {
      await sync.remove(keepAlone, () => {
        update({ messages: initial.messages, draft: null })
        tabs.announce('deleted')
      })
      // Saved while the old session was being deleted.
      const messages = saved()
      if (messages.length > 0) update({ messages })
      sessionListOf(storage).announce(id)
    },
    close() {
      closed = true
      sync.hurry()
      sync.close()
      watch()
    },
  }
}

// HELPERS

function reasonsIn(changes: readonly TodoChange[]): Record<number, string> {
  return Object.fromEntries(
    changes.flatMap((change) =>
      change.type === 'restated' && change.to === 'completed' && change.reason?.trim()
        ? [[change.id, change.reason]]
        : [],
    ),
  )
}

function stoppedRun(run: RunView, endedAt: number): RunView {
  return deepFreeze({ ...run, status: 'idle', outcome: 'stopped', endedAt })
}

function parentOf(messages: readonly UIMessage[], messageId: string | undefined): string | null {
  const index = messages.findLastIndex((message) => message.id === messageId)
  return (index < 0 ? messages.at(-1) : messages[index - 1])?.id ?? null
}
