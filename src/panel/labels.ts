import type { RunOutcome, TodoRequest, TodoStatus } from '../core/todo.ts'

// TYPES

/**
 * What a row can be: a status, an item in progress whose run is not running, or an item that is still being
 * written.
 */
export type RowState = TodoStatus | 'paused' | 'draft'

/**
 * A text with `{name}` for each value in it, or one for each plural form of `{count}` that the language has.
 */
export type LabelText = string | (Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string })

/**
 * Every word of the panel. All members are required, so that a translation that misses one does not compile;
 * to change a few words, spread a shipped set: `{ ...enLabels, title: 'Tasks' }`. Plain data, so it may come
 * from a server component. Keep the object stable between renders.
 */
export interface TodoPanelLabels {
  /** BCP 47 tag of the language: its numbers, plurals and durations come from Intl. */
  readonly locale: string
  /** Name of the list; the panel's accessible name. */
  readonly title: string
  /** Name of the list in plan mode. */
  readonly planTitle: string
  /** Badges of modes. A mode that is not here shows its own name. */
  readonly modes: Readonly<Record<string, string>>
  /** Beside the title, and the text of the progress bar: `{done}`, `{total}`. */
  readonly progress: LabelText
  /** Beside the title while nothing of a plan has begun: `{count}`. */
  readonly steps: LabelText
  /** What the bar shows and the live region says when nothing is left: `{count}`. */
  readonly allDone: LabelText
  readonly empty: string
  /** What the list is for; follows `empty`. */
  readonly emptyHint: string
  readonly status: Readonly<Record<RowState, string>>
  /** Shows the rows that are left out: `{count}`. */
  readonly more: LabelText
  /** Leaves them out again. */
  readonly fewer: string
  /** What the live region says as the list moves on: `{done}`, `{total}`. */
  readonly nowDone: LabelText
  /** The same with the item in progress: `{done}`, `{total}`, `{current}`. */
  readonly nowAt: LabelText
  /** Second half of a notice: `{count}`. */
  readonly stillOpen: LabelText
  readonly asked: string
  /** `{count}`, `{max}` */
  readonly askedCount: LabelText
  readonly interrupted: string
  readonly interruptedDetail: string
  readonly notSaved: string
  readonly notSavedDetail: string
  readonly inMemory: string
  readonly inMemoryDetail: string
  readonly readOnly: string
  readonly readOnlyDetail: string
  readonly otherTab: string
  /** How a run ended. `finished_with_open_todos` has `{count}`. */
  readonly outcome: Readonly<Record<Exclude<RunOutcome, 'completed'>, LabelText>>
  readonly resume: string
  readonly takeOver: string
  /** Opens the reason of a completed item. */
  readonly reason: string
  /** Opens what can be asked for an item. */
  readonly change: string
  /** Opens the line for a new item. */
  readonly addItem: string
  /** What can be asked for, as buttons. `skip`: leave the item undone. */
  readonly ask: Readonly<Record<TodoRequest['type'], string>>
  /** What was asked for and is not done yet. `add` and `rename` have `{content}`. */
  readonly askedFor: Readonly<Record<TodoRequest['type'], LabelText>>
  readonly approvePlan: string
  readonly askForChanges: string
}

// WORDS

/** A label with its values in it. What is in a value stays as it is, braces too. */
export function say(
  { locale }: Pick<TodoPanelLabels, 'locale'>,
  text: LabelText,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const form =
    typeof text === 'string'
      ? text
      : (text[new Intl.PluralRules(locale).select(Number(values['count']))] ?? text.other)
  return form.replace(/\{(\w+)\}/g, (_, name) => values[name]?.toLocaleString(locale) ?? '')
}

// A finished list of a thousand rows has a thousand durations, and making a formatter is what costs.
const formats: Record<string, Intl.NumberFormat> = {}

/**
 * ms as its two largest units, short, e.g. `1 min 4 s`; less than a second is one. Nothing in it breaks a
 * line.
 */
export function sayDuration({ locale }: Pick<TodoPanelLabels, 'locale'>, ms: number): string {
  let left = Math.max(1, Math.floor(ms / 1000))
  const parts: string[] = []
  for (const [unit, seconds] of units) {
    const value = Math.floor(left / seconds)
    left -= value * seconds
    const unitDisplay = seconds > 1 ? 'short' : 'narrow'
    formats[locale + unit] ??= new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay })
    if (value > 0) parts.push(formats[locale + unit]?.format(value) ?? '')
  }
  const text = parts.slice(0, 2).join(' ')
  return text.replace(/(\d)(?=\p{L})/gu, '$1 ').replace(/\s/g, '\u00a0')
}

const units = [
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

// LANGUAGES

/** English, the default. */
export const enLabels: TodoPanelLabels = {
  locale: 'en',
  title: 'Todos',
  planTitle: 'Plan',
  modes: {},
  progress: '{done} of {total}',
  steps: { one: '{count} step', other: '{count} steps' },
  allDone: { one: 'Done', other: 'All {count} done' },
  empty: 'Nothing planned yet.',
  emptyHint: 'For work of several steps the agent keeps its list here.',
  status: {
    pending: 'To do',
    in_progress: 'In progress',
    completed: 'Done',
    cancelled: 'cancelled',
    blocked: 'blocked',
    paused: 'paused',
    draft: 'Being written',
  },
  more: '+{count} more',
  fewer: 'Show fewer',
  nowDone: '{done} of {total} done',
  nowAt: '{done} of {total} done: now {current}',
  stillOpen: '{count} still open',
  asked: 'Asked to continue',
  askedCount: '{count} of {max}',
  interrupted: 'Interrupted',
  interruptedDetail: 'everything up to here is saved',
  notSaved: 'Not saved',
  notSavedDetail: 'kept in memory',
  inMemory: 'Kept in memory',
  inMemoryDetail: 'gone when this page closes',
  readOnly: 'Read only',
  readOnlyDetail: 'saved by a newer version',
  otherTab: 'Running in another tab',
  outcome: {
    finished_with_open_todos: 'Finished with {count} open',
    blocked: 'Could not finish',
    awaiting_approval: 'Waiting for your approval',
    max_steps: 'Step limit reached',
    max_iterations: 'Round limit reached',
    empty_response: 'The model gave no answer',
    stopped: 'Stopped',
    failed: 'Failed',
  },
  resume: 'Resume',
  takeOver: 'Take over',
  reason: 'How it was finished',
  change: 'Change',
  addItem: 'Add an item',
  ask: { add: 'Add', rename: 'Rename', skip: 'Not this one', remove: 'Remove' },
  askedFor: {
    add: 'Asked to add “{content}”',
    rename: 'Asked to make it “{content}”',
    skip: 'Asked to leave it out',
    remove: 'Asked to remove it',
  },
  approvePlan: 'Approve plan',
  askForChanges: 'Ask for changes',
}

/** Chinese (simplified). */
export const zhLabels: TodoPanelLabels = {
  locale: 'zh',
  title: '待办',
  planTitle: '计划',
  modes: { plan: '规划' },
  progress: '{done} / {total}',
  steps: '{count} 个步骤',
  allDone: '{count} 项全部完成',
  empty: '还没有计划。',
  emptyHint: '遇到多步骤的工作，智能体会把清单列在这里。',
  status: {
    pending: '待处理',
    in_progress: '进行中',
    completed: '已完成',
    cancelled: '已取消',
    blocked: '受阻',
    paused: '已暂停',
    draft: '正在编写',
  },
  more: '另外 {count} 项',
  fewer: '收起',
  nowDone: '已完成 {done} / {total}',
  nowAt: '已完成 {done} / {total}，现在：{current}',
  stillOpen: '还有 {count} 项未完成',
  asked: '已要求继续',
  askedCount: '第 {count} 次，最多 {max} 次',
  interrupted: '已中断',
  interruptedDetail: '此前的进度均已保存',
  notSaved: '未保存',
  notSavedDetail: '暂存在内存中',
  inMemory: '仅存于内存',
  inMemoryDetail: '关闭页面后即消失',
  readOnly: '只读',
  readOnlyDetail: '由更新的版本保存',
  otherTab: '正在另一个标签页中运行',
  outcome: {
    finished_with_open_todos: '已结束，还有 {count} 项未完成',
    blocked: '未能完成',
    awaiting_approval: '等待你的批准',
    max_steps: '已达步数上限',
    max_iterations: '已达轮数上限',
    empty_response: '模型没有给出回答',
    stopped: '已停止',
    failed: '失败',
  },
  resume: '继续',
  takeOver: '接管',
  reason: '完成说明',
  change: '修改',
  addItem: '添加一项',
  ask: { add: '添加', rename: '改名', skip: '不做这项', remove: '移除' },
  askedFor: {
    add: '已请求添加“{content}”',
    rename: '已请求改为“{content}”',
    skip: '已请求不做这项',
    remove: '已请求移除',
  },
  approvePlan: '批准计划',
  askForChanges: '要求修改',
}
