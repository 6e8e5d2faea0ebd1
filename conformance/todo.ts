import { contextInstructions, listMessage } from '../src/core/context.ts'
import { liftNextId } from '../src/core/list.ts'
import { createLoop, todosCompleted } from '../src/core/loop.ts'
import { englishTexts } from '../src/core/texts.ts'
import { emptyList, remaining, type Todo, type TodoList } from '../src/core/todo.ts'
import { isTodosTool, runTodosTool, todosToolSchemas, toWire, type WireTodo } from '../src/core/todosTools.ts'
import {
  Differences,
  type Item,
  NO_SESSION,
  type Outcome,
  printRows,
  type Row,
  type TodoArgs,
  TodoModel,
  type TodoState,
} from './reference.ts'
import { firstDifference, type ScenarioResult } from './scenario.ts'

// TYPES

interface Recorded extends Outcome {
  readonly exception?: string
  /** `null`: not made yet, which is the same as empty. */
  readonly state: TodoState | null
}

interface Op {
  readonly op: string
  readonly args?: TodoArgs
  readonly session?: 'A' | 'B' | 'none'
  readonly template?: string
  readonly index?: number
  readonly title?: string
  readonly isComplete?: boolean
  readonly expect?: Recorded
  readonly dotnet?: Recorded
}

interface Options {
  readonly instructions?: string
  readonly suppressListMessage?: boolean
  readonly builder?: boolean
}

interface Scenario {
  readonly name: string
  readonly seed?: TodoState
  readonly options?: Options
  readonly ops: readonly Op[]
}

interface Done extends Outcome {
  readonly state: TodoState
}

// RUNNER

/** Replays the traces of the five id-based tools, the list message, the loop's feedback and the host's reads. */
export async function runTodo(scenarios: unknown): Promise<readonly ScenarioResult[]> {
  const rows: Row[] = []
  const results: ScenarioResult[] = []
  for (const scenario of scenarios as readonly Scenario[]) {
    const { name, ops } = scenario
    if (ops.some((op) => op.session === 'none')) {
      results.push({ name, pass: false, skipped: NO_SESSION })
      continue
    }
    const detail = await replay(scenario, rows)
    results.push(detail === null ? { name, pass: true } : { name, pass: false, detail })
  }
  printRows(rows)
  return results
}

async function replay({ ops, seed, options = {} }: Scenario, rows: Row[]): Promise<string | null> {
  const differences = new Differences('ours')
  const theirs = new Map<string, TodoModel>()
  const wanted = new Map<string, TodoModel>()
  const lists = new Map<string, TodoList>()
  for (const id of ['A', 'B']) {
    const state = id === 'A' ? seed : undefined
    theirs.set(id, new TodoModel(new Differences('theirs'), state))
    wanted.set(id, new TodoModel(differences, state))
    lists.set(id, restore(state))
  }

  for (const [index, op] of ops.entries()) {
    const session = op.session ?? 'A'
    const recorded = op.expect ?? op.dotnet
    const [their, want, list] = [theirs.get(session), wanted.get(session), lists.get(session)]
    if (!recorded || !their || !want || !list) return `op ${index + 1}: nothing to compare with`

    const { exception: _, state, ...outcome } = recorded
    const record = { ...outcome, state: state ?? { items: [], nextId: 1 } }
    const unlike = firstDifference(record, runModel(their, op, options))
    if (unlike) return `op ${index + 1} ${op.op}, the reference model: ${unlike}`

    const next = await runOurs(list, op, options)
    const difference = firstDifference(runModel(want, op, options), next.done)
    if (difference) return `op ${index + 1} ${op.op}, ${difference}`
    lists.set(session, next.list)
  }
  rows.push(...differences.met)
  return null
}

// THE MODEL

function runModel(model: TodoModel, op: Op, options: Options): Done {
  const outcome = modelOutcome(model, op, options)
  return { ...outcome, state: model.state }
}

function modelOutcome(model: TodoModel, op: Op, { suppressListMessage, builder }: Options): Outcome {
  const { items } = model.state
  switch (op.op) {
    case 'listMessage': {
      if (suppressListMessage) return { result: null }
      return {
        result: builder ? `n=${items.length};done=${items.length - model.open.length}` : model.listMessage(),
      }
    }
    case 'completionFeedback': {
      const shouldContinue = model.open.length > 0
      return { result: { shouldContinue, feedback: shouldContinue ? model.feedback(op.template) : null } }
    }
    case 'hostAll':
      return { result: items }
    case 'hostRemaining':
      return { result: model.open }
    case 'hostMutate':
      return model.write(op.index ?? 0, { title: op.title ?? '', isComplete: op.isComplete ?? false })
    case 'hostClearReturnedList':
      return model.clearRead()
    case 'instructions':
      return {
        result: {
          custom: true,
          tools: ['todos_add', 'todos_complete', 'todos_remove', 'todos_get_remaining', 'todos_get_all'],
        },
      }
    default:
      return model.call(op.op, op.args ?? {})
  }
}

// OURS

async function runOurs(
  list: TodoList,
  op: Op,
  options: Options,
): Promise<{ readonly done: Done; readonly list: TodoList }> {
  const { list: next, ...outcome } = isTodosTool(op.op)
    ? callTool(list, op.op, op.args)
    : { list, ...(await host(list, op, options)) }
  return { done: { ...outcome, state: toState(next) }, list: next }
}

/** One call of a tool, with what it answers as the traces write it: items, or a bare count. */
export function callTool(list: TodoList, tool: string, args: unknown): Outcome & { readonly list: TodoList } {
  if (!isTodosTool(tool)) return { list, error: `no such tool: ${tool}` }
  const outcome = runTodosTool(tool, list, args, { now: 0 })
  if (!outcome.ok) return { list, error: outcome.error.code }
  const { output, update } = outcome
  if ('completed' in output) return { list: update.list, result: output.completed }
  if ('removed' in output) return { list: update.list, result: output.removed }
  return { list: update.list, result: output.map(fromWire) }
}

async function host({ todos }: TodoList, op: Op, options: Options): Promise<Outcome> {
  switch (op.op) {
    case 'listMessage':
      return { result: showList(todos, options) }
    case 'completionFeedback':
      return { result: await feedback(todos, op.template) }
    case 'hostAll':
      return { result: todos.map(toWire).map(fromWire) }
    case 'hostRemaining':
      return { result: remaining(todos).map(toWire).map(fromWire) }
    case 'hostMutate':
      return attempt(() =>
        Object.assign(todos[op.index ?? 0] ?? {}, { content: op.title, status: 'completed' }),
      )
    case 'hostClearReturnedList':
      return attempt(() => (todos as Todo[]).splice(0))
    case 'instructions': {
      const { instructions = '' } = options
      const custom = contextInstructions({ toolset: 'todos', instructions }) === instructions
      return { result: { custom, tools: Object.keys(todosToolSchemas()) } }
    }
    default:
      return { error: `no such op: ${op.op}` }
  }
}

function showList(todos: readonly Todo[], { suppressListMessage = false, builder }: Options): string | null {
  const count = (list: readonly Todo[]) => `n=${list.length};done=${list.length - remaining(list).length}`
  return listMessage(todos, { toolset: 'todos', suppressListMessage, ...(builder && { listMessage: count }) })
}

async function feedback(todos: readonly Todo[], template?: string) {
  const evaluator = todosCompleted(template === undefined ? {} : { feedback: template })
  const loop = createLoop({ evaluators: [evaluator] }, { todos: true, modes: false })
  const step = await loop.afterRun(loop.begin([]), { end: 'complete', text: '', todos, mode: null })
  return {
    shouldContinue: step.next === 'run',
    feedback: step.next === 'run' ? withDefault(step.feedback) : null,
  }
}

/** Our own words before the list as `{default}`. */
export function withDefault<Text extends string | null>(text: Text): Text | string {
  const [words = ''] = englishTexts.loopFeedback.split('{remaining_todos}')
  return text === null ? text : text.split(words).join('{default}')
}

function attempt(change: () => unknown): Outcome {
  try {
    change()
    return { result: null }
  } catch (error) {
    return { error: error instanceof Error ? error.name : String(error) }
  }
}

// SHAPES

/** A recorded state as a session restores it. */
export function restore(state: TodoState | undefined): TodoList {
  if (!state) return emptyList
  const todos = state.items.map(({ id, title, description, isComplete }): Todo => {
    const item = { id, content: title, ...(description !== null && { description }), createdAt: 0 }
    return isComplete ? { ...item, status: 'completed', completedAt: 0 } : { ...item, status: 'pending' }
  })
  return liftNextId({ todos, nextId: state.nextId })
}

export function toState({ todos, nextId }: TodoList): TodoState {
  return { items: todos.map(toWire).map(fromWire), nextId }
}

function fromWire({ id, title, description, isComplete }: WireTodo): Item {
  return { id, title, description: description ?? null, isComplete }
}
