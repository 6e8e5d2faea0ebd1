import { createTodoSession, memoryStorage } from 'use-todo-agent/agent'
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
