import * as z from 'zod/mini'

// SCHEMAS

/** The states of a todo. `cancelled` and `blocked` exist only where the host opts in with `exits: true`. */
export const TODO_STATUSES = ['pending', 'in_progress', 'completed', 'cancelled', 'blocked'] as const

// Schemas are marked as pure, so that a page which only shows todos carries neither them nor zod.
/** Checks a {@link TodoStatus}. */
export const todoStatusSchema = /* @__PURE__ */ z.enum(TODO_STATUSES)

const timestamp = /* @__PURE__ */ (() => z.number().check(z.nonnegative()))()

/** A todo as it is stored. Everything that is read from storage or imported passes it. */
export const todoSchema = /* @__PURE__ */ (() =>
  z.object({
    id: z.int().check(z.positive()),
    content: z.string(),
    description: z.optional(z.string()),
    status: todoStatusSchema,
    /** Why the item was cancelled or is blocked. */
    reason: z.optional(z.string()),
    createdAt: timestamp,
    startedAt: z.optional(timestamp),
    completedAt: z.optional(timestamp),
  }))()

// TYPES

/** The state of a todo, one of {@link TODO_STATUSES}. */
export type TodoStatus = z.infer<typeof todoStatusSchema>

/** One item of a session's list. `id` is an integer from 1, per session, never reused. Times are in ms since 1970. */
export type Todo = Readonly<z.infer<typeof todoSchema>>

/** A list and the id that the next new item gets. Frozen, as its items are. */
export interface TodoList {
  readonly todos: readonly Todo[]
  readonly nextId: number
}

/** An item of a `write_todos` call that is still streaming: complete in itself, not yet committed. */
export interface DraftTodo {
  readonly content: string
  readonly status: TodoStatus
  /** True while its text is still arriving. Only the last item can be. */
  readonly partial?: boolean
}

/** One thing that a commit did to the list. `index` counts from 0. */
export type TodoChange =
  | {
      readonly type: 'added'
      readonly id: number
      readonly content: string
      readonly status: TodoStatus
      readonly index: number
    }
  | { readonly type: 'removed'; readonly id: number; readonly content: string; readonly status: TodoStatus }
  | { readonly type: 'renamed'; readonly id: number; readonly from: string; readonly to: string }
  | {
      readonly type: 'moved'
      readonly id: number
      readonly content: string
      readonly from: number
      readonly to: number
    }
  | {
      readonly type: 'restated'
      readonly id: number
      readonly content: string
      readonly from: TodoStatus
      readonly to: TodoStatus
      /** The reason that came with it: of a `todos_complete`, a cancellation or a block. */
      readonly reason?: string
    }

/** Which tools the model is offered: one that replaces the whole list, or five that work by id. One list is under both. */
export type Toolset = 'write_todos' | 'todos'

/** How many items may be in progress while a list is not finished. */
export type InProgressPolicy = 'exactly-one' | 'at-most-one' | 'any'

/** How far a list is. `total` leaves cancelled items out; `blocked` ones stay in it as not done. */
export interface TodoProgress {
  readonly done: number
  readonly total: number
  /** The first item in progress, `null` when there is none. */
  readonly current: Todo | null
}

/** A user-role message that the kit wrote, not the person. */
export interface SyntheticMessage {
  readonly source:
    | 'todo_guard'
    | 'todo_blocked'
    | 'todo_stale_reminder'
    | 'todo_validation_error'
    | 'todo_parallel_error'
    | 'empty_response'
    | 'mode_change'
    | 'loop_feedback'
    | 'resume'
  readonly text: string
}

/** How a run ended. */
export type RunOutcome =
  | 'completed'
  | 'finished_with_open_todos'
  | 'blocked'
  | 'awaiting_approval'
  | 'max_steps'
  | 'max_iterations'
  | 'empty_response'
  | 'stopped'
  | 'failed'

/**
 * What a run is doing, or how the last one ended.
 * `interrupted`: the page went away in the middle of it; everything up to there is saved and it can be resumed.
 */
export type RunStatus = 'idle' | 'running' | 'interrupted'

/** The run as a view shows it. */
export interface RunView {
  readonly status: RunStatus
  /** How the last run ended; `null` before the first end and while one runs. */
  readonly outcome: RunOutcome | null
  /** Ids of the items that were open when it ended. */
  readonly openIds: readonly number[]
  /** The corrections of the guard in this run so far, `null` when there was none. */
  readonly correction: { readonly count: number; readonly max: number; readonly open: number } | null
  /** What failed, in words for the person; `null` unless `outcome` is `failed`. */
  readonly error: { readonly code: string; readonly message: string } | null
  /** A request failed in a way that may pass, and is made again at `until` (ms since 1970). Not there while nothing is waited for. */
  readonly wait?: { readonly until: number; readonly attempt: number; readonly attempts: number }
  /** ms since 1970; `null` before the first run. */
  readonly startedAt: number | null
  readonly endedAt: number | null
}

/**
 * Whether the list is safe.
 * `loading`: the first read has not settled. `saved`: everything acknowledged is stored. `saving`: a write is under way.
 * `memory`: there is no storage here, the list lives as long as the page. `failed`: a write failed; the newest state is kept in memory and
 * written at the next success. `read_only`: the record comes from a newer version of the kit and is not written to.
 */
export type Persistence = 'loading' | 'saved' | 'saving' | 'memory' | 'failed' | 'read_only'

/** Which tab may run this session: this one, another one, or nobody does at the moment. */
export type DriverRole = 'self' | 'other' | 'none'

/**
 * A change of the list that the person asks for. It goes to the model as a message; the list changes when the model changes it, so what the
 * model knows and what the list says never part. `skip`: leave the item undone, whatever that means for the work.
 */
export type TodoRequest =
  | { readonly type: 'add'; readonly content: string }
  | { readonly type: 'rename'; readonly id: number; readonly content: string }
  | { readonly type: 'remove'; readonly id: number }
  | { readonly type: 'skip'; readonly id: number }

/** What the person can do from a panel. A control that is not there cannot be done now, and no button is shown for it. */
export interface TodoControls {
  /** Goes on with an interrupted run. */
  readonly resume?: () => void
  /** Stops the run. */
  readonly stop?: () => void
  /** Stops the run of the other tab, so that this one can go on with it. */
  readonly takeOver?: () => void
  /** Approves the plan: sets the mode that the plan leads to. */
  readonly approvePlan?: () => void
  /** Asks the model for a change of the list, at the next step of the run or in a new one. */
  readonly request?: (request: TodoRequest) => void
}

/** The state that a view of a session reads. Every value keeps its identity until it changes; all of it is frozen. */
export interface TodoView {
  readonly todos: readonly Todo[]
  /** The items of a `write_todos` call that is streaming right now, `null` when none is. */
  readonly draft: readonly DraftTodo[] | null
  readonly mode: string | null
  readonly run: RunView
  readonly persistence: Persistence
  /** Why it is not saved, in words; `null` while it is. */
  readonly persistenceDetail: string | null
  readonly driver: DriverRole
  readonly controls: TodoControls
  /** Why items were completed, by id, in the words of the model. From the change log: a reason is no part of its item. */
  readonly reasons: Readonly<Record<number, string>>
  /** Grows by one at each committed change. */
  readonly revision: number
}

/**
 * The read interface of a session: what hooks and panels meet at. A zustand vanilla store fits it as it is.
 * It is owned by core so that `react` and `panel` never import each other.
 */
export interface TodoSource<View extends TodoView = TodoView> {
  readonly id: string
  readonly store: {
    getState(): View
    /** The state before anything was read: what a server renders, and what the first client render must equal. */
    getInitialState(): View
    subscribe(listener: (state: View, previous: View) => void): () => void
  }
}

// VALUES

/** A list without items, whose first item gets the id 1. */
export const emptyList: TodoList = deepFreeze({ todos: [], nextId: 1 })

/** A run as it is before the first one. */
export const idleRun: RunView = deepFreeze({
  status: 'idle',
  outcome: null,
  openIds: [],
  correction: null,
  error: null,
  startedAt: null,
  endedAt: null,
})

/** The view of a session of which nothing was read yet: what a server renders. */
export const emptyView: TodoView = deepFreeze({
  todos: emptyList.todos,
  draft: null,
  mode: null,
  run: idleRun,
  persistence: 'loading',
  persistenceDetail: null,
  driver: 'none',
  controls: {},
  reasons: {},
  revision: 0,
})

// SELECTORS

/** Whether the guard, the reminder and the loop still care about an item: `pending` or `in_progress`. */
export function isUnfinished(todo: { readonly status: TodoStatus }): boolean {
  return todo.status === 'pending' || todo.status === 'in_progress'
}

/** Whether a status is an honest way to stop, which comes with a reason: `cancelled` or `blocked`. */
export function isExit(status: TodoStatus): boolean {
  return status === 'cancelled' || status === 'blocked'
}

/** The unfinished items, in list order. The same array comes back for the same list. */
export const remaining: (todos: readonly Todo[]) => readonly Todo[] = perList((todos) => {
  const open = todos.filter(isUnfinished)
  return open.length === todos.length ? todos : Object.freeze(open)
})

/** How far the list is. The same object comes back for the same list. */
export const progress: (todos: readonly Todo[]) => TodoProgress = perList((todos) => {
  let done = 0
  let total = 0
  let current: Todo | null = null
  for (const todo of todos) {
    if (todo.status === 'cancelled') continue
    total += 1
    if (todo.status === 'completed') done += 1
    if (todo.status === 'in_progress') current ??= todo
  }
  return Object.freeze({ done, total, current })
})

/** The items that a run leaves undone: unfinished ones and blocked ones. */
export const openTodos: (todos: readonly Todo[]) => readonly Todo[] = perList((todos) =>
  Object.freeze(todos.filter((todo) => isUnfinished(todo) || todo.status === 'blocked')),
)

/** Whether a list is long enough and done, so that the model should check its work: three or more items, all completed. */
export function isWorthCheck(todos: readonly { readonly status: TodoStatus }[]): boolean {
  return todos.length >= 3 && todos.every(({ status }) => status === 'completed')
}

// HELPERS

// Lists are immutable, so a result per list identity never goes stale, and it goes away with the list.
function perList<Result extends object>(compute: (todos: readonly Todo[]) => Result) {
  const results = new WeakMap<readonly Todo[], Result>()
  return (todos: readonly Todo[]): Result => {
    let result = results.get(todos)
    if (!result) {
      result = compute(todos)
      results.set(todos, result)
    }
    return result
  }
}

/** An object without the optional keys that are undefined. */
export function defined<Whole extends object>(parts: MaybeUndefined<Whole>): Whole {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Whole
}

type MaybeUndefined<Whole> = {
  [Key in keyof Whole]: Whole extends Record<Key, Whole[Key]> ? Whole[Key] : Whole[Key] | undefined
}

/** Freezes a value and all that it holds. Stops at what is frozen already, so a list costs only what is new in it. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Array.isArray(value) ? value : Object.values(value)) deepFreeze(part)
  return value
}
