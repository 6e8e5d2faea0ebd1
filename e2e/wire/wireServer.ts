import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// TYPES

/** A call of a tool. Arguments that are a string are sent as they are; an `id` may be anything, also nothing. */
export interface WireCall {
  readonly name: string
  readonly input: unknown
  readonly id?: unknown
}

/** What the model says in one response. */
export interface WireTurn {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly WireCall[]
  /** The word of the dialect for how it ended. @default the right one */
  readonly finish?: string
}

/** How it is sent, and what goes wrong with that. */
export interface WireManner {
  /** Bytes per write, whatever character they cut through. @default all at once */
  readonly bytes?: number
  /** Sent between any two events, such as a comment. */
  readonly noise?: string
  /** How many events are sent before `end`; a share of them where it is below 1. @default all */
  readonly after?: number
  /** Sent after them, as it is. */
  readonly tail?: string
  /** `eof`: the response just ends. `reset`: the connection breaks. `silence`: nothing more comes. */
  readonly end?: 'eof' | 'reset' | 'silence'
  /** Waits for this before the first byte. */
  readonly until?: PromiseLike<unknown>
}

/** An answer that is no stream of the dialect. */
export interface WireRefusal {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Put into the form that errors have in the dialect. */
  readonly message?: string
  readonly code?: string
  /** Sent as it is instead. */
  readonly body?: string
}

export type WireAnswer = string | (WireTurn & WireManner) | WireRefusal

export interface WireRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
  /** ms since 1970. */
  readonly at: number
}

/** One protocol, as one server speaks it. */
export interface Dialect {
  readonly name: string
  readonly path: string
  /** Starts to remember what was said, so that the next request can be held against it. */
  converse(): Conversation
}

export interface Conversation {
  /** The faults of a request, as a strict server finds them. */
  faults(body: Readonly<Record<string, unknown>>): string[]
  /** The events of an answer, each with its blank line. */
  events(turn: WireTurn, index: number): string[]
  /** The last answer was sent to its end. */
  sent(): void
  refusal(status: number, message: string, code?: string): unknown
}

export interface WireServer {
  readonly origin: string
  readonly port: number
  /** What a provider package takes for a base URL. */
  readonly baseURL: string
  readonly requests: readonly WireRequest[]
  /** Why requests were refused. Empty when all is well. */
  readonly faults: readonly string[]
  /** Answers that were given up by the other side. */
  readonly aborted: number
  close(): Promise<void>
}

// SERVER

/**
 * A server on the loopback address that plays answers in a dialect, one per request, and refuses with 400 what a strict server refuses.
 */
export async function startWireServer(
  dialect: Dialect,
  script: readonly (WireAnswer | ((request: WireRequest, index: number) => WireAnswer))[],
  port = 0,
): Promise<WireServer> {
  const requests: WireRequest[] = []
  const faults: string[] = []
  let conversation = dialect.converse()
  let aborted = 0

  const server = createServer(async (request, response) => {
    allowEveryOrigin(response)
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end()
      return
    }
    const path = request.url ?? ''
    const body = JSON.parse((await readAll(request)) || '{}') as Record<string, unknown>
    const index = requests.push({ path, headers: request.headers, body, at: Date.now() }) - 1
    response.once('close', () => {
      if (!response.writableFinished) aborted += 1
    })
    const found = path === dialect.path ? conversation.faults(body) : [`an unexpected ${path}`]
    if (found.length > 0) {
      faults.push(...found.map((fault) => `request ${index + 1}: ${fault}`))
      refuse(response, { status: 400, message: found.join('; ') }, conversation)
      return
    }
    const next = script[index]
    if (next === undefined) faults.push(`request ${index + 1}: the script is over`)
    const entry = typeof next === 'function' ? next(requests[index] as WireRequest, index) : next
    const answer =
      typeof entry === 'string' ? { text: entry } : (entry ?? { status: 500, message: 'no more' })
    if ('status' in answer) refuse(response, answer, conversation)
    else await play(response, conversation, answer, index)
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const { port: chosen } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${chosen}`
  return {
    origin,
    port: chosen,
    baseURL: `${origin}/v1`,
    requests,
    faults,
    get aborted() {
      return aborted
    },
    close: () =>
      new Promise((resolve) => {
        conversation = dialect.converse()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function play(
  response: ServerResponse,
  conversation: Conversation,
  answer: WireTurn & WireManner,
  index: number,
): Promise<void> {
  const { noise = '', after, tail = '', end } = answer
  await answer.until
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  const all = conversation.events(answer, index)
  const events = after === undefined ? all : all.slice(0, after < 1 ? Math.ceil(all.length * after) : after)
  const text = events.map((event) => `${noise}${event}`).join('')
  await writeInPieces(response, Buffer.from(text + tail), answer.bytes)
  if (after === undefined) conversation.sent()
  if (end === 'silence') return
  // The bytes before the break have to arrive first.
  if (end === 'reset') setTimeout(() => response.socket?.resetAndDestroy(), 50)
  else response.end()
}

function refuse(response: ServerResponse, refusal: WireRefusal, conversation: Conversation): void {
  const { status, headers, message = 'no', code, body } = refusal
  const isHtml = body?.startsWith('<') ?? false
  response.writeHead(status, { 'content-type': isHtml ? 'text/html' : 'application/json', ...headers })
  response.end(body ?? JSON.stringify(conversation.refusal(status, message, code)))
}

async function writeInPieces(response: ServerResponse, bytes: Buffer, size = bytes.length): Promise<void> {
  if (bytes.length === 0) response.flushHeaders()
  for (let from = 0; from < bytes.length; from += size) {
    response.write(bytes.subarray(from, from + size))
    await new Promise((resolve) => setImmediate(resolve))
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
