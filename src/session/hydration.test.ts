import type { UIMessage } from 'ai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addTodos, completeTodos } from '../core/list.ts'
import { faultyStorage, type PlannedFault } from '../testing/faultyStorage.ts'
import { createTodoSession } from './createTodoSession.ts'
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
const contents = (todos: readonly { content: string }[]) => todos.map(({ content }) => content)

// Only timers: the storage itself answers in microtasks.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A storage in which session `s` is saved with items A, B and C, a title and two messages. */
async function saved(): Promise<SessionStorage> {
  const storage = { ...memoryStorage(), durable: true }
  const session = createTodoSession({ id: 's', storage })
  for (const title of ['A', 'B', 'C']) await session.commit(add(title))
  await session.commit((data) => ({ ...data, title: 'Saved' }), { messages: [message('m1'), message('m2')] })
  return storage
}

async function reading(fault: PlannedFault, storage: SessionStorage) {
  const faulty = faultyStorage(storage, ({ method }) => (method === 'read' ? fault : null))
  const onProblem = vi.fn()
  return { faulty, onProblem, session: createTodoSession({ id: 's', storage: faulty, onProblem }) }
}

describe('changes before the first read has settled (c28)', () => {
  test('make nothing of an empty list while a run is claimed', async () => {
    const { session } = await reading({ delay: 200 }, await saved())
    const seen: boolean[] = []
    session.store.subscribe(({ hydrated, todos }) => seen.push(hydrated === todos.length > 0))
    const { release } = await session.claim()
    expect(session.store.getState()).toMatchObject({ driver: 'self', hydrated: false })
    const ready = session.ready()
    await vi.advanceTimersByTimeAsync(1000)
    await ready
    expect(session.getAllTodos()).toHaveLength(3)
    expect(seen).not.toContain(false)
    release()
  })

  test('are made on what was read, and nothing is written before', async () => {
    const { session, faulty } = await reading({ delay: 200 }, await saved())
    const other = createTodoSession({ id: 's2', storage: faulty })
    let hydrations = 0
    session.store.subscribe((state, previous) => {
      if (state.hydrated && !previous.hydrated) hydrations += 1
    })
    void session.ready()
    await vi.advanceTimersByTimeAsync(20)
    const writing = other.commit(add('of s2'))
    const completing = session.commit(complete(2))
    const titling = session.commit((data) => ({ ...data, title: `${data.title}!` }))
    expect(session.store.getState()).toMatchObject({ hydrated: false, todos: [] })
    await vi.advanceTimersByTimeAsync(80)
    const again = session.refresh()
    expect(faulty.calls.every(({ method }) => method === 'read')).toBe(true)
    await vi.advanceTimersByTimeAsync(1000)
    await again
    expect(await completing).toEqual({ revision: 5, changed: true, saved: true })
    expect(await titling).toEqual({ revision: 6, changed: true, saved: true })
    expect(await writing).toEqual({ revision: 1, changed: true, saved: true })
    expect(hydrations).toBe(1)
    expect(contents(other.getAllTodos())).toEqual(['of s2'])
    expect(session.getAllTodos().map(({ status }) => status)).toEqual(['pending', 'completed', 'pending'])
    expect(session.store.getState().data.title).toBe('Saved!')
    expect(session.store.getState().messages).toHaveLength(2)
  })

  test('made by a listener of the hydration itself are kept too', async () => {
    const storage = await saved()
    const session = createTodoSession({ id: 's', storage })
    let done: Promise<unknown> | undefined
    session.store.subscribe((state, previous) => {
      if (state.hydrated && !previous.hydrated) done = session.commit(add('D'))
    })
    await session.ready()
    expect(await done).toMatchObject({ saved: true })
    expect(contents(session.getAllTodos())).toEqual(['A', 'B', 'C', 'D'])
  })

  test('shown messages come after the stored ones', async () => {
    const session = createTodoSession({ id: 's', storage: await saved() })
    session.setMessages([message('m2', 'newer'), message('m3')])
    await session.ready()
    expect(session.store.getState().messages).toEqual([message('m1'), message('m2', 'newer'), message('m3')])
  })

  test('a transcript saved early is joined with the stored one', async () => {
    const storage = await saved()
    const session = createTodoSession({ id: 's', storage })
    expect(await session.saveMessages([message('m3')])).toBe(true)
    expect(session.store.getState().messages).toEqual([message('m1'), message('m2'), message('m3')])
    expect(await storage.readMessages('s')).toEqual([message('m1'), message('m2'), message('m3')])
  })
})

describe('a first read that does not answer in time', () => {
  test('lets the session be used in memory and overwrites nothing', async () => {
    const storage = await saved()
    const { session, faulty, onProblem } = await reading({ hang: true }, storage)
    const early = session.commit(add('D'))
    await vi.advanceTimersByTimeAsync(2000)
    expect(await early).toEqual({ revision: 1, changed: true, saved: false })
    expect(session.store.getState()).toMatchObject({ hydrated: true, persistence: 'failed' })
    expect(session.store.getState().persistenceDetail).toMatch(/does not answer/)
    expect(await session.commit(add('E'))).toEqual({ revision: 2, changed: true, saved: false })
    await vi.advanceTimersByTimeAsync(20_000)
    expect(faulty.calls.filter(({ method }) => method === 'write')).toEqual([])
    expect(onProblem.mock.calls.map(([{ code }]) => code)).toEqual(['not_saved'])
    expect(await storage.read('s')).toMatchObject({ revision: 4 })
  })

  test('is taken over when it answers late, and the changes are made on it', async () => {
    const { session } = await reading({ delay: 5000 }, await saved())
    const early = session.commit(add('D'))
    await vi.advanceTimersByTimeAsync(3000)
    expect(await early).toMatchObject({ saved: false })
    const later = session.commit(complete(1))
    session.setMessages([message('m9')])
    expect(await later).toMatchObject({ saved: false })
    await vi.advanceTimersByTimeAsync(3000)
    await session.flush()
    expect(session.store.getState()).toMatchObject({
      persistence: 'saved',
      persistenceDetail: null,
      revision: 6,
    })
    expect(session.getAllTodos().map(({ content, status }) => `${content} ${status}`)).toEqual([
      'A completed',
      'B pending',
      'C pending',
      'D pending',
    ])
    expect(session.store.getState().messages.map(({ id }) => id)).toEqual(['m1', 'm2', 'm9'])
  })
})

describe('a first read that fails', () => {
  test('is not taken for an empty session: it is read again before anything is written', async () => {
    const storage = await saved()
    const { session, faulty } = await reading({ error: 'UnknownError' }, storage)
    expect(await session.commit(add('D'))).toEqual({ revision: 1, changed: true, saved: false })
    expect(session.store.getState()).toMatchObject({ hydrated: true, persistence: 'failed' })
    expect(contents(session.getAllTodos())).toEqual(['D'])
    faulty.setPlan(() => null)
    await vi.advanceTimersByTimeAsync(1000)
    await session.flush()
    expect(contents(session.getAllTodos())).toEqual(['A', 'B', 'C', 'D'])
    expect(await storage.read('s')).toMatchObject({ revision: 5, title: 'Saved' })
    expect(session.store.getState().persistence).toBe('saved')
  })

  test('is tried again with the next commit, which is then saved', async () => {
    const { session, faulty } = await reading({ error: 'UnknownError' }, await saved())
    await session.ready()
    faulty.setPlan(() => null)
    expect(await session.commit(add('D'))).toMatchObject({ saved: false })
    await session.flush()
    expect(contents(session.getAllTodos())).toEqual(['A', 'B', 'C', 'D'])
  })

  test('a transcript that can not be read fails as a whole', async () => {
    const storage = await saved()
    const faulty = faultyStorage(storage, ({ method }) =>
      method === 'readMessages' ? { error: 'UnknownError' } : null,
    )
    const session = createTodoSession({ id: 's', storage: faulty })
    await session.saveMessages([message('m9')])
    expect(await storage.readMessages('s')).toHaveLength(2)
    faulty.setPlan(() => null)
    await vi.advanceTimersByTimeAsync(1000)
    await session.flush()
    expect(await storage.readMessages('s')).toEqual([message('m1'), message('m2'), message('m9')])
  })

  test('a storage that throws instead of rejecting is no different', async () => {
    const throwing = () => {
      throw new Error('at once')
    }
    const session = createTodoSession({
      id: 's',
      storage: { ...memoryStorage(), read: throwing, write: throwing },
    })
    expect(await session.commit(add('A'))).toEqual({ revision: 1, changed: true, saved: false })
  })
})

test('ready resolves once, and again at once', async () => {
  const session = createTodoSession({ id: 's', storage: await saved() })
  expect(session.ready()).toBe(session.ready())
  await session.ready()
  expect(session.store.getState().hydrated).toBe(true)
})
