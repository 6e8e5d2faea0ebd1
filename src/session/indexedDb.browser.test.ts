import { describe, expect, test } from 'vitest'
import { addTodos, completeTodos } from '../core/list.ts'
import { storageContract } from '../testing/storageContract.ts'
import { createTodoSession } from './createTodoSession.ts'
import { indexedDbStorage } from './indexedDb.ts'
import type { SessionData } from './record.ts'
import type { SessionStorage } from './storage.ts'

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})
const complete = (id: number) => (data: SessionData) => ({
  ...data,
  list: completeTodos(data.list, [{ id }], 2).list,
})

let names = 0
function fresh() {
  names += 1
  return `browser-${names}-${Math.random().toString(36).slice(2)}`
}

async function reloaded(databaseName: string) {
  const session = createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName }) })
  await session.ready()
  return session.getAllTodos().map(({ content, status }) => `${content} ${status}`)
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('blocked'))
  })
}

describe('the storage contract', () => {
  test.each(storageContract)('$name', ({ run }) => run(() => indexedDbStorage()))
})

describe('the database goes away under an open session', () => {
  test('deleted: all of the session is written again', async () => {
    const databaseName = fresh()
    const session = createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName }) })
    await session.commit(add('A'), { messages: [{ id: 'm', role: 'user', parts: [] }] })
    await deleteDatabase(databaseName)
    expect(await session.commit(add('B'))).toEqual({ revision: 2, changed: true, saved: true })
    expect(await reloaded(databaseName)).toEqual(['A pending', 'B pending'])
  })

  test('made before without our object store: the store is added', async () => {
    const databaseName = fresh()
    const made = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open(databaseName, 3)
      request.onupgradeneeded = () => request.result.createObjectStore('other')
      request.onsuccess = () => resolve(request.result)
    })
    made.close()
    const session = createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName: databaseName }) })
    expect(await session.commit(add('A'))).toMatchObject({ saved: true })
    expect(await reloaded(databaseName)).toEqual(['A pending'])
  })
})

describe('two tabs', () => {
  test('keep the changes of both', async () => {
    const databaseName = fresh()
    const open = () => createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName }) })
    const a = open()
    await a.commit(add('T1'))
    const b = open()
    await b.ready()
    await b.commit(add('T2'))
    expect(await a.commit(complete(1))).toMatchObject({ saved: true })
    expect(await reloaded(databaseName)).toEqual(['T1 completed', 'T2 pending'])
  })
})

describe('a page that goes away', () => {
  test('right after a commit leaves a whole list, before it or after it', async () => {
    for (const wait of [0, 1, 3, 8]) {
      const databaseName = fresh()
      const { frame, session } = await openInFrame(databaseName)
      await session.commit(add('A'))
      void session.commit((data) => complete(1)(add('B')(data)))
      await new Promise((resolve) => setTimeout(resolve, wait))
      frame.remove()
      expect([['A pending'], ['A completed', 'B pending']]).toContainEqual(await reloaded(databaseName))
    }
  })

  test('by navigation while one write is under way still begins the next', async () => {
    const databaseName = fresh()
    const { frame, session, storage } = await openInFrame(databaseName)
    await session.commit(add('A'))
    const expected: (number | null)[] = []
    const write = storage.write
    storage.write = (record, onto, writes) => {
      expected.push(onto)
      return write(record, onto, writes)
    }
    void session.commit(add('B'))
    while (expected.length === 0) await Promise.resolve()
    void session.commit(add('C'))
    frame.contentWindow?.dispatchEvent(new Event('pagehide'))
    expect(expected).toEqual([1, 2])
    await session.flush()
    expect(await reloaded(databaseName)).toEqual(['A pending', 'B pending', 'C pending'])
    expect(session.store.getState()).toMatchObject({ persistence: 'saved', revision: 3 })
    frame.remove()
  })

  test('in the middle of a run shows it as interrupted when it is opened again', async () => {
    const databaseName = fresh()
    const { frame, session } = await openInFrame(databaseName)
    await session.commit((data) => ({
      ...add('A')(data),
      run: { ...data.run, status: 'running', startedAt: 1 },
    }))
    frame.remove()
    const again = createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName }) })
    await again.ready()
    expect(again.store.getState().run.status).toBe('interrupted')
  })
})

/** A session that another page of the same origin runs. */
async function openInFrame(databaseName: string) {
  const frame = document.createElement('iframe')
  document.body.append(frame)
  const inside = frame.contentWindow as unknown as { eval(code: string): Promise<unknown> }
  const load = (file: string) => inside.eval(`import(${JSON.stringify(new URL(file, import.meta.url).href)})`)
  const sessions = (await load('./createTodoSession.ts')) as { createTodoSession: typeof createTodoSession }
  const storages = (await load('./indexedDb.ts')) as { indexedDbStorage: typeof indexedDbStorage }
  const storage: SessionStorage = storages.indexedDbStorage({ databaseName })
  return { frame, storage, session: sessions.createTodoSession({ id: 's', storage }) }
}
