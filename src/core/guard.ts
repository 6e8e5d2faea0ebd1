import * as z from 'zod/mini'
import { requireWhole, type TodoAgentError, type TodoAgentErrorCode } from './errors.ts'
import { englishTexts, type TodoTexts } from './texts.ts'
import { deepFreeze, remaining, type SyntheticMessage, type Todo, type Toolset } from './todo.ts'

// TYPES

/** What the guard knows of the run that is under way. */
export interface GuardRun {
  /** The run was asked to go on with the list: by a resume, or by the loop. */
  readonly continued: boolean
  /** The model has updated the list in this run. */
  readonly updated: boolean
  /** The model has updated the list after a correction, so its next plain answer ends the run. */
  readonly settled: boolean
  /** How often this run was sent back to the model over unfinished items. */
  readonly corrections: number
  /** Requests made since the run was blocked. */
  readonly blockedRequests: number
  /** An empty response without unfinished items was retried. */
  readonly emptyRetried: boolean
  /** What the guard waits for: the todo tools of this step, alone or `mixed` with other tools. */
  readonly pending: 'none' | 'todo' | 'mixed'
}

/** The state of the guard. Plain data: it can be stored, cloned and compared. */
export interface GuardState {
  /** Final answers over unfinished items in a row, by kind of guard. Ours is `finalization`. */
  readonly retries: Readonly<Record<string, number>>
  /** The kind of guard that blocked the run; `null` while tools are allowed. */
  readonly blocked: string | null
  /** Guard and reminder rest until the model makes a valid todo update. */
  readonly suppressed: boolean
  /** Steps with other tool calls since the last todo update. */
  readonly staleSteps: number
  /** The model was sent back and has not yet gone on. */
  readonly correction: boolean
  readonly run: GuardRun
}

/** Options of {@link createGuard}. */
export interface GuardOptions {
  /**
   * Behave, step for step, as server-side implementations of this guard do: validation errors are injected as messages too, a blank
   * answer is let through, a blocked run refuses every call and nothing but the model bounds it. `maxCorrections` does not apply.
   * @default false
   */
  readonly strict?: boolean
  /**
   * Steps with other tool calls and no todo update until the first reminder; `false`: no reminder.
   * @default 5
   */
  readonly staleAfter?: number | false
  /**
   * Such steps from one reminder to the next.
   * @default 5
   */
  readonly staleEvery?: number
  /**
   * How often one run is sent back over unfinished items, the time that blocks it included. 0: never.
   * Below 3 a run is never blocked.
   * @default 3
   */
  readonly maxCorrections?: number
  readonly texts?: TodoTexts
}

/** A tool call of a response, as the guard sees it. */
export interface GuardCall {
  readonly id: string
  readonly name: string
  /** `todo_write`: changes the list. `todo_read`: only reads it. `other`: any other tool, also one that does not exist. */
  readonly kind: 'todo_write' | 'todo_read' | 'other'
  /**
   * What a todo call would come to, tried on the list as it is before the step: `null` if it is valid. Where it is left out the
   * guard learns it from `afterTodoTools`; only the state between the two and the error of a malformed parallel call depend on it.
   */
  readonly error?: TodoAgentError | null
}

/** A response of the model, after all of it arrived. */
export interface GuardResponse {
  /** The visible text; reasoning is not part of it. */
  readonly text: string
  readonly toolCalls: readonly GuardCall[]
  /** How it ended. The guard acts only on `complete` ones. */
  readonly end: 'complete' | 'stopped' | 'failed' | 'cut_off' | 'awaiting_approval'
}

/** What the guard has to know beside the response. */
export interface GuardContext {
  /** The list as it is at that moment. */
  readonly todos: readonly Todo[]
  /** The todo tools that the model was offered; `null`: none, and the guard is silent. */
  readonly toolset: Toolset | null
  /** In `plan` the guard is silent: a plan is meant to be unfinished. */
  readonly mode: string | null
  /** The loop is going to run the agent again, so the guard need not correct. */
  readonly loop?: boolean
}

/** What the todo tools of a step came to. */
export interface TodoToolFacts {
  /** A valid `write_todos` was committed, or an add, complete or remove that changed the list. */
  readonly updated: boolean
  /** The calls that were refused by their tool, in call order. */
  readonly errors?: readonly { readonly id: string; readonly text: string }[]
}

/** A call that must not run. Answer it with an error result that holds the text. */
export interface RefusedCall {
  readonly id: string
  readonly code: TodoAgentErrorCode
  readonly text: string
}

/** What the guard wants done. */
export interface GuardVerdict {
  readonly state: GuardState
  /**
   * `natural`: go on as the response says (run its calls, or end when it has none). `loop_to_model`: run none of its calls and ask the
   * model again. `stop`: end the run. After the todo tools it is only `stop` that differs: the run goes on otherwise.
   */
  readonly decision: 'natural' | 'loop_to_model' | 'stop'
  /** Messages to append after all tool results of the step. */
  readonly inject: readonly SyntheticMessage[]
  /** Calls that must not run, in call order. */
  readonly refuse: readonly RefusedCall[]
  /** How the run ended, where the guard knows better than the list does. */
  readonly outcome: 'blocked' | 'empty_response' | null
  /** Set when this verdict sends the model back over unfinished items: "asked to continue, `count` of `max`". */
  readonly correction: { readonly count: number; readonly max: number; readonly open: number } | null
}

/** The guard: pure, so one object serves any number of sessions. */
export interface Guard {
  /** Before the first request of a run, a resumed one included; not when the loop or an approval lets a run go on. */
  startRun(state: GuardState, facts: { readonly continued: boolean }): GuardState
  /** After each response, before its todo tools run. */
  afterModelResponse(state: GuardState, response: GuardResponse, context: GuardContext): GuardVerdict
  /** After the todo tools of a response ran. Not needed when there were none; then it changes nothing. */
  afterTodoTools(state: GuardState, facts: TodoToolFacts, context: GuardContext): GuardVerdict
}

// VALUES

const freshRun: GuardRun = {
  continued: false,
  updated: false,
  settled: false,
  corrections: 0,
  blockedRequests: 0,
  emptyRetried: false,
  pending: 'none',
}

/** The guard of a new session. */
export const initialGuard: GuardState = deepFreeze({
  retries: {},
  blocked: null,
  suppressed: false,
  staleSteps: 0,
  correction: false,
  run: freshRun,
})

const none = initialGuard.retries

const FINALIZATION = 'finalization'

/** The answer over unfinished items, counted in a row, at which a run is blocked. */
const ESCALATE_AT = 3

/** Requests that a blocked run may still make. */
const BLOCKED_REQUESTS = 2

// SCHEMAS

const counter = z.catch(z.int().check(z.nonnegative()), 0)
const flag = z.catch(z.boolean(), false)

/** Reads a stored state. It never fails: what does not fit falls back to its initial value. */
export const guardStateSchema = z.catch(
  z.object({
    retries: z.catch(z.record(z.string(), counter), initialGuard.retries),
    blocked: z.catch(z.nullable(z.string()), null),
    suppressed: flag,
    staleSteps: counter,
    correction: flag,
    run: z.catch(
      z.object({
        continued: flag,
        updated: flag,
        settled: flag,
        corrections: counter,
        blockedRequests: counter,
        emptyRetried: flag,
        pending: z.catch(z.enum(['none', 'todo', 'mixed']), 'none'),
      }),
      freshRun,
    ),
  }),
  initialGuard,
)

// GUARD

/**
 * The state machine that notices a final answer over unfinished todos and sends the model back.
 *
 * It follows the guard of the `write_todos` design, and bounds it:
 * - A final answer over unfinished items is corrected. The third in a row blocks the run: no tools, one plain explanation, which ends it
 *   and lets guard and reminder rest until the next valid update. With the default `maxCorrections` the block is the third correction,
 *   so a run of mere answers ends as `blocked`; where tool calls came between, the answer after the last correction ends the run as it is.
 * - Once the model has updated the list after a correction, its next plain answer ends the run, open items or not.
 * - A list that this run neither wrote nor was asked to continue gets one correction.
 * - A blank answer is corrected like any other; where there is nothing to correct it is retried once and then reported.
 * - A blocked run makes two more requests. A valid todo update in them unblocks it.
 * - Stops, errors, cut-off responses, pending approvals, plan mode and a toolset that is not offered never trigger it.
 *
 * Before a request, a state with `blocked` set means: offer the model no tool that runs by itself.
 *
 * Throws a `TypeError` that names an option that is not a whole number in its range.
 */
export function createGuard(options: GuardOptions = {}): Guard {
  const { strict = false, staleAfter = 5, staleEvery = 5, maxCorrections = 3, texts = englishTexts } = options
  if (staleAfter !== false) requireWhole('staleAfter', staleAfter, 1)
  requireWhole('staleEvery', staleEvery, 1)
  requireWhole('maxCorrections', maxCorrections, 0)

  return { startRun, afterModelResponse, afterTodoTools }

  function startRun(state: GuardState, { continued }: { readonly continued: boolean }): GuardState {
    const run = patch(freshRun, { continued })
    return patch(state, strict ? { run } : { run, retries: none, blocked: null, correction: false })
  }

  function afterModelResponse(
    before: GuardState,
    response: GuardResponse,
    context: GuardContext,
  ): GuardVerdict {
    const { toolCalls } = response
    const writes = toolCalls.filter((call) => call.kind === 'todo_write')
    const parallel = context.toolset === 'write_todos' && writes.length > 1
    if (response.end !== 'complete') {
      return verdict(before, { refuse: parallel ? refuseParallel(writes) : [] })
    }
    const watched = isWatched(before, context)
    // Where nothing is left to explain, a block has lost its object.
    const state = strict || watched ? before : patch(before, { blocked: null })
    if (state.blocked !== null) return whileBlocked(state, response, context, parallel)
    if (!toolCalls.length) return finalAnswer(state, response, context, watched)
    const others = toolCalls.some((call) => call.kind === 'other')

    if (parallel) {
      const refuse = refuseParallel(writes)
      if (!strict) return others ? count(state, context, refuse) : verdict(state, { refuse })
      return verdict(state, {
        refuse,
        inject: writes.map(() => say('todo_parallel_error', texts.writeTodos.parallel)),
      })
    }
    if (writes.length) {
      const known = strict && writes.some((call) => call.error === null)
      const next = known ? updated(state, state.correction && remaining(context.todos).length > 0) : state
      return verdict(patch(next, { run: patch(next.run, { pending: others ? 'mixed' : 'todo' }) }))
    }
    const clean = patch(state, { retries: none, correction: false })
    return others ? count(clean, context) : verdict(clean)
  }

  function afterTodoTools(before: GuardState, facts: TodoToolFacts, context: GuardContext): GuardVerdict {
    const { pending } = before.run
    const state = patch(before, { run: patch(before.run, { pending: 'none' }) })
    if (facts.updated) return verdict(updated(state, state.correction))
    if (strict) {
      return verdict(state, {
        inject: (facts.errors ?? []).map(({ text }) => say('todo_validation_error', text)),
      })
    }
    if (pending === 'none') return verdict(before)
    if (state.blocked !== null) return stillBlocked(state, [], [])
    return pending === 'mixed' ? count(state, context) : verdict(state)
  }

  function finalAnswer(
    state: GuardState,
    response: GuardResponse,
    context: GuardContext,
    watched: boolean,
  ): GuardVerdict {
    const { run } = state
    const blank = isBlank(response.text)
    const clean = patch(state, { retries: none, staleSteps: 0, correction: false })
    if (strict) return watched && !blank ? correct(state, context, ESCALATE_AT, false) : verdict(clean)
    if (context.loop) return verdict(clean)
    const max = run.updated || run.continued ? maxCorrections : Math.min(1, maxCorrections)
    if (watched && run.corrections < max && (blank || !run.settled))
      return correct(state, context, max, blank)
    if (!blank) return verdict(clean)
    if (run.emptyRetried) return verdict(clean, { outcome: 'empty_response' })
    return verdict(patch(clean, { run: patch(run, { emptyRetried: true }) }), {
      decision: 'loop_to_model',
      inject: [say('empty_response', texts.emptyResponse)],
    })
  }

  function correct(state: GuardState, context: GuardContext, max: number, empty: boolean): GuardVerdict {
    const open = remaining(context.todos)
    const inRow = (state.retries[FINALIZATION] ?? 0) + 1
    const corrections = state.run.corrections + 1
    const blocks = inRow >= ESCALATE_AT
    const facts = { open, toolset: context.toolset ?? 'write_todos', empty }
    return verdict(
      patch(state, {
        retries: { ...state.retries, [FINALIZATION]: inRow },
        blocked: blocks ? FINALIZATION : null,
        correction: !blocks,
        run: patch(state.run, { corrections, blockedRequests: blocks ? 1 : 0 }),
      }),
      {
        decision: 'loop_to_model',
        inject: [
          blocks ? say('todo_blocked', texts.blocked(facts)) : say('todo_guard', texts.correction(facts)),
        ],
        correction: { count: strict ? Math.min(inRow, max) : corrections, max, open: open.length },
      },
    )
  }

  function whileBlocked(
    state: GuardState,
    { text, toolCalls }: GuardResponse,
    context: GuardContext,
    parallel: boolean,
  ): GuardVerdict {
    if (!toolCalls.length && !isBlank(text)) return ended(state, [])
    const refuse = toolCalls.flatMap((call): RefusedCall[] => {
      if (strict || call.kind !== 'todo_write')
        return [{ id: call.id, code: 'blocked', text: texts.blockedCall }]
      return parallel ? refuseParallel([call]) : []
    })
    if (refuse.length < toolCalls.length) {
      return verdict(patch(state, { run: patch(state.run, { pending: 'todo' }) }), { refuse })
    }
    const repeat = say('todo_blocked', texts.blocked({ open: remaining(context.todos) }))
    // In default mode the refusal of a call says it already, and saying it twice costs tokens.
    return stillBlocked(state, refuse, strict || !toolCalls.length ? [repeat] : [])
  }

  function stillBlocked(
    state: GuardState,
    refuse: readonly RefusedCall[],
    inject: readonly SyntheticMessage[],
  ): GuardVerdict {
    const { run } = state
    if (!strict && run.blockedRequests >= BLOCKED_REQUESTS) return ended(state, refuse)
    const next = patch(run, { blockedRequests: run.blockedRequests + 1 })
    return verdict(patch(state, { correction: false, run: next }), {
      decision: 'loop_to_model',
      inject,
      refuse,
    })
  }

  /** A blocked run is over: the guard rests until the model updates the list. */
  function ended(state: GuardState, refuse: readonly RefusedCall[]): GuardVerdict {
    const rest = { retries: none, blocked: null, suppressed: true, staleSteps: 0, correction: false }
    return verdict(patch(state, rest), { decision: 'stop', refuse, outcome: 'blocked' })
  }

  /** Counts a step with other tool calls and no todo update, and reminds where it is due. */
  function count(
    state: GuardState,
    context: GuardContext,
    refuse: readonly RefusedCall[] = [],
  ): GuardVerdict {
    if (state.suppressed) return verdict(patch(state, { staleSteps: 0 }), { refuse })
    if (!isWatched(state, context)) return verdict(state, { refuse })
    const staleSteps = state.staleSteps + 1
    const late = staleAfter === false ? -1 : staleSteps - staleAfter
    const facts = { open: remaining(context.todos), toolset: context.toolset ?? 'write_todos' }
    const inject =
      late >= 0 && late % staleEvery === 0 ? [say('todo_stale_reminder', texts.stale(facts))] : []
    return verdict(patch(state, { staleSteps }), { inject, refuse })
  }

  /** The model has updated the list. `correction`: whether the reference leaves that flag up, which it does with items open. */
  function updated(state: GuardState, correction: boolean): GuardState {
    const { run } = state
    return patch(state, {
      retries: none,
      blocked: null,
      suppressed: false,
      staleSteps: 0,
      correction,
      run: patch(run, { updated: true, settled: run.corrections > 0 }),
    })
  }

  function isWatched(state: GuardState, { todos, toolset, mode }: GuardContext): boolean {
    const silent = state.suppressed || toolset === null || (!strict && mode === 'plan')
    return !silent && remaining(todos).length > 0
  }

  function refuseParallel(writes: readonly GuardCall[]): RefusedCall[] {
    return writes.map(({ id, error }) =>
      error?.code === 'invalid_payload'
        ? { id, code: error.code, text: error.message }
        : { id, code: 'parallel_writes', text: texts.writeTodos.parallel },
    )
  }
}

// HELPERS

function verdict(state: GuardState, parts: Partial<Omit<GuardVerdict, 'state'>> = {}): GuardVerdict {
  return { state, decision: 'natural', inject: [], refuse: [], outcome: null, correction: null, ...parts }
}

function say(source: SyntheticMessage['source'], text: string): SyntheticMessage {
  return { source, text }
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The same object where nothing changes, so that a caller need not store what it has. */
function patch<Value extends object>(value: Value, parts: Partial<Value>): Value {
  const keys = Object.keys(parts) as (keyof Value)[]
  return keys.every((key) => value[key] === parts[key]) ? value : deepFreeze({ ...value, ...parts })
}
