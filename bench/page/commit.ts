import { createStore, get, set } from 'idb-keyval'
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
// After this many a record is as large as most are: half of the history entries that it may hold are in it.
const TYPICAL = 20
const ITEMS = 10

/** What saving costs: in IndexedDB, against the least that saving could be. */
export async function commitRows(): Promise<readonly Row[]> {
  return [...(await acknowledged()), ...(await appendRows()), ...(await among())]
}

/** An acknowledged commit, with its history, against `set` of the record that it stores. */
async function acknowledged(): Promise<readonly Row[]> {
  const databaseName = 'bench-commit'
  const session = createTodoSession({ id: 'commit', storage: indexedDbStorage({ databaseName }) })
  await session.ready()
  for (let index = 0; index < TYPICAL; index += 1) await commit(session, index)
  const record: object | undefined = await get(['session', 'commit'], createStore(databaseName, 'records'))
  if (!record) throw new Error('There is no record.')
  const store = createStore('bench-bare', 'records')
  let writes = 0
  const samples = await interleave(
    {
      commit: () => perCommit((index) => commit(session, index)),
      set: () =>
        perCommit(() => {
          writes += 1
          return set('commit', { ...record, revision: writes }, store)
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

/** What a commit costs that appends to much against one that appends to little. */
async function appendRows(): Promise<readonly Row[]> {
  const storage = indexedDbStorage({ databaseName: 'bench-append' })
  const samples = await interleave(
    {
      long: await appending(storage, 'long', 1_000),
      short: await appending(storage, 'short', 10),
      longRun: await growing(storage, 'long-run', 1_000),
      shortRun: await growing(storage, 'short-run', 10),
    },
    { rounds: 25, warmUp: 3 },
  )
  const facts = { group: 'commit', bound: 1.2 } as const
  return [
    ratioRow(samples, ['long', 'short'], {
      ...facts,
      id: 'append',
      what: 'append a message to a transcript of 1,000 against one of 10',
    }),
    ratioRow(samples, ['longRun', 'shortRun'], {
      ...facts,
      id: 'append-part',
      what: 'save one more part of a run that has 1,000 against one that has 10',
    }),
  ]
}

type Transcript = Parameters<TodoSession['saveMessages']>[0]

function appending(storage: SessionStorage, id: string, count: number) {
  return saving(storage, id, messagesOf(count), (messages, index) => [...messages, messageOf(count + index)])
}

/** A run is one message, which gets longer with each step. */
function growing(storage: SessionStorage, id: string, count: number) {
  const parts = messagesOf(count).flatMap((message) => message.parts)
  const run = { ...messageOf(1), parts }
  return saving(storage, id, [run], ([message = run], index) => [
    { ...run, parts: [...message.parts, ...messageOf(count + index).parts] },
  ])
}

async function saving(
  storage: SessionStorage,
  id: string,
  start: Transcript,
  append: (messages: Transcript, index: number) => Transcript,
): Promise<() => Promise<number>> {
  const session = createTodoSession({ id, storage })
  await session.ready()
  await session.saveMessages(start)
  return async () => {
    let messages = start
    const time = await perCommit((index) => {
      messages = append(messages, index)
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
async function commit(session: TodoSession, index: number, messages?: Transcript): Promise<void> {
  const list = lists[index % ITEMS] as TodoList
  const { saved } = await session.commit((data) => ({ ...data, list }), messages && { messages })
  if (!saved) throw new Error('A commit was not saved.')
}

function messagesOf(count: number): Transcript {
  return Array.from({ length: count }, (_, index) => messageOf(index))
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
