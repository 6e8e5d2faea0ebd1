import { createTodoSession, memoryStorage, runTodoAgent } from 'use-todo-agent/agent'
import { call, collectRun, type ScriptEntry, scriptedModel } from 'use-todo-agent/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { httpStorage } from './httpStorage.ts'
import { storageRoute } from './storageRoute.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const requestOf = (body: unknown) =>
  new Request('https://app.test/sessions', { method: 'POST', body: JSON.stringify(body) })

test('the route runs nothing but the methods of a storage', async () => {
  for (const method of ['constructor', 'toString', 'durable', '__proto__']) {
    const response = await storageRoute(requestOf({ method, args: [] }), memoryStorage())
    expect(response.status).toBe(400)
  }
})

test('two pages over one server see one list, and the second write is made on the first', async () => {
  const onServer = memoryStorage()
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => storageRoute(new Request(url, init), onServer))
  const page = () => createTodoSession({ id: 'trip', storage: httpStorage('https://app.test/sessions') })
  const [one, two] = [page(), page()]
  await Promise.all([one.ready(), two.ready()])
  const add = (session: typeof one, content: string) =>
    session.commit((data) => ({
      ...data,
      list: {
        nextId: data.list.nextId + 1,
        todos: [...data.list.todos, { id: data.list.nextId, content, status: 'pending', createdAt: 1 }],
      },
    }))
  await add(one, 'Book the train')
  await add(two, 'Book the hotel')
  const third = page()
  await third.ready()
  expect(third.getAllTodos()).toMatchObject([
    { id: 1, content: 'Book the train' },
    { id: 2, content: 'Book the hotel' },
  ])
})

test('of two runs on two devices the older one stops at its next write', async () => {
  const onServer = memoryStorage()
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => storageRoute(new Request(url, init), onServer))
  const messages = [{ id: '1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Go' }] }]
  const device = (script: ScriptEntry[]) => {
    const session = createTodoSession({ id: 'trip', storage: httpStorage('https://app.test/sessions') })
    return collectRun(runTodoAgent({ session, model: scriptedModel(script), messages }))
  }
  let goOn = () => {}
  const until = new Promise<void>((resolve) => {
    goOn = resolve
  })
  let older: ReturnType<typeof device> | undefined
  await new Promise<void>((asked) => {
    const first = () => {
      asked()
      return { toolCalls: [call.write('[>] Of the older')], until }
    }
    older = device([first, 'Done.'])
  })
  const { result } = await device([call.write('[x] Of the younger'), 'Done.'])
  expect(result.outcome).toBe('completed')
  goOn()
  expect((await older)?.result.outcome).toBe('stopped')
  const third = createTodoSession({ id: 'trip', storage: httpStorage('https://app.test/sessions') })
  await third.ready()
  expect(third.getAllTodos()).toMatchObject([{ content: 'Of the younger', status: 'completed' }])
})
