import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { addTodos } from '../core/list.ts'
import { idleRun } from '../core/todo.ts'
import { indexedDbStorage } from './indexedDb.ts'
import type { SessionData } from './record.ts'
import { deleteSession, getTodoSession, retainTodoSession } from './registry.ts'
import { pruneSessions } from './retention.ts'
import { type SavedSession, sessionListOf } from './sessionList.ts'
import type { SessionStorage } from './storage.ts'

// Two storages of one scope are what two tabs have: each its own list, live sessions, channel and connection.
let here: SessionStorage
let there: SessionStorage
const releases: (() => void)[] = []

beforeEach(() => {
  const databaseName = `list-${crypto.randomUUID()}`
  here = indexedDbStorage({ databaseName })
  there = indexedDbStorage({ databaseName })
})

afterEach(() => {
  for (const release of releases.splice(0)) release()
  indexedDB.deleteDatabase(here.scope as string)
})

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})

function hold(id: string, storage: SessionStorage) {
  const session = getTodoSession(id, { storage })
  releases.push(retainTodoSession(session))
  return session
}

async function run(id: string, storage: SessionStorage) {
  const session = hold(id, storage)
  const claim = await session.claim()
  await session.commit((data) => ({
    ...add('A')(data),
    run: { ...idleRun, status: 'running', startedAt: 1 },
  }))
  return { session, claim }
}

/** The list of this tab as a view has it: read anew whenever it may have changed. */
function follow(storage: SessionStorage) {
  const seen: { sessions: readonly SavedSession[]; reads: number } = { sessions: [], reads: 0 }
  const list = sessionListOf(storage)
  const read = async () => {
    seen.sessions = await list.read()
    seen.reads += 1
  }
  releases.push(list.watch(() => void read()))
  void read()
  return seen
}

describe('the list of another tab', () => {
  test('shows a session that is begun, changed and deleted here', async () => {
    const seen = follow(there)
    const session = hold('a', here)
    await session.commit(add('A'))
    await vi.waitFor(() => expect(seen.sessions).toMatchObject([{ id: 'a', total: 1, title: null }]))
    await session.commit((data) => ({ ...data, title: 'Named' }))
    await vi.waitFor(() => expect(seen.sessions).toMatchObject([{ title: 'Named' }]))
    await deleteSession('a', here)
    await vi.waitFor(() => expect(seen.sessions).toEqual([]))
  })

  test('reads at most about twice a second while a run goes on here', async () => {
    const seen = follow(there)
    const session = hold('a', here)
    await session.commit(add('First'))
    await vi.waitFor(() => expect(seen.sessions).toHaveLength(1))
    const before = seen.reads
    const started = performance.now()
    for (let n = 0; n < 30; n += 1) {
      await session.commit(add(`Item ${n}`))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const seconds = (performance.now() - started) / 1000
    await vi.waitFor(() => expect(seen.sessions[0]?.total).toBe(31))
    expect(seen.reads - before).toBeLessThanOrEqual(Math.ceil(seconds * 2) + 2)
  })

  test('says that a run is under way here, and notices when its tab is gone without a word', async () => {
    const seen = follow(there)
    const { claim } = await run('a', here)
    await vi.waitFor(() => expect(seen.sessions).toMatchObject([{ run: 'running', driver: 'other' }]))
    expect(await sessionListOf(here).read()).toMatchObject([{ run: 'running', driver: 'self' }])
    // What a killed tab leaves: the lock is free, the record says that it runs.
    claim.release()
    await vi.waitFor(() => expect(seen.sessions).toMatchObject([{ run: 'interrupted', driver: 'none' }]))
  })
})

test('deleting a session stops its run in another tab', async () => {
  const { claim } = await run('a', here)
  claim.signal.addEventListener('abort', () => claim.release())
  await deleteSession('a', there)
  expect(claim.signal.aborted).toBe(true)
  expect(await there.read('a')).toBe(undefined)
})

test('pruning spares what another tab has open or runs', async () => {
  for (const id of ['old', 'open', 'driven']) await getTodoSession(id, { storage: there }).commit(add(id))
  hold('open', here)
  const driven = getTodoSession('driven', { storage: here })
  const claim = await driven.claim()
  const elsewhere = indexedDbStorage({ databaseName: here.scope as string })
  await vi.waitFor(async () => {
    const { held = [] } = await navigator.locks.query()
    expect(held.filter(({ name }) => name?.includes(`open:${here.scope}`))).toHaveLength(1)
  })
  expect(await pruneSessions(elsewhere, { keep: 0 })).toEqual(['old'])
  claim.release()
})
