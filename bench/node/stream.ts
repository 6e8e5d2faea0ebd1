import { streamText } from 'ai'
import { createTodoSession, memoryStorage, runTodoAgent } from 'use-todo-agent/agent'
import { interleave, type Row, ratioRow, timed } from '../measure.ts'
import { bareModel, textOf } from './models.ts'

const DELTAS = 20_000

/** 20,000 text deltas to UI message chunks. */
export async function streamRows(): Promise<readonly Row[]> {
  const samples = await interleave({ kit: () => timed(ours), streamText: () => timed(bare) }, { rounds: 7 })
  return [
    ratioRow(samples, ['kit', 'streamText'], {
      id: 'stream',
      group: 'stream',
      what: '20,000 text deltas through runTodoAgent, against bare streamText',
      bound: 1.1,
    }),
  ]
}

let sessions = 0

async function ours(): Promise<void> {
  sessions += 1
  const session = createTodoSession({ id: `stream-${sessions}`, storage: memoryStorage() })
  const model = bareModel(() => textOf(DELTAS))
  const run = runTodoAgent({
    session,
    model,
    messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
  })
  let chunks = 0
  for await (const chunk of run) if (chunk.type === 'text-delta') chunks += 1
  session.close()
  expectChunks(chunks)
}

async function bare(): Promise<void> {
  const result = streamText({ model: bareModel(() => textOf(DELTAS)), prompt: 'go' })
  let chunks = 0
  for await (const chunk of result.toUIMessageStream()) if (chunk.type === 'text-delta') chunks += 1
  expectChunks(chunks)
}

function expectChunks(chunks: number): void {
  if (chunks !== DELTAS) throw new Error(`${chunks} of ${DELTAS} deltas arrived.`)
}
