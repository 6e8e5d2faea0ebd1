import { createStore, set } from 'idb-keyval'
import {
  createTodoSession,
  indexedDbStorage,
  listSessions,
  memoryStorage,
  type SessionStorage,
  type TodoSession,
} from 'use-todo-agent/agent'
import { emptyList, type TodoList, writeTodos } from 'use-todo-agent/core'
import { interleave, plainRow, quick, type Row, ratioRow, timed } from '../measure.ts'
import { writeOf } from '../node/lists.ts'

const SAVED = quick ? 100 : 1_000
const COMMITS = 40
const ITEMS = 10

/** What saving costs: in IndexedDB, against the least that saving could be. */
export async function commitRows(): Promise<readonly Row[]> {
  return [...(await acknowledged()), ...(await appending()), ...(await among())]
}

/** An acknowledged commit, with its history, against `set` of the same record. */
async function acknowledged(): Promise<readonly Row[]> {
  const storage = indexedDbStorage({ databaseName: 'bench-commit' })
  const session = createTodoSession({ id: 'commit', storage })
  await session.ready()
  await commit(session, 1)
  const record = await storage.read('commit')
  const store = createStore('bench-bare', 'records')
  let writes = 0
  const samples = await interleave(
    {
      commit: () => perCommit((index) => commit(session, index)),
      set: () =>
        perCommit(() => {
          writes += 1
          return set('commit', { ...(record as object), revision: writes }, store)
        }),
    },
    { rounds: 25, warmUp: 3 },
  )
  session.close()
  return [
    ratioRow(samples, ['commit', 'set'], {
      id: 'commit',
      group: 'commit',
      what: 'an acknowledged commit against a bare idb-keyval set of the same record',
      bound: 1.5,
    }),
  ]
}

/** A commit that appends a message to a transcript of 1,000 against one of 10. */
async function appending(): Promise<readonly Row[]> {
  const storage = indexedDbStorage({ databaseName: 'bench-append' })
  const short = await withMessages(storage, 10)
  const long = await withMessages(storage, 1_000)
  const samples = await interleave({ long, short }, { rounds: 25, warmUp: 3 })
  return [
    ratioRow(samples, ['long', 'short'], {
      id: 'append',
      group: 'commit',
      what: 'append a message to a transcript of 1,000 against one of 10',
      bound: 1.2,
    }),
  ]
}

async function withMessages(storage: SessionStorage, count: number): Promise<() => Promise<number>> {
  const session = createTodoSession({ id: `append-${count}`, storage })
  await session.ready()
  const start = Array.from({ length: count }, (_, index) => messageOf(index))
  await session.saveMessages(start)
  return async () => {
    let messages = start
    const time = await perCommit((index) => {
      messages = [...messages, messageOf(count + index)]
      return commit(session, index, messages)
    })
    // Back to where it began, so that each round appends to as many.
    await session.saveMessages(start)
    return time
  }
}

/** Opening one of many saved sessions, and listing them. */
async function among(): Promise<readonly Row[]> {
  const few = await saved('bench-few', 10)
  const many = await saved('bench-many', SAVED)
  const samples = await interleave(
    {
      openMany: () => open(many),
      openFew: () => open(few),
      list: () => timed(async () => expectCount((await listSessions(many)).length, SAVED)),
    },
    { rounds: 15, warmUp: 2 },
  )
  const facts = { group: 'commit', bound: null } as const
  return [
    ratioRow(samples, ['openMany', 'openFew'], {
      ...facts,
      id: 'open',
      what: 'open one of 1,000 saved sessions against one of 10',
    }),
    plainRow(samples.openMany, {
      ...facts,
      id: 'open-ms',
      what: 'open one of 1,000 saved sessions',
      unit: 'ms',
    }),
    plainRow(samples.list, { ...facts, id: 'list-ms', what: 'list 1,000 saved sessions', unit: 'ms' }),
  ]
}

async function saved(databaseName: string, count: number): Promise<SessionStorage> {
  const storage = indexedDbStorage({ databaseName, retention: {} })
  const inMemory = memoryStorage()
  const model = createTodoSession({ id: 'model', storage: inMemory })
  await commit(model, 3)
  const record = (await inMemory.read('model')) as Parameters<SessionStorage['write']>[0]
  const messages = { puts: Array.from({ length: 4 }, (_, index) => ({ index, message: messageOf(index) })) }
  for (let index = 0; index < count; index += 1) {
    await storage.write({ ...record, id: `session-${index}`, updatedAt: index }, null, { messages })
  }
  return storage
}

let opened = 0

async function open(storage: SessionStorage): Promise<number> {
  opened += 1
  const session = createTodoSession({ id: `session-${opened % 10}`, storage })
  const time = await timed(() => session.ready())
  expectCount(session.getAllTodos().length, ITEMS)
  session.close()
  return time
}

async function perCommit(run: (index: number) => Promise<unknown>): Promise<number> {
  const time = await timed(async () => {
    for (let index = 0; index < COMMITS; index += 1) await run(index)
  })
  return time / COMMITS
}

// The lists of one time through the work. Writing them is another row: here only their way into the storage counts.
const lists: TodoList[] = []
for (let current = 0; current < ITEMS; current += 1) {
  const written = writeTodos(lists.at(-1) ?? emptyList, writeOf(ITEMS, current), { now: current })
  if (!written.ok) throw written.error
  lists.push(written.update.list)
}

/** Works the list on by one item, and begins again when it is done. */
async function commit(
  session: TodoSession,
  index: number,
  messages?: Parameters<TodoSession['saveMessages']>[0],
): Promise<void> {
  const list = lists[index % ITEMS] as TodoList
  const { saved } = await session.commit((data) => ({ ...data, list }), messages && { messages })
  if (!saved) throw new Error('A commit was not saved.')
}

function messageOf(index: number) {
  return {
    id: `message-${index}`,
    role: index % 2 ? ('assistant' as const) : ('user' as const),
    parts: [{ type: 'text' as const, text: `Message ${index}: ${'a few words of it '.repeat(10)}` }],
  }
}

function expectCount(count: number, expected: number): void {
  if (count !== expected) throw new Error(`${count} of ${expected} were there.`)
}
