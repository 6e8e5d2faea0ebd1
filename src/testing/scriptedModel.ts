import { describe } from '../core/errors.ts'
import type { ScriptedToolCall } from './calls.ts'
import type {
  FinishWord,
  GenerateResult,
  ModelRequest,
  ModelV4,
  ProviderMetadata,
  StreamPart,
  StreamResult,
} from './modelTypes.ts'
import {
  createRequestValidator,
  type RequestValidator,
  type RequestValidatorOptions,
  type SentReasoning,
} from './requestValidator.ts'

// TYPES

/** One response of a scripted model: its content, how it ends, and what goes wrong with it. */
export interface ScriptedStep {
  /** Reasoning before the text. Its `providerMetadata` comes in a last, empty delta, as signatures do. */
  readonly reasoning?: string | { readonly text: string; readonly providerMetadata?: ProviderMetadata }
  readonly text?: string
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** How the response ends. @default 'tool-calls' when it calls tools, else 'stop' */
  readonly finish?: FinishWord
  /**
   * Cuts the content off after this many deltas (of reasoning, text and arguments together). The stream then just closes, as
   * a lost connection looks to some providers; with `finish` given it still says how it ended.
   * `Infinity`: all of the content, but no finish.
   */
  readonly cutOff?: number
  /** What fails. Without `errorAfter` the request itself is refused. */
  readonly error?: unknown
  /** Fails after this many deltas instead. */
  readonly errorAfter?: number
  /** Whether a failing stream rejects its reader, or carries an `error` part and then finishes. @default 'reject' */
  readonly errorAs?: 'reject' | 'part'
  /** Wait before each delta, in ms. @default that of the model */
  readonly delay?: number
  /** Characters per delta. @default that of the model */
  readonly chunkSize?: number
  /** Holds the response until this settles. */
  readonly until?: PromiseLike<unknown>
  /** Holds it after this many deltas instead of before the first. */
  readonly untilAfter?: number
  /** Goes on after the request was aborted, as a model does that knows nothing of signals. @default false */
  readonly ignoreAbort?: boolean
  /** Tokens to report. @default 0 each */
  readonly usage?: { readonly input?: number; readonly output?: number }
}

/** A step, or a short form of one: its text, or its tool calls. */
export type ScriptedAnswer = ScriptedStep | string | ScriptedToolCall | readonly ScriptedToolCall[]

/** An entry of a script: an answer, or a function of the request that gives one. */
export type ScriptEntry =
  | ScriptedAnswer
  | ((request: ModelRequest, index: number) => ScriptedAnswer | PromiseLike<ScriptedAnswer>)

/** Options of {@link scriptedModel}. */
export interface ScriptedModelOptions {
  /** What a request after the last step gets: a failure, or the last step again. @default 'throw' */
  readonly atEnd?: 'throw' | 'repeat'
  /**
   * Checks each request as strict providers do, and refuses a wrong one with the list of its faults. Options tune the
   * check, `false` turns it off. @default true
   */
  readonly validate?: boolean | RequestValidatorOptions
  /** Wait before each delta, in ms. @default 0 */
  readonly delay?: number
  /** Characters per delta of text or arguments. @default 16 */
  readonly chunkSize?: number
  /** @default 'scripted-model' */
  readonly modelId?: string
}

/** A model that plays a script and remembers what it was asked. */
export type ScriptedModel = ModelV4 & {
  /** Every request so far, as it was at the time (`abortSignal` is the live one). */
  readonly requests: readonly ModelRequest[]
  /** How many requests there were. */
  readonly calls: number
  /** Why requests were refused by the model itself: faults found in them, or a script that was over. Empty when all is well. */
  readonly problems: readonly string[]
  /** Says that the next request belongs to another conversation, so that it need not continue the last one. */
  newConversation(): void
}

// MODEL

/**
 * A model for tests: it streams the given steps, one per request, without a network.
 *
 * A step is a text, a tool call, several tool calls, or an object that also says how the response ends and what goes wrong
 * with it. A function gets the request and gives the step. By default every request is checked as strict providers do (see
 * `validateRequest`), so that a test of anything else also fails when the transcript is broken.
 *
 * @example
 * ```ts
 * const model = scriptedModel([
 *   call.write('[>] Count the rows', '[ ] Write a summary'),
 *   [call('count_rows', { source: 'pasted' })],
 *   call.write('[x] Count the rows', '[x] Write a summary'),
 *   'There are 200 rows.',
 * ])
 * // ... run your agent with it ...
 * expect(model.calls).toBe(4)
 * expect(requestText(model.requests[1])).toContain('Count the rows')
 * ```
 *
 * @throws TypeError when the script is empty or a number of a step is not one
 */
export function scriptedModel(
  script: readonly ScriptEntry[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  if (!Array.isArray(script) || script.length === 0) {
    throw new TypeError(`\`script\` must be a list of steps that is not empty, got ${describe(script)}.`)
  }
  const requests: ModelRequest[] = []
  const problems: string[] = []
  const validator = createValidator(options.validate)
  let nextCall = 1

  async function doStream(request: ModelRequest): Promise<StreamResult> {
    const index = requests.length
    const copy = copyRequest(request)
    requests.push(copy)
    request.abortSignal?.throwIfAborted()

    const found = validator?.check(copy) ?? []
    if (found.length > 0) throw refused(`Request ${index + 1} is not valid:\n- ${found.join('\n- ')}`)
    const entry = script[index] ?? (options.atEnd === 'repeat' ? script.at(-1) : undefined)
    if (entry === undefined) {
      throw refused(`The script is over: request ${index + 1} of a script of ${steps(script.length)}.`)
    }

    const step = toStep(typeof entry === 'function' ? await entry(copy, index) : entry)
    const signal = step.ignoreAbort ? undefined : request.abortSignal
    signal?.throwIfAborted()
    if ('error' in step && step.errorAfter === undefined && step.errorAs !== 'part') throw step.error
    const parts = play(step, {
      signal,
      delay: step.delay ?? options.delay ?? 0,
      chunkSize: step.chunkSize ?? options.chunkSize ?? 16,
      newCallId: () => `call-${nextCall++}`,
      sent: (reasoning) => validator?.responded(reasoning),
    })
    return { stream: toStream(parts), request: {}, response: {} }
  }

  function refused(problem: string): Error {
    problems.push(problem)
    return new Error(problem)
  }

  return {
    specificationVersion: 'v4',
    provider: 'use-todo-agent.testing',
    modelId: options.modelId ?? 'scripted-model',
    supportedUrls: {},
    doStream,
    doGenerate: async (request) => collect(await doStream(request)),
    requests,
    problems,
    get calls() {
      return requests.length
    },
    newConversation: () => validator?.reset(),
  }
}

/** All text of a request in one string, for `toContain`: messages, arguments and results in order. Empty without a request. */
export function requestText(request: ModelRequest | undefined): string {
  const lines = (request?.prompt ?? []).flatMap((message) =>
    typeof message.content === 'string' ? [message.content] : message.content.map(partText),
  )
  return lines.join('\n')
}

/** The names of the tools that a request offers. */
export function offeredTools(request: ModelRequest | undefined): string[] {
  return (request?.tools ?? []).map((tool) => tool.name)
}

// HELPERS

function createValidator(validate: ScriptedModelOptions['validate']): RequestValidator | undefined {
  if (validate === false) return undefined
  return createRequestValidator(typeof validate === 'object' ? validate : {})
}

function toStep(answer: ScriptedAnswer): ScriptedStep {
  if (typeof answer === 'string') return { text: answer }
  if (isCallList(answer)) return { toolCalls: answer }
  if ('name' in answer) return { toolCalls: [answer] }
  for (const option of ['cutOff', 'errorAfter', 'untilAfter', 'delay', 'chunkSize'] as const) {
    const value = answer[option]
    if (value !== undefined && !(value >= (option === 'chunkSize' ? 1 : 0))) {
      throw new TypeError(
        `\`${option}\` of a step must be a number from ${option === 'chunkSize' ? 1 : 0}, got ${value}.`,
      )
    }
  }
  return answer
}

// `Array.isArray` does not narrow a readonly array out of a union.
function isCallList(
  answer: ScriptedStep | ScriptedToolCall | readonly ScriptedToolCall[],
): answer is readonly ScriptedToolCall[] {
  return Array.isArray(answer)
}

interface PlayOptions {
  readonly signal: AbortSignal | undefined
  readonly delay: number
  readonly chunkSize: number
  readonly newCallId: () => string
  readonly sent: (reasoning: SentReasoning) => void
}

async function* play(step: ScriptedStep, options: PlayOptions): AsyncGenerator<StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  const { signal, delay } = options
  const cutOff = step.cutOff ?? Number.POSITIVE_INFINITY
  const failAt = 'error' in step ? (step.errorAfter ?? 0) : Number.POSITIVE_INFINITY
  let deltas = 0
  let end: 'done' | 'cut' | 'failed' = 'done'

  for (const part of content(step, options)) {
    if (part.type.endsWith('-delta')) {
      if (step.until && deltas === (step.untilAfter ?? 0)) await untilOrAborted(step.until, signal)
      if (deltas >= cutOff) end = 'cut'
      if (deltas >= failAt) end = 'failed'
      if (end !== 'done') break
      deltas += 1
      signal?.throwIfAborted()
      if (delay > 0) await untilOrAborted(new Promise((resolve) => setTimeout(resolve, delay)), signal)
    }
    signal?.throwIfAborted()
    yield part
  }
  if (step.until && deltas === 0 && end === 'done') await untilOrAborted(step.until, signal)
  if (failAt !== Number.POSITIVE_INFINITY && end === 'done') end = 'failed'

  if (end === 'done' && step.reasoning && (step.text?.trim() || step.toolCalls?.length)) {
    options.sent(toReasoning(step.reasoning))
  }
  if (end === 'failed') {
    if (step.errorAs !== 'part') throw step.error
    yield { type: 'error', error: step.error }
    yield finish(step, 'error')
  } else if (step.finish !== undefined || step.cutOff === undefined) {
    yield finish(step, step.toolCalls?.length ? 'tool-calls' : 'stop')
  }
}

function* content(step: ScriptedStep, { chunkSize, newCallId }: PlayOptions): Generator<StreamPart> {
  if (step.reasoning !== undefined) {
    const { text, providerMetadata } = toReasoning(step.reasoning)
    yield { type: 'reasoning-start', id: 'reasoning-1' }
    for (const delta of slices(text, chunkSize)) yield { type: 'reasoning-delta', id: 'reasoning-1', delta }
    if (providerMetadata) yield { type: 'reasoning-delta', id: 'reasoning-1', delta: '', providerMetadata }
    yield { type: 'reasoning-end', id: 'reasoning-1' }
  }
  if (step.text !== undefined) {
    yield { type: 'text-start', id: 'text-1' }
    for (const delta of slices(step.text, chunkSize)) yield { type: 'text-delta', id: 'text-1', delta }
    yield { type: 'text-end', id: 'text-1' }
  }
  for (const toolCall of step.toolCalls ?? []) {
    const id = toolCall.id ?? newCallId()
    const input = typeof toolCall.input === 'string' ? toolCall.input : JSON.stringify(toolCall.input ?? {})
    const metadata = toolCall.providerMetadata && { providerMetadata: toolCall.providerMetadata }
    yield { type: 'tool-input-start', id, toolName: toolCall.name, ...metadata }
    for (const delta of slices(input, chunkSize)) yield { type: 'tool-input-delta', id, delta }
    yield { type: 'tool-input-end', id, ...metadata }
    yield { type: 'tool-call', toolCallId: id, toolName: toolCall.name, input, ...metadata }
  }
}

function toReasoning(reasoning: NonNullable<ScriptedStep['reasoning']>): SentReasoning {
  return typeof reasoning === 'string' ? { text: reasoning } : reasoning
}

function finish(step: ScriptedStep, usual: FinishWord): StreamPart {
  const unified = step.finish ?? usual
  return {
    type: 'finish',
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: {
        total: step.usage?.input ?? 0,
        noCache: undefined,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: step.usage?.output ?? 0, text: undefined, reasoning: undefined },
    },
  }
}

// Cuts between code points, so that no delta ends in half a character.
function* slices(text: string, size: number): Generator<string> {
  let slice = ''
  let length = 0
  for (const character of text) {
    slice += character
    length += 1
    if (length >= size) {
      yield slice
      slice = ''
      length = 0
    }
  }
  if (slice !== '') yield slice
}

// An abort ends the wait at once; what was waited for may still settle later and is dropped.
function untilOrAborted(wait: PromiseLike<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  if (!signal) return Promise.resolve(wait)
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    wait.then(resolve, reject)
    void Promise.resolve(wait)
      .finally(() => signal.removeEventListener('abort', abort))
      .catch(() => {})
  })
}

function toStream(parts: AsyncGenerator<StreamPart>): ReadableStream<StreamPart> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await parts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

async function collect({ stream }: StreamResult): Promise<GenerateResult> {
  const content: GenerateResult['content'] = []
  let text = ''
  let reasoning = ''
  let end: Extract<StreamPart, { type: 'finish' }> | undefined
  const reader = stream.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const part = read.value
    if (part.type === 'text-delta') text += part.delta
    if (part.type === 'reasoning-delta') reasoning += part.delta
    if (part.type === 'error') throw part.error
    if (part.type === 'reasoning-end') content.push({ type: 'reasoning', text: reasoning })
    if (part.type === 'text-end') content.push({ type: 'text', text })
    if (part.type === 'tool-call') content.push(part)
    if (part.type === 'finish') end = part
  }
  if (!end) throw new Error('The response ended without a finish.')
  return { content, finishReason: end.finishReason, usage: end.usage, warnings: [] }
}

function copyRequest({ abortSignal, ...rest }: ModelRequest): ModelRequest {
  const copy = deepCopy(rest)
  return abortSignal ? { ...copy, abortSignal } : copy
}

// Plain objects and arrays only: a URL, a byte array or a RegExp in a prompt stays the one it is.
function deepCopy<Value>(value: Value): Value
function deepCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => deepCopy(item))
  if (typeof value !== 'object' || value === null) return value
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deepCopy(item)]))
}

function partText(part: Exclude<ModelRequest['prompt'][number]['content'], string>[number]): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text
  if (part.type === 'tool-call') return `${part.toolName}(${JSON.stringify(part.input)})`
  if (part.type !== 'tool-result') return ''
  return 'value' in part.output && typeof part.output.value === 'string'
    ? part.output.value
    : JSON.stringify(part.output)
}

function steps(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`
}
