import type { UIMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addTodos, completeTodos, removeTodos } from '../core/list.ts'
import { faultyStorage } from '../testing/faultyStorage.ts'
import { createTodoSession } from './createTodoSession.ts'
import type { SessionData } from './record.ts'
import { memoryStorage } from './storage.ts'
import { exportSession, importSession } from './transfer.ts'

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})
const complete = (id: number) => (data: SessionData) => ({
  ...data,
  list: completeTodos(data.list, [{ id }], 2).list,
})
const remove = (id: number) => (data: SessionData) => ({ ...data, list: removeTodos(data.list, [id]).list })
const message = (id: string, role: UIMessage['role'] = 'user'): UIMessage => ({
  id,
  role,
  parts: [{ type: 'text', text: id }],
})

const [u1, a1, u2, a2, u3, a3] = [
  message('u1'),
  message('a1', 'assistant'),
  message('u2'),
  message('a2', 'assistant'),
  message('u3'),
  message('a3', 'assistant'),
]

/** Three turns: a1 adds A and B and completes A; then the host sets the mode; a2 removes B and adds C; a3 changes nothing. */
async function threeTurns(storage = memoryStorage()) {
  const session = createTodoSession({ id: 's', storage })
  await session.commit((data) => ({ ...data, mode: 'plan' }))
  await session.commit(add('A'), { cause: { messageId: 'a1', toolCallId: 't1' }, messages: [u1, a1] })
  await session.commit(add('B'), { cause: { messageId: 'a1', toolCallId: 't2' } })
  await session.commit(complete(1), { cause: { messageId: 'a1' } })
  await session.commit((data) => ({ ...data, mode: 'execute', modeChange: { from: 'plan', to: 'execute' } }))
  await session.saveMessages([u1, a1, u2, a2])
  await session.commit(remove(2), { cause: { messageId: 'a2' } })
  await session.commit((data) => ({ ...add('C')(data), guard: { ...data.guard, staleSteps: 4 } }), {
    cause: { messageId: 'a2' },
  })
  await session.saveMessages([u1, a1, u2, a2, u3, a3])
  return session
}

const show = (list: SessionData['list'] | null | undefined) =>
  list?.todos.map(({ id, content, status }) => `${id} ${content} ${status}`)
const afterA1 = ['1 A completed', '2 B pending']
const afterA2 = ['1 A completed', '3 C pending']

describe('history', () => {
  test('tells each change of list, guard or mode, with its cause and the list after it', async () => {
    const session = await threeTurns()
    const history = await session.history()
    expect(history.map(({ cause, list, mode }) => [cause?.messageId, list.todos.length, mode])).toEqual([
      [undefined, 0, 'plan'],
      ['a1', 1, 'plan'],
      ['a1', 2, 'plan'],
      ['a1', 2, 'plan'],
      [undefined, 2, 'execute'],
      ['a2', 1, 'execute'],
      ['a2', 2, 'execute'],
    ])
    expect(history[1]?.cause).toEqual({ messageId: 'a1', toolCallId: 't1' })
    expect(history.at(-1)?.list).toEqual(session.store.getState().data.list)
    expect(history.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 7, 8])
    for (const part of history.flatMap((revision) => [revision, revision.list, revision.list.todos]))
      expect(Object.isFrozen(part)).toBe(true)
  })

  test('stores of each change only what it changed', async () => {
    const storage = memoryStorage()
    const session = createTodoSession({ id: 's', storage })
    for (let n = 1; n <= 30; n += 1) await session.commit(add(`${n}`))
    await session.commit(complete(7))
    expect((await storage.readHistory('s')).at(-1)).toMatchObject({
      undo: { todos: [{ id: 7, status: 'pending' }], order: null, nextId: 31 },
    })
    expect((await storage.readHistory('s')).at(-1)).not.toMatchObject({ undo: { guard: {} } })
    await session.commit((data) => ({ ...data, guard: { ...data.guard, staleSteps: 1 } }))
    expect((await storage.readHistory('s')).at(-1)).toMatchObject({
      undo: { todos: [], guard: { staleSteps: 0 } },
    })
    expect(JSON.stringify((await storage.readHistory('s')).at(-1)).length).toBeLessThan(400)
  })

  test('keeps the changes that it was given', async () => {
    const session = createTodoSession({ id: 's', storage: memoryStorage() })
    const changes = [{ type: 'added', id: 1, content: 'A', status: 'pending', index: 0 }] as const
    await session.commit(add('A'), { changes })
    expect((await session.history())[0]?.changes).toEqual(changes)
  })

  test('holds the newest revisions only', async () => {
    const storage = memoryStorage()
    const session = createTodoSession({ id: 's', storage, historyLimit: 20 })
    let stored = 0
    for (let n = 1; n <= 200; n += 1) {
      await session.commit(add(`${n}`))
      stored = Math.max(stored, (await storage.readHistory('s')).length)
    }
    const history = await session.history()
    expect(history.map(({ list }) => list.todos.length)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 181),
    )
    // The oldest go 64 at a time.
    expect(stored).toBe(20 + 63)
    await session.rewind(null)
    expect(session.getAllTodos()).toEqual([])
  })

  test('goes only as far back as it is whole', async () => {
    const storage = memoryStorage()
    const session = createTodoSession({ id: 's', storage })
    for (let n = 1; n <= 30; n += 1) await session.commit(add(`${n}`))
    const entries = await storage.readHistory('s')
    const again = createTodoSession({
      id: 's',
      storage: {
        ...storage,
        readHistory: async () => entries.map((entry, index) => (index === 10 ? { n: 'x' } : entry)),
      },
    })
    const history = await again.history()
    expect(history.at(-1)?.list.todos).toHaveLength(30)
    expect(history[0]?.list.todos.length).toBe(12)
  })

  test('stops at an entry that is missing, and leaves out one that is newer than the session', async () => {
    const storage = memoryStorage()
    const session = createTodoSession({ id: 's', storage })
    for (let n = 1; n <= 30; n += 1) await session.commit(add(`${n}`))
    const entries = await storage.readHistory('s')
    const newer = { ...(entries[29] as object), n: 31 }
    const readHistory = async () => [...entries.filter((_, index) => index !== 10), newer]
    const again = createTodoSession({ id: 's', storage: { ...storage, readHistory } })
    const history = await again.history()
    expect(history.map(({ list }) => list.todos.length)).toEqual(
      Array.from({ length: 19 }, (_, index) => index + 12),
    )
    expect(again.store.getState().problems).toEqual([])
  })

  test('reports when none of what is stored can be read', async () => {
    const storage = memoryStorage()
    const session = createTodoSession({ id: 's', storage })
    for (let n = 1; n <= 30; n += 1) await session.commit(add(`${n}`))
    const again = createTodoSession({ id: 's', storage: { ...storage, readHistory: async () => ['x'] } })
    await again.history()
    expect(again.store.getState().problems).toMatchObject([{ code: 'damaged_history' }])
  })
})

describe('listAt', () => {
  test('gives the list as it was when the message was last touched', async () => {
    const session = await threeTurns()
    expect(show(await session.listAt('a1'))).toEqual(afterA1)
    expect(show(await session.listAt('a2'))).toEqual(afterA2)
  })

  test('of a message without changes gives the list that stood there', async () => {
    const session = await threeTurns()
    expect(show(await session.listAt('u1'))).toEqual([])
    expect(show(await session.listAt('u2'))).toEqual(afterA1)
    expect(show(await session.listAt('a3'))).toEqual(afterA2)
    expect(await session.listAt('unknown')).toBeNull()
  })
})

describe('rewind', () => {
  test('takes list, ids, guard and mode back to what they were', async () => {
    const session = await threeTurns()
    const result = await session.rewind('u2', { messages: [u1, a1, u2] })
    expect(result).toMatchObject({ changed: true, saved: true })
    const { data, messages } = session.store.getState()
    expect(show(data.list)).toEqual(afterA1)
    expect(data).toMatchObject({
      mode: 'execute',
      modeChange: null,
      guard: { staleSteps: 0 },
      list: { nextId: 3 },
    })
    expect(messages).toEqual([u1, a1, u2])
    await session.commit(add('D'), { cause: { messageId: 'a2b' } })
    expect(show(session.store.getState().data.list)).toEqual([...afterA1, '3 D pending'])
  })

  test('to the first question leaves what was set before it', async () => {
    const session = await threeTurns()
    await session.rewind('u1', { messages: [u1] })
    expect(session.store.getState()).toMatchObject({ todos: [], mode: 'plan', data: { list: { nextId: 1 } } })
  })

  test('leaves what the host changed right after the message', async () => {
    const session = await threeTurns()
    await session.rewind('a1', { messages: [u1, a1] })
    expect(session.store.getState()).toMatchObject({ mode: 'execute' })
    expect(show(session.store.getState().data.list)).toEqual(afterA1)
  })

  test('takes a change of the guard alone and a new order back', async () => {
    const session = createTodoSession({ id: 's', storage: memoryStorage() })
    for (const title of ['A', 'B', 'C']) await session.commit(add(title), { cause: { messageId: 'a1' } })
    const swap = (data: SessionData) => {
      const [first, second, third] = data.list.todos
      return { ...data, list: { ...data.list, todos: [second, first, third] as typeof data.list.todos } }
    }
    await session.commit(swap, { cause: { messageId: 'a2' } })
    await session.commit((data) => ({ ...data, guard: { ...data.guard, staleSteps: 3 } }), {
      cause: { messageId: 'a3' },
      messages: [u1, a1, u2, a2, u3, a3],
    })
    await session.rewind('u3', { messages: [u1, a1, u2, a2, u3] })
    expect(session.store.getState().data.guard.staleSteps).toBe(0)
    await session.rewind('u2', { messages: [u1, a1, u2] })
    expect(session.getAllTodos().map(({ id }) => id)).toEqual([1, 2, 3])
  })

  test('to null is the start of the session', async () => {
    const session = await threeTurns()
    await session.rewind(null, { messages: [] })
    expect(session.store.getState()).toMatchObject({ todos: [], mode: null, messages: [] })
    expect(await session.history()).toEqual([])
  })

  test('to null keeps the mode that a copied session began with', async () => {
    const storage = memoryStorage()
    const file = await exportSession('s', (await threeTurns(storage)).storage)
    await importSession({ ...file, history: [] }, storage, { id: 'copy' })
    const session = createTodoSession({ id: 'copy', storage })
    await session.rewind(null)
    expect(session.store.getState()).toMatchObject({ todos: [], mode: 'execute' })
    await session.commit((data) => ({ ...add('A')(data), mode: 'plan' }))
    await session.rewind(null)
    expect(session.store.getState()).toMatchObject({ todos: [], mode: 'execute' })
  })

  test('to null forgets the mode where the history does not reach its start', async () => {
    const session = createTodoSession({ id: 's', storage: memoryStorage(), historyLimit: 2 })
    for (const mode of ['plan', 'execute', 'plan', 'execute'])
      await session.commit((data) => ({ ...data, mode }))
    await session.rewind(null)
    expect(session.store.getState().mode).toBeNull()
  })

  test('works the same when the shown transcript was cut before', async () => {
    const session = await threeTurns()
    session.setMessages([u1, a1, u2])
    await session.rewind('u2', { messages: [u1, a1, u2] })
    expect(show(session.store.getState().data.list)).toEqual(afterA1)
  })

  test('works the same when the saved transcript was cut before', async () => {
    const session = await threeTurns()
    await session.saveMessages([u1, a1, u2])
    await session.rewind('u2')
    expect(show(session.store.getState().data.list)).toEqual(afterA1)
  })

  test('works when the session never held a transcript', async () => {
    const session = createTodoSession({ id: 's', storage: memoryStorage() })
    await session.commit(add('A'), { cause: { messageId: 'a1' } })
    await session.commit(add('B'), { cause: { messageId: 'a2' } })
    await session.rewind('u2', { messages: [u1, a1, u2] })
    expect(show(session.store.getState().data.list)).toEqual(['1 A pending'])
  })

  test('undoes all that came after what is known, but what the host changed before it', async () => {
    const session = createTodoSession({ id: 's', storage: memoryStorage() })
    await session.commit(add('A'), { cause: { messageId: 'a1' } })
    await session.commit((data) => ({ ...data, mode: 'execute' }))
    for (const id of ['a2', 'a3', 'a4']) await session.commit(add(id), { cause: { messageId: id } })
    await session.rewind('u2', { messages: [u1, a1, u2] })
    expect(show(session.store.getState().data.list)).toEqual(['1 A pending'])
    expect(session.store.getState().mode).toBe('execute')
  })

  test('keeps what came before a known message, though nobody knows its own message any more', async () => {
    const session = createTodoSession({ id: 's', storage: memoryStorage() })
    for (const id of ['a1', 'gone', 'a2', 'a3']) await session.commit(add(id), { cause: { messageId: id } })
    await session.rewind('u3', { messages: [u1, a1, u2, a2, u3] })
    expect(show(session.store.getState().data.list)).toEqual([
      '1 a1 pending',
      '2 gone pending',
      '3 a2 pending',
    ])
  })

  test('knows the first answer that changed something by the message before it', async () => {
    const session = createTodoSession({ id: 's', storage: memoryStorage() })
    await session.saveMessages([u1, a1, u2, a2])
    await session.commit(add('A'), { cause: { messageId: 'a2' } })
    await session.saveMessages([u1, a1, u2])
    await session.rewind('u2', { messages: [u1, a1, u2] })
    expect(session.getAllTodos()).toEqual([])
  })

  test('to a message after which nothing changed commits nothing', async () => {
    const session = await threeTurns()
    const { revision } = session.store.getState()
    expect(await session.rewind('u3')).toEqual({ revision, changed: false, saved: true })
  })

  test('of a transcript whose beginning was cut off keeps what came from there', async () => {
    const session = await threeTurns()
    await session.saveMessages([u3, a3])
    await session.rewind('u3', { messages: [u3] })
    expect(show(session.store.getState().data.list)).toEqual(afterA2)
  })

  test('twice to the same message gives the same', async () => {
    const session = await threeTurns()
    await session.rewind('u2', { messages: [u1, a1, u2] })
    await session.commit(add('D'), {
      cause: { messageId: 'a2b' },
      messages: [u1, a1, u2, message('a2b', 'assistant')],
    })
    await session.rewind('u2', { messages: [u1, a1, u2] })
    expect(show(session.store.getState().data.list)).toEqual(afterA1)
    expect((await session.history()).length).toBe(5)
  })

  test('is found again after a reload', async () => {
    const storage = memoryStorage()
    const session = await threeTurns(storage)
    await session.rewind('u2', { messages: [u1, a1, u2] })
    const again = createTodoSession({ id: 's', storage })
    await again.ready()
    expect(show(again.store.getState().data.list)).toEqual(afterA1)
    expect(await again.history()).toEqual(await session.history())
  })

  test('without a readable history leaves a saved list alone', async () => {
    const storage = memoryStorage()
    await threeTurns(storage)
    const faulty = faultyStorage(storage, ({ method }) =>
      method === 'read' ? { error: 'UnknownError' } : null,
    )
    const session = createTodoSession({ id: 's', storage: faulty, retryDelays: [] })
    await session.rewind('u2')
    await session.rewind(null)
    faulty.setPlan(() => null)
    await session.refresh()
    await session.flush()
    await session.commit(add('D'))
    await session.flush()
    expect(show(session.store.getState().data.list)).toEqual([...afterA2, '4 D pending'])
  })
})

describe('any sequence of changes', () => {
  const change = fc.oneof(
    fc.record({ type: fc.constant('add' as const), title: fc.string({ minLength: 1, maxLength: 4 }) }),
    fc.record({ type: fc.constant('complete' as const), id: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ type: fc.constant('remove' as const), id: fc.integer({ min: 1, max: 8 }) }),
    fc.record({ type: fc.constant('reverse' as const) }),
    fc.record({ type: fc.constant('mode' as const), mode: fc.constantFrom('plan', 'execute') }),
  )

  type Step = typeof change extends fc.Arbitrary<infer Value> ? Value : never

  function make(step: Step) {
    return (data: SessionData): SessionData => {
      switch (step.type) {
        case 'add':
          return add(step.title)(data)
        case 'complete':
          return complete(step.id)(data)
        case 'remove':
          return remove(step.id)(data)
        case 'reverse':
          return { ...data, list: { ...data.list, todos: [...data.list.todos].reverse() } }
        case 'mode':
          return { ...data, mode: step.mode }
      }
    }
  }

  test('can be told and taken back exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 40 }), fc.nat(), async (steps, to) => {
        const session = createTodoSession({ id: 's', storage: memoryStorage() })
        const seen: SessionData[] = [session.store.getState().data]
        const messages: UIMessage[] = []
        for (const [index, step] of steps.entries()) {
          messages.push(message(`m${index}`, 'assistant'))
          await session.commit(make(step), { cause: { messageId: `m${index}` }, messages: [...messages] })
          seen.push(session.store.getState().data)
        }
        for (const { cause, list, mode } of await session.history()) {
          const after = seen[Number(cause?.messageId?.slice(1)) + 1]
          expect({ list, mode }).toEqual({ list: after?.list, mode: after?.mode })
        }
        const place = to % (steps.length + 1)
        await session.rewind(place === 0 ? null : `m${place - 1}`, { messages: messages.slice(0, place) })
        const { list, mode, guard } = session.store.getState().data
        expect({ list, mode, guard }).toEqual({
          list: seen[place]?.list,
          mode: seen[place]?.mode,
          guard: seen[place]?.guard,
        })
      }),
      { numRuns: 60 },
    )
  })
})
