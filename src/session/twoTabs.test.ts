import 'fake-indexeddb/auto'
import type { UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { addTodos, completeTodos } from '../core/list.ts'
import { createTodoSession } from './createTodoSession.ts'
import { indexedDbStorage } from './indexedDb.ts'
import type { SessionData } from './record.ts'
import { memoryStorage, type SessionStorage } from './storage.ts'

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})
const complete = (id: number) => (data: SessionData) => ({
  ...data,
  list: completeTodos(data.list, [{ id }], 2).list,
})
const message = (id: string, text = id): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] })

let databases = 0
// Each tab has an IndexedDB storage, and so a connection, of its own.
const pairs: Record<string, () => [SessionStorage, SessionStorage]> = {
  memory: () => {
    databases += 1
    const storage = { ...memoryStorage(), scope: `tabs-${databases}` }
    return [storage, storage]
  },
  indexedDB: () => {
    databases += 1
    const databaseName = `tabs-${databases}`
    return [indexedDbStorage({ databaseName }), indexedDbStorage({ databaseName })]
  },
}

describe.each(Object.entries(pairs))('two tabs over %s', (_name, pair) => {
  async function openBoth() {
    const [first, second] = pair()
    const a = createTodoSession({ id: 's', storage: first })
    await a.commit(add('T1'))
    const b = createTodoSession({ id: 's', storage: second })
    await b.ready()
    return { a, b, first, second }
  }

  async function reloaded(storage: SessionStorage) {
    const session = createTodoSession({ id: 's', storage })
    await session.ready()
    return session.getAllTodos().map(({ id, content, status }) => `${id} ${content} ${status}`)
  }

  test('a tab that missed a change makes its own on top of it', async () => {
    const { a, b, second } = await openBoth()
    await b.commit(add('T2'))
    expect(await a.commit(complete(1))).toEqual({ revision: 3, changed: true, saved: true })
    const expected = ['1 T1 completed', '2 T2 pending']
    expect(a.getAllTodos().map(({ id, content, status }) => `${id} ${content} ${status}`)).toEqual(expected)
    expect(await reloaded(second)).toEqual(expected)
  })

  test('changes made at the same moment are all kept, with ids of their own', async () => {
    const { a, b, first } = await openBoth()
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) => [
        a.commit(add(`a${index}`)),
        b.commit(add(`b${index}`)),
      ]).flat(),
    )
    expect(results.every(({ saved }) => saved)).toBe(true)
    const items = await reloaded(first)
    expect(items).toHaveLength(21)
    expect(new Set(items.map((item) => item.split(' ')[0])).size).toBe(21)
    expect(await first.read('s')).toMatchObject({ revision: 21 })
  })

  test('a change that has become pointless commits nothing', async () => {
    const { a, b } = await openBoth()
    await b.commit(complete(1))
    expect(await a.commit(complete(1))).toEqual({ revision: 2, changed: false, saved: true })
  })

  test('a first change in both makes one session', async () => {
    const [first, second] = pair()
    const [a, b] = [
      createTodoSession({ id: 's', storage: first }),
      createTodoSession({ id: 's', storage: second }),
    ]
    await Promise.all([a.ready(), b.ready()])
    await Promise.all([a.commit(add('A')), b.commit(add('B'))])
    expect((await reloaded(first)).map((item) => item.slice(2)).sort()).toEqual(['A pending', 'B pending'])
  })

  test('what was deleted does not come back', async () => {
    const { a, b, first } = await openBoth()
    await a.saveMessages([message('m1')])
    await b.refresh()
    await b.delete()
    expect(await a.commit(add('T2'), { messages: [message('m1'), message('m2')] })).toMatchObject({
      changed: true,
      saved: false,
    })
    expect(a.store.getState()).toMatchObject({
      persistence: 'memory',
      problems: [{ code: 'deleted_elsewhere' }],
    })
    expect(a.getAllTodos()).toHaveLength(2)
    expect(await first.read('s')).toBeUndefined()
    expect(await first.readMessages('s')).toEqual([])
    expect(await a.commit(add('T3'))).toMatchObject({ saved: false })
    expect(await first.read('s')).toBeUndefined()
  })

  test('a run never begins on a session that was deleted, told of it or not', async () => {
    const { a, b, second } = await openBoth()
    await a.delete()
    const claim = await b.claim()
    expect(b.store.getState()).toMatchObject({ todos: [], createdAt: null, problems: [] })
    expect(await b.commit(add('T2'))).toMatchObject({ saved: true })
    claim.release()
    expect(b.store.getState().problems).toEqual([])
    expect(await reloaded(second)).toEqual(['1 T2 pending'])
  })

  test('a session that was deleted and begun again is not written into', async () => {
    const { a, b, first } = await openBoth()
    await b.delete()
    await new Promise((resolve) => setTimeout(resolve, 2))
    await b.commit(add('New'))
    expect(await a.commit(complete(1))).toMatchObject({ saved: false })
    expect(await reloaded(first)).toEqual(['1 New pending'])
  })

  test('a session that was begun again is told from the old one, though its revision is the same', async () => {
    const [first, second] = pair()
    const a = createTodoSession({ id: 's', storage: first, now: () => 1 })
    await a.commit(add('Old'))
    await createTodoSession({ id: 's', storage: second }).delete()
    await createTodoSession({ id: 's', storage: second, now: () => 2 }).commit(add('New'))
    await a.refresh()
    expect(a.store.getState()).toMatchObject({ revision: 1, persistence: 'memory' })
    expect(a.store.getState().persistenceDetail).toMatch(/deleted in another tab/)
  })

  test('sessions of different ids never touch each other', async () => {
    const [first, second] = pair()
    const a = createTodoSession({ id: 's1', storage: first })
    const b = createTodoSession({ id: 's2', storage: second })
    await Promise.all([a.commit(add('A')), b.commit(add('B')), a.commit(add('A2'))])
    expect((await first.list()).map(({ id, total }) => [id, total]).sort()).toEqual([
      ['s1', 2],
      ['s2', 1],
    ])
  })

  test('transcripts are joined: new and changed messages of both, without those that either deleted', async () => {
    const { a, b, first } = await openBoth()
    const [m1, m2, m3] = [message('m1'), message('m2'), message('m3')]
    await a.saveMessages([m1, m2, m3])
    await b.refresh()
    const seen = b.store.getState().messages
    const [b1, , b3] = seen
    await b.saveMessages([b1 ?? m1, b3 ?? m3, message('b4')])
    await a.saveMessages([message('m1', 'changed by a'), m2, m3, message('a4')])
    const ids = (await first.readMessages('s')) as UIMessage[]
    expect(ids.map(({ id }) => id)).toEqual(['m1', 'm3', 'b4', 'a4'])
    expect(ids[0]).toEqual(message('m1', 'changed by a'))
    expect(a.store.getState().messages).toEqual(ids)
  })

  test('refresh shows what the other tab wrote, and keeps what is not stored yet', async () => {
    const { a, b } = await openBoth()
    await b.commit(add('T2'))
    b.setMessages([message('shown')])
    await a.refresh()
    expect(a.getAllTodos()).toHaveLength(2)
    const before = a.store.getState()
    await a.refresh()
    expect(a.store.getState()).toBe(before)
  })

  test('a transcript that the other tab did not touch is not read again', async () => {
    const { a, b, first } = await openBoth()
    await a.saveMessages([message('m1')])
    await b.refresh()
    let reads = 0
    const inner = first.readMessages
    first.readMessages = (id) => {
      reads += 1
      return inner(id)
    }
    await b.commit(add('T2'))
    await a.commit(add('T3'))
    expect(reads).toBe(0)
    expect(a.store.getState().messages).toEqual([message('m1')])
  })

  test('history holds the changes of both', async () => {
    const { a, b } = await openBoth()
    await b.commit(add('T2'), { cause: { messageId: 'mb' } })
    await a.commit(add('T3'), { cause: { messageId: 'ma' } })
    const expected = [
      [1, 1, undefined],
      [2, 2, 'mb'],
      [3, 3, 'ma'],
    ]
    for (const session of [a, b]) {
      const history = await session.history()
      expect(
        history.map(({ revision, list, cause }) => [revision, list.todos.length, cause?.messageId]),
      ).toEqual(expected)
    }
  })
})
