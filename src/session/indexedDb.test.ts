import 'fake-indexeddb/auto'
import { createStore, entries, get, set } from 'idb-keyval'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { addTodos, completeTodos } from '../core/list.ts'
import { createTodoSession } from './createTodoSession.ts'
import { defaultStorage, indexedDbStorage } from './indexedDb.ts'
import type { SessionData } from './record.ts'
import type { SessionStorage } from './storage.ts'

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})
const addMany = (count: number) => (data: SessionData) => ({
  ...data,
  list: addTodos(
    data.list,
    Array.from({ length: count }, (_, index) => ({ title: `${index}` })),
    1,
  ).list,
})

let names = 0
function fresh() {
  names += 1
  const databaseName = `indexed-${names}`
  const onProblem = vi.fn()
  const open = (id = 's', storage = indexedDbStorage({ databaseName })) =>
    createTodoSession({ id, storage, onProblem })
  const records = async () =>
    (await entries(createStore(databaseName, 'records'))).map(([key]) => JSON.stringify(key)).sort()
  return { databaseName, open, records, codes: () => onProblem.mock.calls.map(([{ code }]) => code) }
}

async function reloaded(databaseName: string, id = 's') {
  const session = createTodoSession({ id, storage: indexedDbStorage({ databaseName }) })
  await session.ready()
  return session.getAllTodos().map(({ content }) => content)
}

/** Opens the database as another tab would. */
function openDatabase(
  name: string,
  version?: number,
  upgrade?: (database: IDBDatabase) => void,
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version)
    request.onupgradeneeded = () => upgrade?.(request.result)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('blocked'))
  })
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onblocked = () => reject(new Error('blocked'))
    request.onerror = () => reject(request.error)
  })
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('what is stored', () => {
  test('is one record per session and one per message, under a database of its own', async () => {
    const { open, records } = fresh()
    const session = open()
    const messages = ['m1', 'm2'].map((id) => ({ id, role: 'user' as const, parts: [] }))
    await session.commit(add('A'), { messages })
    expect(await records()).toEqual([
      '["database"]',
      '["head","s"]',
      '["message","s",0]',
      '["message","s",1]',
      '["session","s"]',
    ])
    await set('use-todo-agent', 'of the host')
    expect(await get('use-todo-agent')).toBe('of the host')
    expect(defaultStorage()).toBe(defaultStorage())
  })

  test('of a deleted session is nothing', async () => {
    const { open, records } = fresh()
    const session = open()
    for (let n = 0; n < 30; n += 1)
      await session.commit(addMany(5), { messages: [{ id: 'm', role: 'user', parts: [] }] })
    expect((await records()).filter((key) => key.includes('"revision"')).length).toBeGreaterThan(0)
    await session.delete()
    expect(await records()).toEqual(['["database"]'])
  })

  test('by hand, without a head, is written onto as well', async () => {
    const { open, records, databaseName } = fresh()
    await open().commit(addMany(3))
    const use = createStore(databaseName, 'records')
    await use('readwrite', (store) => void store.delete(['head', 's']))
    expect(await open().commit(add('last'))).toMatchObject({ saved: true })
    expect(await records()).toContain('["head","s"]')
  })
})

describe('a damaged record', () => {
  test('is kept under another key, with its time', async () => {
    const { databaseName, records } = fresh()
    const use = createStore(databaseName, 'records')
    await set(['session', 's'], { id: 's', list: 'nothing' }, use)
    const session = createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName }), now: () => 5 })
    await session.commit(add('A'))
    expect(await records()).toContain('["damaged","s",5]')
    expect(await get(['damaged', 's', 5], use)).toEqual({ id: 's', list: 'nothing' })
    expect(await reloaded(databaseName)).toEqual(['A'])
  })
})

describe('a database that goes away under an open session (d34)', () => {
  test('closed: the next write opens it again', async () => {
    const { open, databaseName, codes } = fresh()
    const session = open()
    await session.commit(add('A'))
    const close = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(function (
      this: IDBDatabase,
      ...args
    ) {
      this.close()
      close.mockRestore()
      return this.transaction(...args)
    })
    expect(await session.commit(add('B'))).toEqual({ revision: 2, changed: true, saved: true })
    expect(await reloaded(databaseName)).toEqual(['A', 'B'])
    expect(codes()).toEqual([])
  })

  test('deleted: all of the session is written again', async () => {
    const { open, databaseName, codes } = fresh()
    const session = open()
    const messages = [{ id: 'm', role: 'user' as const, parts: [] }]
    await session.commit(add('A'), { messages })
    await deleteDatabase(databaseName)
    expect(session.getAllTodos()).toHaveLength(1)
    expect(await session.commit(add('B'))).toEqual({ revision: 2, changed: true, saved: true })
    expect(await reloaded(databaseName)).toEqual(['A', 'B'])
    const again = open()
    await again.ready()
    expect(again.store.getState().messages).toEqual(messages)
    expect(codes()).toEqual([])
    await deleteDatabase(databaseName)
    expect(await session.commit(add('C'))).toMatchObject({ saved: true })
    expect(await reloaded(databaseName)).toEqual(['A', 'B', 'C'])
  })

  test('deleted, and made again by another tab: still nothing is lost', async () => {
    const { open, databaseName } = fresh()
    const a = open()
    await a.commit(add('A'))
    await deleteDatabase(databaseName)
    await open('another', indexedDbStorage({ databaseName })).commit(add('X'))
    expect(await a.commit(add('B'))).toMatchObject({ saved: true })
    expect(await reloaded(databaseName)).toEqual(['A', 'B'])
  })

  test('deleted: what was looked for in vain meanwhile is written again too', async () => {
    const { open, databaseName, codes } = fresh()
    const session = open()
    const messages = [{ id: 'm', role: 'user' as const, parts: [] }]
    await session.commit(add('A'), { messages })
    await deleteDatabase(databaseName)
    await session.refresh()
    expect(await session.commit(add('B'))).toMatchObject({ saved: true })
    await deleteDatabase(databaseName)
    const { release } = await session.claim()
    expect(session.getAllTodos()).toHaveLength(2)
    expect(session.store.getState().messages).toEqual(messages)
    expect(await session.commit(add('C'))).toMatchObject({ saved: true })
    release()
    expect(await reloaded(databaseName)).toEqual(['A', 'B', 'C'])
    expect(codes()).toEqual([])
  })

  test('a session deleted by another tab does not count as wiped', async () => {
    const { open, databaseName } = fresh()
    const a = open()
    await a.commit(add('A'))
    const b = open('s', indexedDbStorage({ databaseName }))
    await b.ready()
    await indexedDbStorage({ databaseName }).delete('s')
    await a.refresh()
    expect(await a.commit(add('B'))).toMatchObject({ saved: false })
    const { release } = await b.claim()
    release()
    expect(b.getAllTodos()).toEqual([])
    expect(await reloaded(databaseName)).toEqual([])
  })

  test('upgraded by another tab: our connection does not block it', async () => {
    const { open, databaseName } = fresh()
    const session = open()
    await session.commit(add('A'))
    const database = await openDatabase(databaseName, 5)
    database.close()
    expect(await session.commit(add('B'))).toMatchObject({ saved: true })
    expect(await reloaded(databaseName)).toEqual(['A', 'B'])
  })

  test('made before without our object store: the store is added', async () => {
    const { open, databaseName, codes } = fresh()
    const database = await openDatabase(databaseName, 1, (made) => made.createObjectStore('other'))
    database.close()
    const session = open()
    expect(await session.commit(add('A'))).toEqual({ revision: 1, changed: true, saved: true })
    expect(await reloaded(databaseName)).toEqual(['A'])
    expect(codes()).toEqual([])
    const after = await openDatabase(databaseName)
    expect([...after.objectStoreNames]).toEqual(['other', 'records'])
    after.close()
  })
})

describe('a failing IndexedDB', () => {
  test('an open that fails is not remembered', async () => {
    const { open, databaseName } = fresh()
    const opened = indexedDB.open.bind(indexedDB)
    const failing = vi.spyOn(indexedDB, 'open').mockImplementation(() => {
      const request = opened('x', 1)
      const broken = {} as { onerror?: () => void; onsuccess?: () => void; error?: Error }
      request.onsuccess = () => {
        request.result.close()
        broken.error = Object.assign(new Error('no'), { name: 'UnknownError' })
        broken.onerror?.()
      }
      return broken as unknown as IDBOpenDBRequest
    })
    const session = open()
    expect(await session.commit(add('A'))).toMatchObject({ saved: false })
    failing.mockRestore()
    await session.commit(add('B'))
    await session.flush()
    expect(session.store.getState().persistence).toBe('saved')
    expect(await reloaded(databaseName)).toEqual(['A', 'B'])
  })

  test('an open that never answers is given up, and what it was to do is not done late', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { open, databaseName } = fresh()
    const hanging = vi.spyOn(indexedDB, 'open').mockImplementation(() => ({}) as IDBOpenDBRequest)
    const session = open()
    const early = session.commit(add('A'))
    await vi.advanceTimersByTimeAsync(2000)
    expect(await early).toMatchObject({ saved: false })
    expect(session.store.getState()).toMatchObject({ hydrated: true, persistence: 'failed' })
    hanging.mockRestore()
    await vi.advanceTimersByTimeAsync(4000)
    vi.useRealTimers()
    await session.flush()
    expect(session.store.getState().persistence).toBe('saved')
    expect(await reloaded(databaseName)).toEqual(['A'])
  })

  test('without IndexedDB the session lives in memory (d36)', async () => {
    vi.stubGlobal('indexedDB', undefined)
    const { open, codes } = fresh()
    const session = open()
    expect(await session.commit(add('A'))).toEqual({ revision: 1, changed: true, saved: false })
    expect(session.store.getState()).toMatchObject({
      hydrated: true,
      persistence: 'memory',
      todos: [{ content: 'A' }],
    })
    await session.commit(add('B'))
    expect(codes()).toEqual(['not_saved'])
  })

  test.each(['SecurityError', 'InvalidStateError'])('access that throws a %s is no storage', async (name) => {
    const { open, codes } = fresh()
    vi.spyOn(globalThis, 'indexedDB', 'get').mockImplementation(() => {
      throw new DOMException('The operation is insecure.', name)
    })
    const session = open()
    expect(await session.commit(add('A'))).toMatchObject({ saved: false })
    expect(session.store.getState()).toMatchObject({ hydrated: true, persistence: 'memory' })
    expect(codes()).toEqual(['not_saved'])
    session.close()
  })

  test('a quota error is told by its name, and the newest state is stored once there is room (d37)', async () => {
    const { open, databaseName, codes } = fresh()
    const session = open()
    await session.commit(add('A'))
    const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore) {
      throw new DOMException('whatever', 'QuotaExceededError')
    })
    expect(await session.commit(add('B'))).toMatchObject({ saved: false })
    expect(session.store.getState().persistence).toBe('failed')
    put.mockRestore()
    expect(await session.commit(add('C'))).toEqual({ revision: 3, changed: true, saved: true })
    expect(await reloaded(databaseName)).toEqual(['A', 'B', 'C'])
    expect(codes()).toEqual(['not_saved'])
  })
})

describe('the list', () => {
  const listed = async (storage: SessionStorage) =>
    (await storage.list()).map(({ id, title, done, total }) => `${id} ${title} ${done}/${total}`).sort()

  test('says the same whether heads are packed or not, after every kind of change', async () => {
    const { databaseName, records } = fresh()
    const storage = indexedDbStorage({ databaseName })
    for (let n = 0; n < 70; n += 1) await createTodoSession({ id: `s${n}`, storage }).commit(add('A'))
    expect(await listed(storage)).toHaveLength(70)
    await vi.waitFor(async () => expect(await records()).not.toContain('["head","s0"]'))
    expect(await listed(storage)).toHaveLength(70)

    const session = createTodoSession({ id: 's0', storage })
    expect(await session.commit((data) => ({ ...data, title: 'New' }))).toMatchObject({ saved: true })
    await session.commit((data) => ({ ...data, list: completeTodos(data.list, [{ id: 1 }], 2).list }))
    await storage.delete('s1')
    await createTodoSession({ id: 'later', storage }).commit(add('A'))
    const expected = expect.arrayContaining(['s0 New 1/1', 'later null 0/1'])
    for (let times = 0; times < 3; times += 1) {
      const now = await listed(storage)
      expect(now).toEqual(expected)
      expect(now).toHaveLength(70)
      expect(now).not.toContain('s1 null 0/1')
    }
  })

  test('has what was put there without a head, and what can not be read', async () => {
    const { open, databaseName } = fresh()
    await open().commit(add('A'))
    const use = createStore(databaseName, 'records')
    await use('readwrite', (store) => {
      store.delete(['head', 's'])
      store.put({ id: 'damaged', list: 3 }, ['session', 'damaged'])
      store.put('no record', ['session', 'nothing'])
    })
    const storage = indexedDbStorage({ databaseName })
    for (let times = 0; times < 3; times += 1) {
      const list = await storage.list()
      expect(list.map(({ id, readable }) => [id, readable])).toEqual([
        ['damaged', false],
        ['s', true],
      ])
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })

  test('does without what was packed when that is damaged', async () => {
    const { open, databaseName } = fresh()
    await open().commit(add('A'))
    const use = createStore(databaseName, 'records')
    for (const packed of ['{"', '7', 5, '[3, {"id": "s"}]']) {
      await use('readwrite', (store) => void store.put(packed, ['heads']))
      expect(await listed(indexedDbStorage({ databaseName }))).toEqual(['s null 0/1'])
    }
  })
})

describe('retention', () => {
  test('beyond the limit deletes the sessions that were not changed for longest, with all that is theirs', async () => {
    const { databaseName, records } = fresh()
    const storage = indexedDbStorage({ databaseName, retention: { keep: 20 } })
    for (let n = 0; n < 25; n += 1) {
      const session = createTodoSession({ id: `s${n}`, storage, now: () => n })
      await session.commit(add('A'), { messages: [{ id: 'm', role: 'user', parts: [] }] })
    }
    await vi.waitFor(async () => expect(await storage.list()).toHaveLength(20), 5000)
    const kept = (await storage.list()).map(({ id }) => id)
    expect(kept).toContain('s5')
    expect(kept).not.toContain('s4')
    expect((await records()).filter((key) => key.includes('"s0"'))).toEqual([])
  })

  test.each([{ keep: -1 }, { keep: 1.5 }, { maxAge: Number.NaN }])('refuses %o', (retention) => {
    expect(() => indexedDbStorage({ retention })).toThrow(TypeError)
    expect(() => indexedDbStorage({ retention })).toThrow(`\`${Object.keys(retention)[0]}\``)
  })
})
