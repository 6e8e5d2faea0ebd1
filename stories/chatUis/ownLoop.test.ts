import { emptyList, idleRun, initialGuard } from 'use-todo-agent/core'
import { describe, expect, test } from 'vitest'
import { openAIChatWhole } from '../../e2e/wire/chatCompletions.ts'
import { startWireServer, type WireAnswer } from '../../e2e/wire/wireServer.ts'
import { type LoopState, runLoop } from './ownLoop.ts'

const todos = (...items: readonly [string, string][]) => ({
  name: 'write_todos',
  input: { todos: items.map(([content, status]) => ({ content, status })) },
})

async function play(script: readonly WireAnswer[], text = 'Do A and B') {
  const server = await startWireServer(openAIChatWhole, script)
  const states: LoopState[] = []
  const tools = {
    double: {
      description: 'Doubles',
      parameters: { type: 'object', properties: { n: { type: 'number' } } },
      execute: ({ n }: { n: number }) => n * 2,
    },
  }
  const stopper = new AbortController()
  const run = (from: Partial<LoopState>, continued = false) =>
    runLoop(
      { messages: [], list: emptyList, guard: initialGuard, run: idleRun, ...from },
      {
        baseURL: server.baseURL,
        model: 'loopback',
        tools,
        continued,
        signal: stopper.signal,
        onChange: (state) => states.push(state),
      },
    )
  await run({ messages: [{ role: 'user', content: text }] })
  const last = states.at(-1) as LoopState
  await server.close()
  expect(server.faults).toEqual([])
  expect(server.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  return { server, states, last }
}

describe('a loop of the host around the core', () => {
  test('puts the list in, runs the tools, and ends when all is done', async () => {
    const { server, last } = await play([
      { calls: [todos(['A', 'in_progress'], ['B', 'pending'])] },
      { calls: [{ name: 'double', input: { n: 21 } }] },
      { calls: [todos(['A', 'completed'], ['B', 'completed'])] },
      'It is 42.',
    ])
    expect(last.run).toMatchObject({ status: 'idle', outcome: 'completed', openIds: [] })
    expect(last.list.todos).toMatchObject([
      { id: 1, status: 'completed' },
      { id: 2, status: 'completed' },
    ])
    expect(last.messages.map(({ role }) => role).join(' ')).toBe(
      'user assistant tool assistant tool assistant tool assistant',
    )
    expect(JSON.stringify(server.requests[2]?.body)).toContain('42')
    const tail = (server.requests[1]?.body['messages'] ?? []) as unknown[]
    expect(JSON.stringify(tail.at(-1))).toContain('in_progress')
  })

  test('sends an answer over open items back, not in the words of the person', async () => {
    const { last, states } = await play([
      { calls: [todos(['A', 'in_progress'])] },
      'All done.',
      { calls: [todos(['A', 'completed'])] },
      'Now it is.',
    ])
    const sources = last.messages.flatMap(({ source }) => source ?? [])
    expect(sources).toEqual(['todo_guard'])
    expect(states.some(({ run }) => run.correction?.count === 1)).toBe(true)
    expect(last.run.outcome).toBe('completed')
  })

  test('gives up on a model that never moves, and says so (a10)', async () => {
    const { last, server } = await play([
      { calls: [todos(['A', 'in_progress'])] },
      ...['Done.', 'Done!', 'Really done.', 'I could not do A.'],
    ])
    expect(last.run).toMatchObject({ outcome: 'blocked', openIds: [1] })
    expect(server.requests).toHaveLength(5)
  })

  test('refuses what cannot be read, two writes at once, and unknown tools, and goes on', async () => {
    const { last } = await play([
      { calls: [{ name: 'write_todos', input: { todos: 'A' } }] },
      { calls: [todos(['A', 'in_progress']), todos(['B', 'in_progress'])] },
      { calls: [{ name: 'TodoWrite', input: {} }] },
      'I give up.',
    ])
    const results = last.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    expect(results).toHaveLength(4)
    expect(results[0]).toContain('expected')
    expect(results[1]).toContain('Only one write_todos call per step')
    expect(results[3]).toBe('There is no tool TodoWrite.')
    expect(last.list.todos).toEqual([])
  })

  test('a server that refuses, or that is not there, ends it with the reason', async () => {
    const { last } = await play([{ status: 404, message: 'model "loopback" not found' }])
    expect(last.run).toMatchObject({
      outcome: 'failed',
      error: { message: expect.stringContaining('not found') },
    })
    expect(last.messages).toHaveLength(1)
  })
})
