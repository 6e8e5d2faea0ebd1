import {
  generateId as defaultGenerateId,
  isFileUIPart,
  isTextUIPart,
  type ModelMessage,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { contextInstructions, listMessage } from '../core/context.ts'
import { isTodoAgentError, TodoAgentError } from '../core/errors.ts'
import type { GuardVerdict } from '../core/guard.ts'
import { feedbackLog, type LoopState } from '../core/loop.ts'
import {
  deepFreeze,
  idleRun,
  openTodos,
  type RunOutcome,
  type RunView,
  remaining,
  type SyntheticMessage,
} from '../core/todo.ts'
import { aloud } from '../session/aloud.ts'
import type { TodoSession } from '../session/createTodoSession.ts'
import type { SessionData } from '../session/record.ts'
import { alternateRoles } from './alternateRoles.ts'
import { answerCalls, isForHost } from './answerCalls.ts'
import { type CallIds, createCallIds } from './callIds.ts'
import { createMessageBuilder, type MessageBuilder } from './messageBuilder.ts'
import { explainModelError, unfinished } from './modelError.ts'
import { nextTask } from './nextTask.ts'
import {
  type AgentConfig,
  addUsage,
  noUsage,
  type RunResult,
  type RunTodoAgentOptions,
  readOptions,
} from './options.ts'
import { createRequestLog, type RequestLog } from './requestLog.ts'
import type { RetryWait } from './retry.ts'
import { savedError } from './runError.ts'
import { runStep, type StepFacts } from './step.ts'
import { syncTranscript } from './syncTranscript.ts'
import {
  callIdsOf,
  hasAnsweredApproval,
  isCommandAnswer,
  settleMessage,
  textOf,
  toModelMessages,
  withoutApproved,
  withResultsInOrder,
} from './transcript.ts'

/** Steps in a row that were cut off, or in which no call could be run, after which a run gives up. */
const MAX_FRUITLESS_STEPS = 3

/** The least time between two saves of an answer that is still streaming, in ms. */
const SAVE_EVERY = 1000

/** How long a burst of chunks may hold the page, in ms: less than a frame. */
const REST_EVERY = 12

type Chunks<Result = void> = AsyncGenerator<UIMessageChunk, Result>

interface Ending {
  readonly outcome: RunOutcome
  readonly error?: TodoAgentError
}

// What one run holds; `session` is the truth, this is only where the run stands.
interface Run {
  readonly config: AgentConfig
  readonly session: TodoSession
  readonly builder: MessageBuilder
  readonly log: RequestLog
  readonly callIds: CallIds
  readonly signal: AbortSignal
  readonly show: boolean
  readonly transcript: () => UIMessage[]
  readonly convert: (messages: readonly UIMessage[]) => Promise<ModelMessage[]>
  readonly takeMessages: () => readonly UIMessage[]
  readonly startedAt: number
  readonly input: readonly UIMessage[]
  loop: LoopState | null
  usage: RunResult['usage']
  steps: number
  stepsInIteration: number
  fruitless: number
  text: string
  // The response of the last step broke off.
  broke: boolean
}

/**
 * Runs an agent on a session: from the person's newest message to the final answer, as UI message chunks of the AI SDK. Each step is one
 * request with the current list at its tail. After each response the guard looks at it, then the todo tools run; a result reaches the
 * model once the list it speaks of is saved. The generator returns how the run ended. It throws only when the run could not start: a
 * `TodoAgentError` with the code `session_busy`.
 *
 * @throws TypeError at the call, naming the option, when one is missing or makes no sense
 *
 * @example
 * ```ts
 * const session = createTodoSession({ id: 'chat-1' })
 * const messages: UIMessage[] = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Compare the three offers' }] }]
 * for await (const chunk of runTodoAgent({ session, model, tools, messages })) {
 *   if (chunk.type === 'text-delta') output.append(chunk.delta)
 * }
 * ```
 */
export function runTodoAgent(options: RunTodoAgentOptions): Chunks<RunResult> {
  const config = readOptions(options)
  if (!options.session?.claim) {
    throw new TypeError('`session` must be a session, such as createTodoSession({ id }).')
  }
  for (const [index, message] of options.messages?.entries() ?? [])
    requireMessage(`messages[${index}]`, message)
  return claimAndRun(config, options)
}

/** What older versions of the AI SDK saved has no parts, or parts without what is read of them here. */
function requireMessage(option: string, { parts }: UIMessage): void {
  const fits = (part?: { type?: string; text?: unknown; toolCallId?: unknown }) =>
    part?.type?.startsWith('tool-')
      ? typeof part.toolCallId === 'string'
      : part?.type !== undefined && (!/^(text|reasoning)$/.test(part.type) || typeof part.text === 'string')
  if (!parts?.every?.(fits)) {
    throw new TypeError(
      `\`${option}\` is no UIMessage of AI SDK 7. Convert what an older version has saved, as its migration guides say.`,
    )
  }
}

async function* claimAndRun(config: AgentConfig, options: RunTodoAgentOptions): Chunks<RunResult> {
  const { session } = options
  const claim = options.claim ?? (await session.claim())
  if (options.signal) claim.follow(options.signal)
  let run: Run | null = null
  let result: RunResult | null = null
  try {
    await session.ready()
    const history = options.messages ?? session.store.getState().messages
    await syncTranscript(session, history)
    run = createRun(config, options, history, claim.signal)
    yield { type: 'start', messageId: run.builder.id }
    yield* start(run, options.goesOn)
    let ending: Ending | null = null
    while (!ending) ending = yield* tryStep(run)
    result = await end(run, ending)
    yield closing(result)
    return result
  } finally {
    // A consumer that went away in the middle has stopped the run.
    if (run && !result) result = await end(run, { outcome: 'stopped' })
    claim.release()
    if (result) {
      const ended = result
      aloud(() => config.onRunEnd?.(ended))
    }
  }
}

function createRun(
  config: AgentConfig,
  { session, goesOn, show = true, takeMessages = () => [] }: RunTodoAgentOptions,
  history: readonly UIMessage[],
  signal: AbortSignal,
): Run {
  const last = history.at(-1)
  const before = last?.role === 'assistant' ? history.slice(0, -1) : history
  const generateId = config.generateId ?? defaultGenerateId
  const builder = createMessageBuilder(
    last?.role === 'assistant'
      ? settleMessage(goesOn === 'interrupted' ? withoutApproved(last, config.texts) : last)
      : { id: generateId(), parts: [], metadata: undefined },
  )
  const transcript = () => [...before, builder.snapshot()]
  const convert = (messages: readonly UIMessage[]) =>
    toModelMessages(messages, { tools: config.agentTools.answering, texts: config.texts })
  return {
    config,
    session,
    builder,
    log: createRequestLog(builder, transcript, convert),
    callIds: createCallIds(history.flatMap(callIdsOf)),
    signal,
    show,
    transcript,
    convert,
    takeMessages,
    startedAt: Date.now(),
    // A command is no part of it.
    input: isCommandAnswer(last) ? before.slice(0, -1) : before,
    loop:
      config.activeLoop?.begin(before.map((message) => ({ role: message.role, text: textOf(message) }))) ??
      null,
    usage: noUsage,
    steps: 0,
    stepsInIteration: 0,
    fruitless: 0,
    text: '',
    broke: false,
  }
}

async function* start(run: Run, goesOn: RunTodoAgentOptions['goesOn']): Chunks {
  const { activeGuard: guard, activeModes: modes, activeLoop: loop, texts } = run.config
  if (loop?.freshContext) await goOnFresh(run)
  if (goesOn === 'interrupted') yield* say(run, [{ source: 'resume', text: texts.resume }])
  await run.session.commit(
    (data) => ({
      ...data,
      guard: guard ? guard.startRun(data.guard, { continued: goesOn !== undefined }) : data.guard,
      mode: modes ? modes.restore(data.mode).mode : data.mode,
      title: data.title ?? titleOf(run.input),
      run: { ...idleRun, status: 'running', startedAt: run.startedAt },
    }),
    { cause: { messageId: run.builder.id }, messages: run.transcript(), show: run.show },
  )
}

// A run that goes on in the middle of a loop knows no more than it did: the first input, the feedback, and what came after it.
async function goOnFresh(run: Run): Promise<void> {
  const { parts } = run.builder.snapshot()
  const last = parts.findLastIndex(isFeedback)
  if (last === -1 || !run.loop) return
  const at = parts.slice(0, last).findLastIndex((part) => !isFeedback(part)) + 1
  run.log.restart(await run.convert(run.input), at)
  const { data } = parts[last] as unknown as { readonly data: SyntheticMessage }
  run.loop = { ...run.loop, feedback: feedbackLog.read(`${data.text}`) }
}

// What the host's own code throws (an evaluator of the loop, say) ends the run as failed.
async function* tryStep(run: Run): Chunks<Ending | null> {
  try {
    return yield* takeStep(run)
  } catch (error) {
    if (run.signal.aborted || (isTodoAgentError(error) && error.code === 'session_busy'))
      return { outcome: 'stopped' }
    return { outcome: 'failed', error: explainModelError(error) }
  }
}

async function* takeStep(run: Run): Chunks<Ending | null> {
  const { config, signal } = run
  if (signal.aborted) return { outcome: 'stopped' }
  if (run.stepsInIteration >= config.maxSteps) return { outcome: 'max_steps' }
  // An approved tool runs with the next request, and nothing may stand between its call and its result.
  if (!hasAnsweredApproval(run.transcript())) {
    yield* announceMode(run)
    if (!signal.aborted) yield* hear(run)
  }

  run.steps += 1
  run.stepsInIteration += 1
  const facts = yield* stream(run)
  run.usage = addUsage(run.usage, facts.usage)
  if (facts.text !== '') run.text = facts.text
  run.broke = !facts.responded || facts.end === 'lost'
  if (facts.end === 'stopped') return { outcome: 'stopped' }
  const request = { model: config.model, answered: facts.begun, contentType: facts.contentType }
  if (facts.end === 'failed') return { outcome: 'failed', error: explainModelError(facts.error, request) }
  if (facts.end === 'lost') return { outcome: 'failed', error: unfinished(request) }

  return (yield* runAgain(run, facts)) ? null : yield* settleStep(run, facts)
}

async function* announceMode(run: Run): Chunks {
  const { activeModes: modes } = run.config
  const { mode, modeChange } = data(run)
  const announcement = modes?.announcement(modes.restore(mode, modeChange))
  if (!announcement || modeChange === null) return
  if (announcement.message) yield* say(run, [announcement.message])
  await commit(run, (current) => ({
    ...current,
    mode: announcement.state.mode,
    modeChange: announcement.state.change,
  }))
}

// The person's newest words come last, and are saved before the model reads them.
async function* hear(run: Run): Chunks {
  const heard = run.takeMessages().map(({ id, parts }): UIMessageChunk => {
    return {
      type: 'steering-message',
      id,
      parts: parts.filter((part) => isTextUIPart(part) || isFileUIPart(part)),
    }
  })
  for (const chunk of heard) run.builder.apply(chunk)
  if (heard.length > 0) await commit(run, (current) => current)
  yield* heard
}

async function* stream(run: Run): Chunks<StepFacts> {
  const { config, session, builder, signal } = run
  const { agentTools, context } = config
  const blocked = data(run).guard.blocked !== null
  const tools = blocked ? agentTools.inertTools : agentTools.tools
  const messages = await run.log.next()
  run.broke = false
  const step = runStep({
    model: config.model,
    tools,
    instructions: instructionsOf(run),
    messages,
    prepare: async (given) => {
      const sent = withResultsInOrder(given)
      const prepared = config.prepareMessages
        ? [...(await config.prepareMessages(sent, { step: run.steps }))]
        : sent
      const list = context && listMessage(data(run).list.todos, context)
      if (config.alternateRoles) return alternateRoles(prepared, { list, word: config.texts.noted })
      return list ? [...prepared, { role: 'user', content: [{ type: 'text', text: list }] }] : prepared
    },
    settings: config.settings,
    stepTimeout: config.stepTimeout,
    maxRetryWait: config.maxRetryWait,
    signal,
    isOurs: agentTools.isOurs,
    unknownTool: (name) => config.texts.unknownTool({ name, available: Object.keys(tools) }),
    callIds: run.callIds,
    onDraft: (draft) => session.setDraft(draft),
    onWait: (wait) => void showWait(run, wait).catch(() => {}),
  })

  let savedAt = Date.now()
  let restedAt = savedAt
  for (;;) {
    const next = await step.next()
    if (next.done) return next.value
    // Steps end once the calls are answered: whatever waits for the end of one then sees it whole.
    builder.apply(next.value)
    const now = Date.now()
    if (now - savedAt >= SAVE_EVERY) {
      savedAt = now
      commit(run, (current) => current).catch(() => {})
    }
    if (now - restedAt >= REST_EVERY) {
      await nextTask()
      restedAt = Date.now()
    }
    yield next.value
  }
}

// A loop that may still go on is asked before the guard corrects. True when it runs the agent again.
async function* runAgain(run: Run, facts: StepFacts): Chunks<boolean> {
  const { activeLoop: loop, texts } = run.config
  if (!loop || !run.loop || facts.calls.length > 0 || facts.end !== 'complete' || !loop.mayRunAgain(run.loop))
    return false
  const { list, mode } = data(run)
  const step = await loop.afterRun(run.loop, {
    end: 'complete',
    text: run.text,
    todos: list.todos,
    mode,
  })
  if (step.next !== 'run') return false
  run.loop = step.state
  run.stepsInIteration = 0
  yield { type: 'finish-step' }
  if (loop.freshContext) run.log.restart(await run.convert(run.input))
  const injected = step.injected.map(({ text }): SyntheticMessage => ({ source: 'loop_feedback', text }))
  // Without a word in between the request would end with the agent's own message, which providers take for one to complete.
  yield* say(run, injected.length > 0 ? injected : [{ source: 'loop_feedback', text: texts.goOn }])
  await commit(run, (current) => ({
    ...current,
    guard: deepFreeze({ ...current.guard, run: { ...current.guard.run, continued: true } }),
  }))
  return true
}

async function* settleStep(run: Run, facts: StepFacts): Chunks<Ending | null> {
  const { config, session, builder, signal } = run
  const { activeGuard: guard, agentTools } = config
  const before = data(run)
  const waiting = facts.calls.some((call) => facts.awaiting.has(call.id) || isForHost(config, call, facts))
  const context = { toolset: agentTools.toolset, mode: config.activeModes ? before.mode : null }
  const first: GuardVerdict | null =
    guard?.afterModelResponse(
      before.guard,
      {
        text: facts.text,
        toolCalls: facts.calls.map(({ id, name }) => ({ id, name, kind: agentTools.kind(name) })),
        end: waiting ? 'awaiting_approval' : facts.end === 'cut_off' ? 'cut_off' : 'complete',
      },
      { ...context, todos: before.list.todos },
    ) ?? null

  const answers = answerCalls(config, before, facts, first, Date.now(), session.store.getState().revision)
  const second =
    (answers.ran &&
      first &&
      guard?.afterTodoTools(first.state, answers, { ...context, todos: answers.data.list.todos })) ||
    null
  const last = second ?? first
  const injected = waiting ? [] : [...(first?.inject ?? []), ...(second?.inject ?? [])]
  const chunks: UIMessageChunk[] = [
    ...answers.chunks,
    { type: 'finish-step' },
    ...injected.map(syntheticChunk),
  ]
  const correction = second?.correction ?? first?.correction

  // The message is whole before the list is committed, so that one save holds both; told is only what is saved.
  for (const chunk of chunks) builder.apply(chunk)
  await Promise.all([
    ...answers.commits.map(({ call, change, changes }) =>
      session.commit(ifOurs(run, change), {
        changes,
        cause: { messageId: builder.id, toolCallId: call.id, toolName: call.name },
      }),
    ),
    commit(run, (current) => ({
      ...current,
      guard: last?.state ?? current.guard,
      run: correction ? { ...current.run, correction } : current.run,
    })),
  ])
  yield* chunks

  if (signal.aborted) return { outcome: 'stopped' }
  if (waiting) return { outcome: 'awaiting_approval' }
  if (last?.decision === 'stop') return { outcome: last.outcome ?? 'blocked' }
  run.fruitless = answers.fruitless || (facts.end === 'cut_off' && !answers.updated) ? run.fruitless + 1 : 0
  if (run.fruitless >= MAX_FRUITLESS_STEPS) return { outcome: 'failed', error: gaveUp(facts) }
  if (facts.calls.length > 0 || first?.decision === 'loop_to_model') return null
  if (facts.end === 'cut_off') return { outcome: 'failed', error: tooLong() }
  return { outcome: first?.outcome ?? outcomeOf(run) }
}

async function end(run: Run, ending: Ending): Promise<RunResult> {
  const { session } = run
  session.setDraft(null)
  const open = openTodos(data(run).list.todos)
  const { error } = ending
  const transcript = run
    .transcript()
    .map((message, index, { length }) => (index === length - 1 ? settleMessage(message, run.broke) : message))
  const change = (current: SessionData): SessionData => ({
    ...current,
    run: deepFreeze({
      ...withoutWait(current.run),
      status: 'idle',
      outcome: ending.outcome,
      openIds: open.map((todo) => todo.id),
      error: error ? savedError(error) : null,
      endedAt: Date.now(),
    } satisfies RunView),
  })
  // A session that takes no changes (closed, or read-only) has said so before.
  await commit(run, change, transcript).catch(() => {})
  return {
    outcome: ending.outcome,
    openTodos: open,
    steps: run.steps,
    iterations: run.loop?.iteration ?? 1,
    usage: run.usage,
    error: error ?? null,
  }
}

function outcomeOf(run: Run): RunOutcome {
  const { list, mode } = data(run)
  // A plan is meant to be unfinished.
  if (run.config.activeModes && mode === 'plan') return 'completed'
  if (run.loop && !run.config.activeLoop?.mayRunAgain(run.loop) && remaining(list.todos).length > 0)
    return 'max_iterations'
  return openTodos(list.todos).length > 0 ? 'finished_with_open_todos' : 'completed'
}

// HELPERS

function data(run: Run): SessionData {
  return run.session.store.getState().data
}

function commit(
  run: Run,
  change: (data: SessionData) => SessionData,
  messages: readonly UIMessage[] = run.transcript(),
): Promise<unknown> {
  return run.session.commit(ifOurs(run, change), {
    cause: { messageId: run.builder.id },
    messages,
    show: run.show,
  })
}

// A wait is no step: nothing but the view hears of it.
async function showWait(run: Run, wait: RetryWait | null): Promise<void> {
  await commit(run, (current) => ({
    ...current,
    run: wait ? { ...current.run, wait } : withoutWait(current.run),
  }))
}

function withoutWait({ wait: _, ...run }: RunView): RunView {
  return run
}

// A tab that slept while another one took over learns of it here, at its next write at the latest.
function ifOurs(run: Run, change: (data: SessionData) => SessionData): (data: SessionData) => SessionData {
  return (current) => {
    if (current.run.status === 'running' && current.run.startedAt === run.startedAt) return change(current)
    throw new TodoAgentError(
      'session_busy',
      `The run of session "${run.session.id}" was taken over by another tab.`,
    )
  }
}

function* say(run: Run, messages: readonly SyntheticMessage[]): Generator<UIMessageChunk> {
  for (const chunk of messages.map(syntheticChunk)) {
    run.builder.apply(chunk)
    yield chunk
  }
}

function isFeedback(part: UIMessage['parts'][number]): boolean {
  return part.type === 'data-synthetic' && Object(part.data).source === 'loop_feedback'
}

function syntheticChunk(message: SyntheticMessage): UIMessageChunk {
  return { type: 'data-synthetic', data: message } as UIMessageChunk
}

function instructionsOf(run: Run): string {
  const { instructions = '', context, activeModes: modes } = run.config
  const { mode, modeChange } = data(run)
  // A change that could not be announced yet is not in the instructions either.
  const announced = modeChange?.from ?? mode
  return [
    instructions.trim(),
    context ? contextInstructions(context) : '',
    modes ? modes.instructions(modes.restore(announced, null)) : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function closing({ outcome, error }: RunResult): UIMessageChunk {
  if (error) return { type: 'error', errorText: error.message }
  return outcome === 'stopped' ? { type: 'abort' } : { type: 'finish', finishReason: 'stop' }
}

function titleOf(history: readonly UIMessage[]): string | null {
  const first = history.find(({ role }, place) => role === 'user' && !isCommandAnswer(history[place + 1]))
  const text = first ? textOf(first).trim().replace(/\s+/g, ' ') : ''
  return text === '' ? null : text.length > 80 ? `${text.slice(0, 79)}…` : text
}

function gaveUp(facts: StepFacts): TodoAgentError {
  const names = [...new Set(facts.calls.map((call) => call.name))].join(', ')
  return facts.end === 'cut_off'
    ? new TodoAgentError(
        'cut_off',
        `The model's responses were cut off ${MAX_FRUITLESS_STEPS} times in a row. Allow longer ones (maxOutputTokens), or ask for less at once.`,
      )
    : new TodoAgentError(
        'model_failed',
        `The model made ${MAX_FRUITLESS_STEPS} steps in a row whose calls could not be run (${names}). Try again, or use a model that is better with tools.`,
      )
}

function tooLong(): TodoAgentError {
  return new TodoAgentError(
    'cut_off',
    'The answer was cut off at the length limit of the model. Allow longer ones (maxOutputTokens), or ask it to go on.',
  )
}
