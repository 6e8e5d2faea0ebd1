import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportExtra, importExtra } from './extra.ts'
import { type GuardState, guardStateSchema, initialGuard } from './guard.ts'
import { deepFreeze, emptyList, TODO_STATUSES, type Todo, type TodoList, todoSchema } from './todo.ts'

const now = 1000

const list: TodoList = deepFreeze({
  todos: [
    {
      id: 2,
      content: ' read ',
      description: 'all of it',
      status: 'completed',
      createdAt: 1,
      startedAt: 2,
      completedAt: 3,
    },
    { id: 5, content: 'write', status: 'in_progress', createdAt: 4, startedAt: 5 },
    { id: 6, content: 'translate', status: 'cancelled', reason: 'not wanted', createdAt: 4 },
    { id: 7, content: 'publish', status: 'blocked', reason: 'no access', createdAt: 4 },
  ],
  nextId: 8,
})

const guard: GuardState = deepFreeze({
  ...initialGuard,
  retries: { finalization: 3, other: 7 },
  blocked: 'finalization',
  suppressed: true,
  staleSteps: 4,
  correction: true,
})

describe('exportExtra', () => {
  test('writes exactly the six keys', () => {
    expect(exportExtra({ todos: emptyList, guard: initialGuard })).toEqual({
      todos: [],
      todo_guard_retries: {},
      todo_guard_blocked: null,
      todo_guard_suppressed: false,
      todo_stale_iterations: 0,
      todo_finalization_correction: false,
    })
  })

  test('writes items and guard in the shapes that others read', () => {
    const extra = exportExtra({ todos: list, guard })
    expect(extra.todos.map(({ content, status }) => [content, status])).toEqual([
      [' read ', 'completed'],
      ['write', 'in_progress'],
      ['translate', 'completed'],
      ['publish', 'pending'],
    ])
    expect(extra).toMatchObject({
      todo_guard_retries: { finalization: 3, other: 7 },
      todo_guard_blocked: { guard_type: 'finalization', message: expect.stringContaining('write') },
      todo_guard_suppressed: true,
      todo_stale_iterations: 4,
      todo_finalization_correction: true,
    })
  })

  test('writes plain JSON', () => {
    const extra = exportExtra({ todos: list, guard })
    expect(JSON.parse(JSON.stringify(extra))).toStrictEqual(extra)
  })
})

describe('importExtra', () => {
  test('reads back what was exported', () => {
    expect(importExtra(exportExtra({ todos: list, guard }), { now })).toStrictEqual({ list, guard })
  })

  test('starts with a run of its own', () => {
    const running = { ...guard, run: { ...guard.run, corrections: 2, updated: true } }
    expect(importExtra(exportExtra({ todos: list, guard: running }), { now }).guard.run).toEqual(
      initialGuard.run,
    )
  })

  test('reads the state of a server that keeps only content and status', () => {
    const extra = {
      todos: [
        { content: 'a', status: 'completed' },
        { content: 'b', status: 'in_progress' },
      ],
      todo_guard_retries: { finalization: 1 },
      todo_guard_blocked: null,
      todo_guard_suppressed: null,
      todo_stale_iterations: 2,
      todo_finalization_correction: null,
      _todos_snapshot: [],
    }
    expect(importExtra(extra, { now })).toEqual({
      list: {
        todos: [
          { id: 1, content: 'a', status: 'completed', createdAt: now, completedAt: now },
          { id: 2, content: 'b', status: 'in_progress', createdAt: now, startedAt: now },
        ],
        nextId: 3,
      },
      guard: { ...initialGuard, retries: { finalization: 1 }, staleSteps: 2 },
    })
  })

  test('gives items without ids the ids that they had before', () => {
    const extra = {
      todos: [
        { content: 'write', status: 'completed' },
        { content: 'new', status: 'in_progress' },
      ],
    }
    const { todos, nextId } = importExtra(extra, { now, previous: list }).list
    expect(todos.map(({ id, content }) => [id, content])).toEqual([
      [5, 'write'],
      [8, 'new'],
    ])
    expect(nextId).toBe(9)
  })

  test('does not give ids again that the list before has used up', () => {
    const extra = exportExtra({ todos: list, guard })
    expect(importExtra(extra, { now, previous: { todos: [], nextId: 40 } }).list.nextId).toBe(40)
  })

  test('believes no ids where some are missing or doubled', () => {
    for (const second of [{ id: 1 }, { id: 0 }, { id: 1.5 }, { id: '2' }, { id: 2 ** 53 }, {}]) {
      const todos = [
        { id: 1, content: 'a', status: 'pending' },
        { ...second, content: 'b', status: 'pending' },
      ]
      expect(importExtra({ todos }, { now }).list.todos.map(({ id }) => id)).toEqual([1, 2])
    }
  })

  test('reads null counters as none', () => {
    const extra = { todo_guard_retries: null, todo_stale_iterations: null }
    expect(importExtra(extra, { now }).guard).toEqual(initialGuard)
  })

  test('reads odd values as none', () => {
    const extra = {
      todos: 'a, b',
      todo_guard_retries: [3],
      todo_guard_blocked: true,
      todo_guard_suppressed: 'yes',
      todo_stale_iterations: -2,
      todo_finalization_correction: {},
    }
    expect(importExtra(extra, { now })).toEqual({ list: emptyList, guard: initialGuard })
  })

  test.each([null, undefined, 3, 'x', [], () => 1])('reads %o as an empty state', (extra) => {
    expect(importExtra(extra, { now })).toEqual({ list: emptyList, guard: initialGuard })
  })

  test('drops an item without text and keeps one without a known status as pending', () => {
    const todos = [
      null,
      4,
      [],
      {},
      { content: '  ', status: 'pending' },
      { content: 'a', status: 'doing' },
      { content: 'b' },
    ]
    expect(importExtra({ todos }, { now }).list.todos).toMatchObject([
      { content: 'a', status: 'pending' },
      { content: 'b', status: 'pending' },
    ])
  })

  test('believes an exit only where the status goes with it', () => {
    const todos = [
      { id: 1, content: 'a', status: 'in_progress', exit: 'cancelled' },
      { id: 2, content: 'b', status: 'completed', exit: 'cancelled' },
      { id: 3, content: 'c', status: 'completed', exit: 'gone' },
    ]
    expect(importExtra({ todos }, { now }).list.todos.map(({ status }) => status)).toEqual([
      'in_progress',
      'cancelled',
      'completed',
    ])
  })

  test('never throws, and what it returns is valid, frozen and the same after another round', () => {
    const keys = fc.constantFrom(
      'todos',
      'todo_guard_retries',
      'todo_guard_blocked',
      'todo_guard_suppressed',
      'todo_stale_iterations',
    )
    const item = fc.record(
      {
        id: fc.jsonValue(),
        content: fc.string(),
        status: fc.constantFrom(...TODO_STATUSES, 'x'),
        createdAt: fc.jsonValue(),
        exit: fc.jsonValue(),
        description: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(keys, fc.jsonValue()),
      fc.record({ todos: fc.array(fc.oneof(item, fc.jsonValue())) }),
    )
    fc.assert(
      fc.property(odd, (extra) => {
        const read = importExtra(extra, { now })
        expectValid(read)
        expect(
          importExtra(exportExtra({ todos: read.list, guard: read.guard }), {
            now: now + 1,
            previous: read.list,
          }),
        ).toEqual(read)
      }),
      { numRuns: 500 },
    )
  })

  test('reads back any list of ours', () => {
    const text = fc.string({ minLength: 1 }).filter((content) => content.trim() !== '')
    const time = fc.nat()
    const todo = fc
      .record(
        {
          id: fc.integer({ min: 1, max: 1000 }),
          content: text,
          status: fc.constantFrom(...TODO_STATUSES),
          createdAt: time,
          description: fc.string(),
          reason: text,
          startedAt: time,
          completedAt: time,
        },
        { requiredKeys: ['id', 'content', 'status', 'createdAt'] },
      )
      .map((parts) => parts as Todo)
    fc.assert(
      fc.property(fc.uniqueArray(todo, { selector: ({ id }) => id }), (todos) => {
        const nextId = Math.max(0, ...todos.map(({ id }) => id)) + 1
        const given: TodoList = { todos, nextId }
        expect(importExtra(exportExtra({ todos: given, guard }), { now }).list).toEqual(given)
      }),
    )
  })
})

// HELPERS

function expectValid({
  list: read,
  guard: state,
}: {
  readonly list: TodoList
  readonly guard: GuardState
}): void {
  expect(Object.isFrozen(read) && Object.isFrozen(read.todos) && read.todos.every(Object.isFrozen)).toBe(true)
  expect(Object.isFrozen(state) && Object.isFrozen(state.retries) && Object.isFrozen(state.run)).toBe(true)
  for (const todo of read.todos) expect(todoSchema.parse(todo)).toStrictEqual(todo)
  expect(new Set(read.todos.map(({ id }) => id)).size).toBe(read.todos.length)
  expect(read.nextId).toBeGreaterThan(Math.max(0, ...read.todos.map(({ id }) => id)))
  expect(guardStateSchema.parse(state)).toEqual(state)
}
