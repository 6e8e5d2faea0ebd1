import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addTodos } from '../core/list.ts'
import { faultyStorage } from '../testing/faultyStorage.ts'
import type { SessionData } from './record.ts'
import { deleteSession, getTodoSession, listSessions, retainTodoSession } from './registry.ts'
import { memoryStorage } from './storage.ts'

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

describe('getTodoSession', () => {
  test('gives one session per id and storage', () => {
    const storage = memoryStorage()
    expect(getTodoSession('s', { storage })).toBe(getTodoSession('s', { storage }))
    expect(getTodoSession('s', { storage })).not.toBe(getTodoSession('s2', { storage }))
    expect(getTodoSession('s', { storage })).not.toBe(getTodoSession('s', { storage: memoryStorage() }))
  })

  test('refuses a storage that is none', () => {
    expect(() => getTodoSession('s', { storage: 'memory' as never })).toThrow(/`storage`.*"memory"/)
  })

  test('on a server gives each request its own', () => {
    expect(getTodoSession('s')).not.toBe(getTodoSession('s'))
  })

  test('does no work', () => {
    const storage = faultyStorage(memoryStorage())
    getTodoSession('s', { storage })
    expect(storage.calls).toEqual([])
  })
})

describe('retainTodoSession', () => {
  test('starts the first read', async () => {
    const session = getTodoSession('s', { storage: memoryStorage() })
    retainTodoSession(session)
    await vi.advanceTimersByTimeAsync(0)
    expect(session.store.getState().hydrated).toBe(true)
  })

  test('keeps the session over a remount, and lets it go after the last holder', async () => {
    const storage = memoryStorage()
    const session = getTodoSession('s', { storage })
    const [first, second] = [retainTodoSession(session), retainTodoSession(session)]
    first()
    first()
    await vi.advanceTimersByTimeAsync(5000)
    expect(getTodoSession('s', { storage })).toBe(session)
    second()
    const third = retainTodoSession(session)
    await vi.advanceTimersByTimeAsync(5000)
    expect(getTodoSession('s', { storage })).toBe(session)
    third()
    await vi.advanceTimersByTimeAsync(5000)
    expect(getTodoSession('s', { storage })).not.toBe(session)
  })

  test('a session that was let go of can be held again, and reads what is stored', async () => {
    const storage = memoryStorage()
    const session = getTodoSession('s', { storage })
    retainTodoSession(session)()
    await session.commit(add('A'))
    await vi.advanceTimersByTimeAsync(5000)
    const other = getTodoSession('s', { storage })
    await other.commit(add('B'))
    await vi.advanceTimersByTimeAsync(5000)
    retainTodoSession(other)()
    await vi.advanceTimersByTimeAsync(5000)
    retainTodoSession(session)
    await vi.advanceTimersByTimeAsync(0)
    expect(session.getAllTodos()).toHaveLength(2)
    expect(getTodoSession('s', { storage })).toBe(session)
  })

  test('what is not stored yet is kept until it is', async () => {
    const storage = faultyStorage({ ...memoryStorage(), durable: true }, ({ method }) =>
      method === 'write' ? { error: 'X' } : null,
    )
    const session = getTodoSession('s', { storage, retryDelays: [] })
    const release = retainTodoSession(session)
    await session.commit(add('A'))
    release()
    await vi.advanceTimersByTimeAsync(5000)
    expect(getTodoSession('s', { storage }).getAllTodos()).toHaveLength(1)
    storage.setPlan(() => null)
    retainTodoSession(session)()
    await vi.advanceTimersByTimeAsync(5000)
    expect(getTodoSession('s', { storage })).not.toBe(session)
  })
})

describe('deleteSession', () => {
  test('deletes a saved session, and empties a live one', async () => {
    const storage = memoryStorage()
    const session = getTodoSession('s', { storage })
    retainTodoSession(session)
    await session.commit(add('A'))
    await deleteSession('s', storage)
    expect(session.getAllTodos()).toEqual([])
    expect(await listSessions(storage)).toEqual([])
    expect(getTodoSession('s', { storage })).toBe(session)
  })

  test('rejects when the storage fails', async () => {
    const storage = faultyStorage(memoryStorage(), ({ method }) =>
      method === 'delete' ? { error: 'X' } : null,
    )
    await expect(deleteSession('s', storage)).rejects.toMatchObject({
      code: 'storage_failed',
      cause: { name: 'X' },
    })
  })
})

test('listSessions puts the one changed last first', async () => {
  const storage = memoryStorage()
  for (const [index, id] of ['a', 'b', 'c'].entries()) {
    await getTodoSession(id, { storage, now: () => index }).commit(add(id))
  }
  await getTodoSession('a', { storage }).commit(add('again'))
  expect((await listSessions(storage)).map(({ id, total }) => [id, total])).toEqual([
    ['c', 1],
    ['b', 1],
    ['a', 2],
  ])
})
