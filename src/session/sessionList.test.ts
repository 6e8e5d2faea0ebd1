import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addTodos, completeTodos } from '../core/list.ts'
import { idleRun } from '../core/todo.ts'
import { faultyStorage } from '../testing/faultyStorage.ts'
import { createTodoSession } from './createTodoSession.ts'
import type { SessionData } from './record.ts'
import { getTodoSession } from './registry.ts'
import { sessionListOf } from './sessionList.ts'
import { memoryStorage } from './storage.ts'

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})
const rename = (title: string) => (data: SessionData) => ({ ...data, title })

async function saved(ids: readonly string[], storage = faultyStorage(memoryStorage())) {
  for (const [at, id] of ids.entries()) {
    await createTodoSession({ id, storage, now: () => at }).commit(add(`Of ${id}`))
  }
  return { storage, list: sessionListOf(storage) }
}

const callsOf = (storage: ReturnType<typeof faultyStorage>, from: number) =>
  storage.calls.slice(from).map(({ method, id }) => (id === null ? method : `${method} ${id}`))

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

describe('read', () => {
  test('gives title, progress, last change and run of each session, the one changed last first', async () => {
    const { storage, list } = await saved(['a', 'b'])
    const session = createTodoSession({ id: 'a', storage, now: () => 7 })
    await session.commit((data) => ({
      ...data,
      title: 'Trip',
      list: completeTodos(add('Second')(data).list, [{ id: 1 }], 2).list,
    }))
    expect(await list.read()).toMatchObject([
      { id: 'a', title: 'Trip', done: 1, total: 2, updatedAt: 7, run: 'idle', driver: 'none' },
      { id: 'b', title: null, done: 0, total: 1, updatedAt: 1 },
    ])
  })

  test('reads no transcript and no history', async () => {
    const { storage, list } = await saved(['a', 'b'])
    const before = storage.calls.length
    await list.read()
    expect(callsOf(storage, before)).toEqual(['list'])
  })

  test('keeps the object of a session that is as it was', async () => {
    const { storage, list } = await saved(['a', 'b'])
    const first = await list.read()
    await createTodoSession({ id: 'a', storage, now: () => 9 }).commit(rename('New'))
    const second = await list.read()
    expect(second.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(second[1]).toBe(first[0])
    expect(second[0]).not.toBe(first[1])
  })

  test('a run that no tab is at is interrupted, and one of this tab is its own', async () => {
    const { storage, list } = await saved(['a', 'b'])
    const run = { ...idleRun, status: 'running' as const, startedAt: 1 }
    await createTodoSession({ id: 'a', storage }).commit((data) => ({ ...data, run }))
    const session = getTodoSession('b', { storage })
    const claim = await session.claim()
    await session.commit((data) => ({ ...data, run }))
    expect((await list.read()).map(({ id, run: status, driver }) => [id, status, driver]).sort()).toEqual([
      ['a', 'interrupted', 'none'],
      ['b', 'running', 'self'],
    ])
    claim.release()
  })

  test('rejects with storage_failed, and works again when the storage does', async () => {
    const { storage, list } = await saved(['a'])
    storage.setPlan(({ method }) => (method === 'list' ? { error: 'UnknownError' } : null))
    await expect(list.read()).rejects.toMatchObject({
      code: 'storage_failed',
      cause: { name: 'UnknownError' },
    })
    storage.setPlan(() => null)
    expect(await list.read()).toHaveLength(1)
  })
})

describe('watch', () => {
  test('tells of a change at once, and of those soon after it in one', async () => {
    const { storage, list } = await saved(['a'])
    const heard = vi.fn()
    list.watch(heard)
    const session = getTodoSession('a', { storage })
    await session.commit(rename('1'))
    expect(heard).toHaveBeenCalledTimes(1)
    for (const title of ['2', '3', '4', '5']) await session.commit(rename(title))
    expect(heard).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(500)
    expect(heard).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(5000)
    expect(heard).toHaveBeenCalledTimes(2)
  })

  test('what changed is read alone', async () => {
    const { storage, list } = await saved(['a', 'b', 'c'])
    list.watch(() => {})
    await list.read()
    await getTodoSession('b', { storage }).commit(rename('Renamed'))
    const before = storage.calls.length
    const sessions = await list.read()
    expect(callsOf(storage, before)).toEqual(['read b'])
    expect(sessions[0]).toMatchObject({ id: 'b', title: 'Renamed' })
    expect(sessions).toHaveLength(3)
  })

  test('a deleted session is gone, and a new one is there', async () => {
    const { storage, list } = await saved(['a', 'b'])
    list.watch(() => {})
    await list.read()
    await getTodoSession('a', { storage }).delete()
    await getTodoSession('new', { storage }).commit(add('A'))
    await vi.advanceTimersByTimeAsync(500)
    expect((await list.read()).map(({ id }) => id)).toEqual(['new', 'b'])
  })

  test('a change in the middle of a read is in the next one', async () => {
    const { storage, list } = await saved(['a', 'b'])
    list.watch(() => {})
    await list.read()
    await getTodoSession('a', { storage }).commit(rename('One'))
    storage.setPlan(({ method }) => (method === 'read' ? { delay: 100 } : null))
    const first = list.read()
    const session = getTodoSession('b', { storage })
    await vi.advanceTimersByTimeAsync(50)
    const committed = session.commit(rename('Two'))
    await vi.advanceTimersByTimeAsync(1000)
    await committed
    await first
    const second = list.read()
    await vi.advanceTimersByTimeAsync(1000)
    expect((await second).map(({ title }) => title)).toEqual(['Two', 'One'])
  })

  test('nothing is told, and no timer runs, once nobody listens', async () => {
    const { storage, list } = await saved(['a'])
    const heard = vi.fn()
    const unwatch = list.watch(heard)
    unwatch()
    unwatch()
    await getTodoSession('a', { storage }).commit(rename('1'))
    expect(heard).not.toHaveBeenCalled()
    // What a commit may take at most.
    await vi.advanceTimersByTimeAsync(2000)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('what happened while nobody listened is found', async () => {
    const { storage, list } = await saved(['a'])
    list.watch(() => {})()
    await list.read()
    await getTodoSession('b', { storage }).commit(add('B'))
    list.watch(() => {})
    expect(await list.read()).toHaveLength(2)
  })
})
