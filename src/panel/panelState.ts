import { fold } from '../core/list.ts'
import {
  type DraftTodo,
  emptyView,
  idleRun,
  isExit,
  isUnfinished,
  openTodos,
  progress,
  type RunOutcome,
  type RunView,
  type Todo,
  type TodoControls,
  type TodoProgress,
  type TodoRequest,
  type TodoView,
} from '../core/todo.ts'
import { type RowState, say, sayDuration, type TodoPanelLabels } from './labels.ts'

// TYPES

/**
 * A todo as the panel needs it. Todos of a session fit; an agent elsewhere may use its own ids and leave
 * times out.
 */
export type PanelTodo = Omit<Todo, 'id' | 'createdAt'> & {
  readonly id: number | string
  readonly createdAt?: number | undefined
}

/** What the person can do from the panel. No button is shown for what is not there. */
export type PanelControls = { readonly [Name in keyof TodoControls]?: TodoControls[Name] | undefined } & {
  /** The person wants another plan: shown beside "Approve plan". */
  readonly askForChanges?: (() => void) | undefined
}

/** What a panel without a session shows: plain values from anywhere. */
export interface TodoPanelData {
  readonly todos: readonly PanelTodo[]
  /** Items that are still being written. */
  readonly draft?: readonly DraftTodo[] | null | undefined
  readonly mode?: string | null | undefined
  /**
   * What the run does, or how it ended.
   * @default running while an item is in progress, idle otherwise
   */
  readonly run?: Partial<RunView> | undefined
  /** @default 'saved' */
  readonly persistence?: TodoView['persistence'] | undefined
  readonly persistenceDetail?: string | null | undefined
  /** @default 'self' */
  readonly driver?: TodoView['driver'] | undefined
  /** Why items were completed, by id. */
  readonly reasons?: TodoView['reasons'] | undefined
}

/** A row of the list. */
export interface PanelRow {
  readonly todo: PanelTodo
  /** The one item that is being worked on, running or paused. */
  readonly current: boolean
  /** It is in progress, but its run is not running. */
  readonly paused: boolean
  /** It is shown as it was at one moment: nothing of it moves or counts. */
  readonly still?: boolean | undefined
  /** Why it was completed, where the model said so. Shown on demand. */
  readonly reason?: string | undefined
  /** What the person asked for and the model has not done yet. */
  readonly asked?: TodoRequest | undefined
  /** Not committed yet: `partial` while its text is arriving, `complete` after. */
  readonly draft: 'complete' | 'partial' | null
}

/** A row, ready for a `<TodoPanel.Item {...row} />`. */
export interface ListedRow extends PanelRow {
  readonly labels: TodoPanelLabels
  /** Asks the model for a change of the item, where the panel is editable. */
  readonly ask?: ((request: TodoRequest) => void) | undefined
}

/** How pressing a notice is, mildest first. */
export type NoticeTone = 'info' | 'quiet' | 'warn' | 'bad'

/** What a notice is about. */
export type NoticeKind = 'other_tab' | 'correction' | 'interrupted' | 'persistence' | 'outcome'

/** One plain sentence for the person, with at most one thing to do about it. */
export interface PanelNotice {
  readonly kind: NoticeKind
  readonly tone: NoticeTone
  readonly title: string
  readonly details: readonly string[]
  /** What the person can do about it, where `controls` has it. */
  readonly action: PanelActionName | undefined
}

/** What a button does: its label and its control have the same name. */
export type PanelActionName = Exclude<keyof PanelControls, 'stop' | 'request'>

/** All that the parts show, derived from a view. */
export interface PanelState extends TodoView {
  readonly title: string
  readonly running: boolean
  /** Plan mode, and nothing of the list has begun. */
  readonly plan: boolean
  readonly tentative: readonly PanelRow[]
  readonly empty: boolean
  /** How far the list is, or how long the plan is; `null` without a list. */
  readonly count: string | null
  readonly progress: TodoProgress
  readonly notices: readonly PanelNotice[]
  /** How the last run ended. */
  readonly end: PanelNotice | null
}

// VIEW

/**
 * Plain values as the view that the parts read. What is not a todo at all is left out, so that one odd row of
 * a foreign agent can't take the page down; of two rows with one id the first stays.
 */
export function toView({
  todos,
  draft = null,
  mode = null,
  run,
  persistence = 'saved',
  persistenceDetail = null,
  driver = 'self',
  reasons = emptyView.reasons,
}: TodoPanelData): TodoView {
  const seen = new Set<string>()
  const rows = (todos ?? []).filter(
    (todo) => typeof todo?.content === 'string' && seen.size < seen.add(String(todo.id)).size,
  )
  const running = rows.some((todo) => todo.status === 'in_progress')
  return {
    ...emptyView,
    // A foreign todo becomes a core one: the panel and the selectors it calls read neither `createdAt` nor
    // the kind of the id.
    todos: rows as readonly Todo[],
    draft,
    mode,
    run: { ...idleRun, ...(run ?? { status: running ? 'running' : 'idle' }) },
    persistence,
    reasons,
    persistenceDetail,
    driver,
  }
}

const pendingLists = new WeakMap<readonly Todo[], readonly Todo[]>()

/** The list with every item as still to do; the same one comes back for the same list. */
function asPending(todos: readonly Todo[]): readonly Todo[] {
  if (todos.every((todo) => todo.status === 'pending')) return todos
  let pending = pendingLists.get(todos)
  if (!pending) {
    pending = todos.map((todo) => (todo.status === 'pending' ? todo : { ...todo, status: 'pending' }))
    pendingLists.set(todos, pending)
  }
  return pending
}

/** The view with all that the parts show of it. */
export function toPanelState(view: TodoView, labels: TodoPanelLabels, title?: string): PanelState {
  const { mode, run } = view
  // An item that a plan begins with is not under way: nothing is, before the plan is approved.
  const plan = mode === 'plan' && view.todos.every(isUnfinished)
  const todos = plan ? asPending(view.todos) : view.todos
  const tentative = tentativeRows(todos, view.draft)
  const far = progress(todos)
  const { done, total } = far
  const count = todos.length + tentative.length
  let counted: string | null = null
  if (plan && count > 0) counted = say(labels, labels.steps, { count })
  else if (total > 0) counted = say(labels, labels.progress, { done, total })
  return {
    ...view,
    todos,
    title: title ?? (mode === 'plan' ? labels.planTitle : labels.title),
    running: run.status === 'running',
    plan,
    tentative,
    empty: count === 0,
    count: counted,
    progress: far,
    notices: panelNotices(view, labels),
    end: outcomeNotice(view, labels),
  }
}

// ROWS

/**
 * The drafts that are not in the list yet, as rows to stand after it. A committed row is never touched by a
 * stream that is half-way: a draft that says the same as one (or, still partial, begins like one) is that
 * row.
 *
 * A draft carries the id that its commit is about to give it, so that the row keeps its DOM node as it
 * becomes firm.
 */
export function tentativeRows(todos: readonly Todo[], draft: TodoView['draft']): readonly PanelRow[] {
  if (!draft) return []
  const unmatched = todos.map((todo) => fold(todo.content))
  let nextId = 1
  for (const { id } of todos) if (Number(id) >= nextId) nextId = Number(id) + 1
  return draft.flatMap((item): PanelRow[] => {
    if (typeof item?.content !== 'string') return []
    const text = fold(item.content)
    const match = unmatched.findIndex((other) => other === text || (item.partial && other.startsWith(text)))
    if (match >= 0) {
      unmatched.splice(match, 1)
      return []
    }
    const todo: PanelTodo = { id: nextId++, content: item.content, status: 'pending' }
    return [{ todo, current: false, paused: false, draft: item.partial ? 'partial' : 'complete' }]
  })
}

/** The rows from `from` up to, not including, `to`, and how many are left out. */
export interface VisibleRows {
  readonly from: number
  readonly to: number
  readonly left: number
}

/**
 * The `max` neighbouring rows that matter most: around the current item, or else the next one to do; the last
 * ones of a list where nothing is left. Drafts count as rows after the committed ones.
 */
export function visibleRows({ todos, tentative, progress }: PanelState, max: number): VisibleRows {
  const count = todos.length + tentative.length
  const next = progress.current ?? todos.find(isUnfinished)
  // One row of what came before, where there is room for it.
  const wanted = (next ? todos.indexOf(next) : count) - (max > 2 ? 1 : 0)
  const from = Math.max(0, Math.min(wanted, count - max))
  const to = Math.min(count, from + max)
  return { from, to, left: count - (to - from) }
}

/** The state of a row in one word: what its icon and its status text show. */
export function rowState({ todo, paused, draft }: Pick<PanelRow, 'todo' | 'paused' | 'draft'>): RowState {
  if (draft) return 'draft'
  return paused ? 'paused' : todo.status
}

/** What a row says under its text: the reason of an honest exit, or the description while it is of use. */
export function rowDetail({ status, reason, description }: PanelTodo): string | undefined {
  if (status === 'completed') return undefined
  return (isExit(status) && reason) || description || undefined
}

/** The word or time at the end of a row, as far as it does not tick. */
export function rowAside(row: ListedRow): string | null {
  const { todo, labels } = row
  const state = rowState(row)
  const { startedAt, completedAt } = todo
  if (state === 'completed') {
    // JSON has `null` for what is not there.
    return startedAt == null || completedAt == null ? null : sayDuration(labels, completedAt - startedAt)
  }
  if (state === 'pending' || state === 'draft' || (state === 'in_progress' && !row.still)) return null
  return labels.status[state]
}

// NOTICES

/** What the person should know right now, most pressing first. How the run ended is {@link outcomeNotice}. */
export function panelNotices(view: TodoView, labels: TodoPanelLabels): readonly PanelNotice[] {
  const { run, persistence, persistenceDetail } = view
  const { correction } = run
  const notices: PanelNotice[] = []
  function add(
    kind: NoticeKind,
    tone: NoticeTone,
    title: string,
    details: readonly string[],
    action?: PanelActionName,
  ) {
    notices.push({ kind, tone, title, details, action })
  }

  if (view.driver === 'other') add('other_tab', 'info', labels.otherTab, [], 'takeOver')
  if (run.status === 'running' && correction) {
    const { open, count, max } = correction
    const left = say(labels, labels.stillOpen, { count: open })
    add('correction', 'info', labels.asked, [left, say(labels, labels.askedCount, { count, max })])
  }
  if (run.status === 'interrupted') {
    const saved = persistence === 'saved' ? [labels.interruptedDetail] : []
    add('interrupted', 'warn', labels.interrupted, saved, 'resume')
  }
  // The session's own words are whole sentences, and say more than the label that they stand for.
  if (persistence === 'failed') {
    const cause = persistenceDetail ? [persistenceDetail] : []
    add('persistence', 'bad', labels.notSaved, [labels.notSavedDetail, ...cause])
  }
  if (persistence === 'memory' && view.todos.length > 0) {
    add('persistence', 'quiet', labels.inMemory, [persistenceDetail ?? labels.inMemoryDetail])
  }
  if (persistence === 'read_only') {
    add('persistence', 'quiet', labels.readOnly, [persistenceDetail ?? labels.readOnlyDetail])
  }
  return notices
}

const tones: Partial<Record<RunOutcome, NoticeTone>> = {
  failed: 'bad',
  stopped: 'quiet',
  awaiting_approval: 'info',
}

/** How the last run ended, `null` while one runs and when it left nothing to say. */
export function outcomeNotice({ run, todos }: TodoView, labels: TodoPanelLabels): PanelNotice | null {
  const { outcome, error } = run
  const count = openTodos(todos).length
  const counted = outcome === 'finished_with_open_todos'
  if (run.status !== 'idle' || !outcome || outcome === 'completed' || (counted && count === 0)) return null
  const waits = outcome === 'awaiting_approval'
  const left = counted || waits || count === 0 ? [] : [say(labels, labels.stillOpen, { count })]
  return {
    kind: 'outcome',
    tone: tones[outcome] ?? 'warn',
    title: say(labels, labels.outcome[outcome], { count }),
    details: error && outcome === 'failed' ? [error.message] : left,
    // The other ends have no way on but the person's next message.
    action: counted || waits || outcome === 'blocked' ? undefined : 'resume',
  }
}

// ONE LINE

/** The most useful single line: what is being done, else how the list stands. */
export function summarize(
  { todos, tentative, running, persistence, progress: { done, total, current } }: PanelState,
  labels: TodoPanelLabels,
): { readonly state: RowState; readonly text: string } {
  const item = current ?? todos.find((todo) => todo.status === 'pending' || todo.status === 'blocked')
  if (item) return { state: current && !running ? 'paused' : item.status, text: item.content }
  const draft = tentative.at(-1)
  if (draft) return { state: 'draft', text: draft.todo.content }
  if (done > 0) return { state: 'completed', text: say(labels, labels.allDone, { count: total }) }
  const left = todos.at(-1)
  if (left) return { state: left.status, text: left.content }
  // As long as nothing is known nothing is said, in a line that keeps its height.
  return { state: 'pending', text: persistence === 'loading' ? '\u00a0' : labels.empty }
}

/** How the list stands, as far as the live region speaks of it. */
export interface Standing {
  /** In words: how the run ended, or how far the list is. */
  readonly text: string
  readonly running: boolean
  /** 0 to 3: how many thirds of the list are done. */
  readonly thirds: number
  /** Texts of the blocked items. */
  readonly blocked: readonly string[]
  /** Which end it was: a second run that fails as the first did is news. */
  readonly end: string
  /** What is wrong with saving. */
  readonly trouble: string
}

export function standing(
  { run, running, end, todos, persistence, progress: { done, total, current } }: PanelState,
  labels: TodoPanelLabels,
): Standing {
  const values = { done, total, count: total, current: current ? shorten(current.content) : '' }
  let text = current ? say(labels, labels.nowAt, values) : say(labels, labels.nowDone, values)
  if (total === 0) text = ''
  else if (done === total) text = say(labels, labels.allDone, values)
  if (end) text = [end.title, ...end.details].join(' · ')
  if (run.status === 'interrupted') text = labels.interrupted
  return {
    text,
    running: running && total > 0,
    thirds: total > 0 ? Math.floor((3 * done) / total) : 0,
    blocked: todos.filter((todo) => todo.status === 'blocked').map((todo) => shorten(todo.content)),
    end: run.status === 'interrupted' ? 'interrupted' : end ? `${run.outcome} ${run.endedAt}` : '',
    trouble: persistence === 'failed' ? labels.notSaved : '',
  }
}

/** What a live region says: each change of the list, or milestones alone. */
export type TodoPanelVerbosity = 'off' | 'milestones' | 'changes'

/**
 * What there is to say of a change, `''` for nothing. Milestones are: work has begun, each third of the list
 * and its end, an item that is blocked, an end of the run, and trouble with saving.
 */
export function news(
  before: Standing,
  after: Standing,
  labels: TodoPanelLabels,
  verbosity: TodoPanelVerbosity,
): string {
  const reached =
    (after.running && !before.running) ||
    after.thirds > before.thirds ||
    (after.end !== '' && after.end !== before.end)
  const blocked = after.blocked.filter((text) => !before.blocked.includes(text))
  const moved = verbosity === 'changes' ? after.text !== before.text : reached
  return [
    ...blocked.map((text) => `${labels.status.blocked}: ${text}`),
    moved ? after.text : '',
    after.trouble === before.trouble ? '' : after.trouble,
  ]
    .filter(Boolean)
    .join('. ')
}

/** What is read aloud is read to its end, so a text of thousands of characters is cut. */
export function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}
