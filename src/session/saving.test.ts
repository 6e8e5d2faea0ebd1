import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addTodos } from '../core/list.ts'
import { type FaultPlan, faultsInOrder, faultyStorage } from '../testing/faultyStorage.ts'
import { createTodoSession } from './createTodoSession.ts'
import type { SessionData } from './record.ts'
import { memoryStorage, type SessionStorage } from './storage.ts'

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})
const contents = (todos: readonly { content: string }[]) => todos.map(({ content }) => content)

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function open(plan?: FaultPlan, storage: SessionStorage = { ...memoryStorage(), durable: true }) {
  const faulty = faultyStorage(storage, plan)
  const onProblem = vi.fn()
  const session = createTodoSession({ id: 's', storage: faulty, onProblem })
  const stored = async () =>
    contents(((await storage.read('s')) as SessionData | undefined)?.list.todos ?? [])
  return { session, faulty, storage, stored, codes: () => onProblem.mock.calls.map(([{ code }]) => code) }
}

const writes =
  (fault: ReturnType<FaultPlan>): FaultPlan =>
  ({ method }) =>
    method === 'write' ? fault : null

describe('many commits', () => {
  test('are stored in few writes, one at a time, the newest state last', async () => {
    let under = 0
    let most = 0
    const memory = memoryStorage()
    const { session, faulty, stored } = open(writes({ delay: 10 }), {
      ...memory,
      async write(...args) {
        most = Math.max(most, ++under)
        await new Promise((resolve) => setTimeout(resolve, 10))
        under -= 1
        return memory.write(...args)
      },
    })
    await session.ready()
    const done = Array.from({ length: 50 }, (_, index) => session.commit(add(`${index}`)))
    const later = Array.from({ length: 5 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 7))
      return session.commit(add(`later ${index}`))
    })
    await vi.advanceTimersByTimeAsync(500)
    const results = await Promise.all([...done, ...later])
    expect(results.every(({ saved }) => saved)).toBe(true)
    expect(results.map(({ revision }) => revision)).toEqual(results.map((_, index) => index + 1))
    expect(await stored()).toHaveLength(55)
    expect(most).toBe(1)
    expect(faulty.calls.filter(({ method }) => method === 'write').length).toBeLessThan(6)
  })
})

describe('a write that fails', () => {
  test('is said once, and the newest state is stored at the next success', async () => {
    const { session, faulty, stored, codes } = open(writes({ error: 'QuotaExceededError' }))
    expect(await session.commit(add('A'))).toEqual({ revision: 1, changed: true, saved: false })
    expect(session.store.getState()).toMatchObject({ persistence: 'failed' })
    expect(session.store.getState().persistenceDetail).toMatch(/full/)
    expect(await session.commit(add('B'))).toMatchObject({ saved: false })
    expect(codes()).toEqual(['not_saved'])
    faulty.setPlan(() => null)
    expect(await session.commit(add('C'))).toEqual({ revision: 3, changed: true, saved: true })
    expect(session.store.getState()).toMatchObject({ persistence: 'saved', persistenceDetail: null })
    expect(await stored()).toEqual(['A', 'B', 'C'])
    faulty.setPlan(writes({ error: 'UnknownError' }))
    await session.commit(add('D'))
    expect(codes()).toEqual(['not_saved', 'not_saved'])
  })

  test('keeps a change that was made meanwhile waiting for no retry', async () => {
    const { session, faulty, stored } = open()
    await session.ready()
    faulty.setPlan(faultsInOrder([{ error: 'UnknownError', delay: 10 }]))
    const first = session.commit(add('A'))
    await vi.advanceTimersByTimeAsync(5)
    const second = session.commit(add('B'))
    await vi.advanceTimersByTimeAsync(6)
    expect(await first).toMatchObject({ saved: false })
    expect(await second).toMatchObject({ saved: true })
    expect(await stored()).toEqual(['A', 'B'])
  })

  test('makes nobody give up on the next one that is under way', async () => {
    const { session, faulty } = open(faultsInOrder([null, { error: 'UnknownError' }, { delay: 10 }]))
    await session.commit(add('A'))
    const second = session.commit(add('B'))
    await vi.advanceTimersByTimeAsync(1)
    const third = session.commit(add('C'))
    await vi.advanceTimersByTimeAsync(20)
    expect([await second, await third].map(({ saved }) => saved)).toEqual([true, true])
    expect(faulty.calls.length).toBeGreaterThan(2)
  })

  test('of a change that another tab made too is no failure any more', async () => {
    const { session, storage } = open(writes({ error: 'UnknownError' }))
    await session.commit((data) => ({ ...data, title: 'T' }))
    expect(session.store.getState().persistence).toBe('failed')
    await createTodoSession({ id: 's', storage }).commit((data) => ({ ...data, title: 'T' }))
    await session.refresh()
    expect(session.store.getState()).toMatchObject({ persistence: 'saved', persistenceDetail: null })
  })

  test('is tried again by itself, ever more calmly', async () => {
    const { session, faulty, stored } = open(writes({ error: 'UnknownError' }))
    await session.commit(add('A'))
    const tries = () => faulty.calls.filter(({ method }) => method === 'write').length
    expect(tries()).toBe(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(tries()).toBe(2)
    await vi.advanceTimersByTimeAsync(5000)
    expect(tries()).toBe(3)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(tries()).toBe(4)
    faulty.setPlan(() => null)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await stored()).toEqual(['A'])
    expect(session.store.getState().persistence).toBe('saved')
    await vi.advanceTimersByTimeAsync(100_000)
    expect(tries()).toBe(5)
  })

  test('is not tried again after close', async () => {
    const { session, faulty } = open(writes({ error: 'UnknownError' }))
    await session.commit(add('A'))
    session.close()
    await session.flush()
    const calls = faulty.calls.length
    await vi.advanceTimersByTimeAsync(100_000)
    expect(faulty.calls.length).toBe(calls)
  })

  test('but had landed is not made twice', async () => {
    const { session, faulty, stored } = open(writes({ error: 'UnknownError', late: true }))
    expect(await session.commit(add('A'))).toMatchObject({ saved: false })
    faulty.setPlan(() => null)
    expect(await session.commit(add('B'))).toEqual({ revision: 2, changed: true, saved: true })
    expect(contents(session.getAllTodos())).toEqual(['A', 'B'])
    expect(await stored()).toEqual(['A', 'B'])
  })

  test('but had landed is not made twice either when another tab wrote on top of it', async () => {
    const { session, faulty, stored, storage } = open(writes({ error: 'UnknownError', late: true }))
    await session.commit(add('A'))
    const other = createTodoSession({ id: 's', storage })
    await other.commit(add('B'))
    faulty.setPlan(() => null)
    await session.commit(add('C'))
    expect(await stored()).toEqual(['A', 'B', 'C'])
    expect(contents(session.getAllTodos())).toEqual(['A', 'B', 'C'])
  })

  test('for want of room is made again without the history', async () => {
    const memory = memoryStorage()
    const { session, faulty, codes, stored } = open(undefined, {
      ...memory,
      async write(record, expected, given) {
        if (full && given?.history?.puts.length)
          throw Object.assign(new Error('full'), { name: 'QuotaExceededError' })
        return memory.write(record, expected, given)
      },
    })
    let full = false
    for (let n = 0; n < 20; n += 1) await session.commit(add(`${n}`))
    full = true
    expect(await session.commit(add('last'))).toMatchObject({ saved: true })
    expect(codes()).toEqual(['history_dropped'])
    expect(await session.history()).toEqual([])
    expect(await memory.readHistory('s')).toEqual([])
    full = false
    await session.commit(add('after'))
    expect((await session.history()).map(({ list }) => list.todos.length)).toEqual([22])
    expect(await stored()).toHaveLength(22)
    expect(faulty.calls.length).toBeGreaterThan(0)
  })
})

describe('a write that takes long', () => {
  test('is not waited for beyond two seconds, and counts when it lands', async () => {
    const { session, stored, codes } = open(writes({ delay: 3000 }))
    await session.ready()
    const done = vi.fn()
    void session.commit(add('A')).then(done)
    await vi.advanceTimersByTimeAsync(1999)
    expect(done).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(done).toHaveBeenCalledWith({ revision: 1, changed: true, saved: false })
    expect(session.store.getState().persistence).toBe('failed')
    expect(session.store.getState().persistenceDetail).toMatch(/does not answer/)
    expect(await session.commit(add('B'))).toMatchObject({ saved: false })
    await vi.advanceTimersByTimeAsync(1000)
    expect(await stored()).toEqual(['A'])
    await vi.advanceTimersByTimeAsync(3000)
    expect(await stored()).toEqual(['A', 'B'])
    expect(session.store.getState().persistence).toBe('saved')
    expect(codes()).toEqual(['not_saved'])
  })

  test('holds up no change that changes nothing once that is known', async () => {
    const { session } = open(writes({ hang: true }))
    const first = session.commit(add('A'))
    await vi.advanceTimersByTimeAsync(2000)
    expect(await first).toMatchObject({ saved: false })
    expect(await session.commit((data) => data)).toEqual({ revision: 1, changed: false, saved: false })
  })

  test('for ever is given up, aborted and made again', async () => {
    const memory = memoryStorage()
    const signals: (AbortSignal | undefined)[] = []
    const { session, faulty, stored } = open(writes({ hang: true }), {
      ...memory,
      durable: true,
      write: (record, expected, given) => {
        signals.push(given?.signal)
        return memory.write(record, expected, given)
      },
    })
    faulty.setPlan(writes({ hang: true, late: true }))
    await session.ready()
    const done = session.commit(add('A'))
    await vi.advanceTimersByTimeAsync(2000)
    expect(await done).toMatchObject({ saved: false })
    faulty.setPlan(() => null)
    await vi.advanceTimersByTimeAsync(32_000)
    expect(signals[0]?.aborted).toBe(true)
    expect(session.store.getState().persistence).toBe('saved')
    expect(await stored()).toEqual(['A'])
    expect(session.store.getState().revision).toBe(1)
  })

  test('an older write never lands after a newer one', async () => {
    const { session, stored } = open(faultsInOrder([null, { delay: 500 }, { delay: 0 }]))
    const first = session.commit(add('A'))
    await vi.advanceTimersByTimeAsync(1)
    const second = session.commit(add('B'))
    await vi.advanceTimersByTimeAsync(2000)
    expect(await Promise.all([first, second])).toMatchObject([{ saved: true }, { saved: true }])
    expect(await stored()).toEqual(['A', 'B'])
  })
})

describe('without any storage', () => {
  const none = { error: 'NotSupportedError' }

  test('the session lives in memory, with one notice and no further tries', async () => {
    const { session, faulty, codes } = open(() => none)
    expect(await session.commit(add('A'))).toEqual({ revision: 1, changed: true, saved: false })
    expect(session.store.getState()).toMatchObject({ hydrated: true, persistence: 'memory' })
    expect(session.store.getState().persistenceDetail).toMatch(/lost when the page is closed/)
    const calls = faulty.calls.length
    for (let n = 0; n < 20; n += 1) await session.commit(add(`${n}`))
    await vi.advanceTimersByTimeAsync(100_000)
    expect(faulty.calls.length).toBe(calls)
    expect(codes()).toEqual(['not_saved'])
    expect(session.getAllTodos()).toHaveLength(21)
  })

  test('history and rewind still work', async () => {
    const { session } = open(() => none)
    await session.commit(add('A'), { cause: { messageId: 'm1' } })
    await session.commit(add('B'), { cause: { messageId: 'm2' } })
    expect((await session.history()).map(({ list }) => list.todos.length)).toEqual([1, 2])
    expect(contents((await session.listAt('m1'))?.todos ?? [])).toEqual(['A'])
    await session.rewind(null)
    expect(session.getAllTodos()).toEqual([])
  })

  test('history does not grow for ever', async () => {
    const storage = faultyStorage(memoryStorage(), () => ({ error: 'NotSupportedError' }))
    const session = createTodoSession({ id: 's', storage, historyLimit: 3 })
    for (let n = 1; n <= 20; n += 1) await session.commit(add(`${n}`), { cause: { messageId: `m${n}` } })
    const history = await session.history()
    expect(history.map(({ list }) => list.todos.length)).toEqual([18, 19, 20])
    await session.rewind('m19')
    expect(session.getAllTodos()).toHaveLength(19)
  })

  test('a session can be deleted', async () => {
    const { session } = open(() => none)
    await session.commit(add('A'))
    await session.delete()
    expect(session.getAllTodos()).toEqual([])
  })

  test('storage that is forbidden only now is tried again', async () => {
    const { session, faulty, stored } = open(() => ({ error: 'SecurityError' }))
    await session.commit(add('A'))
    expect(session.store.getState().persistence).toBe('memory')
    faulty.setPlan(() => null)
    await vi.advanceTimersByTimeAsync(1000)
    expect(session.store.getState().persistence).toBe('saved')
    expect(await stored()).toEqual(['A'])
  })
})

test('flush resolves when all is stored, and when storing fails', async () => {
  const { session, faulty, stored } = open()
  void session.commit(add('A'))
  await session.flush()
  expect(await stored()).toEqual(['A'])
  faulty.setPlan(writes({ error: 'UnknownError' }))
  void session.commit(add('B'))
  await session.flush()
  expect(session.store.getState().persistence).toBe('failed')
})

test('a storage that refuses for no reason is an error, not an endless loop', async () => {
  const memory = memoryStorage()
  const { session } = open(undefined, {
    ...memory,
    write: async () => ({ written: false, stored: undefined }),
  })
  expect(await session.commit(add('A'))).toMatchObject({ saved: false })
  expect(session.store.getState().persistence).toBe('failed')
})
