import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequestValidator, type RequestValidator } from '../src/testing/requestValidator.ts'
import type { ScriptedStep } from '../src/testing/scriptedModel.ts'
import type { DrivenReports } from '../stories/driven/DrivenPage.tsx'

// TYPES

export type Prompt = DrivenReports['step']['prompt']

/** Something that a page has told, in the order in which it came. */
export interface DrivenEvent {
  readonly kind: 'step' | 'tool'
  /** One run of one page. */
  readonly run: string
  /** The call that began, `null` for a request to the model. */
  readonly callId: string | null
}

export interface DrivenServer {
  readonly port: number
  readonly events: readonly DrivenEvent[]
  /** Faults of requests, and what happened that must not: a tool run twice for a call, two runs at once. */
  readonly problems: readonly string[]
  /** Resolves when so many things have been told, counted from the start. */
  reached(events: number): Promise<void>
  close(): Promise<void>
}

// SERVER

/** The model and the tools of the driven pages, on the loopback address. */
export async function startDrivenServer(
  answer: (prompt: Prompt) => ScriptedStep | Promise<ScriptedStep>,
): Promise<DrivenServer> {
  const events: DrivenEvent[] = []
  const problems: string[] = []
  const begun = new Set<string>()
  const pastRuns = new Set<string>()
  const validators = new Map<string, RequestValidator>()
  const waits = new Set<() => void>()

  function take(event: DrivenEvent): void {
    const before = events.at(-1)?.run
    if (before !== undefined && before !== event.run) pastRuns.add(before)
    if (pastRuns.has(event.run)) problems.push(`run ${event.run} went on after another one had begun`)
    events.push(event)
    for (const look of [...waits]) look()
  }

  function takeStep({ page, run, prompt }: DrivenReports['step']): void {
    const validator = validators.get(page) ?? createRequestValidator({ prefix: false })
    validators.set(page, validator)
    const faults = validator.check({ prompt })
    problems.push(...faults.map((fault) => `request ${events.length} of ${page}: ${fault}`))
    take({ kind: 'step', run: `${page}/${run}`, callId: null })
  }

  function takeTool({ page, run, callId }: DrivenReports['tool']): void {
    if (begun.has(callId)) problems.push(`call ${callId} was run twice`)
    begun.add(callId)
    take({ kind: 'tool', run: `${page}/${run}`, callId })
  }

  const server = createServer(async (request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    try {
      const body: unknown = JSON.parse(await readAll(request))
      if (request.url === '/step') {
        takeStep(body as DrivenReports['step'])
        response.end(JSON.stringify(await answer((body as DrivenReports['step']).prompt)))
      } else {
        takeTool(body as DrivenReports['tool'])
        response.end(`did ${(body as DrivenReports['tool']).n}`)
      }
    } catch {
      // The page that asked was killed in the middle.
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    events,
    problems,
    reached: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (events.length < count) return
          waits.delete(look)
          resolve()
        }
        waits.add(look)
        look()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

// PROMPTS

/** A result that stands in a prompt. */
export interface PromptResult {
  readonly tool: string
  readonly failed: boolean
  readonly value: unknown
}

/** The results in a prompt that the model has not been told of before this run's messages ended: all of them, in order. */
export function resultsIn(prompt: Prompt): PromptResult[] {
  return prompt.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) =>
          part.type === 'tool-result'
            ? [
                {
                  tool: part.toolName,
                  failed: part.output.type.startsWith('error'),
                  value: 'value' in part.output ? part.output.value : undefined,
                },
              ]
            : [],
        )
      : [],
  )
}

// RANDOM

/** Random numbers from 0 to 1 that are the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
