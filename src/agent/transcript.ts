import {
  convertToModelMessages,
  isReasoningUIPart,
  isTextUIPart,
  isToolUIPart,
  type ModelMessage,
  type ToolSet,
  type UIMessage,
} from 'ai'
import type { TodoTexts } from '../core/texts.ts'
import type { SyntheticMessage, TodoChange } from '../core/todo.ts'

/** The data parts that the kit puts into a transcript. */
export type TodoDataParts = {
  /** A user-role message that the kit wrote. Hidden by default; it becomes a user message again in the next request. */
  synthetic: SyntheticMessage
  /** A commit of the list: what it changed and how far the list was after it. The list itself is the session's. */
  todos: {
    readonly revision: number
    readonly toolCallId: string
    readonly changes: readonly TodoChange[]
    readonly done: number
    readonly total: number
  }
  /** Marks the answer of a command. It and the command are not sent to the model. */
  command: { readonly name: string }
}

/** A UI message of a chat with this kit. Hosts with data parts of their own extend it. */
export type TodoUIMessage = UIMessage<unknown, TodoDataParts>

type Part = UIMessage['parts'][number]
type ToolPart = Extract<ModelMessage, { role: 'tool' }>['content'][number]

/**
 * Turns a transcript into the messages of a request. The same transcript always gives the same messages, to the byte, so that prompt
 * caches hold from step to step, from run to run and over a reload:
 * - a `data-synthetic` part, or what the person said during a run, becomes a user message where it stands, after the results of the step
 *   before it;
 * - a call that never got its result is answered with an error, directly after it;
 * - commands and their answers, what broke off (see {@link settleMessage}), blank texts and messages with nothing in them are left out;
 * - everything else stays as it was, provider metadata included.
 *
 * An approval that the person has answered in the very last step is left to the AI SDK, which then runs the tool.
 */
export async function toModelMessages(
  messages: readonly UIMessage[],
  options: { readonly tools?: ToolSet | undefined; readonly texts: Pick<TodoTexts, 'interruptedCall'> },
): Promise<ModelMessage[]> {
  const settled = messages.map((message) => (message.role === 'assistant' ? settleMessage(message) : message))
  const last = settled.at(-1)
  const turns = settled.flatMap((message, place) => {
    if (isCommandAnswer(settled[place + 1])) return []
    if (message.role !== 'assistant') return [message]
    const parts = withoutCommandAnswer(message)
    const openFrom =
      message === last ? parts.findLastIndex((part) => part.type === 'step-start') : Number.POSITIVE_INFINITY
    return splitAtUser(
      message,
      parts.flatMap((part, index) => settle(part, index > openFrom, options.texts.interruptedCall)),
    )
  })
  const converted = await convertToModelMessages(turns, options.tools ? { tools: options.tools } : {})
  return converted.filter((message) => !isBlank(message))
}

/**
 * The messages of a request with the last results in the order of their calls, in one message: where later requests have them. The AI SDK
 * puts those of approved tools behind the others.
 */
export function withResultsInOrder(messages: readonly ModelMessage[]): ModelMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const called = messages[at]?.content
  const isResults = (message: ModelMessage) => message.role === 'tool'
  const results = messages.slice(at + 1).filter(isResults)
  if (results.length < 2 || !Array.isArray(called)) return [...messages]
  const ids = called.map(idOf)
  const content = results.flatMap((message) => message.content as ToolPart[])
  content.sort((one, two) => ids.indexOf(idOf(one)) - ids.indexOf(idOf(two)))
  return messages.flatMap((message, place) => {
    if (place <= at || !isResults(message)) return [message]
    return message === results[0] ? [{ role: 'tool', content }] : []
  })
}

function idOf(part: object): unknown {
  return (part as { readonly toolCallId?: string }).toolCallId
}

/** Whether the person has answered an approval in the last step, so that a tool waits to be run. */
export function hasAnsweredApproval(messages: readonly UIMessage[]): boolean {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return false
  const step = last.parts.slice(last.parts.findLastIndex((part) => part.type === 'step-start') + 1)
  return step.some((part) => isToolUIPart(part) && part.state === 'approval-responded')
}

/** Whether a message answers a command. A run that went on from there stands in the same message, after the answer. */
export function isCommandAnswer(message: UIMessage | undefined): boolean {
  return message?.role === 'assistant' && message.parts[0]?.type === 'data-command'
}

function withoutCommandAnswer(message: UIMessage): UIMessage['parts'] {
  return isCommandAnswer(message) ? message.parts.slice(2) : message.parts
}

function settle(part: Part, open: boolean, interrupted: string): Part[] {
  if (isBrokenReasoning(part)) return []
  if (isTextUIPart(part) || isReasoningUIPart(part)) {
    return part.text.trim() === '' && part.providerMetadata === undefined ? [] : [part]
  }
  if (!isToolUIPart(part)) return [part]
  switch (part.state) {
    case 'output-available':
      // What a tool said on its way is no result.
      if (part.preliminary !== true) return [part]
      break
    case 'output-denied':
      // The AI SDK has another word for a denial once it is known: the request that told it first would not stay as it was.
      return [open ? part : ({ ...part, state: 'approval-responded' } as Part)]
    case 'output-error':
      return [typeof part.input === 'object' && part.input !== null ? part : { ...part, input: {} }]
    case 'input-streaming':
      return []
    case 'approval-responded':
      if (open || part.approval.approved === false) return [part]
      break
    case 'input-available':
    case 'approval-requested':
      break
    default:
      part satisfies never
  }
  const { approval: _, ...call } = part
  return [{ ...call, state: 'output-error', errorText: interrupted } as Part]
}

function splitAtUser(message: UIMessage, parts: readonly Part[]): UIMessage[] {
  const turns: UIMessage[] = []
  let block: Part[] = []
  const close = () => {
    if (block.length > 0) turns.push({ ...message, parts: block })
    block = []
  }
  for (const part of parts) {
    const said = saidInBetween(part)
    if (!said) {
      block.push(part)
      continue
    }
    close()
    turns.push({ id: message.id, role: 'user', parts: said })
  }
  close()
  return turns
}

function saidInBetween(part: Part): Part[] | null {
  if (part.type === 'steering-message') return part.parts
  if (part.type !== 'data-synthetic') return null
  const data: unknown = part.data
  return typeof data === 'object' && data !== null && 'text' in data && typeof data.text === 'string'
    ? [{ type: 'text', text: data.text }]
    : null
}

// A response of nothing but reasoning, or of a provider's notes, counts as blank: providers refuse it as a message of its own.
function isBlank(message: ModelMessage): boolean {
  if (typeof message.content === 'string') return message.content.trim() === ''
  return message.content.every(
    (part) =>
      part.type === 'reasoning' ||
      part.type === 'custom' ||
      (part.type === 'text' && part.text.trim() === '' && part.providerOptions === undefined),
  )
}

/**
 * A message in which no approved tool waits to be run: each has an error for a result. Where a run was cut short it is not known whether
 * one had begun, and nothing may be run twice. The same message comes back where there is none.
 */
export function withoutApproved(
  message: UIMessage,
  { interruptedCall }: Pick<TodoTexts, 'interruptedCall'>,
): UIMessage {
  const isApproved = (part: Part) =>
    isToolUIPart(part) && part.state === 'approval-responded' && part.approval.approved !== false
  if (!message.parts.some(isApproved)) return message
  return {
    ...message,
    parts: message.parts.flatMap((part) =>
      isApproved(part) ? settle(part, false, interruptedCall) : [part],
    ),
  }
}

/** The texts of a message, one after the other. */
export function textOf(message: UIMessage): string {
  return message.parts.map((part) => (isTextUIPart(part) ? part.text : '')).join('')
}

/** The ids of the tool calls in a message. */
export function callIdsOf(message: UIMessage): string[] {
  return message.parts.flatMap((part) => (isToolUIPart(part) ? [part.toolCallId] : []))
}

/**
 * A message whose stream is over: nothing in it is still arriving. The same one comes back where that is so already.
 *
 * Of a response that broke off stays what was said. Providers refuse the rest of it in later requests: reasoning without its signature,
 * calls without the reasoning that led to them, references to parts that the server never stored.
 *
 * @param broke Whether the last step broke off even where every part of it is complete. @default false
 */
export function settleMessage<Message extends UIMessage>(message: Message, broke = false): Message {
  if (!broke && !message.parts.some(isArriving)) return message
  const steps = stepsOf(message.parts)
  const parts = steps.flatMap((step, index) => {
    const isLast = index === steps.length - 1
    const isBroken = (isLast && broke) || step.some(isArriving)
    // Tools run, and are approved, on whole responses only. Some providers just never say that a part is complete.
    return isBroken && !step.some(hasOutput) ? step.flatMap(withoutBroken) : step.map(asDone)
  })
  return { ...message, parts }
}

function stepsOf(parts: readonly Part[]): Part[][] {
  const steps: Part[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    steps.at(-1)?.push(part)
  }
  return steps
}

function isArriving(part: Part): boolean {
  return 'state' in part && (part.state === 'streaming' || part.state === 'input-streaming')
}

function hasOutput(part: Part): boolean {
  return isToolUIPart(part) && (part.state === 'output-available' || part.state === 'approval-responded')
}

function asDone(part: Part): Part {
  return 'state' in part && part.state === 'streaming' ? { ...part, state: 'done' } : part
}

const BROKEN = { 'use-todo-agent': { broken: true } }

function withoutBroken(part: Part): Part[] {
  if (isToolUIPart(part)) return []
  if (isTextUIPart(part)) return [{ type: 'text', text: part.text, state: 'done' }]
  return isReasoningUIPart(part) ? [{ ...part, state: 'done', providerMetadata: BROKEN }] : [part]
}

function isBrokenReasoning(part: Part): boolean {
  return isReasoningUIPart(part) && part.providerMetadata?.['use-todo-agent']?.['broken'] === true
}
