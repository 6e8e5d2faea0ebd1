import { englishTexts } from '../core/texts.ts'
import type { ModelRequest, ModelRequestMessage, ProviderMetadata } from './modelTypes.ts'

// TYPES

/** Options of the request checks. */
export interface RequestValidatorOptions {
  /** Tells the message that reads the current list to the model. @default knows the default list messages of this kit */
  readonly isListMessage?: (text: string) => boolean
  /** Whether requests of one run must begin with the messages of the one before, unchanged. @default true */
  readonly prefix?: boolean
}

/** What a model answered with, as far as the next request must give it back. */
export interface SentReasoning {
  readonly text: string
  readonly providerMetadata?: ProviderMetadata | undefined
}

/** Checks requests in the order in which a model gets them. */
export interface RequestValidator {
  /** The faults of the next request, in words; empty when it is fine. */
  check(request: ModelRequest): string[]
  /** Says which reasoning the model answered the last request with: it has to come back. */
  responded(reasoning: SentReasoning): void
  /** Says that the next request belongs to another conversation. */
  reset(): void
}

// CHECKS

/**
 * Checks requests as strict providers do, and as prompt caches need it. In each request:
 * - every tool call is answered by exactly one result, all results of a message in the one tool message right after it, and no
 *   result is without its call;
 * - ids of tool calls are not blank and not used twice, their arguments are objects;
 * - no message is blank, and the last one is not the assistant's;
 * - only the first message is a system message;
 * - the current list is read out at most once, after all that was said before.
 *
 * From one request to the next of a run, all earlier messages stay byte-identical (the list message aside), and reasoning
 * comes back with its metadata.
 */
export function createRequestValidator(options: RequestValidatorOptions = {}): RequestValidator {
  let previous: readonly string[] = []
  let reasoning: SentReasoning | undefined
  return {
    check(request) {
      const problems = validateRequest(request, options)
      const messages = request.prompt.filter((message) => !isList(message, options))
      const current = messages.map((message) => JSON.stringify(message))
      const changed = firstChange(previous, current, messages)
      if (changed !== null && options.prefix !== false) {
        problems.push(`${place(messages, changed)}: differs from what the request before had there`)
      }
      if (reasoning && current.length > previous.length && extendsPrevious(previous, current)) {
        const answer = messages[previous.length]
        if (!holdsReasoning(answer, reasoning)) {
          problems.push(
            `${place(messages, previous.length)}: the reasoning of the last response is missing or changed`,
          )
        }
      }
      previous = current
      reasoning = undefined
      return problems
    },
    responded(sent) {
      reasoning = sent
    },
    reset() {
      previous = []
      reasoning = undefined
    },
  }
}

/** The faults of several requests in a row, each with the number of its request. See {@link createRequestValidator}. */
export function validateRequests(
  requests: readonly ModelRequest[],
  options: RequestValidatorOptions = {},
): string[] {
  const validator = createRequestValidator(options)
  return requests.flatMap((request, index) =>
    validator.check(request).map((problem) => `request ${index + 1}, ${problem}`),
  )
}

/** The faults of one request by itself. See {@link createRequestValidator}. */
export function validateRequest({ prompt }: ModelRequest, options: RequestValidatorOptions = {}): string[] {
  const problems: string[] = []
  const seen = new Set<string>()
  let open: readonly string[] = []
  let lists = 0
  prompt.forEach((message, index) => {
    const report = (problem: string) => problems.push(`${place(prompt, index)}: ${problem}`)
    if (message.role === 'tool') {
      for (const problem of checkResults(message, open)) report(problem)
      open = []
      return
    }
    for (const id of open) report(`stands where the result of tool call "${id}" must be`)
    open = []
    if (message.role === 'system' && index > 0) report('a system message may only be the first')
    if (message.role !== 'system' && isBlank(message)) report('is blank')
    if (isList(message, options)) {
      lists += 1
      if (lists > 1) report('a second message with the current list')
      if (prompt.slice(index + 1).some((later) => later.role !== 'user'))
        report('the current list is not at the tail')
    }
    if (message.role !== 'assistant') return
    const calls = message.content.filter((part) => part.type === 'tool-call' && !part.providerExecuted)
    open = calls.map((part) => ('toolCallId' in part ? part.toolCallId : ''))
    for (const part of calls) {
      if (part.type !== 'tool-call') continue
      if (part.toolCallId.trim() === '') report('a tool call without an id')
      else if (seen.has(part.toolCallId)) report(`tool call id "${part.toolCallId}" is used twice`)
      seen.add(part.toolCallId)
      if (typeof part.input !== 'object' || part.input === null || Array.isArray(part.input)) {
        report(`the arguments of tool call "${part.toolCallId}" are not an object`)
      }
    }
  })
  for (const id of open) problems.push(`at the end: the result of tool call "${id}" is missing`)
  if (prompt.length === 0) problems.push('at the end: there is no message')
  if (prompt.at(-1)?.role === 'assistant' && open.length === 0) {
    problems.push(`${place(prompt, prompt.length - 1)}: the assistant's own message is the last`)
  }
  return problems
}

// HELPERS

function checkResults(
  message: Extract<ModelRequestMessage, { role: 'tool' }>,
  open: readonly string[],
): string[] {
  const results = message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
  const missing = open.filter((id) => !results.includes(id))
  const orphans = results.filter((id) => !open.includes(id))
  const twice = results.filter((id, index) => results.indexOf(id) !== index)
  return [
    ...missing.map((id) => `the result of tool call "${id}" is missing`),
    ...orphans.map((id) => `a result for "${id}", which the message before does not call`),
    ...twice.map((id) => `a second result for tool call "${id}"`),
  ]
}

// Reasoning alone is blank too: providers refuse a message that says and does nothing.
function isBlank(message: Exclude<ModelRequestMessage, { role: 'system' | 'tool' }>): boolean {
  return message.content.every(
    (part) => part.type === 'reasoning' || (part.type === 'text' && part.text.trim() === ''),
  )
}

function isList(
  message: ModelRequestMessage,
  { isListMessage = isDefaultListMessage }: RequestValidatorOptions,
): boolean {
  if (message.role !== 'user') return false
  const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return isListMessage(text)
}

// With texts of your own, or a `listMessage` of your own, give `isListMessage` too.
function isDefaultListMessage(text: string): boolean {
  return text.startsWith(`${englishTexts.listHeading}\n`)
}

/**
 * The index of the first message that was changed in the middle of a run, or `null`. A request that goes back (an earlier
 * message edited or answered anew) or that shares nothing with the one before (another conversation) changes nothing.
 */
function firstChange(
  previous: readonly string[],
  current: readonly string[],
  messages: readonly ModelRequestMessage[],
): number | null {
  const changed = previous.findIndex(
    (message, index) =>
      message !== current[index] && !(index === 0 && mayChangeSystem(messages, previous.length)),
  )
  if (changed === -1 || current.length <= previous.length) return null
  const kept = previous.filter(
    (message, index) => message === current[index] && messages[index]?.role !== 'system',
  )
  return kept.length > 0 ? changed : null
}

// Between runs the host may change the instructions, and so does a change of mode. Between a call and its result nobody may.
function mayChangeSystem(messages: readonly ModelRequestMessage[], from: number): boolean {
  return (
    messages[0]?.role === 'system' &&
    messages.slice(from).some((message) => {
      if (message.role === 'user') return true
      if (message.role !== 'assistant') return false
      return message.content.some((part) => part.type === 'tool-call' && part.toolName === 'mode_set')
    })
  )
}

function extendsPrevious(previous: readonly string[], current: readonly string[]): boolean {
  return previous.every((message, index) => message === current[index])
}

function holdsReasoning(
  message: ModelRequestMessage | undefined,
  { text, providerMetadata }: SentReasoning,
): boolean {
  if (message?.role !== 'assistant') return false
  return message.content.some(
    (part) =>
      part.type === 'reasoning' &&
      part.text === text &&
      JSON.stringify(part.providerOptions) === JSON.stringify(providerMetadata),
  )
}

function place(messages: readonly ModelRequestMessage[], index: number): string {
  return `message ${index + 1} (${messages[index]?.role ?? 'none'})`
}
