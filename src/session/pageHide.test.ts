import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addTodos } from '../core/list.ts'
import { faultsInOrder, faultyStorage } from '../testing/faultyStorage.ts'
import { createTodoSession } from './createTodoSession.ts'
import type { SessionData } from './record.ts'
import { memoryStorage } from './storage.ts'

// A page, as far as sessions look at one.
const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' })
vi.stubGlobal('document', page)
vi.stubGlobal('addEventListener', () => {})

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})

async function open() {
  const storage = faultyStorage({ ...memoryStorage(), durable: true })
  const session = createTodoSession({ id: 's', storage })
  await session.ready()
  const writes = () => storage.calls.filter(({ method }) => method === 'write').length
  const hide = async () => {
    page.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(0)
  }
  return { session, storage, writes, hide }
}

describe('a page that is hidden', () => {
  test('writes at once what waits for another try', async () => {
    const { session, storage, writes, hide } = await open()
    storage.setPlan(faultsInOrder([{ error: 'UnknownError' }]))
    await session.commit(add('A'))
    expect(writes()).toBe(1)
    await hide()
    expect(writes()).toBe(2)
    expect(session.store.getState().persistence).toBe('saved')
    await hide()
    expect(writes()).toBe(2)
  })

  test('does not wait for a write that is under way to write what came since', async () => {
    const { session, storage, writes, hide } = await open()
    storage.setPlan(faultsInOrder([{ delay: 500 }, { delay: 501 }]))
    const first = session.commit(add('A'))
    await vi.advanceTimersByTimeAsync(1)
    await hide()
    expect(writes()).toBe(1)
    const second = session.commit(add('B'))
    await hide()
    expect(writes()).toBe(2)
    await vi.advanceTimersByTimeAsync(600)
    expect([await first, await second].map(({ saved }) => saved)).toEqual([true, true])
    expect(((await storage.read('s')) as SessionData).list.todos).toHaveLength(2)
  })

  test('writes no more of a session that was closed', async () => {
    const { session, storage, writes, hide } = await open()
    storage.setPlan(() => ({ error: 'UnknownError' }))
    await session.commit(add('A'))
    session.close()
    await vi.advanceTimersByTimeAsync(0)
    const before = writes()
    await hide()
    expect(writes()).toBe(before)
    expect(vi.getTimerCount()).toBe(0)
  })
})
