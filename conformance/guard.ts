import { listMessage } from '../src/core/context.ts'
import type { TodoAgentError } from '../src/core/errors.ts'
import { type ExtraState, exportExtra, importExtra } from '../src/core/extra.ts'
import { createGuard, type GuardCall, type GuardState, type GuardVerdict } from '../src/core/guard.ts'
import { englishTexts, todoTexts } from '../src/core/texts.ts'
import type { TodoList } from '../src/core/todo.ts'
import { writeTodos } from '../src/core/writeTodos.ts'
import { firstDifference, type ScenarioResult } from './scenario.ts'

// TYPES

interface Item {
  readonly content: string
  readonly status: string
}

interface Call {
  readonly id: string
  readonly name: string
  readonly args: unknown
}

interface Injected {
  readonly source: string
  readonly code: string
  readonly detail?: string
}

interface ToolResult {
  readonly id: string
  readonly name: string
  readonly isError: boolean
  readonly code: string
  readonly detail?: string
  readonly reminder?: boolean
  readonly todos?: readonly Item[]
}

interface View {
  readonly todos: readonly Item[]
  readonly reminder: boolean
}

type Extra = Readonly<Record<string, unknown>>

interface Expected {
  readonly newRun: boolean
  readonly runEnded?: boolean
  readonly viewBefore: View | null
  readonly decision: string
  readonly injected: readonly Injected[]
  readonly toolResults: readonly ToolResult[] | null
  readonly appended?: readonly string[]
  readonly extraAfterHook?: Extra
  readonly extraAfter: Extra
  readonly snapshotAfter?: unknown
}

interface Turn {
  readonly response: { readonly text?: string | null; readonly toolCalls?: readonly Call[] }
  readonly expect: Expected
}

interface Scenario {
  readonly name: string
  readonly initialExtra: Extra
  readonly turns: readonly Turn[]
  readonly finalView: View | null
}

interface Session {
  readonly list: TodoList
  readonly guard: GuardState
}

// RUNNER

/** Replays the traces of the `write_todos` guard against ours in strict mode, step for step. */
export function runGuard(scenarios: unknown): ScenarioResult[] {
  const all = scenarios as readonly Scenario[]
  const byName = new Map(all.map((scenario) => [scenario.name, scenario]))
  printRows(all)
  return [...all.map((scenario) => withOurWhiteSpace(scenario, byName)), ...unrecorded].map((scenario) => {
    const detail = replay(scenario)
    return detail === null
      ? { name: scenario.name, pass: true }
      : { name: scenario.name, pass: false, detail }
  })
}

// Each text is its own code, so that what the guard injects can be compared with what was recorded.
const guard = createGuard({
  strict: true,
  texts: todoTexts({
    correction: () => 'guard:finalization',
    blocked: () => 'guard:blocked',
    blockedCall: 'error:blocked',
    stale: () => 'reminder:stale',
    writeTodos: { parallel: 'error:parallel' },
  }),
})

function replay({ initialExtra, turns, finalView }: Scenario): string | null {
  const start = importExtra(initialExtra, { now: 0 })
  let session: Session = { list: start.list, guard: start.guard }
  let ended = true

  for (const [index, turn] of turns.entries()) {
    const before = session
    const begun = ended ? guard.startRun(before.guard, { continued: false }) : before.guard
    const step = takeStep({ ...before, guard: begun }, turn.response, index)
    const taken = {
      newRun: ended,
      viewBefore: view(before.list),
      decision: step.verdict.decision,
      injected: step.injected,
      toolResults: step.toolResults,
      appended: step.appended,
      extraAfterHook: state({ list: before.list, guard: step.verdict.state }),
      extraAfter: state(step.session),
      runEnded: step.ended,
    }
    const difference = firstDifference(expected(turn), taken)
    if (difference) return `turn ${index + 1}, ${difference}`
    session = step.session
    ended = step.ended
  }
  return firstDifference(finalView, view(session.list), 'finalView')
}

/** One step in the order in which the agent takes it: the guard on the response, the todo tools, their outcome, what is injected. */
function takeStep({ list, guard: before }: Session, response: Turn['response'], now: number) {
  const calls = response.toolCalls ?? []
  const context = { todos: list.todos, toolset: 'write_todos', mode: null } as const
  const verdict = guard.afterModelResponse(
    before,
    {
      text: response.text ?? '',
      toolCalls: calls.map((call): GuardCall => {
        if (call.name !== 'write_todos') return { id: call.id, name: call.name, kind: 'other' }
        const outcome = writeTodos(list, call.args, { now })
        return { id: call.id, name: call.name, kind: 'todo_write', error: outcome.ok ? null : outcome.error }
      }),
      end: 'complete',
    },
    context,
  )

  let next = list
  const errors: { readonly id: string; readonly text: string }[] = []
  const toolResults = calls.map((call): ToolResult => {
    const refused = verdict.refuse.find(({ id }) => id === call.id)
    if (refused) return refusal(call, refused.code)
    if (call.name !== 'write_todos') return runOther(call)
    const outcome = writeTodos(next, call.args, { now })
    if (!outcome.ok) {
      errors.push({ id: call.id, text: validationCode(outcome.error, call.args) })
      return refusal(call, outcome.error.code)
    }
    next = outcome.update.list
    const reminder = outcome.output.reminder !== undefined
    return { id: call.id, name: call.name, isError: false, code: 'ok', reminder, todos: items(next) }
  })

  const wrote = toolResults.some(({ name, isError }) => name === 'write_todos' && !isError)
  const after = guard.afterTodoTools(
    verdict.state,
    { updated: wrote, errors },
    { ...context, todos: next.todos },
  )
  const injected = [...verdict.inject, ...after.inject].map(({ source, text }): Injected => {
    const [code = '', detail = blockedDetail(source, before)] = text.split('|')
    return { source, code, ...(detail === undefined ? undefined : { detail }) }
  })
  return {
    verdict,
    toolResults,
    injected,
    appended: order(toolResults, injected),
    session: { list: next, guard: after.state },
    ended: isEnd(verdict, calls),
  }
}

function isEnd({ decision }: GuardVerdict, calls: readonly Call[]): boolean {
  return decision === 'stop' || (decision === 'natural' && !calls.length)
}

function blockedDetail(source: string, before: GuardState): string | undefined {
  if (source !== 'todo_blocked') return undefined
  return before.blocked === null ? 'escalated' : 'repeat'
}

/** The recorded names of our error codes. */
function refusal({ id, name }: Call, code: string): ToolResult {
  const recorded = code === 'parallel_writes' ? 'parallel' : code
  return {
    id,
    name,
    isError: true,
    code: `error:${recorded}`,
    ...(code === 'invalid_payload' ? { detail: 'schema' } : undefined),
  }
}

function validationCode({ code, path = 'todos' }: TodoAgentError, args: unknown): string {
  if (code !== 'invalid_payload') return `error:${code}`
  if (!path.startsWith('todos[')) return `error:${code}|shape`
  const [, index, key] = /^todos\[(\d+)\](?:\.(\w+))?$/.exec(path) ?? []
  const item = (args as { readonly todos: readonly Readonly<Record<string, unknown>>[] }).todos[Number(index)]
  return `error:${code}|${key === 'status' && typeof item?.status === 'string' ? 'status' : 'item'}`
}

/** The tools that the recording had beside `write_todos`. */
function runOther({ id, name }: Call): ToolResult {
  if (name === 'search' || name === 'read_file') return { id, name, isError: false, code: 'ok' }
  return {
    id,
    name,
    isError: true,
    code: name === 'fail_tool' ? 'error:tool_failed' : 'error:tool_not_found',
  }
}

/** The list as the model is shown it, read back out of the message. */
function view(list: TodoList): View | null {
  const message = listMessage(list.todos, { toolset: 'write_todos' })
  if (message === null) return null
  const lines = message.split('\n')
  const json = lines.find((line) => line.startsWith('[')) ?? '[]'
  return { todos: plain(JSON.parse(json) as Item[]), reminder: lines.includes(englishTexts.checkWork) }
}

function items({ todos }: TodoList): Item[] {
  return plain(todos)
}

function plain(todos: readonly Item[]): Item[] {
  return todos.map(({ content, status }) => ({ content, status }))
}

/** The six keys as exported, compared as the recording asks: absent, null and false alike, and so absent, null and empty todos. */
function state({ list, guard: guardState }: Session) {
  const extra = exportExtra({ todos: list, guard: guardState })
  return { ...normal(extra), keys: Object.keys(extra).sort() }
}

function normal(extra: Extra | ExtraState) {
  const blocked = extra.todo_guard_blocked as { readonly guard_type: string } | null | undefined
  return {
    todos: plain((extra.todos as readonly Item[] | null | undefined) ?? []),
    retries: extra.todo_guard_retries ?? {},
    blocked: blocked?.guard_type ?? null,
    suppressed: Boolean(extra.todo_guard_suppressed),
    stale: extra.todo_stale_iterations ?? 0,
    correction: Boolean(extra.todo_finalization_correction),
  }
}

// DIFFERENCES

const SIX_KEYS = [
  'todo_finalization_correction',
  'todo_guard_blocked',
  'todo_guard_retries',
  'todo_guard_suppressed',
  'todo_stale_iterations',
  'todos',
]

interface Row {
  readonly where: string
  readonly ours: string
  /** Whether a step is recorded with something else there. */
  readonly meets: (turn: Turn) => boolean
}

const blockedCalls: Row = {
  where: 'tool calls in a blocked turn',
  ours: 'each is answered with an error, nothing is executed',
  meets: ({ response, expect }) =>
    expect.decision === 'loop_to_model' && Boolean(response.toolCalls?.length) && !expect.toolResults?.length,
}

const oddArguments: Row = {
  where: 'args not an object',
  ours: 'error:invalid_payload',
  meets: ({ expect }) => expect.toolResults === null,
}

const snapshot: Row = {
  where: '_todos_snapshot',
  ours: 'not kept: the state never has a seventh key',
  meets: ({ expect }) => expect.snapshotAfter !== undefined,
}

const whiteSpace: Row = {
  where: 'white space',
  ours: 'blank is what JavaScript trims away',
  meets: (turn) => JSON.stringify(exchange(turn, ALIKE)) !== JSON.stringify(turn),
}

/** Says in how many scenarios each row counts. */
function printRows(all: readonly Scenario[]): void {
  for (const { where, ours, meets } of [blockedCalls, oddArguments, snapshot, whiteSpace]) {
    const count = all.filter(({ turns }) => turns.some(meets)).length
    if (count) console.log(`  ${where} (${count} scenarios): ${ours}`)
  }
}

/** What was recorded, with our value in the rows where we differ. */
function expected(turn: Turn) {
  const { newRun, viewBefore, decision, injected, extraAfter, extraAfterHook = extraAfter } = turn.expect
  const recorded = {
    newRun,
    viewBefore,
    decision,
    injected,
    toolResults: turn.expect.toolResults,
    appended: turn.expect.appended,
    extraAfterHook: { ...normal(extraAfterHook), keys: SIX_KEYS },
    extraAfter: { ...normal(extraAfter), keys: SIX_KEYS },
    runEnded: turn.expect.runEnded ?? false,
  }
  if (blockedCalls.meets(turn)) return { ...recorded, ...refused(turn, 'blocked') }
  if (oddArguments.meets(turn)) return { ...recorded, ...refused(turn, 'invalid_payload') }
  return recorded
}

function refused({ response, expect }: Turn, code: string) {
  const toolResults = (response.toolCalls ?? []).map((call) => refusal(call, code))
  return { toolResults, appended: order(toolResults, expect.injected) }
}

function order(toolResults: readonly ToolResult[], injected: readonly Injected[]): string[] {
  return [
    'assistant',
    ...toolResults.map(({ id }) => `tool:${id}`),
    ...injected.map(({ source }) => `inject:${source}`),
  ]
}

/** Null counters crash the recorded implementation, so there is no trace of them. Ours reads them as {} and 0. */
const unrecorded: readonly Scenario[] = [
  resumed('null retries in restored state', { todo_guard_retries: null }),
  resumed('null stale count in restored state', { todo_stale_iterations: null }),
]

function resumed(name: string, nulls: Extra): Scenario {
  const todos = [{ content: 'a', status: 'in_progress' }]
  const shown = { todos, reminder: false }
  const steps = [
    {
      response: { toolCalls: [{ id: 'c1', name: 'search', args: {} }] },
      expect: {
        newRun: true,
        runEnded: false,
        viewBefore: shown,
        decision: 'natural',
        injected: [],
        toolResults: [{ id: 'c1', name: 'search', isError: false, code: 'ok' }],
        appended: ['assistant', 'tool:c1'],
        extraAfter: { todos, todo_stale_iterations: 1 },
      },
    },
    {
      response: { text: 'answer' },
      expect: {
        newRun: false,
        runEnded: false,
        viewBefore: shown,
        decision: 'loop_to_model',
        injected: [{ source: 'todo_guard', code: 'guard:finalization' }],
        toolResults: [],
        appended: ['assistant', 'inject:todo_guard'],
        extraAfter: {
          todos,
          todo_guard_retries: { finalization: 1 },
          todo_stale_iterations: 1,
          todo_finalization_correction: true,
        },
      },
    },
  ]
  return { name, initialExtra: { todos, ...nulls }, turns: steps, finalView: shown }
}

// White space: Python strips U+001C to U+001F and U+0085, JavaScript does not, and the other way round for U+FEFF.

/** Our value for a named scenario is what was recorded for a character that both languages see as JavaScript sees this one. */
const TWINS: Readonly<Record<string, string>> = {
  u001c: 'u200b',
  u001f: 'u200b',
  u0085: 'u200b',
  ufeff: 'u00a0',
}

/** For any other scenario: characters that both languages see as Python sees these. They go into what is said and what is expected. */
const ALIKE: ReadonlyMap<string, string> = new Map([
  ...['\u001c', '\u001d', '\u001e', '\u001f', '\u0085'].map((unit) => [unit, '\u00a0'] as const),
  ['\ufeff', '\u200b'],
])

function withOurWhiteSpace(scenario: Scenario, byName: ReadonlyMap<string, Scenario>): Scenario {
  const [, kind, unit = ''] = /^(ws-\w+-)(u[0-9a-f]{4})$/.exec(scenario.name) ?? []
  const to = TWINS[unit]
  const twin = to && byName.get(`${kind}${to}`)
  if (!twin) return exchange(scenario, ALIKE)
  return { ...exchange(twin, new Map([[character(to), character(unit)]])), name: scenario.name }
}

function character(unit: string): string {
  return String.fromCharCode(Number.parseInt(unit.slice(1), 16))
}

function exchange<Value>(value: Value, characters: ReadonlyMap<string, string>): Value {
  if (typeof value === 'string') {
    return Array.from(value, (unit) => characters.get(unit) ?? unit).join('') as Value
  }
  if (Array.isArray(value)) return value.map((part: unknown) => exchange(part, characters)) as Value
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(([key, part]) => [key, exchange(part, characters)])
  return Object.fromEntries(parts) as Value
}
