import type { UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { addTodos, completeTodos } from '../core/list.ts'
import { idleRun } from '../core/todo.ts'
import { faultyStorage } from '../testing/faultyStorage.ts'
import { createTodoSession } from './createTodoSession.ts'
import { RECORD_VERSION, type SessionData } from './record.ts'
import {
  deleteAllSessions,
  deleteSession,
  getTodoSession,
  listSessions,
  renameSession,
  retainTodoSession,
} from './registry.ts'
import { memoryStorage, type SessionStorage } from './storage.ts'
import { duplicateSession, exportSession, importSession } from './transfer.ts'

const say = (id: string, role: UIMessage['role'] = 'user'): UIMessage => ({
  id,
  role,
  parts: [{ type: 'text', text: `Text of ${id}` }],
})
const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})

/** A session with two turns, a list and a history, as a run leaves it. */
async function talked(storage: SessionStorage = memoryStorage()) {
  const session = createTodoSession({ id: 'trip', storage })
  const [m1, m2, m3, m4] = [say('m1'), say('m2', 'assistant'), say('m3'), say('m4', 'assistant')]
  await session.commit((data) => ({ ...add('Book a hotel')(data), title: 'Trip to Lyon' }), {
    messages: [m1, m2],
    cause: { messageId: 'm2' },
  })
  await session.commit((data) => ({ ...data, list: completeTodos(data.list, [{ id: 1 }], 2).list }), {
    messages: [m1, m2, m3, m4],
    cause: { messageId: 'm4' },
  })
  return { storage, session }
}

async function opened(id: string, storage: SessionStorage) {
  const session = createTodoSession({ id, storage })
  await session.ready()
  return session
}

const json = (value: unknown) => JSON.parse(JSON.stringify(value))

async function faultOf(file: unknown, storage: SessionStorage = memoryStorage()) {
  const error = await importSession(file, storage).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'TodoAgentError', code: 'invalid_import' })
  expect(await storage.list()).toEqual([])
  return error as { message: string; path: string | undefined }
}

describe('exportSession', () => {
  test('gives all of a session as plain JSON', async () => {
    const { storage } = await talked()
    const file = await exportSession('trip', storage)
    expect(json(file)).toEqual(file)
    expect(file).toMatchObject({
      format: 'use-todo-agent/session',
      version: 1,
      session: {
        id: 'trip',
        title: 'Trip to Lyon',
        list: { todos: [{ content: 'Book a hotel' }], nextId: 2 },
      },
      messages: [{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }, { id: 'm4' }],
      history: [{ n: 1 }, { n: 2 }],
    })
  })

  test('of what JSON has no word for gives what it can', async () => {
    const { storage, session } = await talked()
    const output: { name: string; size: bigint; self?: unknown; all?: unknown[] } = {
      name: 'report',
      size: 9n,
    }
    output.self = output
    output.all = [output, { name: 'twice' }, { name: 'twice' }]
    const odd = {
      id: 'm5',
      role: 'assistant',
      parts: [
        {
          type: 'dynamic-tool',
          toolName: 't',
          toolCallId: 'c',
          state: 'output-available',
          input: {},
          output,
        },
      ],
    } as UIMessage
    await session.saveMessages([...session.savedMessages(), odd])
    const { messages } = await exportSession('trip', storage)
    const plain = { name: 'report', size: '9', all: [null, { name: 'twice' }, { name: 'twice' }] }
    expect(messages.at(-1)?.parts).toMatchObject([{ output: plain }])
    expect(
      await importSession(JSON.stringify(await exportSession('trip', storage)), memoryStorage()),
    ).toMatchObject({ problems: [] })
  })

  test('writes nothing', async () => {
    const storage = faultyStorage((await talked()).storage)
    await exportSession('trip', storage)
    expect(storage.calls.filter(({ method }) => !method.startsWith('read'))).toEqual([])
  })

  test('of a live session that could not be saved gives what the page has', async () => {
    const storage = faultyStorage({ ...memoryStorage(), durable: true }, () => ({
      error: 'QuotaExceededError',
    }))
    const session = getTodoSession('s', { storage, retryDelays: [] })
    await session.commit(add('Only here'), { messages: [say('m1')] })
    const { session: data, messages } = await exportSession('s', storage)
    expect(data.list.todos[0]?.content).toBe('Only here')
    expect(messages).toHaveLength(1)
  })

  test('of a session that is not there, or can not be read, says so and touches nothing', async () => {
    const storage = memoryStorage()
    const { session } = await talked()
    const record = (await session.storage.read('trip')) as object
    await storage.write({ ...record, id: 'newer', version: RECORD_VERSION + 1 } as never, null)
    await storage.write({ ...record, id: 'damaged', list: 'none' } as never, null)
    await expect(exportSession('absent', storage)).rejects.toMatchObject({ code: 'unknown_session' })
    await expect(exportSession('newer', storage)).rejects.toMatchObject({ code: 'read_only' })
    await expect(exportSession('damaged', storage)).rejects.toMatchObject({ code: 'read_only' })
    expect((await storage.list()).map(({ id }) => id)).toEqual(['newer', 'damaged'])
  })
})

describe('importSession', () => {
  test('gives back what was exported, its history too', async () => {
    const { storage: from, session } = await talked()
    const to = memoryStorage()
    const text = JSON.stringify(await exportSession('trip', from))
    expect(await importSession(text, to)).toEqual({ id: 'trip', problems: [] })
    const copy = await opened('trip', to)
    expect(copy.store.getState().data).toEqual(session.store.getState().data)
    expect(copy.store.getState().messages).toEqual(session.store.getState().messages)
    expect(copy.store.getState().problems).toEqual([])
    await copy.rewind('m2', { messages: [say('m1'), say('m2', 'assistant')] })
    expect(copy.getRemainingTodos().map(({ content }) => content)).toEqual(['Book a hotel'])
  })

  test('takes the given id, and a new one when that is taken, open or not', async () => {
    const { storage } = await talked()
    const file = await exportSession('trip', storage)
    expect((await importSession(file, storage, { id: 'mine' })).id).toBe('mine')
    expect((await importSession(file, storage)).id).toMatch(/^trip-\w+$/)
    retainTodoSession(getTodoSession('open', { storage }))
    expect((await importSession(file, storage, { id: 'open' })).id).toMatch(/^open-\w+$/)
    expect((await opened('trip', storage)).store.getState().revision).toBe(2)
    await expect(importSession(file, storage, { id: ' ' })).rejects.toThrow('`id`')
  })

  test('a run that was under way is interrupted in the copy', async () => {
    const { storage, session } = await talked()
    const run = { ...idleRun, status: 'running' as const, startedAt: 1 }
    await session.commit((data) => ({ ...data, run }))
    const file = await exportSession('trip', storage)
    expect(file.session.run.status).toBe('interrupted')
    const running = { ...file, session: { ...file.session, run: { ...file.session.run, status: 'running' } } }
    const imported = await importSession(running, storage)
    const live = getTodoSession('live', { storage })
    await live.commit((data) => ({ ...data, run }))
    const copied = await duplicateSession('live', storage)
    for (const id of [imported.id, copied]) {
      expect(await storage.read(id)).toMatchObject({ run: { status: 'interrupted' } })
    }
    const { id } = await importSession({ ...file, session: { ...file.session, run } }, memoryStorage())
    expect(id).toBe('trip')
  })

  test('leaves out what a saved session would be opened without, and says so', async () => {
    const file = json(await exportSession('trip', (await talked()).storage))
    file.session.list.todos.push({ id: 'two' }, { ...file.session.list.todos[0], id: 7 })
    file.session.guard = 'none'
    file.messages.splice(1, 0, 'no message')
    file.history[0].undo = null
    const storage = memoryStorage()
    const { id, problems } = await importSession(file, storage)
    expect(problems.map(({ code }) => code)).toEqual(['damaged_item', 'damaged_message', 'damaged_history'])
    const copy = await opened(id, storage)
    expect(copy.getAllTodos().map((todo) => todo.id)).toEqual([1, 7])
    expect(copy.store.getState().messages.map((message) => message.id)).toEqual(['m1', 'm2', 'm3', 'm4'])
    expect(copy.store.getState().problems).toEqual([])
  })

  test.each<[string, unknown, string | undefined, RegExp]>([
    ['text that is no JSON', '{"format"', undefined, /not JSON/],
    ['nothing', undefined, '', /The whole is missing/],
    ['another JSON', { todos: [] }, 'format', /`format` is missing, expected "use-todo-agent\/session"/],
    ['a list', [1], '', /The whole is an array, expected object/],
    ['a newer file', { format: 'use-todo-agent/session', version: 2 }, 'version', /newer version/],
    ['a version that is none', { format: 'use-todo-agent/session', version: 0 }, 'version', /`version` is 0/],
  ])('refuses %s', async (_what, file, path, message) => {
    const error = await faultOf(file)
    expect(error.path).toBe(path)
    expect(error.message).toMatch(message)
  })

  test.each<[string, (file: never) => void]>([
    ['session', (file: { session: unknown }) => (file.session = 3)],
    ['session.id', (file: { session: { id: string } }) => (file.session.id = ' ')],
    ['session.list', (file: { session: { list: unknown } }) => (file.session.list = null)],
    [
      'session.list.todos',
      (file: { session: { list: { todos: unknown } } }) => (file.session.list.todos = {}),
    ],
    ['messages', (file: { messages: unknown }) => (file.messages = { length: 1 })],
    ['history', (file: { history?: unknown }) => delete file.history],
  ] as never)('refuses a fault at %s and names it', async (path, spoil) => {
    const file = json(await exportSession('trip', (await talked()).storage))
    spoil(file as never)
    const error = await faultOf(JSON.stringify(file))
    expect(error.path).toBe(path)
    expect(error.message).toContain(path)
  })

  test('rejects with storage_failed when it can not be saved', async () => {
    const file = await exportSession('trip', (await talked()).storage)
    const storage = faultyStorage(memoryStorage(), ({ method }) =>
      method === 'write' ? { error: 'QuotaExceededError' } : null,
    )
    await expect(importSession(file, storage)).rejects.toMatchObject({ code: 'storage_failed' })
  })
})

describe('duplicateSession', () => {
  test('saves a second session that goes its own way, with what JSON has no word for', async () => {
    const { storage, session } = await talked()
    const dated = { ...say('m5'), metadata: { at: new Date(5) } }
    await session.saveMessages([...session.store.getState().messages, dated])
    const id = await duplicateSession('trip', storage, { title: 'Trip (copy)' })
    const copy = await opened(id, storage)
    expect(copy.store.getState().messages[4]).toEqual(dated)
    await copy.commit(add('Only in the copy'))
    expect((await listSessions(storage)).map(({ title, total }) => [title, total])).toEqual([
      ['Trip (copy)', 2],
      ['Trip to Lyon', 1],
    ])
  })
})

describe('renameSession', () => {
  test('changes the title, of a live session too', async () => {
    const { storage } = await talked()
    const session = getTodoSession('trip', { storage })
    retainTodoSession(session)
    await renameSession('trip', ' Lyon ', storage)
    expect(session.store.getState().data.title).toBe('Lyon')
    expect(await listSessions(storage)).toMatchObject([{ title: 'Lyon' }])
  })

  test('brings no deleted session back, and takes no blank title', async () => {
    const { storage } = await talked()
    await deleteSession('trip', storage)
    await expect(renameSession('trip', 'Lyon', storage)).rejects.toMatchObject({ code: 'unknown_session' })
    await expect(renameSession('trip', ' ', storage)).rejects.toThrow('`title`')
    expect(await storage.list()).toEqual([])
  })

  test('rejects when the title could not be saved', async () => {
    const storage = faultyStorage((await talked()).storage, ({ method }) =>
      method === 'write' ? { error: 'QuotaExceededError' } : null,
    )
    await expect(renameSession('trip', 'Lyon', storage)).rejects.toMatchObject({ code: 'storage_failed' })
  })
})

test('deleteAllSessions deletes all, those that can not be read too, and empties the live ones', async () => {
  const { storage } = await talked()
  const record = (await storage.read('trip')) as object
  await storage.write({ ...record, id: 'newer', version: RECORD_VERSION + 1 } as never, null)
  const live = getTodoSession('live', { storage })
  retainTodoSession(live)
  await live.commit(add('A'))
  await deleteAllSessions(storage)
  expect(await storage.list()).toEqual([])
  expect(live.getAllTodos()).toEqual([])
  expect(getTodoSession('live', { storage })).toBe(live)
})
