import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// TYPES

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null
  readonly tool_calls?: readonly {
    readonly id: string
    readonly type: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id?: string
}

export interface ChatRequest {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

/** A text, or calls of tools with their arguments. */
export type Answer = string | readonly { readonly name: string; readonly input: unknown }[]

export interface ModelServer {
  readonly port: number
  /** What a person types as base URL. */
  readonly baseURL: string
  readonly requests: readonly ChatRequest[]
  /** Faults of the requests, in words: broken pairs of call and result, blank messages, a wrong path. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

// SERVER

/**
 * A server on the loopback address that speaks the stream of OpenAI's chat completions. Arguments of calls are sent character by character,
 * and each event in two pieces, as a network may cut them.
 */
export async function startModelServer(
  answer: (request: ChatRequest, index: number) => Answer,
  port = 0,
): Promise<ModelServer> {
  const requests: ChatRequest[] = []
  const problems: string[] = []

  const server = createServer(async (request, response) => {
    allowEveryOrigin(response)
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end()
      return
    }
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      problems.push(`an unexpected ${request.method} ${request.url}`)
      response.writeHead(404).end()
      return
    }
    const body = JSON.parse(await readAll(request)) as ChatRequest
    const index = requests.push(body) - 1
    problems.push(...faultsOf(body).map((fault) => `request ${index + 1}: ${fault}`))
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (const event of eventsOf(answer(body, index), index)) await writeInTwo(response, `data: ${event}\n\n`)
    response.end()
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address() as AddressInfo
  return {
    port: address.port,
    baseURL: `http://127.0.0.1:${address.port}/v1`,
    requests,
    problems,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function allowEveryOrigin(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-headers', '*, authorization')
  response.setHeader('access-control-allow-methods', 'POST, OPTIONS')
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

// Cut at a byte, so that a character of several bytes may be cut too.
async function writeInTwo(response: ServerResponse, event: string): Promise<void> {
  const bytes = Buffer.from(event)
  const middle = Math.floor(bytes.length / 2)
  response.write(bytes.subarray(0, middle))
  await new Promise((resolve) => setImmediate(resolve))
  response.write(bytes.subarray(middle))
}

function* eventsOf(answer: Answer, index: number): Generator<string> {
  const event = (delta: object, finish: string | null = null) =>
    JSON.stringify({
      id: `answer-${index}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'loopback',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  yield event({ role: 'assistant', content: '' })
  if (typeof answer === 'string') {
    for (const word of answer.split(/(?<= )/u)) yield event({ content: word })
    yield event({}, 'stop')
  } else {
    for (const [place, { name, input }] of answer.entries()) {
      const id = `call-${index}-${place}`
      yield event({
        tool_calls: [{ index: place, id, type: 'function', function: { name, arguments: '' } }],
      })
      for (const character of JSON.stringify(input)) {
        yield event({ tool_calls: [{ index: place, function: { arguments: character } }] })
      }
    }
    yield event({}, 'tool_calls')
  }
  yield '[DONE]'
}

// CHECKS

/** What a strict server would refuse. */
function faultsOf({ messages, stream }: ChatRequest): string[] {
  const faults: string[] = []
  const seen = new Set<string>()
  let open: string[] = []
  if (stream !== true) faults.push('it does not ask for a stream')
  for (const [index, message] of messages.entries()) {
    const report = (fault: string) => faults.push(`message ${index + 1} (${message.role}) ${fault}`)
    if (message.role === 'tool') {
      const id = message.tool_call_id ?? ''
      if (!open.includes(id)) report(`answers "${id}", which is not an open call`)
      open = open.filter((other) => other !== id)
      continue
    }
    if (open.length > 0) report(`stands before the results of ${open.join(', ')}`)
    open = []
    if (message.role === 'system' && index > 0) report('is not the first')
    const calls = message.tool_calls ?? []
    if (textOf(message).trim() === '' && calls.length === 0) report('is blank')
    for (const call of calls) {
      if (seen.has(call.id)) report(`uses the id ${call.id} again`)
      seen.add(call.id)
      open.push(call.id)
      if (!isObject(call.function.arguments))
        report(`has arguments that are no object: ${call.function.arguments}`)
    }
  }
  if (open.length > 0) faults.push(`no result for ${open.join(', ')}`)
  if (messages.at(-1)?.role === 'assistant') faults.push('the last message is the own one of the model')
  return faults
}

/** The text of a message, whichever of its two shapes it has. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => part.text ?? '').join('')
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
