import { argumentsOf, createTailCheck, type Entry, isObjectText, units } from './checks.ts'
import type { Conversation, Dialect, WireCall, WireTurn } from './wireServer.ts'

interface Message {
  readonly role: string
  readonly content?: string | readonly { readonly text?: string }[] | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id?: string
}

type Delta = Readonly<Record<string, unknown>>

interface Style {
  readonly name: string
  /** Fields of each chunk beside the usual ones. */
  readonly chunk: Delta
  readonly reasoningField: string
  readonly callsFinish: string
  calls(calls: readonly WireCall[], index: number): Iterable<Delta>
  /** What comes after the finish. */
  tail(chunk: (fields: Delta) => string): readonly string[]
  /** Wants user and assistant in turn, as chat templates do. */
  readonly alternating?: boolean
  /** Answers in one piece, and wants to be asked for that. */
  readonly whole?: boolean
  refusal(status: number, message: string, code?: string): unknown
}

const usage = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 }

/** OpenAI itself: a call begins with its id and name, its arguments follow in deltas, a last chunk holds the usage. */
const openAI: Style = {
  name: 'OpenAI chat completions',
  chunk: { model: 'gpt-4.1', service_tier: 'default', system_fingerprint: 'fp_1', obfuscation: 'aGVsbG8' },
  reasoningField: 'reasoning_content',
  callsFinish: 'tool_calls',
  calls: callsInDeltas,
  tail: (chunk) => [chunk({ choices: [], usage }), 'data: [DONE]\n\n'],
  refusal: (_, message, code = null as unknown as string) => ({
    error: { message, type: 'invalid_request_error', param: null, code },
  }),
}

export const openAIChat = chatDialect(openAI)

/** The same in one piece, for those who don't ask for a stream. */
export const openAIChatWhole = chatDialect({ ...openAI, whole: true })

/** Ollama: each call comes whole, all of them with index 0 in older versions, and the finish says `stop`. There is no usage. */
export const ollama = chatDialect({
  name: 'Ollama',
  chunk: { model: 'qwen3:8b', system_fingerprint: 'fp_ollama' },
  reasoningField: 'reasoning',
  callsFinish: 'stop',
  *calls(calls, index) {
    for (const [place, call] of calls.entries()) {
      const id = 'id' in call ? call.id : `call_${index}${place}abcde`
      const called = { name: call.name, arguments: argumentsOf(call.input) }
      yield {
        role: 'assistant',
        content: '',
        tool_calls: [{ id, index: 0, type: 'function', function: called }],
      }
    }
  },
  tail: () => ['data: [DONE]\n\n'],
  refusal: (_, message) => ({ error: { message, type: 'api_error', param: null, code: null } }),
})

/** llama.cpp: a null content first, arguments in small deltas, timings with the finish, and a template that takes turns strictly. */
export const llamaCpp = chatDialect({
  name: 'llama.cpp',
  chunk: { model: 'gpt-3.5-turbo', system_fingerprint: 'b7031-1f2c' },
  reasoningField: 'reasoning_content',
  callsFinish: 'tool_calls',
  calls: callsInDeltas,
  alternating: true,
  tail: (chunk) => [
    chunk({ choices: [], usage, timings: { prompt_n: 12, prompt_ms: 8.1, predicted_n: 7 } }),
    'data: [DONE]\n\n',
  ],
  refusal: (status, message) => ({ error: { code: status, message, type: 'server_error' } }),
})

function* callsInDeltas(calls: readonly WireCall[], index: number): Generator<Delta> {
  for (const [place, call] of calls.entries()) {
    const id = 'id' in call ? call.id : `call_${index}_${place}_xYz`
    yield {
      tool_calls: [{ index: place, id, type: 'function', function: { name: call.name, arguments: '' } }],
    }
    for (const unit of units(argumentsOf(call.input))) {
      yield { tool_calls: [{ index: place, function: { arguments: unit } }] }
    }
  }
}

function chatDialect(style: Style): Dialect {
  return { name: style.name, path: '/v1/chat/completions', converse: () => converse(style) }
}

function converse(style: Style): Conversation {
  const checkTail = createTailCheck()
  return {
    faults(body) {
      const messages = (body['messages'] ?? []) as readonly Message[]
      return [
        ...((body['stream'] === true) === (style.whole !== true) ? [] : [`its stream is ${body['stream']}`]),
        ...pairingFaults(messages),
        ...(style.alternating ? turnFaults(messages) : []),
        ...checkTail(messages.map(toEntry)),
      ]
    },
    events: (turn, index) => (style.whole ? [wholeOf(turn, index)] : [...chunksOf(style, turn, index)]),
    sent() {},
    refusal: style.refusal,
  }
}

function* chunksOf(style: Style, turn: WireTurn, index: number): Generator<string> {
  const chunk = (fields: Delta) =>
    `data: ${JSON.stringify({ id: `chatcmpl-${index}`, object: 'chat.completion.chunk', created: 1, ...style.chunk, ...fields })}\n\n`
  const delta = (fields: Delta, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: fields, logprobs: null, finish_reason: finish }] })
  yield delta({ role: 'assistant', content: style.alternating ? null : '' })
  for (const word of wordsOf(turn.reasoning)) yield delta({ [style.reasoningField]: word })
  for (const word of wordsOf(turn.text)) yield delta({ content: word })
  // Empty deltas carry nothing, and must do nothing.
  yield delta({})
  yield delta({ content: '' })
  for (const fields of style.calls(turn.calls ?? [], index)) yield delta(fields)
  yield delta({}, turn.finish ?? (turn.calls?.length ? style.callsFinish : 'stop'))
  yield* style.tail(chunk)
}

function wholeOf({ text, calls = [], finish }: WireTurn, index: number): string {
  const tool_calls = calls.map(({ name, input, ...call }, place) => ({
    id: 'id' in call ? call.id : `call_${index}_${place}_xYz`,
    type: 'function',
    function: { name, arguments: argumentsOf(input) },
  }))
  const message = { role: 'assistant', content: text ?? null, ...(calls.length > 0 ? { tool_calls } : {}) }
  const finish_reason = finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  const choices = [{ index: 0, message, logprobs: null, finish_reason }]
  return JSON.stringify({ id: `chatcmpl-${index}`, object: 'chat.completion', created: 1, choices, usage })
}

function wordsOf(text = ''): string[] {
  return text === '' ? [] : text.split(/(?<= )/u)
}

function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => part.text ?? '').join('')
}

function toEntry(message: Message): Entry {
  const { role, tool_calls, tool_call_id, reasoning_content } = message
  const rest = [tool_calls, tool_call_id, reasoning_content].filter((field) => field !== undefined)
  return { role, text: textOf(message), ...(rest.length > 0 ? { rest } : {}) }
}

function pairingFaults(messages: readonly Message[]): string[] {
  const faults: string[] = []
  const seen = new Set<string>()
  let open: string[] = []
  for (const [index, message] of messages.entries()) {
    const report = (fault: string) => faults.push(`messages.[${index}] (${message.role}) ${fault}`)
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id ?? '')) report(`answers "${message.tool_call_id}", not called`)
      open = open.filter((id) => id !== message.tool_call_id)
      continue
    }
    if (open.length > 0) report(`stands before the results of ${open.join(', ')}`)
    open = []
    if (message.role === 'system' && index > 0) report('is not the first')
    const calls = message.tool_calls ?? []
    if (textOf(message).trim() === '' && calls.length === 0) report('is blank')
    for (const { id, function: called } of calls) {
      if (typeof id !== 'string' || id.trim() === '') report('has a call without an id')
      if (seen.has(id)) report(`uses the id ${id} again`)
      seen.add(id)
      open.push(id)
      if (!isObjectText(called.arguments)) report(`has arguments that are no object: ${called.arguments}`)
    }
  }
  if (open.length > 0) faults.push(`no result for ${open.join(', ')}`)
  if (messages.at(-1)?.role === 'assistant') faults.push('the last message is the own one of the model')
  return faults
}

// As the templates of Mistral's models have it: calls and results don't count, all else takes turns, and no user follows a result.
function turnFaults(messages: readonly Message[]): string[] {
  const counted = messages.filter(
    ({ role, tool_calls }) => role === 'user' || (role === 'assistant' && !tool_calls?.length),
  )
  const alternates = counted.every(({ role }, index) => role === (index % 2 === 0 ? 'user' : 'assistant'))
  const follows = messages.some(({ role }, index) => role === 'user' && messages[index - 1]?.role === 'tool')
  return [
    ...(alternates
      ? []
      : [
          'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
        ]),
    ...(follows ? ["Unexpected role 'user' after role 'tool'"] : []),
  ]
}
