import { listMessage } from '../src/core/context.ts'
import {
  completionMarker,
  createLoop,
  type Loop,
  type LoopDecision,
  type LoopEvaluator,
  type LoopMessage,
  type LoopStep,
  todosCompleted,
} from '../src/core/loop.ts'
import { createModes, isModeTool } from '../src/core/mode.ts'
import {
  type AgentStep,
  type CallRecord,
  type Decision,
  Differences,
  type Evaluator,
  type LoopRecord,
  type LoopScenario,
  loopModel,
  type Message,
  nth,
  type Outcome,
  printRows,
  type Row,
  type Usage,
} from './reference.ts'
import { firstDifference, type ScenarioResult } from './scenario.ts'
import { callTool, restore, toState, withDefault } from './todo.ts'

// TYPES

type RecordedCall = CallRecord & { readonly session?: string }

interface Recorded extends Omit<LoopRecord, 'calls'> {
  readonly calls?: readonly RecordedCall[]
  readonly exception?: string
  readonly sessions?: unknown
  readonly sessionCallback?: unknown
}

interface Scenario extends LoopScenario {
  readonly expect: { readonly dotnet: Recorded }
}

// RUNNER

/** Replays the traces of the loop: what each run of a scripted agent is given, and how the whole of it ends. */
export async function runLoop(scenarios: unknown): Promise<readonly ScenarioResult[]> {
  const rows: Row[] = []
  const results: ScenarioResult[] = []
  for (const scenario of scenarios as readonly Scenario[]) {
    const { name } = scenario
    const detail = await replay(scenario, rows)
    results.push(detail === null ? { name, pass: true } : { name, pass: false, detail })
  }
  printRows(rows)
  return results
}

async function replay(scenario: Scenario, rows: Row[]): Promise<string | null> {
  const unlike = firstDifference(
    comparable(scenario.expect.dotnet),
    comparable(loopModel(scenario, new Differences('theirs'))),
  )
  if (unlike) return `the reference model: ${unlike}`

  const differences = new Differences('ours')
  const wanted = loopModel(scenario, differences)
  rows.push(...differences.met)
  return firstDifference(comparable(wanted), comparable(await runOurs(scenario)))
}

/**
 * Without what only their side has: which of its sessions a run was in and how it got it (ours is always the one), the name of an
 * exception, and the sentence with which `mode_set` answers.
 */
function comparable({ sessions, sessionCallback, exception, calls = [], ...record }: Recorded): unknown {
  return {
    ...record,
    calls: calls.map(({ session, ...call }) => ({
      ...call,
      opResults: call.opResults?.map(withoutSentence),
    })),
  }
}

function withoutSentence({ result, ...outcome }: Outcome): Outcome {
  return { ...outcome, result: typeof result === 'string' ? null : result }
}

// OURS

/** More runs than any trace asks for. */
const RUNAWAY = 1000

async function runOurs(scenario: Scenario): Promise<LoopRecord> {
  const { agent, input, options = {}, providers = ['todo', 'mode'], seed, seedMode = null } = scenario
  const evaluations = scenario.evaluators.map(() => 0)
  const feedbackLog: (string | null)[] = []
  const calls: CallRecord[] = []

  let loop: Loop
  try {
    loop = createLoop(
      {
        evaluators: scenario.evaluators.map((evaluator, index) =>
          counted(toEvaluator(evaluator), index, evaluations),
        ),
        ...(options.maxIterations !== undefined && { maxIterations: options.maxIterations }),
        ...(options.fresh !== undefined && { freshContext: options.fresh }),
      },
      { todos: providers.includes('todo'), modes: providers.includes('mode') },
    )
  } catch (error) {
    return { error: toCode(error), iterations: 0, calls, evaluations, feedbackLog }
  }

  const modes = createModes()
  let list = restore(options.session === 'none' ? undefined : seed)
  let mode = modes.restore(options.session === 'none' ? null : seedMode)
  const transcript: (Message & { readonly approval?: boolean })[] = []
  const toMessages = (messages: readonly LoopMessage[]) =>
    messages.map((message) => toMessage(message, options.author))

  let state = loop.begin(input as readonly LoopMessage[])
  let messages = toMessages(state.input)
  while (calls.length < RUNAWAY) {
    const step: AgentStep = nth(agent, state.iteration) ?? { text: '' }
    const shown = listMessage(list.todos, { toolset: 'todos' }) ?? ''
    const told = modes.announcement(mode)
    mode = told.state
    const opResults = step.ops?.map(({ tool, args }): Outcome => {
      if (!isModeTool(tool)) {
        const { list: next, ...outcome } = callTool(list, tool, args)
        list = next
        return outcome
      }
      const done = modes.runTool(tool, mode, args)
      if (done.ok) mode = done.state
      return done.ok ? { result: null } : { error: done.error.code }
    })
    calls.push({
      messages,
      ...(opResults && { opResults }),
      ...(providers.includes('todo') && { listMessage: shown, todosAfter: toState(list) }),
      ...(providers.includes('mode') && { modeNotification: told.message !== null, modeAfter: mode.mode }),
    })
    transcript.push({ role: 'assistant', text: step.text ?? '', ...(step.approval && { approval: true }) })

    const next: LoopStep = await loop.afterRun(state, {
      end: step.approval ? 'awaiting_approval' : 'complete',
      text: step.text ?? '',
      todos: list.todos,
      mode: mode.mode,
      usage: step.usage,
    })
    state = next.state
    if (next.next === 'end') {
      return {
        iterations: state.iteration,
        stopReason: stopReason(next.reason),
        calls,
        evaluations,
        feedbackLog,
        transcript: options.lastOnly ? transcript.slice(-1) : transcript,
        usage: (state.usage as Usage | undefined) ?? null,
        ...(options.session === 'none' ? undefined : { callerTodosAtEnd: toState(list) }),
      }
    }
    feedbackLog.push(withDefault(next.feedback))
    messages = toMessages(next.messages)
    if (!options.excludeOnBehalfOf) transcript.push(...toMessages(next.injected))
  }
  return {
    error: `still running after ${RUNAWAY} runs`,
    iterations: RUNAWAY,
    calls: [],
    evaluations,
    feedbackLog,
  }
}

function toEvaluator(evaluator: Evaluator): LoopEvaluator {
  switch (evaluator.type) {
    case 'marker':
      return completionMarker(evaluator.marker, evaluator.template)
    case 'scripted':
      return ({ iteration }) => toDecision(nth(evaluator.decisions, iteration))
    case 'todoCompletion':
      return todosCompleted({
        ...(evaluator.modes && { modes: evaluator.modes as readonly string[] }),
        ...(evaluator.template !== undefined && { feedback: evaluator.template }),
      })
  }
}

function toDecision(decision: Decision | undefined): LoopDecision {
  if (decision?.do !== 'continue') return { continue: false }
  const { feedback, messages } = decision
  return { continue: true, feedback, messages: messages as readonly LoopMessage[] | undefined }
}

function counted(evaluator: LoopEvaluator, index: number, counts: number[]): LoopEvaluator {
  const count: LoopEvaluator = (context) => {
    counts[index] = (counts[index] ?? 0) + 1
    return evaluator(context)
  }
  return Object.assign(count, evaluator.needs && { needs: evaluator.needs })
}

/** A message as the traces write it. Their option stamps an author on what the loop says; ours always has a source. */
function toMessage({ source, ...message }: LoopMessage, author: string | undefined): Message {
  const text = source ? withDefault(message.text) : message.text
  return source && author !== undefined ? { ...message, text, author } : { ...message, text }
}

function stopReason(reason: string): LoopRecord['stopReason'] {
  if (reason === 'awaiting_approval') return 'approval'
  return reason === 'max_iterations' ? 'maxIterations' : 'evaluators'
}

/** The recorded name of a refusal, from the option that our error names. */
function toCode(error: unknown): string {
  const message = error instanceof TypeError ? error.message : String(error)
  if (message.startsWith('`maxIterations`')) return 'error:max_iterations'
  if (message.startsWith('`evaluators`')) return 'error:no_evaluators'
  if (message.startsWith('`modes[')) {
    return message.includes('undefined') ? 'error:empty_looping_modes' : 'error:blank_looping_mode'
  }
  return message.startsWith('`evaluators[') ? 'error:missing_provider' : message
}
