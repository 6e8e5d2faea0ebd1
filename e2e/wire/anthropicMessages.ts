import { argumentsOf, createTailCheck, type Entry, units } from './checks.ts'
import type { Conversation, Dialect, WireTurn } from './wireServer.ts'

interface Block {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly input?: unknown
  readonly thinking?: string
  readonly signature?: string
  readonly content?: unknown
}

interface Message {
  readonly role: string
  readonly content: string | readonly Block[]
}

/** Anthropic's messages. Thinking that came with calls has to come back unchanged, in front of them. */
export const anthropicMessages: Dialect = { name: 'Anthropic messages', path: '/v1/messages', converse }

function converse(): Conversation {
  const checkTail = createTailCheck()
  // The thinking that a call came with.
  const thinkings = new Map<string, Block>()
  const signatures = new Set<string>()
  let answer: readonly Block[] = []
  return {
    faults(body) {
      const messages = (body['messages'] ?? []) as readonly Message[]
      return [
        ...(body['stream'] === true ? [] : ['it does not ask for a stream']),
        ...turnFaults(messages),
        ...messages.flatMap((message, index) => [
          ...blockFaults(message, index),
          ...pairingFaults(message, messages[index + 1], index),
          ...thinkingFaults(message, index, thinkings, signatures),
        ]),
        ...checkTail(messages.flatMap(toEntries)),
      ]
    },
    events(turn, index) {
      answer = blocksOf(turn, index)
      return eventsOf(answer, turn, index)
    },
    sent() {
      const [first] = answer
      if (first?.type !== 'thinking') return
      signatures.add(first.signature ?? '')
      for (const { id } of answer) if (id) thinkings.set(id, first)
    },
    refusal: (status, message) => ({
      type: 'error',
      error: { type: status === 429 ? 'rate_limit_error' : 'invalid_request_error', message },
      request_id: 'req_1',
    }),
  }
}

function blocksOf({ reasoning, text, calls = [] }: WireTurn, index: number): Block[] {
  return [
    ...(reasoning === undefined
      ? []
      : [{ type: 'thinking', thinking: reasoning, signature: `EqQBCgIYAhIM${index}` }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ name, input, ...call }, place) => ({
      type: 'tool_use',
      id: ('id' in call ? call.id : `toolu_${index}_${place}`) as string,
      name,
      input,
    })),
  ]
}

function eventsOf(blocks: readonly Block[], turn: WireTurn, index: number): string[] {
  const event = (type: string, fields: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const finish = turn.finish ?? (turn.calls?.length ? 'tool_use' : 'end_turn')
  const message = {
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
  }
  return [
    event('message_start', { message }),
    event('ping'),
    ...blocks.flatMap((block, place) => {
      const delta = (fields: object) => event('content_block_delta', { index: place, delta: fields })
      return [
        event('content_block_start', { index: place, content_block: startOf(block) }),
        ...deltasOf(block).map(delta),
        event('content_block_stop', { index: place }),
      ]
    }),
    event('message_delta', {
      delta: { stop_reason: finish, stop_sequence: null },
      usage: { output_tokens: 7 },
    }),
    event('message_stop'),
  ]
}

function startOf(block: Block): object {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'text':
      return { type: 'text', text: '' }
    default:
      return { ...block, input: {} }
  }
}

function deltasOf(block: Block): object[] {
  switch (block.type) {
    case 'thinking':
      return [
        ...(block.thinking ?? '').split(/(?<= )/u).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ]
    case 'text':
      return (block.text ?? '').split(/(?<= )/u).map((text) => ({ type: 'text_delta', text }))
    default:
      return ['', ...units(argumentsOf(block.input))].map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }))
  }
}

function blocksIn({ content }: Message): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function toEntries(message: Message): Entry[] {
  return blocksIn(message).map(({ type, text, ...rest }) =>
    type === 'text' ? { role: message.role, text: text ?? '' } : { role: message.role, rest: [type, rest] },
  )
}

function turnFaults(messages: readonly Message[]): string[] {
  const alternates = messages.every(({ role }, index) => role === (index % 2 === 0 ? 'user' : 'assistant'))
  return [
    ...(alternates ? [] : ['messages: roles must alternate between "user" and "assistant"']),
    ...(messages.at(-1)?.role === 'user' ? [] : ['the last message is not of the user']),
  ]
}

function blockFaults(message: Message, index: number): string[] {
  const blocks = blocksIn(message)
  const isBlank = ({ type, text = '' }: Block) => type === 'text' && text.trim() === ''
  const results = blocks.findLastIndex(({ type }) => type === 'tool_result')
  return [
    ...(blocks.length === 0 ? [`messages.${index}: must have non-empty content`] : []),
    ...(blocks.some(isBlank) ? [`messages.${index}: text content blocks must be non-empty`] : []),
    ...(blocks.slice(0, results + 1).some(({ type }) => type !== 'tool_result')
      ? [`messages.${index}: tool_result blocks must come first`]
      : []),
  ]
}

function pairingFaults(message: Message, next: Message | undefined, index: number): string[] {
  if (message.role !== 'assistant') return []
  const called = blocksIn(message).flatMap(({ type, id }) => (type === 'tool_use' ? [id ?? ''] : []))
  const answered = (next ? blocksIn(next) : []).flatMap(({ type, tool_use_id }) =>
    type === 'tool_result' ? [tool_use_id ?? ''] : [],
  )
  return [
    ...(called.some((id) => !/^[a-zA-Z0-9_-]+$/.test(id))
      ? [`messages.${index}: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`]
      : []),
    ...(new Set(called).size === called.length ? [] : [`messages.${index}: tool_use ids must be unique`]),
    ...(called.toSorted().join() === answered.toSorted().join()
      ? []
      : [`messages.${index}: tool_use ids were found without tool_result blocks: ${called} / ${answered}`]),
  ]
}

function thinkingFaults(
  message: Message,
  index: number,
  thinkings: ReadonlyMap<string, Block>,
  signatures: ReadonlySet<string>,
): string[] {
  const blocks = blocksIn(message)
  const wanted = blocks.flatMap(({ id }) => thinkings.get(id ?? '') ?? [])[0]
  const [first] = blocks
  return [
    ...(wanted && (first?.signature !== wanted.signature || first?.thinking !== wanted.thinking)
      ? [`messages.${index}: Expected \`thinking\`, but found \`${first?.type}\`, or it was modified`]
      : []),
    ...blocks.flatMap(({ type, signature = '' }) =>
      type === 'thinking' && !signatures.has(signature)
        ? [`messages.${index}: Invalid \`signature\` in \`thinking\` block`]
        : [],
    ),
  ]
}
