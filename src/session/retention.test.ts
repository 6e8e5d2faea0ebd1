import { describe, expect, test, vi } from 'vitest'
import { addTodos } from '../core/list.ts'
import { faultyStorage } from '../testing/faultyStorage.ts'
import { createTodoSession } from './createTodoSession.ts'
import { RECORD_VERSION } from './record.ts'
import { getTodoSession, retainTodoSession } from './registry.ts'
import { pruneSessions } from './retention.ts'
import { sessionListOf } from './sessionList.ts'
import { memoryStorage, type Retention, type SessionStorage } from './storage.ts'

/** Sessions `s0`, `s1` and so on, changed at 0, 1 and so on. */
async function saved(count: number, retention?: Retention): Promise<SessionStorage> {
  const storage = { ...memoryStorage(), ...(retention ? { retention } : {}) }
  for (let at = 0; at < count; at += 1) await begin(storage, `s${at}`, at)
  return storage
}

function begin(storage: SessionStorage, id: string, at: number) {
  const session = createTodoSession({ id, storage, now: () => at })
  return session.commit((data) => ({ ...data, list: addTodos(data.list, [{ title: id }], at).list }))
}

async function idsIn(storage: SessionStorage): Promise<readonly string[]> {
  return (await storage.list()).map(({ id }) => id).sort()
}

describe('pruneSessions', () => {
  test('keeps the newest', async () => {
    const storage = await saved(5)
    expect([...(await pruneSessions(storage, { keep: 2 }))].sort()).toEqual(['s0', 's1', 's2'])
    expect(await idsIn(storage)).toEqual(['s3', 's4'])
  })

  test('keeps the young', async () => {
    const storage = await saved(5)
    await pruneSessions(storage, { maxAge: 2 }, 5)
    expect(await idsIn(storage)).toEqual(['s3', 's4'])
  })

  test('with both, a session has to be both', async () => {
    const storage = await saved(5)
    await pruneSessions(storage, { keep: 4, maxAge: 1 }, 5)
    expect(await idsIn(storage)).toEqual(['s4'])
  })

  test('keeps all without a rule', async () => {
    const storage = await saved(3)
    expect(await pruneSessions(storage)).toEqual([])
    expect(await idsIn(storage)).toEqual(['s0', 's1', 's2'])
  })

  test('never deletes an open one, and not instead of it a newer one', async () => {
    const storage = await saved(5)
    const release = retainTodoSession(getTodoSession('s0', { storage }))
    await pruneSessions(storage, { keep: 2 })
    expect(await idsIn(storage)).toEqual(['s0', 's3', 's4'])
    release()
  })

  test('never deletes one that it can not read', async () => {
    const storage = await saved(2)
    const record = { ...((await storage.read('s0')) as object), version: RECORD_VERSION + 1, id: 'newer' }
    await storage.write(record as never, null)
    await pruneSessions(storage, { keep: 0 })
    expect(await idsIn(storage)).toEqual(['newer'])
  })

  test('tells those who show the list, but not of nothing', async () => {
    const storage = await saved(3)
    const told = vi.fn()
    const unwatch = sessionListOf(storage).watch(told)
    await pruneSessions(storage, { keep: 3 })
    expect(told).not.toHaveBeenCalled()
    await pruneSessions(storage, { keep: 2 })
    expect(told).toHaveBeenCalledOnce()
    unwatch()
  })

  test('resolves when they are deleted, and rejects when that fails', async () => {
    const storage = faultyStorage(await saved(2), ({ method }) => (method === 'delete' ? { delay: 5 } : null))
    await pruneSessions(storage, { keep: 1 })
    expect(await idsIn(storage)).toEqual(['s1'])
    storage.setPlan(({ method }) => (method === 'delete' ? { error: 'UnknownError' } : null))
    await expect(pruneSessions(storage, { keep: 0 })).rejects.toMatchObject({ name: 'UnknownError' })
  })

  test.each([
    { keep: 0 },
    { keep: Number.POSITIVE_INFINITY },
    { maxAge: 0 },
    { maxAge: Number.POSITIVE_INFINITY },
  ])('takes %o', async (retention) => {
    expect(await pruneSessions(memoryStorage(), retention)).toEqual([])
  })

  test.each([{ keep: -1 }, { keep: 0.5 }, { keep: Number.NaN }, { maxAge: -1 }, { maxAge: Number.NaN }])(
    'refuses %o',
    async (retention) => {
      const refused = pruneSessions(memoryStorage(), retention)
      await expect(refused).rejects.toThrow(TypeError)
      await expect(refused).rejects.toThrow(`\`${Object.keys(retention)[0]}\``)
    },
  )
})

test('many new sessions are one round, which may fail', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const lists = async (retention?: Retention) => {
    const memory = { ...memoryStorage(), ...(retention ? { retention } : {}) }
    const list = vi.fn(() => Promise.reject(new Error('No list.')))
    const storage = { ...memory, list }
    for (const id of ['a', 'b', 'c']) await begin(storage, id, 1)
    await vi.advanceTimersByTimeAsync(5000)
    const first = list.mock.calls.length
    await begin(storage, 'd', 1)
    await vi.advanceTimersByTimeAsync(5000)
    return [first, list.mock.calls.length]
  }
  try {
    expect(await lists({ keep: 2 })).toEqual([1, 2])
    expect(await lists()).toEqual([0, 0])
  } finally {
    vi.useRealTimers()
  }
})

test('a storage with a rule is pruned after a new session', async () => {
  const storage = await saved(8, { keep: 3 })
  await vi.waitFor(async () => expect(await idsIn(storage)).toEqual(['s5', 's6', 's7']), 5000)
  await begin(storage, 's8', 8)
  await createTodoSession({ id: 's8', storage }).commit((data) => ({ ...data, title: 'Again' }))
  await vi.waitFor(async () => expect(await idsIn(storage)).toEqual(['s6', 's7', 's8']), 5000)
})
