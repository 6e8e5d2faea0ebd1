import type { IdGenerator, LanguageModel, LanguageModelUsage, ModelMessage, ToolSet, UIMessage } from 'ai'
import type { ContextOptions } from '../core/context.ts'
import { describe, requireWhole, type TodoAgentError } from '../core/errors.ts'
import { createGuard, type Guard, type GuardOptions } from '../core/guard.ts'
import { createLoop, type Loop, type LoopOptions } from '../core/loop.ts'
import { createModes, type ModeOptions, type Modes } from '../core/mode.ts'
import { type TodoTextOverrides, type TodoTexts, todoTexts } from '../core/texts.ts'
import type { RunOutcome, Todo, Toolset } from '../core/todo.ts'
import type { WriteTodosOptions } from '../core/writeTodos.ts'
import type { TodoSession } from '../session/createTodoSession.ts'
import type { DriverClaim } from '../session/tabs.ts'
import { type Commands, defaultCommands } from './commands.ts'
import type { ModelSettings } from './step.ts'
import { type AgentTools, createAgentTools, isOurName } from './toolset.ts'

// TYPES

/** How an agent keeps its list: which rules a write must follow, and what the model is shown. */
export interface TodoOptions extends WriteTodosOptions, Omit<ContextOptions, 'toolset' | 'texts'> {}

/**
 * What becomes of a message that the person sends while a run is under way. `queue`: it is sent once the run has ended. `steer`: the model
 * reads it before its next step, in this run; where there is none, and where it is a command, it is sent like one that was queued.
 * `reject`: sending it is refused.
 */
export type WhileRunning = 'queue' | 'steer' | 'reject'

/** How a run ended. */
export interface RunResult {
  readonly outcome: RunOutcome
  /** The items that are still open: unfinished or blocked. */
  readonly openTodos: readonly Todo[]
  /** How many requests were made to the model. */
  readonly steps: number
  /** How many times the agent was run: 1 without a loop. */
  readonly iterations: number
  /** Tokens over all steps, as far as the provider reported them. */
  readonly usage: {
    readonly inputTokens: number
    readonly outputTokens: number
    readonly totalTokens: number
  }
  /** What failed; `null` unless `outcome` is `failed`. */
  readonly error: TodoAgentError | null
}

/** What an agent is: its model, its tools, and the rules that its runs follow. The hook, the transport and the chat take the same. */
export interface TodoAgentOptions {
  /**
   * Any language model of the AI SDK, version 7. A string is, as everywhere in the AI SDK, the name of a model of its default provider, Vercel's
   * AI Gateway.
   */
  readonly model: LanguageModel
  /** The host's own tools. They run inside the AI SDK, with its approvals, repairs and telemetry. Names of the kit's tools are refused. */
  readonly tools?: ToolSet
  /** The system prompt. The instructions for the list are put after it. */
  readonly instructions?: string
  /** Which tools the model gets for the list. @default 'write_todos' */
  readonly toolset?: Toolset
  /** Rules of the list and what the model is shown of it; `false`: the model has no list at all. */
  readonly todo?: TodoOptions | false
  /** The guard and the reminder, or `false` for none. */
  readonly guard?: Omit<GuardOptions, 'texts'> | false
  /** Ways of working that the agent switches between, each with a name and instructions; `true`: `plan`, then `execute`. @default none */
  readonly modes?: Omit<ModeOptions, 'texts'> | true
  /**
   * Runs the agent again until its evaluators are content, at most `maxIterations` times. `todosCompleted()` and `completionMarker(text)` of
   * `use-todo-agent/core` are evaluators.
   * @default none
   */
  readonly loop?: LoopOptions
  /** Any text sent to the model, replaced. */
  readonly texts?: TodoTextOverrides
  /** The most requests that one run makes; with a loop, that one iteration makes. @default 50 */
  readonly maxSteps?: number
  /**
   * Settings that go to the AI SDK's `streamText` as they are. `maxRetries` (2 unless you say otherwise) is followed by the kit itself, which
   * knows how long a server asks to wait.
   */
  readonly settings?: ModelSettings
  /**
   * How long a request may go without a word of the model, in ms; then it fails, and can be tried again. The time that tools take, and waits
   * before a retry, don't count. `false`: for ever. @default 600000
   */
  readonly stepTimeout?: number | false
  /**
   * The longest wait before a failed request is made again, in ms. A server that asks for more (Retry-After) is not asked again: the run
   * fails and says for how long. @default 60000
   */
  readonly maxRetryWait?: number
  /**
   * Sends user and assistant strictly in turn, as the chat templates of some models want it (Mistral and Gemma behind llama.cpp or vLLM, for
   * example): neighbours of one role become one message, the list is put into the last message instead of one of its own, and between results
   * and what the user says next stands a short word of the assistant. Earlier messages stay what they were. @default false
   */
  readonly alternateRoles?: boolean
  /**
   * Changes the messages of each request, to compact a long history for example. The list is put in afterwards, so it is not lost. Calls and
   * their results must stay together.
   */
  readonly prepareMessages?: (
    messages: readonly ModelMessage[],
    facts: { readonly step: number },
  ) => readonly ModelMessage[] | PromiseLike<readonly ModelMessage[]>
  /**
   * Commands that are answered without the model, as functions that return the answer: your own, beside `/todos` and `/mode` or in their place;
   * `false`: none at all.
   * @default `/todos` and `/mode`
   */
  readonly commands?: Commands | false
  /** What becomes of a message that is sent to a `TodoChat`, or by the hook, while a run is under way. @default 'queue' */
  readonly whileRunning?: WhileRunning
  /** Makes the ids of new messages. @default the AI SDK's own */
  readonly generateId?: IdGenerator
  /** Called when a run has ended, however it did. */
  readonly onRunEnd?: (result: RunResult) => void
}

/** Options of one run. */
export interface RunTodoAgentOptions extends TodoAgentOptions {
  readonly session: TodoSession
  /**
   * The transcript to run on, the person's newest message last. One that ends with a message of the agent is gone on with.
   * @default the session's own
   */
  readonly messages?: readonly UIMessage[]
  /**
   * The run goes on without a new message of the person: the one before was `interrupted`, stopped or failed, or its plan was `approved`.
   * @default it does not
   */
  readonly goesOn?: 'interrupted' | 'approved'
  /**
   * Whether the session shows the transcript as it grows. `false` where something else does, such as a chat over the session.
   * @default true
   */
  readonly show?: boolean
  /**
   * Asked before each request for what the person has said since. It becomes part of this run: in the transcript it stands where it came in,
   * after the results of the step before, as a `steering-message` part of the AI SDK.
   */
  readonly takeMessages?: () => readonly UIMessage[]
  /** Stops the run. */
  readonly signal?: AbortSignal
  /** The right to run the session, where it was claimed before. It is released when the run ends. @default it is claimed then */
  readonly claim?: DriverClaim
}

/** Options, checked and with their defaults. */
export interface AgentConfig extends TodoAgentOptions {
  readonly texts: TodoTexts
  readonly maxSteps: number
  readonly stepTimeout: number | false
  readonly maxRetryWait: number
  readonly agentTools: AgentTools
  /** `null`: the model has no list, and nothing is shown of one. */
  readonly context: ContextOptions | null
  readonly activeGuard: Guard | null
  readonly activeModes: Modes | null
  readonly activeLoop: Loop | null
  readonly activeCommands: Commands
}

// VALUES

/** The `maxSteps` of an agent that sets none. */
export const DEFAULT_MAX_STEPS = 50

const DEFAULT_STEP_TIMEOUT = 600_000
const DEFAULT_MAX_RETRY_WAIT = 60_000

/** The longest time that timers know, in ms. */
const LONGEST = 2 ** 31 - 1

/**
 * Checks the options of an agent, without building anything: cheap enough for each render.
 *
 * @throws TypeError that names the option, when one is missing or makes no sense
 */
export function checkOptions({
  model,
  maxSteps,
  toolset,
  tools,
  stepTimeout,
  maxRetryWait,
  whileRunning,
  guard,
  modes,
  loop,
  todo,
  settings,
  commands,
}: Partial<TodoAgentOptions>): void {
  if ((typeof model !== 'object' && typeof model !== 'string') || !model) {
    throw new TypeError(
      `\`model\` must be a language model of the AI SDK, got ${describe(model)}. Pass one, such as createOpenAICompatible(...)('name').`,
    )
  }
  if (maxSteps !== undefined) requireWhole('maxSteps', maxSteps, 1)
  if (stepTimeout !== undefined && stepTimeout !== false && !(isTime(stepTimeout) && stepTimeout > 0)) {
    throw new TypeError(
      `\`stepTimeout\` must be a time in ms above 0, or false, got ${describe(stepTimeout)}.`,
    )
  }
  if (maxRetryWait !== undefined && !isTime(maxRetryWait)) {
    throw new TypeError(`\`maxRetryWait\` must be a time in ms, got ${describe(maxRetryWait)}.`)
  }
  if (whileRunning !== undefined) requireWhileRunning(whileRunning)
  if (toolset !== undefined) requireWord('toolset', toolset, 'write_todos', 'todos')
  for (const [option, value] of Object.entries({ tools, todo, guard, modes, loop, settings, commands })) {
    // What `true` and `false` mean is plain, also where the types have only one of them.
    if (typeof (value ?? true) !== 'boolean' && (typeof value !== 'object' || Array.isArray(value))) {
      throw new TypeError(`\`${option}\` must be an object, got ${describe(value)}.`)
    }
  }
  const { inProgress } = todo || {}
  if (inProgress !== undefined) requireWord('inProgress', inProgress, 'exactly-one', 'at-most-one', 'any')
  const reserved = Object.keys(tools ?? {}).find(isOurName)
  if (reserved !== undefined) {
    throw new TypeError(
      `\`tools\` holds a tool named \`${reserved}\`, which is one of the kit's own names. Rename yours.`,
    )
  }
  // These check themselves as they are made, and cost next to nothing.
  if (guard) createGuard(guard)
  if (modes) createModes(modes === true ? {} : modes)
  if (loop) createLoop(loop, { todos: todo !== false, modes: Boolean(modes) })
}

/** Throws a `TypeError` unless it is one of the words for it. */
export function requireWhileRunning(value: unknown): asserts value is WhileRunning {
  requireWord('whileRunning', value, 'queue', 'steer', 'reject')
}

function requireWord(option: string, value: unknown, ...words: readonly string[]): void {
  if (words.every((word) => word !== value)) {
    throw new TypeError(`\`${option}\` must be '${words.join("' or '")}', got ${describe(value)}.`)
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

/**
 * Options with their defaults, and what is built from them.
 *
 * @throws TypeError that names the option, when one is missing or makes no sense
 */
export function readOptions(options: TodoAgentOptions): AgentConfig {
  checkOptions(options)
  const { maxSteps = DEFAULT_MAX_STEPS, toolset = 'write_todos' } = options
  const { stepTimeout = DEFAULT_STEP_TIMEOUT, maxRetryWait = DEFAULT_MAX_RETRY_WAIT } = options
  const texts = todoTexts(options.texts)
  const todo = options.todo === false ? null : (options.todo ?? {})
  const modes = options.modes
    ? createModes({ ...(options.modes === true ? {} : options.modes), texts })
    : null
  return {
    ...options,
    texts,
    maxSteps,
    stepTimeout: stepTimeout !== false && Math.min(stepTimeout, LONGEST),
    maxRetryWait: Math.min(maxRetryWait, LONGEST),
    agentTools: createAgentTools(
      { tools: options.tools, toolset: todo ? toolset : null, todo: todo ?? {} },
      texts,
      modes,
    ),
    context: todo && { ...todo, toolset, texts },
    activeGuard: options.guard === false || !todo ? null : createGuard({ ...options.guard, texts }),
    activeModes: modes,
    activeCommands: options.commands === false ? {} : { ...defaultCommands, ...options.commands },
    activeLoop: options.loop
      ? createLoop(options.loop, { todos: todo !== null, modes: modes !== null, texts })
      : null,
  }
}

export const noUsage: RunResult['usage'] = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** Adds what one step used; a count that the provider did not report counts as 0. */
export function addUsage(sum: RunResult['usage'], usage: LanguageModelUsage | null): RunResult['usage'] {
  if (!usage) return sum
  const inputTokens = sum.inputTokens + (usage.inputTokens ?? 0)
  const outputTokens = sum.outputTokens + (usage.outputTokens ?? 0)
  const total = usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
  return { inputTokens, outputTokens, totalTokens: sum.totalTokens + total }
}
