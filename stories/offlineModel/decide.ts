import { call, type ModelRequest, type ScriptedStep, type ScriptedToolCall } from 'use-todo-agent/testing'
import { isUnfinished } from '../../src/core/todo.ts'
import { type AskedChange, askedChanges } from './askedChanges.ts'
import { arithmetic, chooseCall } from './chooseCall.ts'
import { describeResult, type KnownResult, summarise, whyNoAnswer } from './describeResult.ts'
import type { ListItem } from './fromKit.ts'
import { type PastCall, type Reading, readRequest } from './readRequest.ts'
import { splitRequest, tidyStep } from './splitRequest.ts'
import { enumerate } from './words.ts'

// TYPES

/**
 * How the model behaves:
 * - `steady`: keeps its list as it should;
 * - `forgetful`: answers before it has closed its last two items, and closes them when it is told;
 * - `lazy`: stops after each item until it is sent on;
 * - `hopeless`: writes a list and never closes an item of it, however often it is told.
 */
export type Behaviour = 'steady' | 'forgetful' | 'lazy' | 'hopeless'

type Work =
  | { readonly state: 'open'; readonly call: ScriptedToolCall }
  | { readonly state: 'done'; readonly answer: string; readonly brief: string }
  | { readonly state: 'failed'; readonly reason: string }

interface WorkedItem {
  readonly item: ListItem
  /** What it asks for, without the note that it could not be done. */
  readonly step: string
  readonly work: Work
}

/** What the model is, in one sentence. */
export const offlineModelNotice =
  'The offline model is a set of rules that runs in your browser, not a language model: it splits a request into steps and works them out with the tools it is offered.'

// DECISION

/** The next response. It depends on the request alone. */
export function decide(request: ModelRequest, behaviour: Behaviour = 'steady'): ScriptedStep {
  const reading = readRequest(request)
  const numbered = (calls: readonly ScriptedToolCall[]) =>
    calls.map((toolCall, index) => ({ ...toolCall, id: `offline-${reading.callCount + index + 1}` }))
  const { toolCalls, ...step } = respond(reading, behaviour)
  return toolCalls ? { ...step, toolCalls: numbered(toolCalls) } : step
}

function respond(reading: Reading, behaviour: Behaviour): ScriptedStep {
  if (reading.note === 'blocked') return { text: explain(reading) }
  if (reading.wish === 'talk' && reading.note !== 'correction') return { text: talk(reading.latest) }
  if (!reading.listKnown) return { toolCalls: [call.all()] }

  const steps = splitRequest(reading.task)
  const planning = reading.mode === 'plan'
  const keepsList =
    reading.toolset !== null &&
    reading.refusals < 2 &&
    (planning || steps.length > 1 || reading.listIsCurrent)
  if (!keepsList) return workWithoutList(reading, steps)

  const changed = changedList(reading, steps)
  if (changed) return withIntroduction(reading, changed, planning)
  if (reading.list.length === 0)
    return steps.length > 0 ? workWithoutList(reading, steps) : { text: nothingToDo() }
  if (planning) return plan(reading)
  return workOn(reading, behaviour)
}

// LIST

/** The calls that write the list anew: for a new request, or as the person wants it changed. `null` when it is as it should be. */
function changedList(reading: Reading, steps: readonly string[]): ScriptedToolCall[] | null {
  const { wish, list, listIsCurrent, listIsFresh, latest } = reading
  if (wish === 'change' && !listIsFresh) {
    const asked = askedChanges(latest.trim())
    if (asked.length > 0) return changeAsAsked(reading, asked)
    const without = /^(?:skip|drop|remove|leave out|without)\b/iu.test(latest.trim())
    const dropped = new Set((latest.match(/\d+/gu) ?? []).map(Number))
    const more = latest.replace(
      /^(?:also|add)(?: (?:an?|another|one more) (?:step|item|todo))?\b[,:]?\s*/iu,
      '',
    )
    // The person counts items as the list shows them.
    const kept = without ? list.filter((_, index) => !dropped.has(index + 1)) : list
    const added = without ? [] : splitRequest(more).map(pending)
    return kept.length === list.length && added.length === 0 ? null : rewrite(reading, kept, added)
  }
  if (listIsCurrent || steps.length === 0) return null
  return rewrite(reading, [], steps.map(pending))
}

function changeAsAsked(reading: Reading, asked: readonly AskedChange[]): ScriptedToolCall[] | null {
  // By id an item can't be renamed: the new one takes its place.
  const canRename = reading.toolset === 'write_todos'
  const kept = reading.list.flatMap((item) => {
    const change = asked.find(({ id }) => id !== null && id === item.id)
    if (!change) return [item]
    return change.to !== null && canRename ? [{ ...item, content: change.to }] : []
  })
  const added = asked.flatMap(({ type, content, to }) => {
    if (type === 'add') return [pending(content)]
    return to !== null && !canRename ? [pending(to)] : []
  })
  const isSame = added.length === 0 && kept.every((item, index) => item === reading.list[index])
  return isSame && kept.length === reading.list.length ? null : rewrite(reading, kept, added)
}

function rewrite(
  reading: Reading,
  kept: readonly ListItem[],
  added: readonly ListItem[],
): ScriptedToolCall[] {
  if (reading.toolset === 'write_todos') return [writeList([...kept, ...added])]
  const gone = reading.list.flatMap((item) => (item.id === null || kept.includes(item) ? [] : [item.id]))
  return [
    ...(gone.length > 0 ? [call.remove(...gone)] : []),
    ...(added.length > 0 ? [call.add(...added.map((item) => item.content))] : []),
  ]
}

/** A write of the list with its first unfinished item in progress. */
function writeList(items: readonly ListItem[]): ScriptedToolCall {
  const current = items.find((item) => item.status === 'in_progress') ?? items.find(isUnfinished)
  return call.write(
    ...items.map((item) => ({
      content: item.content,
      status: isUnfinished(item) ? (item === current ? 'in_progress' : 'pending') : item.status,
      ...(item.reason !== undefined && { reason: item.reason }),
    })),
  )
}

/** Closes items: as done, or with what they failed on. */
function closeItems(reading: Reading, closing: readonly WorkedItem[]): ScriptedToolCall {
  if (reading.toolset === 'todos') {
    const outcome = reading.exits ? { outcome: 'blocked' as const } : {}
    return call.complete(
      ...closing.map(({ item, work }) => ({
        id: item.id ?? 0,
        reason: closingReason(work),
        ...(work.state === 'failed' && outcome),
      })),
    )
  }
  return writeList(
    reading.list.map((item) => {
      const worked = closing.find((candidate) => candidate.item === item)
      if (!worked) return item
      if (worked.work.state !== 'failed') return { ...item, status: 'completed' }
      const reason = brief(worked.work.reason)
      if (reading.exits) return { ...item, status: 'blocked', reason }
      return { ...item, status: 'completed', content: `${worked.step} (not done: ${reason})` }
    }),
  )
}

function closingReason(work: Work): string {
  return work.state === 'failed'
    ? `Could not be done: ${brief(work.reason)}`
    : work.state === 'done'
      ? work.brief
      : 'Done.'
}

function pending(content: string): ListItem {
  return { id: null, content, status: 'pending' }
}

// WORK

const doneBefore = 'done before, its result is not in this conversation.'

function workOn(reading: Reading, behaviour: Behaviour): ScriptedStep {
  const worked = workOut(reading.list, reading)
  const open = worked.filter(({ item }) => isUnfinished(item))
  const current = open.find(({ item }) => item.status === 'in_progress') ?? open[0]
  const resolved = open.filter(({ work }) => work.state !== 'open')
  const answer = composeAnswer(worked)

  if (!current) {
    return { text: reading.answers.includes(answer) ? closingSentence(worked) : answer }
  }
  if (behaviour === 'lazy' && reading.closedLately) return { text: interim(worked, open) }
  const neverCloses = behaviour === 'hopeless'
  const forgets = behaviour === 'forgetful' && reading.corrections === 0 && open.length <= 2
  if (neverCloses || forgets) {
    const next = open.find(({ work }) => work.state === 'open')
    if (next?.work.state === 'open') return { toolCalls: [next.work.call] }
    return { text: reading.answers.includes(answer) ? insist(reading) : answer }
  }
  // After a correction the person has the answer already: all that is worked out is closed at once.
  if (reading.note === 'correction' && resolved.length > 0)
    return { toolCalls: [closeItems(reading, resolved)] }
  if (current.work.state !== 'open') return { toolCalls: [closeItems(reading, [current])] }
  const starts = reading.toolset === 'write_todos' && current.item.status !== 'in_progress'
  return { toolCalls: starts ? [writeList(reading.list)] : [current.work.call] }
}

function workWithoutList(reading: Reading, steps: readonly string[]): ScriptedStep {
  if (steps.length === 0) return { text: nothingToDo() }
  const worked = workOut(steps.map(pending), reading)
  const next = worked.find(({ work }) => work.state === 'open')
  return next?.work.state === 'open' ? { toolCalls: [next.work.call] } : { text: composeAnswer(worked) }
}

/** How far each item is, found from the calls that were made: the same request always gives the same. */
function workOut(items: readonly ListItem[], reading: Reading): WorkedItem[] {
  const known: KnownResult[] = []
  return items.map((item) => {
    const step = item.content.replace(/ \(not done: .*\)$/u, '')
    return { item, step, work: workOutStep(step, item, reading, known) }
  })
}

function workOutStep(step: string, item: ListItem, reading: Reading, known: KnownResult[]): Work {
  if (item.status === 'blocked' || item.status === 'cancelled') {
    return { state: 'failed', reason: item.reason ?? 'it was given up' }
  }
  const isSummary = /\bsummar|\brecap\b|\boverview\b|\bconclusion\b/iu.test(step)
  // At most: the values that are missing, then the step itself.
  for (let round = 0; round < 3; round += 1) {
    if (isSummary && known.length > 0) return done(summarise(step, known))
    const results = known.map(({ result }) => result)
    const chosen = chooseCall(step, { tools: reading.tools, data: reading.data, known: results })
    if (!chosen) return { state: 'failed', reason: whyNot(step, reading) }
    const past = findCall(chosen, reading.calls)
    if (!past)
      return isUnfinished(item) ? { state: 'open', call: call(chosen.name, chosen.input) } : done(doneBefore)
    if (!past.outcome.ok) return { state: 'failed', reason: past.outcome.reason }
    const found = arithmetic(step, results, reading.data)
    const used = found && 'used' in found ? found.used : []
    known.push({ step, result: past.outcome.output, used })
    const reason = chosen.prepares || isSummary ? null : whyNoAnswer(step, past.outcome.output, reading.data)
    if (reason) return { state: 'failed', reason }
    if (!chosen.prepares && !isSummary) return done(describeResult(step, past.outcome.output, used))
  }
  return { state: 'failed', reason: whyNot(step, reading) }
}

function done(answer: string): Work {
  return { state: 'done', answer, brief: brief(answer) }
}

// A call that the end of a run cut short has no result; it is made again.
function findCall(
  chosen: { readonly name: string; readonly input: unknown },
  calls: readonly PastCall[],
): PastCall | undefined {
  const input = JSON.stringify(chosen.input)
  const past = calls.findLast(
    (candidate) => candidate.name === chosen.name && JSON.stringify(candidate.input) === input,
  )
  return past && !past.outcome.ok && /^Interrupted/u.test(past.outcome.reason) ? undefined : past
}

function whyNot(step: string, { tools, data }: Reading): string {
  if (tools.length === 0) return 'there is no tool for it'
  if (!data && /\b(?:rows?|columns?|csv|mean|median|frequent|data)\b/iu.test(step))
    return 'there is no data in your message'
  return 'none of the tools fits, and without a language model there is nothing else to try'
}

// TEXTS

function composeAnswer(worked: readonly WorkedItem[]): string {
  const lines = worked.map(({ step, work }) => {
    if (work.state === 'done') return work.answer === doneBefore ? `${step}: ${work.answer}` : work.answer
    return work.state === 'failed'
      ? `I could not do "${step}": ${sentence(work.reason)}`
      : `"${step}" is still open.`
  })
  const failed = worked.filter(({ work }) => work.state === 'failed').length
  if (lines.length === 1) return failed > 0 ? `${lines[0]} ${offlineModelNotice}` : (lines[0] ?? '')
  const end = failed > 0 ? [``, `${failed} of ${lines.length} steps could not be done.`] : []
  return [...lines.map((line, index) => `${index + 1}. ${line}`), ...end].join('\n')
}

function withIntroduction(reading: Reading, toolCalls: ScriptedToolCall[], planning: boolean): ScriptedStep {
  if (reading.wish === 'change' || planning) return { toolCalls }
  return { text: 'I take this one step at a time.', toolCalls }
}

function plan(reading: Reading): ScriptedStep {
  if (reading.wish === 'go_on' && reading.latest !== '' && reading.canSetMode)
    return { toolCalls: [call.setMode('execute')] }
  const items = reading.list.map((item, index) => `${index + 1}. ${item.content}`)
  return { text: `This is the plan:\n${items.join('\n')}\n\nShall I go ahead?` }
}

function interim(worked: readonly WorkedItem[], open: readonly WorkedItem[]): string {
  const last = worked.findLast(({ item }) => !isUnfinished(item))
  const left = open.length === 1 ? '1 item is' : `${open.length} items are`
  return `"${last?.step ?? 'A step'}" is done. ${left} left.`
}

function closingSentence(worked: readonly WorkedItem[]): string {
  const failed = worked.filter(({ work }) => work.state === 'failed').length
  return failed > 0
    ? `The list is up to date: all ${worked.length} items are closed, ${failed} of them could not be done.`
    : `The list is up to date: all ${worked.length} items are done.`
}

function insist({ corrections }: Reading): string {
  return corrections < 2
    ? 'My answer is above, and I have nothing to add to it.'
    : 'As I said: my answer is above.'
}

function explain({ list }: Reading): string {
  const open = list.filter(isUnfinished).map((item) => `"${item.content}"`)
  if (open.length === 0) return 'The run could not end cleanly, although every item on the list is closed.'
  const are = open.length === 1 ? 'is' : 'are'
  return `I could not end this cleanly: ${enumerate(open)} ${are} still open on the list, since I did not update it although I was asked to. What I found out is in my answer above.`
}

function talk(said: string): string {
  if (/^thank/iu.test(said.trim())) return 'You are welcome.'
  return `${offlineModelNotice} Give me a few steps, such as "1. what is 17% of 350, 2. how many days from 2025-01-01 to 2025-03-01", or paste a CSV and ask about it.`
}

function nothingToDo(): string {
  return `There is nothing on the list to do. ${offlineModelNotice}`
}

function sentence(reason: string): string {
  return /[.!?]$/u.test(reason.trim()) ? reason.trim() : `${reason.trim()}.`
}

function brief(text: string): string {
  const line = tidyStep(text)
  return line.length > 90 ? `${line.slice(0, 89)}…` : line
}
