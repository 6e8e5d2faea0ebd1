import { createTodoSession, memoryStorage, type TodoSession } from 'use-todo-agent/agent'
import { emptyList, writeTodos } from 'use-todo-agent/core'
import { plainRow, type Row } from '../measure.ts'
import { collectGarbage } from './garbage.ts'
import { writeOf } from './lists.ts'

const ITEMS = 10
const ROUNDS = 3

/** What stays in the heap of what is not kept on purpose. */
export async function memoryRows(): Promise<readonly Row[]> {
  const commits: number[] = []
  const sessions: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    commits.push(await growthOfCommits())
    sessions.push(await growthOfSessions())
  }
  return [
    plainRow(commits, {
      id: 'memory-commits',
      group: 'memory',
      what: 'heap after 1,000 commits beyond what the 500 kept ones take',
      unit: 'kB',
      bound: 100,
    }),
    plainRow(sessions, {
      id: 'memory-sessions',
      group: 'memory',
      what: 'heap after 50 opened, worked in and closed sessions',
      unit: 'kB',
      bound: 100,
    }),
  ]
}

/** The history keeps 500 revisions: from there on commits must not add anything. */
async function growthOfCommits(): Promise<number> {
  const session = createTodoSession({ id: 'memory', storage: memoryStorage() })
  await commit(session, 600)
  const before = heap()
  await commit(session, 1_000)
  const after = heap()
  session.close()
  return (after - before) / 1_000
}

async function growthOfSessions(): Promise<number> {
  const storage = memoryStorage()
  const open = async (id: string) => {
    const session = createTodoSession({ id, storage })
    await session.ready()
    await commit(session, 10)
    session.close()
    await storage.delete(id)
  }
  for (let index = 0; index < 10; index += 1) await open(`warm-${index}`)
  const before = heap()
  for (let index = 0; index < 50; index += 1) await open(`session-${index}`)
  return (heap() - before) / 1_000
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
