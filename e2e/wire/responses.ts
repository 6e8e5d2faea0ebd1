import { argumentsOf, createTailCheck, type Entry, isObjectText, units } from './checks.ts'
import type { Conversation, Dialect, WireTurn } from './wireServer.ts'

interface Item {
  readonly type?: string
  readonly id?: string
  readonly role?: string
  readonly content?:
    | string
    | readonly { readonly type: string; readonly text?: string; readonly annotations?: unknown }[]
  readonly call_id?: string
  readonly name?: string
  readonly arguments?: string
  readonly output?: unknown
  readonly status?: string
  readonly summary?: readonly { readonly type: string; readonly text: string }[]
  readonly encrypted_content?: string | null
}

/** OpenAI's responses. With `store` the server keeps its items, and only items of a response that ended can be referred to. */
export const openAIResponses: Dialect = { name: 'OpenAI responses', path: '/v1/responses', converse }

function converse(): Conversation {
  const checkTail = createTailCheck()
  const stored = new Map<string, Item>()
  // The reasoning that a call came with: the call is refused without it.
  const reasonings = new Map<string, Item>()
  let answer: readonly Item[] = []
  return {
    faults(body) {
      const items = (body['input'] ?? []) as readonly Item[]
      const missing = items.filter(({ type, id }) => type === 'item_reference' && !stored.has(id ?? ''))
      const expanded = items.map((item) =>
        item.type === 'item_reference' ? (stored.get(item.id ?? '') ?? item) : item,
      )
      return [
        ...(body['stream'] === true ? [] : ['it does not ask for a stream']),
        ...missing.map(({ id }) => `Item with id '${id}' not found.`),
        ...pairingFaults(expanded),
        ...reasoningFaults(expanded, reasonings),
        ...checkTail(expanded.map(toEntry)),
      ]
    },
    events(turn, index) {
      answer = itemsOf(turn, index)
      return eventsOf(answer, turn, index)
    },
    sent() {
      for (const item of answer) stored.set(item.id ?? '', item)
      const [first] = answer
      if (first?.type !== 'reasoning') return
      for (const item of answer) if (item.call_id) reasonings.set(item.call_id, first)
    },
    refusal: (_, message, code = null as unknown as string) => ({
      error: { message, type: 'invalid_request_error', param: 'input', code },
    }),
  }
}

function itemsOf(turn: WireTurn, index: number): Item[] {
  const { reasoning, text, calls = [] } = turn
  return [
    ...(reasoning === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_${index}`,
            summary: [{ type: 'summary_text', text: reasoning }],
            encrypted_content: `sealed-${index}`,
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `msg_${index}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...calls.map((call, place) => ({
      type: 'function_call',
      id: `fc_${index}_${place}`,
      call_id: ('id' in call ? call.id : `call_${index}_${place}`) as string,
      name: call.name,
      arguments: argumentsOf(call.input),
      status: 'completed',
    })),
  ]
}

function eventsOf(items: readonly Item[], turn: WireTurn, index: number): string[] {
  let number = 0
  const event = (type: string, fields: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...fields })}\n\n`
  const response = { id: `resp_${index}`, object: 'response', created_at: 1, model: 'gpt-5' }
  const end = turn.finish === 'incomplete' ? 'response.incomplete' : 'response.completed'
  return [
    event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
    event('response.in_progress', { response: { ...response, status: 'in_progress', output: [] } }),
    ...items.flatMap((item, output_index) => eventsOfItem(item, output_index, event)),
    event(end, {
      response: {
        ...response,
        status: 'completed',
        output: items,
        incomplete_details: turn.finish === 'incomplete' ? { reason: 'max_output_tokens' } : null,
        usage: {
          input_tokens: 12,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 7,
          output_tokens_details: { reasoning_tokens: 3 },
          total_tokens: 19,
        },
      },
    }),
  ]
}

function eventsOfItem(
  item: Item,
  output_index: number,
  event: (type: string, fields: object) => string,
): string[] {
  const item_id = item.id
  const at = { item_id, output_index }
  const added = (start: object) => event('response.output_item.added', { output_index, item: start })
  const done = event('response.output_item.done', { output_index, item })
  switch (item.type) {
    case 'reasoning': {
      const text = item.summary?.[0]?.text ?? ''
      const summary = { ...at, summary_index: 0 }
      return [
        added({ ...item, summary: [], encrypted_content: null }),
        event('response.reasoning_summary_part.added', {
          ...summary,
          part: { type: 'summary_text', text: '' },
        }),
        ...text
          .split(/(?<= )/u)
          .map((delta) => event('response.reasoning_summary_text.delta', { ...summary, delta })),
        event('response.reasoning_summary_text.done', { ...summary, text }),
        event('response.reasoning_summary_part.done', { ...summary, part: { type: 'summary_text', text } }),
        done,
      ]
    }
    case 'message': {
      const text = textOf(item)
      const part = { ...at, content_index: 0 }
      return [
        added({ ...item, status: 'in_progress', content: [] }),
        event('response.content_part.added', { ...part, part: { type: 'output_text', text: '' } }),
        ...text.split(/(?<= )/u).map((delta) => event('response.output_text.delta', { ...part, delta })),
        event('response.output_text.done', { ...part, text }),
        done,
      ]
    }
    default:
      return [
        added({ ...item, status: 'in_progress', arguments: '' }),
        ...units(item.arguments ?? '').map((delta) =>
          event('response.function_call_arguments.delta', { ...at, delta }),
        ),
        event('response.function_call_arguments.done', { ...at, arguments: item.arguments }),
        done,
      ]
  }
}

function textOf({ content }: Item): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => part.text ?? '').join('')
}

function toEntry(item: Item): Entry {
  if (item.role) return { role: item.role, text: textOf(item) }
  const { type = '', call_id, name, arguments: given, output } = item
  return { role: type, rest: [call_id, name, given, output] }
}

function pairingFaults(items: readonly Item[]): string[] {
  const faults: string[] = []
  const calls = items.filter(({ type }) => type === 'function_call')
  const outputs = items.filter(({ type }) => type === 'function_call_output')
  for (const { call_id, arguments: given } of calls) {
    if (!call_id?.trim()) faults.push('a function_call without a call_id')
    if (calls.filter((call) => call.call_id === call_id).length > 1) faults.push(`${call_id} is called twice`)
    if (!isObjectText(given)) faults.push(`arguments that are no object: ${given}`)
    const answers = outputs.filter((output) => output.call_id === call_id).length
    if (answers !== 1) faults.push(`No tool output found for function call ${call_id}. (${answers})`)
  }
  for (const { call_id } of outputs) {
    if (!calls.some((call) => call.call_id === call_id))
      faults.push(`No tool call found for function call output with call_id ${call_id}.`)
  }
  for (const item of items) if (item.role && textOf(item).trim() === '') faults.push(`a blank ${item.role}`)
  if (items.at(-1)?.role === 'assistant') faults.push('the last item is the own one of the model')
  return faults
}

function reasoningFaults(items: readonly Item[], known: ReadonlyMap<string, Item>): string[] {
  const faults: string[] = []
  for (const [index, item] of items.entries()) {
    if (item.type === 'reasoning') {
      const next = items[index + 1]
      const follows = next?.type === 'function_call' || next?.role === 'assistant'
      if (!follows)
        faults.push(`Item '${item.id}' of type 'reasoning' was provided without its following item.`)
    }
    const reasoning = item.type === 'function_call' ? known.get(item.call_id ?? '') : undefined
    if (!reasoning) continue
    const given = items.slice(0, index).find(({ id }) => id === reasoning.id)
    if (given?.encrypted_content !== reasoning.encrypted_content)
      faults.push(`'${item.call_id}' was provided without its required 'reasoning' item: '${reasoning.id}'.`)
  }
  return faults
}
