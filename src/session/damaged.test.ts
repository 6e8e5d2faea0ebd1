import { describe, expect, test, vi } from 'vitest'
import { addTodos } from '../core/list.ts'
import { createTodoSession } from './createTodoSession.ts'
import {
  emptyData,
  parseRecord,
  RECORD_VERSION,
  type SessionData,
  type SessionRecord,
  summarize,
} from './record.ts'
import { memoryStorage, type SessionStorage } from './storage.ts'

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})
const todo = (id: number, content: string) => ({ id, content, status: 'pending', createdAt: 1 })

const record: SessionRecord = {
  ...emptyData,
  version: RECORD_VERSION,
  id: 's',
  revision: 4,
  createdAt: 1,
  updatedAt: 2,
  writeIds: ['w'],
  messagesRevision: 0,
  lastEntry: 0,
}

async function holding(value: unknown, messages: readonly unknown[] = []): Promise<SessionStorage> {
  const storage = memoryStorage()
  const puts = messages.map((message, index) => ({ index, message }))
  await storage.write({ ...(value as SessionRecord), id: 's' }, null, { messages: { puts } })
  return storage
}

async function open(storage: SessionStorage) {
  const onProblem = vi.fn()
  const session = createTodoSession({ id: 's', storage, onProblem, now: () => 77 })
  await session.ready()
  return { session, codes: () => onProblem.mock.calls.map(([{ code }]) => code) }
}

describe('a damaged item', () => {
  const todos = [
    todo(1, 'A'),
    null,
    { id: 2 },
    todo(3, 'C'),
    { ...todo(3, 'again') },
    { ...todo(4, 'D'), status: 'done' },
    [[]],
  ]

  test('is left out and reported, and the rest stays', async () => {
    const { session, codes } = await open(await holding({ ...record, list: { todos, nextId: 2 } }))
    expect(session.getAllTodos()).toEqual([todo(1, 'A'), todo(3, 'C')])
    expect(session.store.getState().data.list.nextId).toBe(4)
    expect(codes()).toEqual(Array(5).fill('damaged_item'))
    const said = session.store.getState().problems.map((problem) => problem.message)
    expect(said[0]).toMatch(/^Item 1 of session "s" was left out \(item: /)
    expect(said[2]).toBe('Item 4 of session "s" was left out (its id came before).')
    expect(said[3]).toMatch(/\(status: /)
    expect(await session.commit(add('E'))).toEqual({ revision: 5, changed: true, saved: true })
    expect(session.getAllTodos().at(-1)).toMatchObject({ id: 4 })
  })

  test.each([null, 'x', -1, 1.5, Number.MAX_VALUE])('an odd next id (%s) is put right', async (nextId) => {
    const { session } = await open(await holding({ ...record, list: { todos: [todo(7, 'A')], nextId } }))
    expect(session.store.getState().data.list.nextId).toBe(8)
  })
})

describe('odd fields', () => {
  test('fall back one by one', () => {
    const parsed = parseRecord('s', {
      ...record,
      guard: { retries: null, staleSteps: 'many' },
      mode: 7,
      modeChange: 'x',
      run: { status: 'flying' },
      title: {},
      createdAt: 'yesterday',
      updatedAt: -1,
      writeIds: 'w',
      messagesRevision: null,
      lastEntry: null,
    })
    expect(parsed).toMatchObject({
      kind: 'current',
      record: { ...emptyData, createdAt: 0, updatedAt: 0, writeIds: [], messagesRevision: 0, lastEntry: 0 },
    })
  })

  test('do not keep the session from being written', async () => {
    const { session } = await open(await holding({ ...record, createdAt: 'yesterday', writeIds: null }))
    expect(await session.commit(add('A'))).toEqual({ revision: 5, changed: true, saved: true })
  })
})

describe('a damaged record', () => {
  const damaged: [string, unknown][] = [
    ['without a list', { ...record, list: null }],
    ['without a version', { ...record, version: undefined }],
    ['without a revision', { ...record, revision: 'x' }],
    ['that is no record at all', { hello: 'world' }],
  ]

  test.each(damaged)('%s is set aside, and the session starts anew', async (_what, value) => {
    const storage = await holding(value, [{ id: 'm1', role: 'user', parts: [] }])
    const before = await storage.read('s')
    const aside: unknown[] = []
    const setAside = storage.setAside
    storage.setAside = async (id, revision, at) => {
      aside.push(id, await storage.read(id), at)
      await setAside(id, revision, at)
    }
    const { session, codes } = await open(storage)
    expect(codes()).toEqual(['damaged_record'])
    expect(aside).toEqual(['s', before, 77])
    expect(await storage.read('s')).toBeUndefined()
    expect(session.store.getState()).toMatchObject({ hydrated: true, todos: [], messages: [{ id: 'm1' }] })
    expect(await session.commit(add('A'))).toMatchObject({ saved: true })
    const { session: again } = await open(storage)
    expect(again.getAllTodos()).toMatchObject([{ content: 'A' }])
    expect(again.store.getState().messages).toHaveLength(1)
  })

  test('opened in two tabs is set aside once, and both go on with the same new one', async () => {
    const storage = await holding({ ...record, list: null })
    const tabs = await Promise.all([open(storage), open(storage)])
    await Promise.all(tabs.map(({ session }, index) => session.commit(add(`of ${index}`))))
    const { session } = await open(storage)
    expect(session.getAllTodos()).toHaveLength(2)
  })

  test('that can not be set aside is not overwritten', async () => {
    const storage = await holding({ ...record, list: null })
    const before = await storage.read('s')
    storage.setAside = async () => {
      throw new Error('no')
    }
    const { session } = await open(storage)
    expect(await session.commit(add('A'))).toMatchObject({ saved: false })
    await session.flush()
    expect(await storage.read('s')).toEqual(before)
    session.close()
  })

  test('is said to be so, with the place in it', async () => {
    const said = (value: unknown) => {
      const parsed = parseRecord('s', value)
      return parsed.kind === 'damaged' ? parsed.problems[0]?.message : parsed.kind
    }
    expect(said({ ...record, list: null })).toMatch(/"s" can't be read \(list: .*kept aside/)
    expect(said('text')).toMatch(/\(record: /)
    expect(said(null)).toBe('none')
  })

  test('found while the session is open is replaced by what is in memory', async () => {
    const storage = memoryStorage()
    const { session, codes } = await open(storage)
    await session.commit(add('A'))
    const stored = (await storage.read('s')) as SessionRecord
    await storage.write(
      { ...stored, revision: 9, writeIds: [...stored.writeIds, 'x'], list: null } as unknown as SessionRecord,
      1,
    )
    expect(await session.commit(add('B'))).toMatchObject({ saved: true })
    expect(session.getAllTodos()).toHaveLength(2)
    expect(codes()).toEqual(['damaged_record'])
  })
})

describe('a record of a newer version', () => {
  const newer = {
    ...record,
    version: RECORD_VERSION + 1,
    list: { todos: [todo(1, 'A')], nextId: 2 },
    extra: { unknown: true },
  }

  test('is shown, and not changed', async () => {
    const storage = await holding(newer)
    const { session, codes } = await open(storage)
    expect(session.store.getState()).toMatchObject({
      persistence: 'read_only',
      hydrated: true,
      todos: [{ content: 'A' }],
    })
    expect(codes()).toEqual(['newer_version'])
    await expect(session.commit(add('B'))).rejects.toMatchObject({ code: 'read_only' })
    expect(await session.saveMessages([])).toBe(false)
    await session.refresh()
    await session.flush()
    expect(await storage.read('s')).toEqual({ ...newer, id: 's' })
  })

  test('refuses changes that were made before it was read', async () => {
    const session = createTodoSession({ id: 's', storage: await holding(newer) })
    await expect(session.commit(add('B'))).rejects.toMatchObject({ code: 'read_only' })
    expect(session.getAllTodos()).toMatchObject([{ content: 'A' }])
  })

  test('of a shape that is not known is shown empty, and kept', async () => {
    const odd = { version: 99, id: 's', revision: 1, blocks: [] }
    const storage = await holding(odd)
    const { session } = await open(storage)
    expect(session.store.getState()).toMatchObject({ persistence: 'read_only', todos: [] })
    expect(await storage.read('s')).toEqual(odd)
  })

  test('written by another tab makes an open session read-only', async () => {
    const storage = memoryStorage()
    const { session } = await open(storage)
    await session.commit(add('A'))
    const stored = (await storage.read('s')) as SessionRecord
    await storage.write(
      { ...stored, version: 9, revision: 2, writeIds: [...stored.writeIds, 'x'], title: 'newer' },
      1,
    )
    const refused = session.commit(add('B'))
    const same = session.commit((data) => data)
    await expect(refused).rejects.toMatchObject({ code: 'read_only' })
    expect(await same).toMatchObject({ changed: false, saved: false })
    expect(session.store.getState()).toMatchObject({ persistence: 'read_only', data: { title: 'newer' } })
    expect(session.getAllTodos()).toHaveLength(1)
  })
})

describe('damaged messages', () => {
  test('are left out, parts too, and the rest stays in its place', async () => {
    const text = { type: 'text', text: 'x' }
    const messages = [
      { id: 'm1', role: 'user', parts: [text] },
      null,
      { id: 'm3', role: 'robot', parts: [text] },
      { id: 'm4', role: 'assistant', parts: [text, null, { text: 'no type' }] },
      { id: 5, role: 'user', parts: [text] },
      { id: 'm6', role: 'assistant', parts: 'none' },
      { id: 'm7', role: 'user', parts: [] },
    ]
    const storage = await holding(record, messages)
    const { session, codes } = await open(storage)
    expect(session.store.getState().messages).toEqual([
      messages[0],
      { id: 'm4', role: 'assistant', parts: [text] },
      messages[6],
    ])
    expect(codes()).toEqual(Array(5).fill('damaged_message'))
    await session.saveMessages(session.store.getState().messages)
    expect((await open(storage)).codes()).toEqual([])
  })
})

describe('a list of sessions', () => {
  test('holds damaged and newer records as not readable', () => {
    expect(summarize({ ...record, title: 'T' })).toMatchObject({ id: 's', readable: true, title: 'T' })
    expect(summarize({ ...record, list: null })).toMatchObject({
      id: 's',
      readable: false,
      done: 0,
      total: 0,
    })
    expect(summarize({ ...record, version: 9, title: 'T' })).toMatchObject({
      id: 's',
      readable: false,
      title: 'T',
    })
    expect(summarize(null)).toBeNull()
    expect(summarize({ id: 7 })).toBeNull()
  })
})
