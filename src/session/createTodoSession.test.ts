import type { UIMessage } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { addTodos, completeTodos } from '../core/list.ts'
import { faultyStorage } from '../testing/faultyStorage.ts'
import { createTodoSession } from './createTodoSession.ts'
import { emptyData, type SessionData } from './record.ts'
import { memoryStorage } from './storage.ts'

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})
const complete = (id: number) => (data: SessionData) => ({
  ...data,
  list: completeTodos(data.list, [{ id }], 2).list,
})
const withTodo = (data: SessionData, fields: object) => ({
  ...data,
  list: { todos: [{ id: 1, content: 'By hand', status: 'pending', createdAt: 1, ...fields }], nextId: 2 },
})
const message = (id: string, text = id): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] })

function open(storage = memoryStorage(), id = 's') {
  return createTodoSession({ id, storage })
}

describe('a new session', () => {
  test('does no work before it is asked to', async () => {
    const storage = faultyStorage(memoryStorage())
    const session = open(storage)
    session.store.subscribe(() => {})
    await Promise.resolve()
    expect(storage.calls).toEqual([])
    expect(session.store.getState()).toMatchObject({
      hydrated: false,
      persistence: 'loading',
      todos: [],
      revision: 0,
    })
  })

  test('keeps its initial state for the server and the first client render', async () => {
    const session = open()
    const initial = session.store.getInitialState()
    await session.commit(add('A'))
    expect(session.store.getInitialState()).toBe(initial)
    expect(initial.todos).toEqual([])
  })

  test.each<[object, string]>([
    [{ id: ' ' }, 'id'],
    [{ id: 's', storage: memoryStorage }, 'storage'],
    [{ id: 's', storage: { getItem() {} } }, 'storage'],
    [{ id: 's', saveTimeout: 0 }, 'saveTimeout'],
    [{ id: 's', historyLimit: 1.5 }, 'historyLimit'],
  ])('refuses %o and names the option', (options, name) => {
    expect(() => createTodoSession(options as never)).toThrow(new RegExp(`^\`${name}\``))
  })
})

describe('commit', () => {
  test('shows at once and resolves when it is stored', async () => {
    const storage = memoryStorage()
    const session = open(storage)
    await session.ready()
    const done = session.commit(add('A'))
    expect(session.getAllTodos()).toMatchObject([{ id: 1, content: 'A' }])
    expect(await done).toEqual({ revision: 1, changed: true, saved: true })
    expect(await storage.read('s')).toMatchObject({ revision: 1, list: { todos: [{ content: 'A' }] } })
  })

  test('that gives the same data back writes nothing', async () => {
    const storage = faultyStorage(memoryStorage())
    const session = open(storage)
    await session.commit(add('A'))
    const before = session.store.getState()
    const calls = storage.calls.length
    expect(await session.commit((data) => data)).toEqual({ revision: 1, changed: false, saved: true })
    expect(session.store.getState()).toBe(before)
    expect(storage.calls.length).toBe(calls)
  })

  test('that changes nothing waits for the state it saw', async () => {
    const storage = faultyStorage(memoryStorage())
    const session = open(storage)
    await session.ready()
    storage.setPlan(({ method }) => (method === 'write' ? { error: 'UnknownError' } : null))
    const first = session.commit(add('A'))
    const second = session.commit((data) => data)
    expect(await Promise.all([first, second])).toEqual([
      { revision: 1, changed: true, saved: false },
      { revision: 1, changed: false, saved: false },
    ])
  })

  test('rejects with what the change threw and changes nothing', async () => {
    const session = open()
    await session.commit(add('A'))
    const before = session.store.getState()
    const fault = new Error('no')
    const throwing = () => {
      throw fault
    }
    await expect(session.commit(throwing)).rejects.toBe(fault)
    expect(session.store.getState()).toBe(before)
  })

  test.each<[string, string, (data: SessionData) => unknown]>([
    ['title', '7', (data) => ({ ...data, title: 7 })],
    ['title', 'undefined', () => ({ ...emptyData, title: undefined })],
    ['list', 'undefined', () => null],
    ['list', 'an array', (data) => ({ ...data, list: [] })],
    ['list.nextId', '1.5', (data) => ({ ...data, list: { ...data.list, nextId: 1.5 } })],
    ['list.todos.0.createdAt', 'NaN', (data) => withTodo(data, { createdAt: Number.NaN })],
    ['list', 'an object', (data) => withTodo(data, { also: () => {} })],
    ['mode', '3', (data) => ({ ...data, mode: 3 })],
    ['modeChange.to', 'undefined', (data) => ({ ...data, modeChange: { from: 'plan' } })],
    ['guard', 'null', (data) => ({ ...data, guard: null })],
    ['guard', 'an object', (data) => ({ ...data, guard: { ...data.guard, also: () => {} } })],
    ['run.status', '"over"', (data) => ({ ...data, run: { ...data.run, status: 'over' } })],
  ])(
    'whose %s would not be readable again (%s) is refused, and loses nothing',
    async (field, got, change) => {
      const storage = { ...memoryStorage(), durable: true }
      const session = open(storage)
      const early = session.commit(change as never)
      const refused = { name: 'TypeError', message: expect.stringContaining(`\`${field}\``) }
      await expect(early).rejects.toMatchObject(refused)
      await session.commit(add('A'))
      const { data } = session.store.getState()
      const late = session.commit(change as never)
      await expect(late).rejects.toMatchObject(refused)
      await expect(late).rejects.toThrow(`: ${got}. Nothing`)
      expect(session.store.getState()).toMatchObject({ data, persistence: 'saved', revision: 1 })
      expect(await session.commit(add('B'))).toEqual({ revision: 2, changed: true, saved: true })
      expect(await storage.read('s')).toMatchObject({ revision: 2, list: session.store.getState().data.list })
    },
  )

  test('may be given a list made by hand', async () => {
    const session = open()
    await session.commit((data) => withTodo(data, {}) as SessionData)
    expect(session.getAllTodos()).toMatchObject([{ id: 1, content: 'By hand' }])
  })

  test('made before the first read rejects too when its change throws', async () => {
    const session = open()
    const early = session.commit(() => {
      throw new Error('no')
    })
    await expect(early).rejects.toThrow('no')
    expect(await session.commit(add('A'))).toMatchObject({ revision: 1, saved: true })
  })

  test('is refused after close, and what came before is still stored', async () => {
    const storage = memoryStorage()
    const session = open(storage)
    const done = session.commit(add('A'))
    session.close()
    expect(await done).toMatchObject({ saved: true })
    await expect(session.commit(add('B'))).rejects.toMatchObject({ code: 'session_closed' })
  })

  test('a listener or a problem handler that throws breaks nothing', async () => {
    const thrown: unknown[] = []
    const queue = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((run) => {
      try {
        run()
      } catch (error) {
        thrown.push(error)
      }
    })
    const session = open()
    session.store.subscribe(() => {
      throw new Error('listener')
    })
    expect(await session.commit(add('A'))).toMatchObject({ saved: true })
    expect(thrown).toContainEqual(new Error('listener'))
    queue.mockRestore()
  })
})

describe('state', () => {
  test('is frozen, all of it but the messages', async () => {
    const session = open()
    await session.commit(add('A'))
    const state = session.store.getState()
    const todos = state.todos as unknown as { content: string }[]
    expect(() => todos.push({ content: 'B' })).toThrow(TypeError)
    expect(() => Object.assign(todos[0] ?? {}, { content: 'B' })).toThrow(TypeError)
    expect(() => Object.assign(state, { revision: 7 })).toThrow(TypeError)
    expect(() => Object.assign(state.data.run, { status: 'running' })).toThrow(TypeError)
  })

  test('values keep their identity until they change', async () => {
    const session = open()
    await session.commit(add('A'))
    await session.commit(add('B'))
    const before = session.store.getState()
    await session.commit((data) => ({ ...data, title: 'Trip' }))
    const after = session.store.getState()
    expect(after.data).not.toBe(before.data)
    expect(after.todos).toBe(before.todos)
    expect(after.run).toBe(before.run)
    expect(after.messages).toBe(before.messages)
    await session.commit(complete(2))
    expect(session.getAllTodos()[0]).toBe(before.todos[0])
  })

  test('keeps its identity when the same is read again', async () => {
    const storage = memoryStorage()
    const session = open(storage)
    await session.saveMessages([message('m1')])
    await session.commit(add('A'))
    const before = session.store.getState()
    const other = open(storage)
    await other.commit((data) => ({ ...data, title: 'T' }))
    await session.refresh()
    const after = session.store.getState()
    expect(after.data.title).toBe('T')
    expect(after.todos).toBe(before.todos)
    expect(after.messages).toBe(before.messages)
    expect(after.data.guard).toBe(before.data.guard)
  })

  test('goes from loading over saving to what it is', async () => {
    const session = createTodoSession({ id: 's', storage: { ...memoryStorage(), durable: true } })
    const seen = new Set([session.store.getState().persistence])
    session.store.subscribe(({ persistence }) => seen.add(persistence))
    await session.commit(add('A'))
    expect([...seen]).toEqual(['loading', 'saving', 'saved'])
  })

  test('in a storage that does not outlive the page is in memory, without a complaint', async () => {
    const session = open()
    await session.commit(add('A'))
    expect(session.store.getState()).toMatchObject({
      persistence: 'memory',
      persistenceDetail: null,
      problems: [],
    })
  })

  test('shows draft, controls and driver without storing them', async () => {
    const storage = faultyStorage(memoryStorage())
    const session = open(storage)
    const stop = () => {}
    session.setDraft([{ content: 'A', status: 'pending' }])
    session.setControls({ stop })
    const claim = await session.claim()
    expect(session.store.getState()).toMatchObject({
      draft: [{ content: 'A' }],
      controls: { stop },
      driver: 'self',
    })
    claim.release()
    expect(session.store.getState().driver).toBe('none')
    expect(storage.calls).toEqual([])
  })
})

describe('a session opened again', () => {
  test('has list, ids, guard, mode and title', async () => {
    const storage = memoryStorage()
    const first = open(storage)
    await first.commit(add('A'))
    await first.commit((data) => ({
      ...complete(1)(data),
      mode: 'execute',
      modeChange: { from: 'plan', to: 'execute' },
      title: 'Trip',
      guard: { ...data.guard, staleSteps: 3 },
    }))
    const again = open(storage)
    await again.ready()
    expect(again.store.getState().data).toEqual(first.store.getState().data)
    await again.commit(add('B'))
    expect(again.getAllTodos().map(({ id }) => id)).toEqual([1, 2])
    expect(again.getRemainingTodos()).toMatchObject([{ content: 'B' }])
  })

  test('never gives an id twice, also after the list was emptied', async () => {
    const storage = memoryStorage()
    const first = open(storage)
    await first.commit(add('A'))
    await first.commit((data) => ({ ...data, list: { ...data.list, todos: [] } }))
    const again = open(storage)
    await again.commit(add('B'))
    expect(again.getAllTodos()).toMatchObject([{ id: 2, content: 'B' }])
  })

  test('shows a run that was under way as interrupted, and leaves it as it is in storage', async () => {
    const storage = memoryStorage()
    const first = open(storage)
    await first.commit((data) => ({
      ...add('A')(data),
      run: { ...data.run, status: 'running', startedAt: 5 },
    }))
    expect(first.store.getState().run.status).toBe('running')
    const again = open(storage)
    await again.ready()
    expect(again.store.getState().run).toMatchObject({ status: 'interrupted', startedAt: 5 })
    await again.commit(add('B'))
    expect(await storage.read('s')).toMatchObject({ run: { status: 'running' } })
    await again.commit((data) => ({ ...data, run: { ...data.run, status: 'idle', outcome: 'stopped' } }))
    expect(await storage.read('s')).toMatchObject({ run: { status: 'idle', outcome: 'stopped' } })
  })

  test('its own run stays running when it reads what another tab wrote', async () => {
    const storage = memoryStorage()
    const running = open(storage)
    await running.commit((data) => ({ ...data, run: { ...data.run, status: 'running', startedAt: 5 } }))
    const other = open(storage)
    await other.commit(add('A'))
    await running.commit(add('B'))
    expect(running.store.getState().run.status).toBe('running')
    expect(running.getAllTodos().map(({ content }) => content)).toEqual(['A', 'B'])
  })
})

describe('sessions', () => {
  test('of one storage never see each other', async () => {
    const storage = memoryStorage()
    const [one, two] = [open(storage, 's1'), open(storage, 's2')]
    const late = one.commit(add('of one'))
    await two.commit(add('of two'))
    await late
    expect(one.getAllTodos()).toMatchObject([{ content: 'of one' }])
    expect(two.getAllTodos()).toMatchObject([{ content: 'of two' }])
    two.close()
    const again = open(storage, 's1')
    await again.ready()
    expect(again.getAllTodos()).toEqual(one.getAllTodos())
  })
})

describe('messages', () => {
  test('that are only shown are not stored', async () => {
    const storage = memoryStorage()
    const session = open(storage)
    session.setMessages([message('m1')])
    await session.commit(add('A'))
    expect(session.store.getState().messages).toEqual([message('m1')])
    expect(await storage.readMessages('s')).toEqual([])
  })

  test('are stored in the same write as the change, only those that are new or replaced', async () => {
    const storage = memoryStorage()
    const write = vi.spyOn(storage, 'write')
    const session = open(storage)
    const [a, b] = [message('a'), message('b')]
    await session.commit(add('A'), { messages: [a, b] })
    const b2 = message('b', 'longer')
    await session.commit(add('B'), { messages: [a, b2, message('c')] })
    expect(write).toHaveBeenCalledTimes(2)
    expect(write.mock.calls[1]?.[2]?.messages).toEqual({
      puts: [
        { index: 1, message: b2, sameParts: 0 },
        { index: 2, message: message('c'), sameParts: 0 },
      ],
    })
    expect(session.savedMessages()).toEqual([a, b2, message('c')])
  })

  test('a shorter transcript deletes the rest', async () => {
    const storage = memoryStorage()
    const session = open(storage)
    await session.saveMessages([message('a'), message('b'), message('c')])
    expect(await session.saveMessages([message('a')])).toBe(true)
    const again = open(storage)
    await again.ready()
    expect(again.store.getState().messages).toEqual([message('a')])
  })

  test('saved again unchanged are not written', async () => {
    const storage = faultyStorage(memoryStorage())
    const session = open(storage)
    const messages = [message('a')]
    await session.saveMessages(messages)
    const calls = storage.calls.length
    expect(await session.saveMessages([...messages])).toBe(true)
    expect(storage.calls.length).toBe(calls)
  })

  test('appending to a thousand writes one', async () => {
    const storage = memoryStorage()
    const write = vi.spyOn(storage, 'write')
    const session = open(storage)
    const many = Array.from({ length: 1000 }, (_, index) => message(`m${index}`))
    await session.saveMessages(many)
    await session.saveMessages([...many, message('last')])
    expect(write.mock.calls[1]?.[2]?.messages?.puts).toHaveLength(1)
  })

  test('one that can not be stored is stored as far as it can, and reported', async () => {
    const storage = memoryStorage()
    const onProblem = vi.fn()
    const session = createTodoSession({ id: 's', storage, onProblem })
    const odd = { ...message('odd'), metadata: { render: () => 'x', size: 7n } }
    const knot: Record<string, unknown> = { run: () => {} }
    knot['self'] = knot
    const impossible = { ...message('impossible'), metadata: knot }
    expect(await session.saveMessages([message('a'), odd, impossible, message('b')])).toBe(true)
    const codes = onProblem.mock.calls.map(([problem]) => problem.code)
    expect(codes).toEqual(['message_reduced', 'message_skipped'])
    expect(session.store.getState().messages).toContain(odd)
    const grown = { ...odd, parts: [{ type: 'text' as const, text: 'more' }] }
    await session.saveMessages([message('a'), grown, { ...impossible }, message('b')])
    expect(onProblem).toHaveBeenCalledTimes(2)
    const again = open(storage)
    await again.ready()
    expect(again.store.getState().messages.map(({ id, metadata }) => [id, metadata])).toEqual([
      ['a', undefined],
      ['odd', { size: '7' }],
      ['b', undefined],
    ])
  })
})

describe('export and import', () => {
  test('carries list and guard state into another session', async () => {
    const one = open()
    await one.commit((data) => ({
      ...add('A')(data),
      guard: { ...data.guard, staleSteps: 2, retries: { finalization: 1 } },
    }))
    const two = open()
    expect(await two.importExtra(one.exportExtra())).toMatchObject({ saved: true, changed: true })
    expect(two.exportExtra()).toEqual(one.exportExtra())
  })

  test('anything odd is put right', async () => {
    const session = open()
    await session.importExtra({
      todos: null,
      todo_guard_retries: null,
      todo_stale_iterations: 'many',
      other: 1,
    })
    expect(session.getAllTodos()).toEqual([])
    expect(session.exportExtra().todo_stale_iterations).toBe(0)
  })
})

describe('delete', () => {
  test('removes everything, and the session goes on empty', async () => {
    const storage = memoryStorage()
    const session = open(storage)
    await session.commit(add('A'), { messages: [message('a')], cause: { messageId: 'a' } })
    session.setDraft([{ content: 'B', status: 'pending' }])
    await session.delete()
    expect(session.store.getState()).toMatchObject({
      todos: [],
      messages: [],
      draft: null,
      revision: 0,
      createdAt: null,
    })
    expect(await storage.read('s')).toBeUndefined()
    expect(await storage.readMessages('s')).toEqual([])
    expect(await session.history()).toEqual([])
    expect(await session.commit(add('B'))).toEqual({ revision: 1, changed: true, saved: true })
    expect(session.getAllTodos()).toMatchObject([{ id: 1, content: 'B' }])
  })

  test('is not undone by a save that began before it', async () => {
    const storage = faultyStorage(memoryStorage(), ({ method }) =>
      method === 'write' ? { delay: 10 } : null,
    )
    const session = open(storage)
    await session.ready()
    const saving = session.commit(add('A'), { messages: [message('a')] })
    const deleting = session.delete()
    await Promise.all([saving, deleting])
    expect(session.getAllTodos()).toEqual([])
    expect(await storage.read('s')).toBeUndefined()
    expect(await storage.readMessages('s')).toEqual([])
  })

  test('commits made while it is under way are made on the empty session', async () => {
    const storage = faultyStorage(memoryStorage(), ({ method }) =>
      method === 'delete' ? { delay: 10 } : null,
    )
    const session = open(storage)
    await session.commit(add('A'))
    const deleting = session.delete()
    await Promise.resolve()
    const after = session.commit(add('B'))
    await deleting
    expect(await after).toEqual({ revision: 1, changed: true, saved: true })
    expect(session.getAllTodos()).toMatchObject([{ id: 1, content: 'B' }])
  })

  test('messages saved while it is under way are shown as they are stored', async () => {
    const storage = faultyStorage(memoryStorage(), ({ method }) =>
      method === 'delete' ? { delay: 10 } : null,
    )
    const session = open(storage)
    const old = message('old')
    await session.saveMessages([old])
    const deleting = session.delete()
    const saving = session.saveMessages([old, message('new')])
    await deleting
    expect(await saving).toBe(true)
    expect(await storage.readMessages('s')).toEqual([message('new')])
    expect(session.store.getState().messages).toEqual([message('new')])
  })

  test.each(['UnknownError', 'SecurityError'])(
    'that fails with a %s rejects, and the session goes on as it is',
    async (error) => {
      const storage = faultyStorage(memoryStorage(), ({ method }) =>
        method === 'delete' ? { error, delay: 5 } : null,
      )
      const session = open(storage)
      await session.commit(add('A'))
      const deleting = session.delete()
      const during = session.commit(add('B'))
      await expect(deleting).rejects.toMatchObject({ code: 'storage_failed', cause: { name: error } })
      expect(await during).toEqual({ revision: 2, changed: true, saved: true })
      expect(session.getAllTodos()).toHaveLength(2)
    },
  )
})
