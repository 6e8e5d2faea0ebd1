import { createTodoSession, memoryStorage, type TodoSession } from 'use-todo-agent/agent'
import { emptyList, writeTodos } from 'use-todo-agent/core'
import { plainRow, type Row } from '../measure.ts'
import { collectGarbage } from './garbage.ts'
import { writeOf } from './lists.ts'

const ITEMS = 10
const ROUNDS = 5

/** What stays in the heap of what is not kept on purpose. */
export async function memoryRows(): Promise<readonly Row[]> {
  return [
    plainRow(await growthOfCommits(), {
      id: 'memory-commits',
      group: 'memory',
      what: 'heap after 1,000 commits beyond what the 500 kept ones take',
      unit: 'kB',
      bound: 100,
    }),
    plainRow(await growthOfSessions(), {
      id: 'memory-sessions',
      group: 'memory',
      what: 'heap after 50 opened, worked in, closed and deleted sessions',
      unit: 'kB',
      bound: 100,
    }),
  ]
}

/** The history keeps 500 revisions: from there on commits must not add anything. The engine takes longer to settle. */
async function growthOfCommits(): Promise<readonly number[]> {
  const session = createTodoSession({ id: 'memory', storage: memoryStorage() })
  await commit(session, 2_500)
  const growth = await growthOf(() => commit(session, 1_000))
  session.close()
  return growth
}

async function growthOfSessions(): Promise<readonly number[]> {
  const storage = memoryStorage()
  let opened = 0
  const open = async (count: number) => {
    for (const last = opened + count; opened < last; opened += 1) {
      const session = createTodoSession({ id: `session-${opened}`, storage })
      await session.ready()
      await commit(session, 10)
      session.close()
      await storage.delete(session.id)
    }
  }
  await open(200)
  return growthOf(() => open(50))
}

/** By how much the heap grows, in kB, each time. */
async function growthOf(work: () => Promise<void>): Promise<readonly number[]> {
  const growth: number[] = []
  let before = heap()
  for (let round = 0; round < ROUNDS; round += 1) {
    await work()
    const after = heap()
    growth.push((after - before) / 1_000)
    before = after
  }
  return growth
}

async function commit(session: TodoSession, times: number): Promise<void> {
  for (let index = 0; index < times; index += 1) {
    await session.commit((data) => {
      const written = writeTodos(data.list, writeOf(ITEMS, index % ITEMS), { now: index })
      if (!written.ok) throw written.error
      return { ...data, list: written.update.list }
    })
  }
  if (session.getAllTodos() === emptyList.todos) throw new Error('Nothing was committed.')
}

function heap(): number {
  for (let index = 0; index < 3; index += 1) collectGarbage()
  return process.memoryUsage().heapUsed
}
