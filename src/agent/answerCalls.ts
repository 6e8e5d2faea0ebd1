import type { UIMessageChunk } from 'ai'
import type { GuardVerdict } from '../core/guard.ts'
import { progress, type TodoChange } from '../core/todo.ts'
import type { SessionData } from '../session/record.ts'
import type { AgentConfig } from './options.ts'
import type { StepCall, StepFacts } from './step.ts'

/** A change of the session that one call makes, with what caused it. */
export interface CallCommit {
  readonly call: StepCall
  readonly changes: readonly TodoChange[]
  change(data: SessionData): SessionData
}

/** What the calls of a step came to. Nothing has happened yet: the commits are for the caller to make. */
export interface Answers {
  /** The results, in call order, and a `data-todos` part after each that changed the list. */
  readonly chunks: readonly UIMessageChunk[]
  readonly commits: readonly CallCommit[]
  /** The data when all commits are made. */
  readonly data: SessionData
  /** Whether one of our tools was run, or refused by its own rules. */
  readonly ran: boolean
  /** Whether a valid update of the list was among them. */
  readonly updated: boolean
  readonly errors: readonly { readonly id: string; readonly text: string }[]
  /** There were calls, and not one of them could be run. */
  readonly fruitless: boolean
}

/**
 * Answers every call of a step that has no answer yet: ours are run, in call order, each on what the one before left; what may not run
 * gets an error that says why. Calls that wait for the person, or for the host, are left alone. Pure.
 */
export function answerCalls(
  config: Pick<AgentConfig, 'agentTools' | 'texts' | 'tools'>,
  before: SessionData,
  facts: StepFacts,
  verdict: Pick<GuardVerdict, 'refuse'> | null,
  now: number,
  revision: number,
): Answers {
  const { agentTools, texts } = config
  const refused = new Map(verdict?.refuse.map((refusal) => [refusal.id, refusal]))
  const chunks: UIMessageChunk[] = []
  const commits: CallCommit[] = []
  const errors: { id: string; text: string }[] = []
  let data = before
  let ran = false
  let updated = false
  let useful = facts.calls.length === 0

  for (const call of facts.calls) {
    if (facts.answered.has(call.id)) {
      useful ||= !call.invalid
      continue
    }
    if (facts.awaiting.has(call.id) || isForHost(config, call, facts)) {
      useful = true
      continue
    }
    const reason = whyNot(call)
    if (reason !== null) {
      chunks.push(errorChunk(call, reason))
      continue
    }
    ran = true
    const outcome = agentTools.run(call.name, data, call.input, now)
    if (!outcome.ok) {
      errors.push({ id: call.id, text: outcome.error.message })
      chunks.push(errorChunk(call, outcome.error.message))
      continue
    }
    useful = true
    updated ||= outcome.updated
    chunks.push({ type: 'tool-output-available', toolCallId: call.id, output: outcome.output })
    if (outcome.data !== data) commits.push({ call, changes: outcome.changes, change: rerun(call) })
    data = outcome.data
    if (outcome.changes.length > 0)
      chunks.push(todosChunk(call, outcome.changes, data, revision + commits.length))
  }
  return { chunks, commits, data, ran, updated, errors, fruitless: !useful }

  function whyNot(call: StepCall): string | null {
    const refusal = refused.get(call.id)
    if (refusal) return refusal.text
    if (call.unreadable || !agentTools.isOurs(call.name)) return texts.cutOff(call.name)
    return null
  }

  // On a conflict the call is run again on what another tab has written meanwhile.
  function rerun(call: StepCall) {
    return (current: SessionData): SessionData => {
      const outcome = agentTools.run(call.name, current, call.input, now)
      return outcome.ok ? outcome.data : current
    }
  }
}

/** Whether a call is for the host to answer: a tool of its own without `execute`, in a response that arrived whole. */
export function isForHost(config: Pick<AgentConfig, 'tools'>, call: StepCall, facts: StepFacts): boolean {
  const hostTool = config.tools?.[call.name]
  return hostTool !== undefined && hostTool.execute === undefined && facts.end === 'complete'
}

function errorChunk(call: StepCall, errorText: string): UIMessageChunk {
  return { type: 'tool-output-error', toolCallId: call.id, errorText }
}

function todosChunk(
  call: StepCall,
  changes: readonly TodoChange[],
  data: SessionData,
  revision: number,
): UIMessageChunk {
  const { done, total } = progress(data.list.todos)
  return {
    type: 'data-todos',
    data: { revision, toolCallId: call.id, changes, done, total },
  } as UIMessageChunk
}
