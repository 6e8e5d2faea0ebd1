import { expect, type Page } from './fixtures.ts'
import { openAIChat } from './wire/chatCompletions.ts'

import {
  type Dialect,
  startWireServer,
  type WireAnswer,
  type WireCall,
  type WireRequest,
  type WireServer,
} from './wire/wireServer.ts'

/** A call that writes the list: `[>] A` is in progress, `[x] A` completed, `[ ] A` pending. */
export function write(...lines: readonly string[]): WireCall {
  const statuses: Record<string, string> = { '[>]': 'in_progress', '[x]': 'completed', '[ ]': 'pending' }
  const todos = lines.map((line) => ({ content: line.slice(4), status: statuses[line.slice(0, 3)] }))
  return { name: 'write_todos', input: { todos } }
}

export const calls = (...made: readonly WireCall[]): WireAnswer => ({ calls: made })

/** Begins to speak and never ends. */
export const slow = (text: string): WireAnswer => ({ text, after: 0.5, end: 'silence' })

/** Runs a test against a server that plays a script, and then holds each request against what a strict server takes. */
export async function withServer(
  script: readonly (WireAnswer | ((request: WireRequest) => WireAnswer))[],
  use: (server: WireServer) => Promise<void>,
  dialect: Dialect = openAIChat,
): Promise<void> {
  const server = await startWireServer(dialect, script)
  try {
    await use(server)
    expect(server.faults).toEqual([])
    expect(server.requests).toHaveLength(script.length)
    // Nobody gave a key for this server.
    for (const { headers } of server.requests) expect(headers.authorization).toBeUndefined()
  } finally {
    await server.close()
  }
}

/** Waits until so many requests have come. */
export async function reached(server: WireServer, requests: number): Promise<void> {
  await expect.poll(() => server.requests.length).toBe(requests)
}

/** All that a request says, as JSON. */
export function bodyOf(server: WireServer, request: number): string {
  return JSON.stringify(server.requests[request]?.body)
}

/** What the person said, as the page shows it. */
export function personsWords(page: Page): Promise<string[]> {
  return page.getByRole('article', { name: 'You' }).allInnerTexts()
}
