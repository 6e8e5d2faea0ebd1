// The rules of the id-based todos, the modes and the loop, as plainly as they can be written and without our code.
// As `theirs` a model must equal what was recorded, at every step; as `ours` it differs in the rows below and in nothing else, and
// is what our code must equal. So a row holds for traces that nobody has looked at yet, and a trace with several rows in it is
// still compared to the end.

// ROWS

/** Where we do something else on purpose, and what. */
export const rows = {
  'white space': 'trimmed as JavaScript does',
  'todos_add: blank or null title': 'the whole batch is refused, nothing changes, no id is used',
  'todos_complete: no id': 'the call is refused, nothing changes',
  'restored state with too low a nextId': 'lifted above the highest id',
  'a host writes to what it has read': 'throws, nothing changes',
  'external mode change undone by the model': 'nothing is announced',
  'restored mode that is no longer configured': 'back to the initial mode',
  'fresh context per iteration':
    "messages are rebuilt as recorded, todos and mode are the session's and stay",
  'loop over todos or modes that are not there': 'said at construction, before the first run',
} as const

export type Row = keyof typeof rows
export type Side = 'theirs' | 'ours'

/** What calls without a session are: the one thing that a trace may ask for and we cannot do. */
export const NO_SESSION = 'calls without a session: there is always one here'

/** One side of the differences, and which of them it met. */
export class Differences {
  readonly met = new Set<Row>()
  private readonly side: Side

  constructor(side: Side) {
    this.side = side
  }

  /** To be asked where a row matters, and only there. */
  ours(row: Row): boolean {
    this.met.add(row)
    return this.side === 'ours'
  }
}

/** Says in how many scenarios each row counted. */
export function printRows(met: readonly Row[]): void {
  for (const [row, ours] of Object.entries(rows)) {
    const count = met.filter((one) => one === row).length
    if (count) console.log(`  ${row} (${count} scenarios): ${ours}`)
  }
}

// TODOS

export interface Item {
  readonly id: number
  readonly title: string
  readonly description: string | null
  readonly isComplete: boolean
}

export interface TodoState {
  readonly items: readonly Item[]
  readonly nextId: number
}

export interface TodoArgs {
  readonly todos?: readonly ({
    readonly title?: string | null
    readonly description?: string | null
  } | null)[]
  readonly items?: readonly { readonly id?: number }[]
  readonly ids?: readonly number[]
}

export interface Outcome {
  readonly result?: unknown
  readonly error?: string
}

export class TodoModel {
  private items: Item[] = []
  private nextId = 1
  private readonly differences: Differences

  constructor(differences: Differences, state?: TodoState | null) {
    this.differences = differences
    if (!state) return
    this.items = [...state.items]
    const above = Math.max(0, ...this.items.map((item) => item.id)) + 1
    const low = state.nextId < above && differences.ours('restored state with too low a nextId')
    this.nextId = low ? above : state.nextId
  }

  get state(): TodoState {
    return { items: this.items, nextId: this.nextId }
  }

  get open(): readonly Item[] {
    return this.items.filter((item) => !item.isComplete)
  }

  call(tool: string, args: TodoArgs): Outcome {
    if (tool === 'todos_add') return this.add(args.todos ?? [])
    if (tool === 'todos_complete') return this.complete(args.items ?? [])
    if (tool === 'todos_remove') return this.remove(args.ids ?? [])
    return { result: tool === 'todos_get_all' ? this.items : this.open }
  }

  /** The titles and the mark that a host wrote into the list it had read. */
  write(index: number, changes: Partial<Item>): Outcome {
    if (this.differences.ours('a host writes to what it has read')) return { error: 'TypeError' }
    this.items = this.items.map((item, at) => (at === index ? { ...item, ...changes } : item))
    return { result: null }
  }

  /** They hand out a copy of the list, though of the same items. */
  clearRead(): Outcome {
    return this.differences.ours('a host writes to what it has read')
      ? { error: 'TypeError' }
      : { result: null }
  }

  listMessage(): string {
    const lines = this.items.map(({ id, title, description, isComplete }) => {
      const text = description?.trim() ? `${title}: ${description}` : title
      return `- ${id} [${isComplete ? 'done' : 'open'}] ${text}`
    })
    return ['### Current todo list', ...(lines.length ? lines : ['- none yet'])].join('\n').trimEnd()
  }

  /** `{default}` stands for our and their own words before the list. */
  feedback(template = '{default}{remaining_todos}'): string | null {
    const lines = this.open.map(({ id, title, description }) =>
      description?.trim() ? `- ${id}: ${title} — ${description}` : `- ${id}: ${title}`,
    )
    const text = template.split('{remaining_todos}').join(lines.join('\n'))
    return text.trim() ? text : null
  }

  private add(todos: NonNullable<TodoArgs['todos']>): Outcome {
    for (const todo of todos) {
      if (todo && this.trim(todo.title ?? '')) continue
      if (!this.differences.ours('todos_add: blank or null title')) continue
      return { error: todo ? 'empty_content' : 'invalid_payload' }
    }
    const added: Item[] = []
    for (const todo of todos) {
      const id = this.nextId++
      if (!todo || todo.title === null) return { error: 'error:null_reference' }
      const { title = '', description = null } = todo
      const item = {
        id,
        title: this.trim(title),
        description: description && this.trim(description),
        isComplete: false,
      }
      this.items = [...this.items, item]
      added.push(item)
    }
    return { result: added }
  }

  private complete(items: NonNullable<TodoArgs['items']>): Outcome {
    const unnamed = items.some((item) => item.id === undefined)
    if (unnamed && this.differences.ours('todos_complete: no id')) return { error: 'invalid_payload' }
    const ids = new Set(items.map((item) => item.id))
    const now = this.open.filter((item) => ids.has(item.id)).length
    this.items = this.items.map((item) => (ids.has(item.id) ? { ...item, isComplete: true } : item))
    return { result: now }
  }

  private remove(ids: readonly number[]): Outcome {
    const kept = this.items.filter((item) => !ids.includes(item.id))
    const removed = this.items.length - kept.length
    this.items = kept
    return { result: removed }
  }

  private trim(text: string): string {
    const theirs = text.replace(NET_WHITE_SPACE, '')
    const ours = text.trim()
    return theirs !== ours && this.differences.ours('white space') ? ours : theirs
  }
}

// Unlike JavaScript's, it has U+0085 and not U+FEFF.
const NET_WHITE_SPACE = new RegExp(
  ['^[', ']+|[', ']+$'].join(
    '\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000',
  ),
  'g',
)

// MODES

export interface ModeOptions {
  readonly modes?: readonly ({ readonly name: string | null; readonly instructions: string | null } | null)[]
  readonly defaultMode?: string
  readonly instructions?: string
}

export interface ModeStateRecord {
  readonly currentMode: string
  readonly pendingFrom: string | null
}

/** What is wrong with the options and which option it is, `null` for nothing. */
export function modeOptionsError({
  modes,
  defaultMode,
}: ModeOptions): { readonly error: string; readonly option: string } | null {
  if (modes?.length === 0) return { error: 'error:no_modes', option: 'modes' }
  const names: unknown[] = []
  for (const [index, mode] of (modes ?? []).entries()) {
    const option = `modes[${index}]`
    if (!mode) return { error: 'error:null_mode', option: `${option}.name` }
    for (const field of ['name', 'instructions'] as const) {
      if (mode[field] === null) return { error: 'error:null_argument', option: `${option}.${field}` }
      if (!mode[field].trim()) return { error: 'error:blank_mode_field', option: `${option}.${field}` }
    }
    if (names.includes(mode.name)) return { error: 'error:duplicate_mode', option: `${option}.name` }
    names.push(mode.name)
  }
  const known = modes ? names : ['plan', 'execute']
  if (defaultMode === undefined || known.includes(defaultMode)) return null
  return { error: 'error:invalid_default_mode', option: 'initial' }
}

export class ModeModel {
  private readonly names: readonly string[]
  private current: string
  private pendingFrom: string | null = null
  private readonly options: ModeOptions
  private readonly differences: Differences

  constructor(differences: Differences, options: ModeOptions = {}, stored?: string | null) {
    this.differences = differences
    this.options = options
    this.names = options.modes?.map((mode) => mode?.name ?? '') ?? ['plan', 'execute']
    const initial = options.defaultMode ?? this.names[0] ?? ''
    const gone = stored != null && !this.names.includes(stored)
    this.current =
      gone && differences.ours('restored mode that is no longer configured') ? initial : (stored ?? initial)
  }

  get state(): ModeStateRecord {
    return { currentMode: this.current, pendingFrom: this.pendingFrom }
  }

  set(mode: string): Outcome {
    if (!this.names.includes(mode)) return { error: 'error:invalid_mode' }
    if (mode !== this.current) this.pendingFrom = this.current
    this.current = mode
    return { result: null }
  }

  toolSet(mode: string): Outcome {
    if (!this.names.includes(mode)) return { error: 'error:invalid_mode' }
    this.current = mode
    return { result: null }
  }

  get(): Outcome {
    return { result: this.current }
  }

  invoke(): Outcome {
    const { current: to, pendingFrom: from } = this
    this.pendingFrom = null
    const silent = from === to && this.differences.ours('external mode change undone by the model')
    const notification = from === null || silent ? null : { from, to, role: 'user' }
    return { result: { notification, instructions: this.instructions(), tools: ['mode_set', 'mode_get'] } }
  }

  /** Only where the template is the trace's own. */
  private instructions(): string | null {
    const { instructions = null, modes = [] } = this.options
    const available = modes
      .map((mode) => `#### ${mode?.name}\n\n${mode?.instructions?.trimEnd()}\n\n`)
      .join('')
    if (instructions === null) return null
    return instructions.split('{available_modes}').join(available).split('{current_mode}').join(this.current)
  }
}

// LOOP

export interface Message {
  readonly role: string
  readonly text: string
  readonly author?: string
}

export interface Decision {
  readonly do: 'stop' | 'continue'
  readonly feedback?: string
  readonly messages?: readonly Message[]
}

export type Evaluator =
  | {
      readonly type: 'todoCompletion'
      readonly modes?: readonly (string | null)[]
      readonly template?: string
    }
  | { readonly type: 'scripted'; readonly decisions: readonly Decision[] }
  | { readonly type: 'marker'; readonly marker: string; readonly template: string }

export interface Usage {
  readonly [counter: string]: number | Usage
}

export interface AgentStep {
  readonly text: string | null
  readonly ops?: readonly { readonly tool: string; readonly args: TodoArgs & { readonly mode?: string } }[]
  readonly usage?: Usage
  readonly approval?: boolean
}

export interface LoopScenario {
  readonly name: string
  readonly input: readonly Message[]
  readonly evaluators: readonly Evaluator[]
  readonly agent: readonly AgentStep[]
  readonly options?: {
    readonly maxIterations?: number
    readonly fresh?: boolean
    readonly lastOnly?: boolean
    readonly author?: string
    readonly excludeOnBehalfOf?: boolean
    readonly session?: 'caller' | 'none'
  }
  readonly seed?: TodoState
  readonly seedMode?: string
  readonly providers?: readonly string[]
}

/** One run of the agent: what it was given, what it saw, what its calls did. */
export interface CallRecord {
  readonly messages: readonly Message[]
  readonly listMessage?: string
  readonly modeNotification?: boolean
  readonly opResults?: readonly Outcome[]
  readonly todosAfter?: TodoState
  readonly modeAfter?: string
}

export interface LoopRecord {
  readonly error?: string
  readonly iterations: number
  readonly stopReason?: 'evaluators' | 'maxIterations' | 'approval' | undefined
  readonly calls: readonly CallRecord[]
  readonly evaluations: readonly number[]
  readonly feedbackLog: readonly (string | null)[]
  readonly transcript?: readonly (Message & { readonly approval?: boolean })[]
  readonly usage?: Usage | null
  readonly callerTodosAtEnd?: TodoState
}

/** A step of the scripted agent: the n-th, and the last of them for ever. */
export function nth<Value>(values: readonly Value[], n: number): Value | undefined {
  return values[Math.min(n, values.length) - 1]
}

export function loopModel(scenario: LoopScenario, differences: Differences): LoopRecord {
  const { evaluators, options = {}, providers = ['todo', 'mode'] } = scenario
  const evaluations = evaluators.map(() => 0)
  const none = { iterations: 0, calls: [], evaluations, feedbackLog: [] }
  const error = loopOptionsError(scenario)
  if (error) return { ...none, error }
  const lacking = evaluators.some(
    (one) =>
      one.type === 'todoCompletion' &&
      (!providers.includes('todo') || (one.modes && !providers.includes('mode'))),
  )
  if (lacking && differences.ours('loop over todos or modes that are not there')) {
    return { ...none, error: 'error:missing_provider' }
  }

  const begin = () => ({
    todos: new TodoModel(differences, options.session === 'none' ? null : scenario.seed),
    mode: new ModeModel(differences, {}, options.session === 'none' ? null : scenario.seedMode),
  })
  const caller = begin()
  let session = caller
  let messages = scenario.input
  const calls: CallRecord[] = []
  const feedbackLog: (string | null)[] = []
  const transcript: (Message & { readonly approval?: boolean })[] = []
  let usage: Usage | null = null

  for (let iteration = 1; ; iteration += 1) {
    const step = nth(scenario.agent, iteration) ?? { text: '' }
    calls.push(runStep(step, messages, session, providers))
    transcript.push({ role: 'assistant', text: step.text ?? '', ...(step.approval && { approval: true }) })
    if (step.usage) usage = sum(usage ?? {}, step.usage)

    const end = (stopReason: LoopRecord['stopReason']): LoopRecord => ({
      ...{ iterations: iteration, stopReason, calls, evaluations, feedbackLog, usage },
      transcript: options.lastOnly ? transcript.slice(-1) : transcript,
      ...(options.session === 'none' ? undefined : { callerTodosAtEnd: caller.todos.state }),
    })
    if (step.approval) return end('approval')
    if (iteration >= (options.maxIterations ?? 10)) return end('maxIterations')

    let decision: Decision = { do: 'stop' }
    for (const [index, evaluator] of evaluators.entries()) {
      evaluations[index] = (evaluations[index] ?? 0) + 1
      if (evaluator.type === 'todoCompletion' && lacking) {
        return { ...none, error: 'error:missing_provider', iterations: iteration, calls }
      }
      decision = decide(evaluator, iteration, step.text ?? '', session)
      if (decision.do === 'continue') break
    }
    if (decision.do === 'stop') return end('evaluators')

    const feedback = decision.feedback?.trim() ? decision.feedback : null
    feedbackLog.push(feedback)
    const log = feedbackLog.filter((entry) => entry !== null).map((entry) => `- ${entry}`)
    const text = options.fresh ? log.length > 0 && `## Feedback\n\n${log.join('\n')}` : feedback
    const stamp = options.author === undefined ? undefined : { author: options.author }
    const injected = decision.messages ?? (text ? [{ role: 'user', text, ...stamp }] : [])
    messages = options.fresh && !decision.messages ? [...scenario.input, ...injected] : injected
    if (!options.excludeOnBehalfOf) transcript.push(...injected)
    if (options.fresh && !differences.ours('fresh context per iteration')) session = begin()
  }
}

function loopOptionsError({ evaluators, options }: LoopScenario): string | null {
  for (const evaluator of evaluators) {
    if (evaluator.type !== 'todoCompletion') continue
    if (evaluator.modes?.length === 0) return 'error:empty_looping_modes'
    if (evaluator.modes?.some((mode) => !mode?.trim())) return 'error:blank_looping_mode'
  }
  if (evaluators.length === 0) return 'error:no_evaluators'
  return (options?.maxIterations ?? 10) < 1 ? 'error:max_iterations' : null
}

interface Session {
  readonly todos: TodoModel
  readonly mode: ModeModel
}

function runStep(
  step: AgentStep,
  messages: readonly Message[],
  { todos, mode }: Session,
  providers: readonly string[],
): CallRecord {
  const listMessage = todos.listMessage()
  const notified = (mode.invoke().result as { readonly notification: unknown }).notification !== null
  const opResults = step.ops?.map(({ tool, args }) =>
    tool === 'mode_set' ? mode.toolSet(args.mode ?? '') : todos.call(tool, args),
  )
  return {
    messages,
    ...(opResults && { opResults }),
    ...(providers.includes('todo') && { listMessage, todosAfter: todos.state }),
    ...(providers.includes('mode') && { modeNotification: notified, modeAfter: mode.state.currentMode }),
  }
}

function decide(evaluator: Evaluator, iteration: number, last: string, { todos, mode }: Session): Decision {
  if (evaluator.type === 'scripted') return nth(evaluator.decisions, iteration) ?? { do: 'stop' }
  if (evaluator.type === 'marker') {
    if (last.includes(evaluator.marker)) return { do: 'stop' }
    const text = evaluator.template
      .split('{completion_marker}')
      .join(evaluator.marker)
      .split('{last_response}')
      .join(last)
    return { do: 'continue', feedback: text }
  }
  const elsewhere = evaluator.modes && !evaluator.modes.includes(mode.state.currentMode)
  if (todos.open.length === 0 || elsewhere) return { do: 'stop' }
  return { do: 'continue', feedback: todos.feedback(evaluator.template) ?? '' }
}

function sum(one: Usage, two: Usage): Usage {
  const result: Record<string, number | Usage> = { ...one }
  for (const [counter, value] of Object.entries(two)) {
    const before = result[counter]
    if (typeof value === 'number') result[counter] = value + (typeof before === 'number' ? before : 0)
    else result[counter] = sum(typeof before === 'object' ? before : {}, value)
  }
  return result
}
