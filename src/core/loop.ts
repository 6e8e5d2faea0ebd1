import { describe, requireText, requireWhole, TodoAgentError } from './errors.ts'
import { englishTexts, inline, type TodoTexts } from './texts.ts'
import { remaining, type Todo } from './todo.ts'

// TYPES

/** A message as the loop sees it. `source` marks one that the loop itself wrote. */
export interface LoopMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly text: string
  readonly source?: 'loop_feedback'
}

/** How one run of the agent ended. The last four end the loop, whatever the evaluators would say. */
export type RunEnd =
  | 'complete'
  | 'cut_off'
  | 'max_steps'
  | 'blocked'
  | 'awaiting_approval'
  | 'stopped'
  | 'failed'

/** What one run of the agent left behind. A host may add facts of its own for its evaluators, an abort signal say. */
export interface RunFacts {
  readonly end: RunEnd
  /** The text of its last response. */
  readonly text: string
  readonly todos: readonly Todo[]
  /** `null` where no modes are configured. */
  readonly mode: string | null
  /** Counters, also nested ones. They are summed over the iterations. */
  readonly usage?: object | undefined
}

/** What an evaluator is told: the facts of the run that has just ended, and where the loop stands. */
export type LoopContext<Facts extends RunFacts = RunFacts> = Facts & {
  /** How many runs there were, from 1. */
  readonly iteration: number
  /** What was fed back after each run before this one; `null` where nothing was. */
  readonly feedback: readonly (string | null)[]
  readonly texts: TodoTexts
}

/** Whether to run the agent again, and what it is told then. Blank feedback counts as none. */
export type LoopDecision =
  | { readonly continue: false }
  | {
      readonly continue: true
      readonly feedback?: string | null | undefined
      /**
       * Sent as they are in place of the feedback message. An agent of the kit says their texts in the role of the user, and with `freshContext`
       * after the first input.
       */
      readonly messages?: readonly LoopMessage[] | undefined
    }

/** Asked after each run. `needs` is what it cannot work without; {@link createLoop} checks that. */
export interface LoopEvaluator<Facts extends RunFacts = RunFacts> {
  (context: LoopContext<Facts>): LoopDecision | Promise<LoopDecision>
  readonly needs?: { readonly todos: boolean; readonly modes: boolean }
}

/** Options of {@link createLoop}: what the agent is run again for, and how often at most. */
export interface LoopOptions<Facts extends RunFacts = RunFacts> {
  /** Asked in this order; the first that continues wins and the rest are not asked. */
  readonly evaluators: readonly LoopEvaluator<Facts>[]
  /** The hard cap on runs, at least 1. At the cap no evaluator is asked. @default 10 */
  readonly maxIterations?: number
  /** Each run starts from the first input and the feedback so far, without what was said in between. The todos stay. @default false */
  readonly freshContext?: boolean
}

/** What the loop's agent has. */
export interface LoopSetting {
  readonly todos: boolean
  readonly modes: boolean
  readonly texts?: TodoTexts
}

/** Where a loop stands: plain data. */
export interface LoopState {
  readonly input: readonly LoopMessage[]
  /** The number of the run that is under way, from 1. */
  readonly iteration: number
  readonly feedback: readonly (string | null)[]
  /** The counters of all runs that have ended; `undefined` if none reported any. */
  readonly usage: object | undefined
}

/** What to do after a run. `completed`: no evaluator wants another one. */
export type LoopStep =
  | {
      readonly next: 'end'
      readonly reason: 'completed' | 'max_iterations' | 'blocked' | 'awaiting_approval' | 'stopped' | 'failed'
      readonly state: LoopState
    }
  | {
      readonly next: 'run'
      /**
       * What the next run is given: after the conversation so far or, with `freshContext`, after the conversation before the first input.
       * May be empty.
       */
      readonly messages: readonly LoopMessage[]
      /** Those of `messages` that are new, for the transcript. None of them are the person's words. */
      readonly injected: readonly LoopMessage[]
      readonly feedback: string | null
      readonly state: LoopState
    }

/** Decides between runs; running the agent is the caller's part. */
export interface Loop<Facts extends RunFacts = RunFacts> {
  readonly freshContext: boolean
  /** The state for a first run that is given these messages. */
  begin(input: readonly LoopMessage[]): LoopState
  /** Whether there may be a further run. While there may, the loop is asked before the guard corrects. */
  mayRunAgain(state: LoopState): boolean
  /** What follows the run that has just ended. Rejects with `loop_failed` where an evaluator throws or returns no decision. */
  afterRun(state: LoopState, facts: Facts): Promise<LoopStep>
}

// LOOP

/**
 * Runs an agent again until its evaluators are content, with a cap that always holds.
 * Throws a `TypeError` for no evaluator, a bad cap, and an evaluator that needs todos or modes where there are none.
 */
export function createLoop<Facts extends RunFacts = RunFacts>(
  options: LoopOptions<Facts>,
  setting: LoopSetting,
): Loop<Facts> {
  const { evaluators, maxIterations = 10, freshContext = false } = options
  requireWhole('maxIterations', maxIterations, 1)
  if (!Array.isArray(evaluators) || !evaluators.length) {
    throw new TypeError(
      `\`evaluators\` must be a list that is not empty, such as [todosCompleted()], got ${describe(evaluators)}.`,
    )
  }
  for (const [index, evaluator] of evaluators.entries())
    checkEvaluator(`evaluators[${index}]`, evaluator, setting)
  const texts = setting.texts ?? englishTexts
  const mayRunAgain = (state: LoopState) => state.iteration < maxIterations

  return {
    freshContext,
    begin: (input) => ({ input, iteration: 1, feedback: [], usage: undefined }),
    mayRunAgain,
    async afterRun(before, facts) {
      const state = { ...before, usage: addUsage(before.usage, facts.usage) }
      const reason = ENDS.find((end) => end === facts.end)
      if (reason) return { next: 'end', reason, state }
      if (!mayRunAgain(state)) return { next: 'end', reason: 'max_iterations', state }
      const context: LoopContext<Facts> = {
        ...facts,
        iteration: state.iteration,
        feedback: state.feedback,
        texts,
      }
      for (const evaluator of evaluators) {
        const decision = await ask(evaluator, context)
        if (decision.continue) return again(state, decision, freshContext)
      }
      return { next: 'end', reason: 'completed', state }
    },
  }
}

/** Sums two sets of counters, nested ones too; what only one of them has is kept. `undefined` where there is neither. */
export function addUsage(one: object | undefined, two: object | undefined): object | undefined {
  if (!one || !two) return one ?? two
  const sum: Record<string, unknown> = { ...one }
  for (const [key, value] of Object.entries(two)) {
    const before = sum[key]
    if (typeof value === 'number') sum[key] = value + (typeof before === 'number' ? before : 0)
    else if (value && typeof value === 'object') sum[key] = addUsage(Object(before), value)
  }
  return sum
}

// EVALUATORS

/**
 * Continues while unfinished todos remain.
 *
 * @param options.modes Only in these modes. Needs an agent with modes. @default in every mode
 * @param options.feedback A template whose `{remaining_todos}` is replaced by the list of them. @default `texts.loopFeedback`
 */
export function todosCompleted(
  options: { readonly modes?: readonly string[]; readonly feedback?: string } = {},
): LoopEvaluator {
  const { modes, feedback } = options
  // Spread so that an empty list has a first mode too, and is refused for it.
  const named = modes && [modes[0], ...modes.slice(1)]
  for (const [index, mode] of named?.entries() ?? []) requireText(`modes[${index}]`, mode)
  const evaluate = ({ todos, mode, texts }: LoopContext): LoopDecision => {
    const open = remaining(todos)
    if (!open.length || (modes && !modes.includes(mode ?? ''))) return { continue: false }
    const template = feedback ?? texts.loopFeedback
    return {
      continue: true,
      feedback: template.replaceAll('{remaining_todos}', () => open.map(line).join('\n')),
    }
  }
  return Object.assign(evaluate, { needs: { todos: true, modes: modes !== undefined } })
}

/**
 * Continues until the last response holds `marker`, exactly as given.
 *
 * @param template What the model is told; `{completion_marker}` and `{last_response}` are replaced. @default `texts.loopMarker`
 */
export function completionMarker(marker: string, template?: string): LoopEvaluator {
  requireText('marker', marker)
  return ({ text, texts }) => {
    if (text.includes(marker)) return { continue: false }
    // One pass, so that a response cannot smuggle in a placeholder.
    const feedback = (template ?? texts.loopMarker).replace(
      /\{(completion_marker|last_response)\}/g,
      (_, name) => (name === 'last_response' ? text : marker),
    )
    return { continue: true, feedback }
  }
}

// HELPERS

const LOG_START = '## Feedback\n\n- '

/** All feedback so far as one text, and the other way round: as one entry, to which more can be added. */
export const feedbackLog = {
  write: (entries: readonly string[]): string => LOG_START + entries.join('\n- '),
  read: (text: string): readonly string[] => text.split(LOG_START).slice(1),
}

const ENDS = ['awaiting_approval', 'stopped', 'failed', 'blocked'] as const

function checkEvaluator(option: string, evaluator: LoopEvaluator<never>, setting: LoopSetting): void {
  if (typeof evaluator !== 'function') {
    throw new TypeError(`\`${option}\` must be a function, got ${describe(evaluator)}.`)
  }
  const { needs } = evaluator
  for (const what of ['todos', 'modes'] as const) {
    if (needs?.[what] && !setting[what]) {
      throw new TypeError(`\`${option}\` needs ${what}, but this agent has none. Turn them on, or change it.`)
    }
  }
}

async function ask<Facts extends RunFacts>(
  evaluator: LoopEvaluator<Facts>,
  context: LoopContext<Facts>,
): Promise<LoopDecision> {
  try {
    const decision = await evaluator(context)
    checkDecision(decision)
    return decision
  } catch (cause) {
    throw new TodoAgentError('loop_failed', `A loop evaluator failed: ${cause}`, { cause })
  }
}

function checkDecision(decision: LoopDecision): void {
  const { continue: goesOn, feedback, messages } = Object(decision)
  if (typeof goesOn !== 'boolean')
    throw new TypeError(`It must return { continue: true | false }, got ${describe(decision)}.`)
  const fits = (messages ?? []).every?.((message?: LoopMessage) => typeof message?.text === 'string')
  if (goesOn && !(fits && typeof (feedback ?? '') === 'string'))
    throw new TypeError('`feedback` must be a text, `messages` a list of messages with a `text`.')
}

function again(
  state: LoopState,
  decision: LoopDecision & { continue: true },
  freshContext: boolean,
): LoopStep {
  const feedback = decision.feedback?.trim() ? decision.feedback : null
  const log = [...state.feedback, feedback]
  const entries = log.filter((entry) => entry !== null)
  const text = freshContext && entries.length ? feedbackLog.write(entries) : feedback
  const injected: readonly LoopMessage[] =
    decision.messages ?? (text === null ? [] : [{ role: 'user', text, source: 'loop_feedback' }])
  return {
    next: 'run',
    messages: freshContext && !decision.messages ? [...state.input, ...injected] : injected,
    injected,
    feedback,
    state: { ...state, iteration: state.iteration + 1, feedback: log },
  }
}

function line({ id, content, description }: Todo): string {
  return `- ${id}: ${inline(content)}${description?.trim() ? ` — ${inline(description)}` : ''}`
}
