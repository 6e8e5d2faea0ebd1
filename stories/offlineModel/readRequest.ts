import type { ModelRequest, ModelRequestMessage } from 'use-todo-agent/testing'
import { englishTexts } from '../../src/core/texts.ts'
import type { Toolset } from '../../src/core/todo.ts'
import { findPasted, type Pasted } from '../tools/pasted.ts'
import { askedChanges } from './askedChanges.ts'
import {
  isItem,
  knownNote,
  type ListItem,
  modeChanged,
  type Note,
  parseList,
  pattern,
  toItem,
} from './fromKit.ts'

// TYPES

/** A call of an earlier step and what came of it. */
export interface PastCall {
  readonly name: string
  readonly input: unknown
  readonly outcome:
    | { readonly ok: true; readonly output: unknown }
    | { readonly ok: false; readonly reason: string }
}

export type OfferedTool = Extract<NonNullable<ModelRequest['tools']>[number], { type: 'function' }>

/** All that the model knows: it is read from the request anew each time, so a reload or another tab changes nothing. */
export interface Reading {
  /** What the person said last. */
  readonly latest: string
  /** Whether that asks for work, says to go on, changes the list that is under way, or is talk. */
  readonly wish: 'work' | 'go_on' | 'change' | 'talk'
  /** The request that the work is about, without the data that was pasted into it; empty when there is none. */
  readonly task: string
  readonly data: Pasted | null
  readonly toolset: Toolset | null
  /** Whether items may be `blocked`, with a reason. */
  readonly exits: boolean
  /** The tools of the host. */
  readonly tools: readonly OfferedTool[]
  readonly canSetMode: boolean
  readonly mode: string | null
  readonly list: readonly ListItem[]
  /** Whether the list is known. With the ids-based tools and without a list message, it may not be. */
  readonly listKnown: boolean
  /** Whether the list was written for the task, or the person, the guard or the loop said to go on with it. */
  readonly listIsCurrent: boolean
  /** Whether the list was changed since the person spoke last. */
  readonly listIsFresh: boolean
  /** Calls of the host's tools since the task was given, in order. */
  readonly calls: readonly PastCall[]
  /** Answers without a tool call since the task was given. */
  readonly answers: readonly string[]
  /** What the kit said at the very end, if it did. */
  readonly note: Note | null
  /** Corrections since the task was given. */
  readonly corrections: number
  /** Items closed since anybody spoke last: the person, the guard or the loop. */
  readonly closedLately: boolean
  /** List changes that were refused since then. */
  readonly refusals: number
  /** How many tool calls the conversation has, to number the next one. */
  readonly callCount: number
}

interface Turn {
  readonly role: 'person' | 'note' | 'assistant'
  readonly text: string
  readonly note?: Note
  readonly calls: readonly PastCall[]
}

// READING

/** Reads a request. */
export function readRequest({ prompt, tools = [] }: ModelRequest): Reading {
  const offered = tools.filter((tool): tool is OfferedTool => tool.type === 'function')
  const toolset = toolsetOf(offered)
  const system = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n')
  const turns = toTurns(prompt)

  const latestAt = turns.findLastIndex((turn) => turn.role === 'person')
  const latest = turns[latestAt]?.text ?? ''
  const wish = latestAt === -1 ? 'go_on' : wishOf(turns, latestAt)
  const taskAt =
    wish === 'work'
      ? latestAt
      : turns.findLastIndex((turn, index) => turn.role === 'person' && wishOf(turns, index) === 'work')
  const sinceTask = turns.slice(taskAt + 1)
  const sinceLatest = turns.slice(latestAt + 1)
  const sinceAnybody = turns.slice(turns.findLastIndex((turn) => turn.role !== 'assistant') + 1)
  const last = turns.at(-1)
  const list = readList(prompt) ?? listFromCalls(turns)
  const task = turns[taskAt]?.text ?? ''
  const writes = (some: readonly Turn[]) =>
    some.flatMap((turn) => turn.calls).filter((call) => isListChange(call.name))

  return {
    latest,
    wish,
    task: findPasted(task)?.rest ?? task,
    data: turns.reduceRight<Pasted | null>(
      (found, turn) => found ?? (turn.role === 'person' ? findPasted(turn.text) : null),
      null,
    ),
    toolset,
    exits: hasExits(offered),
    tools: offered.filter((tool) => !isOurs(tool.name)),
    canSetMode: offered.some((tool) => tool.name === 'mode_set'),
    mode: modeOf(system, turns),
    list: list ?? [],
    listKnown: list !== null || toolset !== 'todos' || writes(turns).length === 0,
    listIsCurrent:
      wish === 'go_on' ||
      writes(sinceTask).some((call) => call.outcome.ok) ||
      sinceTask.some((turn) => turn.role === 'note' && turn.note !== 'mode'),
    listIsFresh: writes(sinceLatest).some((call) => call.outcome.ok),
    calls: sinceTask.flatMap((turn) => turn.calls).filter((call) => !isOurs(call.name)),
    answers: sinceTask
      .filter((turn) => turn.role === 'assistant' && turn.calls.length === 0)
      .map((turn) => turn.text),
    note: last?.note ?? null,
    corrections: sinceTask.filter((turn) => turn.note === 'correction').length,
    closedLately: writes(sinceAnybody).some((call) => call.outcome.ok && closesItems(call)),
    refusals: writes(sinceAnybody).filter((call) => !call.outcome.ok).length,
    callCount: turns.reduce((count, turn) => count + turn.calls.length, 0),
  }
}

// TURNS

function toTurns(prompt: readonly ModelRequestMessage[]): Turn[] {
  const outcomes = new Map<string, PastCall['outcome']>()
  for (const message of prompt) {
    if (message.role !== 'tool') continue
    for (const part of message.content)
      if (part.type === 'tool-result') outcomes.set(part.toolCallId, toOutcome(part.output))
  }
  const turns: Turn[] = []
  for (const message of prompt) {
    if (message.role === 'user') {
      const text = textOf(message)
      if (parseList(text)) continue
      const note = noteOf(text, turns.at(-1))
      turns.push(note ? { role: 'note', text, note, calls: [] } : { role: 'person', text, calls: [] })
    } else if (message.role === 'assistant') {
      const calls = message.content.flatMap((part) => {
        const outcome = part.type === 'tool-call' ? outcomes.get(part.toolCallId) : undefined
        return part.type === 'tool-call' && outcome
          ? [{ name: part.toolName, input: part.input, outcome }]
          : []
      })
      turns.push({ role: 'assistant', text: textOf(message), calls })
    }
  }
  return turns
}

type ToolOutput = Extract<
  Extract<ModelRequestMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

function toOutcome(output: ToolOutput): PastCall['outcome'] {
  switch (output.type) {
    case 'text':
    case 'json':
      return { ok: true, output: output.value }
    case 'content':
      return {
        ok: true,
        output: output.value.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      }
    case 'error-text':
      return { ok: false, reason: output.value.replace(/^\w*Error: /u, '') }
    case 'error-json':
      return { ok: false, reason: JSON.stringify(output.value) }
    case 'execution-denied':
      return { ok: false, reason: output.reason ?? 'it was not approved' }
  }
}

function textOf(message: Extract<ModelRequestMessage, { role: 'user' | 'assistant' }>): string {
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

const currentMode = pattern(
  /^.*\{current_mode\}.*$/mu.exec(englishTexts.mode.instructions)?.[0].replace('{current_mode}', 'MODE-A') ??
    'MODE-A',
)

function noteOf(text: string, before: Turn | undefined): Note | null {
  const known = knownNote(text)
  if (known) return known
  // The host may have put the notes into other words. Tools are named by the kit, hardly by a person.
  if (before?.role !== 'assistant' || !/\b(?:write_todos|todos_(?:complete|remove|add))\b/u.test(text))
    return null
  return before.calls.length === 0 ? 'correction' : 'other'
}

const goOnWords = new Set(
  'yes yep ok okay sure go on ahead continue carry proceed approve approved do it start resume looks good fine next please with the plan that is now all right great'.split(
    ' ',
  ),
)

// Told by the text and what came before it, never by what came after: a later request must read it the same way.
function wishOf(turns: readonly Turn[], at: number): Reading['wish'] {
  const text = turns[at]?.text.trim() ?? ''
  const words = text.toLowerCase().match(/[\p{L}']+/gu) ?? []
  if (words.length > 0 && words.every((word) => goOnWords.has(word)) && !/\d/u.test(text)) return 'go_on'
  if (/^(?:hi|hello|hey|thanks?|thank you)\b[^?\d]*$/iu.test(text) && words.length <= 4) return 'talk'
  if (/^(?:who are you|what are you|what can you do|help)[.!?]*$/iu.test(text)) return 'talk'
  const change =
    /^(?:also\b|(?:skip|drop|remove|leave out|without)\b.*\d|add(?::| (?:an?|another|one more) (?:step|item|todo)\b))/iu
  const hasList = turns.slice(0, at).some((turn) => turn.calls.some((made) => isListChange(made.name)))
  return hasList && (change.test(text) || askedChanges(text).length > 0) ? 'change' : 'work'
}

// LIST

// The kit sends the list last; before the messages of this run there is none.
function readList(prompt: readonly ModelRequestMessage[]): ListItem[] | null {
  for (const message of prompt.toReversed()) {
    if (message.role !== 'user') return null
    const list = parseList(textOf(message))
    if (list) return list
  }
  return null
}

// Where the host sends no list message, the last write still says it; with ids, only a look at all of them does.
function listFromCalls(turns: readonly Turn[]): ListItem[] | null {
  const changes = turns
    .flatMap((turn) => turn.calls)
    .filter((call) => call.outcome.ok && (isListChange(call.name) || call.name === 'todos_get_all'))
  const last = changes.at(-1)
  if (last?.name === 'write_todos') {
    const { todos } = last.input as { todos?: unknown }
    return Array.isArray(todos) && todos.every(isItem) ? todos.map(toItem) : null
  }
  if (last?.name === 'todos_get_all' && last.outcome.ok && Array.isArray(last.outcome.output)) {
    const items = last.outcome.output as { id: number; title: string; isComplete: boolean }[]
    return items.map(({ id, title, isComplete }) => ({
      id,
      content: title,
      status: isComplete ? 'completed' : 'pending',
    }))
  }
  return null
}

function closesItems({ name, input }: PastCall): boolean {
  if (name === 'todos_complete') return true
  const { todos } = input as { todos?: unknown }
  return (
    name === 'write_todos' &&
    Array.isArray(todos) &&
    todos.some((item) => isItem(item) && item.status !== 'pending' && item.status !== 'in_progress')
  )
}

// TOOLS AND MODE

function toolsetOf(tools: readonly OfferedTool[]): Toolset | null {
  if (tools.some((tool) => tool.name === 'write_todos')) return 'write_todos'
  return tools.some((tool) => tool.name === 'todos_add') ? 'todos' : null
}

function isOurs(name: string): boolean {
  return isListChange(name) || name.startsWith('todos_get_') || name === 'mode_set' || name === 'mode_get'
}

function isListChange(name: string): boolean {
  return (
    name === 'write_todos' || name === 'todos_add' || name === 'todos_complete' || name === 'todos_remove'
  )
}

function hasExits(tools: readonly OfferedTool[]): boolean {
  return tools.some(
    (tool) => isListChange(tool.name) && JSON.stringify(tool.inputSchema).includes('"blocked"'),
  )
}

// The instructions name the mode of this request; what was said later in the conversation overrules them.
function modeOf(system: string, turns: readonly Turn[]): string | null {
  let mode = currentMode.exec(system)?.[1] ?? null
  if (mode === null) return null
  for (const { note, text, calls } of turns) {
    if (note === 'mode') mode = modeChanged.exec(text)?.[2] ?? mode
    for (const call of calls) {
      if (call.name === 'mode_set' && call.outcome.ok) mode = (call.input as { mode: string }).mode
    }
  }
  return mode
}
