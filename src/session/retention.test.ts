import { describe, expect, test, vi } from 'vitest'
import { addTodos } from '../core/list.ts'
import { createTodoSession } from './createTodoSession.ts'
import { RECORD_VERSION } from './record.ts'
import { getTodoSession, retainTodoSession } from './registry.ts'
import { pruneSessions } from './retention.ts'
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

  test.each([{ keep: -1 }, { keep: 0.5 }, { keep: Number.NaN }, { maxAge: -1 }, { maxAge: Number.NaN }])(
    'refuses %o',
    async (retention) => {
      const refused = pruneSessions(memoryStorage(), retention)
      await expect(refused).rejects.toThrow(TypeError)
      await expect(refused).rejects.toThrow(`\`${Object.keys(retention)[0]}\``)
    },
  )
})

test('a storage with a rule is pruned after a new session', async () => {
  const storage = await saved(8, { keep: 3 })
  await vi.waitFor(async () => expect(await idsIn(storage)).toEqual(['s5', 's6', 's7']), 5000)
  await begin(storage, 's8', 8)
  await createTodoSession({ id: 's8', storage }).commit((data) => ({ ...data, title: 'Again' }))
  await vi.waitFor(async () => expect(await idsIn(storage)).toEqual(['s6', 's7', 's8']), 5000)
})
