import { createTodoSession, memoryStorage, runTodoAgent } from 'use-todo-agent/agent'
import { call, collectRun, scriptedModel } from 'use-todo-agent/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { startModelServer } from '../../../e2e/modelServer.ts'
import { continueOnServer } from './keyStates.ts'
import { modelProxy } from './modelProxy.ts'
import { proxiedModel } from './proxiedModel.ts'
import { listForServer } from './wire.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const messages = [{ id: '1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Go' }] }]

async function sessionWithList() {
  const session = createTodoSession({ id: 'trip', storage: memoryStorage() })
  const model = scriptedModel([call.write('[x] Train', '[>] Hotel'), 'Half.', 'Half.', 'Half.', 'No hotel.'])
  await collectRun(runTodoAgent({ session, model, messages }))
  return session
}

test('a server gets the six keys, and what it sends back is the list', async () => {
  const session = await sessionWithList()
  let sent: Record<string, unknown> = {}
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    sent = JSON.parse(body)
    const todos = [...(sent['todos'] as object[]), { content: 'Dinner', status: 'pending' }]
    return Response.json({ ...sent, todos, of_the_server: true })
  })
  await continueOnServer(session, 'https://app.test/agent')
  expect(Object.keys(sent).sort()).toEqual([
    'todo_finalization_correction',
    'todo_guard_blocked',
    'todo_guard_retries',
    'todo_guard_suppressed',
    'todo_stale_iterations',
    'todos',
  ])
  expect(session.getAllTodos()).toMatchObject([
    { id: 1, content: 'Train', status: 'completed' },
    { id: 2, content: 'Hotel', status: 'in_progress' },
    { id: 3, content: 'Dinner', status: 'pending' },
  ])
})

test('the wire names of the items are those of the toolset by id', async () => {
  expect(listForServer(await sessionWithList())).toEqual([
    { id: 1, title: 'Train', isComplete: true },
    { id: 2, title: 'Hotel', isComplete: false },
  ])
})

test('a page behind the proxy runs the agent to its end and never sees the key', async () => {
  const server = await startModelServer((_request, index) =>
    index === 0
      ? [{ name: 'write_todos', input: { todos: [{ content: 'Train', status: 'completed' }] } }]
      : 'Booked.',
  )
  const realFetch = globalThis.fetch
  const upstream: { url: string; headers: Headers }[] = []
  const fromPage: Headers[] = []
  vi.stubGlobal('location', new URL('https://app.test/chat'))
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    if (url !== 'https://app.test/api/model/chat/completions') {
      upstream.push({ url, headers: new Headers(init.headers) })
      return realFetch(url, init)
    }
    fromPage.push(new Headers(init.headers))
    return modelProxy(new Request(url, init), { url: server.baseURL, key: 'sk-secret', model: 'small' })
  })
  try {
    const session = createTodoSession({ id: 'proxied', storage: memoryStorage() })
    const { result } = await collectRun(runTodoAgent({ session, model: proxiedModel(), messages }))
    expect(result).toMatchObject({ outcome: 'completed', steps: 2 })
    expect(upstream.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer sk-secret',
      'Bearer sk-secret',
    ])
    expect(fromPage.map((headers) => headers.get('authorization'))).toEqual([null, null])
    expect(server.requests.map(({ model }) => model)).toEqual(['small', 'small'])
    expect(server.problems).toEqual([])
  } finally {
    await server.close()
  }
})
