import {
  type FinishReason,
  isStepCount,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  streamText,
  type TextStreamPart,
  type ToolSet,
  toUIMessageChunk,
  type UIMessageChunk,
} from 'ai'
import type { DraftTodo } from '../core/todo.ts'
import type { CallIds } from './callIds.ts'
import { readDraft } from './draft.ts'
import { wentSilent } from './modelError.ts'
import { type RetryWait, withRetries } from './retry.ts'
import { type Silence, watchSilence } from './silence.ts'

// TYPES

type StreamTextOptions = Parameters<typeof streamText>[0]

/**
 * Settings of the AI SDK's `streamText` that pass through to each request: `temperature`, `maxOutputTokens`, `maxRetries`, `timeout`, `headers`,
 * `providerOptions`, `toolChoice`, `toolApproval`, `telemetry`, `experimental_transform` and so on. What the run itself decides is left out.
 */
export type ModelSettings = Omit<
  StreamTextOptions,
  | 'model'
  | 'tools'
  | 'instructions'
  | 'system'
  | 'prompt'
  | 'messages'
  | 'stopWhen'
  | 'prepareStep'
  | 'abortSignal'
  | 'repairToolCall'
  | 'experimental_repairToolCall'
  | 'output'
  | 'experimental_steering'
  | 'streamRetries'
>

/** What one request asks. */
export interface StepRequest {
  readonly model: LanguageModel
  readonly tools: ToolSet
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  /** Called on the messages when all approved tools have run: the place for what goes at the tail. */
  readonly prepare: (messages: ModelMessage[]) => ModelMessage[] | Promise<ModelMessage[]>
  readonly settings: ModelSettings | undefined
  /** See `TodoAgentOptions`. */
  readonly stepTimeout: number | false
  readonly maxRetryWait: number
  readonly signal: AbortSignal
  /** Whether a tool is ours: its unreadable arguments then come back as a call that `unreadable` names. */
  readonly isOurs: (toolName: string) => boolean
  /** What the model is told of a tool that there is not. */
  readonly unknownTool: (toolName: string) => string
  readonly callIds: CallIds
  readonly onDraft: (draft: readonly DraftTodo[] | null) => void
  /** The request failed and will be made again; `null`: it is made now. */
  readonly onWait: (wait: RetryWait | null) => void
}

/** A call that the model made, ours or the host's. */
export interface StepCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** The AI SDK refused it: no such tool, or arguments that don't fit. It has its error result already. */
  readonly invalid: boolean
  /** Its arguments could not be read as JSON: cut off, or broken. */
  readonly unreadable: boolean
}

/** What came of one request. */
export interface StepFacts {
  readonly text: string
  /** All calls but those that the provider runs itself, in call order. */
  readonly calls: readonly StepCall[]
  /** Calls that have their result already. */
  readonly answered: ReadonlySet<string>
  /** Calls that wait for the person's approval. */
  readonly awaiting: ReadonlySet<string>
  /** `cut_off`: at the length limit. `lost`: the stream ended without a word of the server. */
  readonly end: 'complete' | 'stopped' | 'failed' | 'cut_off' | 'lost'
  readonly finishReason: FinishReason | null
  /** Whether any of the response arrived. */
  readonly begun: boolean
  /** The model has said all it had to say; what went wrong, if anything, came after. */
  readonly responded: boolean
  /** What the server says its answer is, `null` where nothing says so. */
  readonly contentType: string | null
  /** What failed; `undefined` unless `end` is `failed`. */
  readonly error: unknown
  readonly usage: LanguageModelUsage | null
}

// Argument deltas are handed on in bundles: whoever parses partial JSON at each one pays for the whole text again.
const BUNDLE_MS = 40

const DEFAULT_MAX_RETRIES = 2

/**
 * One model response and the host tools that it calls, as UI message chunks. The todo tools are declared without `execute`, so that
 * their calls come out whole and nothing has happened yet. Never throws: what went wrong is in the facts it returns.
 */
export async function* runStep(request: StepRequest): AsyncGenerator<UIMessageChunk, StepFacts> {
  const { tools, signal, callIds, settings } = request
  callIds.startStep()
  let text = ''
  let begun = false
  let responded = false
  let contentType: string | null = null
  const calls: StepCall[] = []
  const answered = new Set<string>()
  const awaiting = new Set<string>()
  const unreadable = new Set<string>()
  const deltas = createDeltaBundles(request.onDraft)
  let finish: { reason: FinishReason; raw: string | undefined; usage: LanguageModelUsage } | null = null
  let failure: { error: unknown } | null = null
  let aborted = false
  const maxRetries = settings?.maxRetries ?? DEFAULT_MAX_RETRIES
  const inner = new AbortController()
  const stop = () => inner.abort(signal.reason)
  const silence = startSilence(request.stepTimeout, () => {
    failure ??= { error: wentSilent(request.stepTimeout || 0, { model: request.model, answered: begun }) }
    inner.abort()
  })

  type CallEnd = NonNullable<ModelSettings['onLanguageModelCallEnd']>
  const onLanguageModelCallEnd: CallEnd = async (event) => {
    // From here on it is the turn of the tools.
    silence?.expect(false)
    responded = event.finishReason !== 'interrupted' && event.finishReason !== 'error'
    await (settings?.onLanguageModelCallEnd ?? settings?.experimental_onLanguageModelCallEnd)?.(event)
  }

  try {
    const model = withOurRetries()
    const result = streamText({
      ...settings,
      // Two layers of retries would multiply.
      maxRetries: model === request.model ? maxRetries : 0,
      model,
      tools,
      ...(request.instructions === '' ? {} : { instructions: request.instructions }),
      messages: [...request.messages],
      stopWhen: isStepCount(1),
      abortSignal: inner.signal,
      prepareStep: async ({ messages }) => ({ messages: await request.prepare(messages) }),
      repairToolCall: async ({ toolCall }) => {
        if (!request.isOurs(toolCall.toolName)) return null
        unreadable.add(unreadableKey(toolCall.toolCallId, toolCall.toolName))
        return { ...toolCall, input: '{}' }
      },
      onLanguageModelCallEnd,
      experimental_onLanguageModelCallEnd: onLanguageModelCallEnd,
      // Failures are reported as the outcome of the run; the default would log each one.
      onError: () => {},
    } as StreamTextOptions)

    const reader = (result.stream as ReadableStream<TextStreamPart<ToolSet>>).getReader()
    // A model or a tool that ignores its abort signal must not hold up a stop: cancelling ends the read that waits.
    const stopReading = () => void reader.cancel().catch(() => {})
    inner.signal.addEventListener('abort', stopReading, { once: true })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()

    for (;;) {
      silence?.listen()
      const next = await reader.read()
      silence?.heard()
      if (next.done) break
      const part = withUniqueId(next.value, callIds)
      switch (part.type) {
        case 'text-delta':
          text += part.text
          break
        case 'tool-input-start':
          deltas.start(part.id, part.toolName)
          break
        case 'tool-input-delta': {
          const bundle = deltas.add(part.id, part.delta)
          if (bundle) yield bundle
          continue
        }
        case 'tool-input-end': {
          const bundle = deltas.flush(part.id)
          if (bundle) yield bundle
          continue
        }
        case 'tool-call': {
          const bundle = deltas.flush(part.toolCallId)
          if (bundle) yield bundle
          if (part.providerExecuted) break
          calls.push({
            id: part.toolCallId,
            name: part.toolName,
            input: part.input,
            invalid: part.invalid === true,
            unreadable: unreadable.has(unreadableKey((next.value as typeof part).toolCallId, part.toolName)),
          })
          if (part.invalid) answered.add(part.toolCallId)
          break
        }
        case 'tool-result':
          if (!part.preliminary) answered.add(part.toolCallId)
          break
        case 'tool-error':
        case 'tool-output-denied':
          answered.add(part.toolCallId)
          break
        case 'tool-approval-request':
          if (!part.isAutomatic) awaiting.add(part.toolCall.toolCallId)
          break
        case 'finish-step':
          finish = { reason: part.finishReason, raw: part.rawFinishReason, usage: part.usage }
          continue
        case 'error':
          failure ??= { error: part.error }
          continue
        case 'abort':
          aborted = true
          continue
        case 'start':
        case 'finish':
          continue
        default:
      }
      begun ||= part.type !== 'start-step'
      const chunk = isInvalidCallError(part, calls)
        ? undefined
        : toUIMessageChunk(part, { tools, sendSources: true })
      if (chunk?.type === 'tool-input-error' && !Object.hasOwn(tools, chunk.toolName))
        yield { ...chunk, errorText: request.unknownTool(chunk.toolName) }
      else if (chunk) yield chunk
    }
  } catch (error) {
    failure ??= { error }
  } finally {
    signal.removeEventListener('abort', stop)
    silence?.end()
    deltas.end()
  }

  // Nobody pressed Stop: it was one of the AI SDK's own time limits.
  if (aborted && !signal.aborted)
    failure ??= { error: new Error('A time limit of `settings.timeout` was reached.') }
  return {
    text,
    calls,
    answered,
    awaiting,
    begun,
    responded,
    contentType,
    end: signal.aborted ? 'stopped' : failure || finish?.reason === 'error' ? 'failed' : endOf(finish),
    finishReason: finish?.reason ?? null,
    error: failure?.error,
    usage: finish?.usage ?? null,
  }

  // The name of a model alone is for the AI SDK to look up, and to ask.
  function withOurRetries(): LanguageModel {
    if (typeof request.model === 'string') {
      silence?.expect(true)
      return request.model
    }
    return withRetries(request.model, {
      maxRetries,
      maxWait: request.maxRetryWait,
      onRequest: () => silence?.expect(true),
      onResponse: (headers) => {
        contentType = headers['content-type'] ?? null
      },
      onWait(wait) {
        silence?.expect(false)
        request.onWait(wait)
      },
    })
  }
}

function withUniqueId(part: TextStreamPart<ToolSet>, callIds: CallIds): TextStreamPart<ToolSet> {
  switch (part.type) {
    case 'tool-input-start': {
      const id = callIds.start(part.id)
      return id === part.id ? part : { ...part, id }
    }
    case 'tool-input-delta':
    case 'tool-input-end': {
      const id = callIds.arriving(part.id)
      return id === part.id ? part : { ...part, id }
    }
    case 'tool-call': {
      const toolCallId = callIds.call(part.toolCallId, part.toolName, part.input)
      return toolCallId === part.toolCallId ? part : { ...part, toolCallId }
    }
    case 'tool-result':
    case 'tool-error': {
      const toolCallId = callIds.answer(part.toolCallId, part.toolName, part.input)
      return toolCallId === part.toolCallId ? part : { ...part, toolCallId }
    }
    case 'tool-output-denied': {
      const toolCallId = callIds.answer(part.toolCallId, part.toolName)
      return toolCallId === part.toolCallId ? part : { ...part, toolCallId }
    }
    case 'tool-approval-request':
    case 'tool-approval-response': {
      const { toolCall } = part
      const toolCallId = callIds.answer(toolCall.toolCallId, toolCall.toolName, toolCall.input)
      return toolCallId === toolCall.toolCallId ? part : { ...part, toolCall: { ...toolCall, toolCallId } }
    }
    default:
      return part
  }
}

// A provider that saw no finish says so, or reports `other` without a word of the server: the stream was lost, whatever was in it.
function endOf(
  finish: { reason: FinishReason; raw: string | undefined } | null,
): 'complete' | 'cut_off' | 'lost' {
  if (finish === null || finish.reason === 'interrupted') return 'lost'
  if (finish.reason === 'other' && finish.raw === undefined) return 'lost'
  return finish.reason === 'length' ? 'cut_off' : 'complete'
}

function startSilence(limit: number | false, onSilent: () => void): Silence | null {
  return limit === false ? null : watchSilence(limit, onSilent)
}

function unreadableKey(toolCallId: unknown, toolName: string): string {
  return `${toolName} ${String(toolCallId)}`
}

// The chunk of an invalid call says already what is wrong with it; the part that follows says it again.
function isInvalidCallError(part: TextStreamPart<ToolSet>, calls: readonly StepCall[]): boolean {
  return part.type === 'tool-error' && calls.some((call) => call.id === part.toolCallId && call.invalid)
}

function createDeltaBundles(onDraft: (draft: readonly DraftTodo[] | null) => void) {
  const bundles = new Map<string, { name: string; text: string; pending: string; due: number }>()
  let reading = false
  let drafted = false
  let over = false

  function readInBackground(text: string): void {
    if (reading) return
    reading = true
    void readDraft(text).then((draft) => {
      reading = false
      if (over || !draft) return
      drafted = true
      onDraft(draft)
    })
  }

  function flush(id: string): UIMessageChunk | null {
    const bundle = bundles.get(id)
    if (!bundle || bundle.pending === '') return null
    const chunk: UIMessageChunk = { type: 'tool-input-delta', toolCallId: id, inputTextDelta: bundle.pending }
    bundle.pending = ''
    if (bundle.name === 'write_todos') readInBackground(bundle.text)
    return chunk
  }

  return {
    start(id: string, name: string): void {
      bundles.set(id, { name, text: '', pending: '', due: 0 })
    },
    add(id: string, delta: string): UIMessageChunk | null {
      const bundle = bundles.get(id)
      if (!bundle) return null
      bundle.text += delta
      bundle.pending += delta
      const now = Date.now()
      if (now < bundle.due) return null
      const chunk = flush(id)
      // Longer texts take longer to parse, here and in the chat: their bundles are larger.
      bundle.due = now + BUNDLE_MS + bundle.text.length / 500
      return chunk
    },
    flush,
    end(): void {
      over = true
      if (drafted) onDraft(null)
    },
  }
}
