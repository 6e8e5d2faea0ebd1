import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addTodos } from './list.ts'
import { todoTexts } from './texts.ts'
import { emptyList, type TodoList } from './todo.ts'
import { type WriteTodosOptions, type WriteTodosOutput, writeTodos } from './writeTodos.ts'

const NOW = 1_000

describe('a write', () => {
  test('commits the list and echoes it with ids', () => {
    const { update, output } = accepted(emptyList, [
      { content: 'A', status: 'in_progress' },
      { content: 'B', status: 'pending' },
    ])
    expect(update.list.todos).toMatchObject([
      { id: 1, content: 'A', status: 'in_progress', startedAt: NOW },
      { id: 2, content: 'B', status: 'pending' },
    ])
    expect(output).toEqual({
      message: 'Updated.',
      todos: [
        { id: 1, content: 'A', status: 'in_progress' },
        { id: 2, content: 'B', status: 'pending' },
      ],
    })
  })

  test('that only moves an item on has nothing else to say', () => {
    const { output } = accepted(listOf(['A', 'in_progress']), [{ content: 'A', status: 'completed' }])
    expect(output).toEqual({ message: 'Updated.', todos: [{ id: 1, content: 'A', status: 'completed' }] })
  })

  test('that repeats the list succeeds, echoes it and commits nothing', () => {
    const list = listOf(['A', 'in_progress'], ['B', 'pending'])
    const { update, output } = accepted(list, plain(list))
    expect(update.list).toBe(list)
    expect(update.changes).toEqual([])
    expect(output.message).toBe('Unchanged.')
    expect(output.todos).toHaveLength(2)
  })

  test('keeps content untrimmed and drops unknown keys', () => {
    const { update } = accepted(emptyList, [
      { content: ' A ', status: 'in_progress', id: 7, reason: 'r', description: 'd', note: 'n' },
    ])
    expect(update.list.todos).toEqual([
      { id: 1, content: ' A ', status: 'in_progress', createdAt: NOW, startedAt: NOW },
    ])
  })

  test('names the unfinished items that it dropped', () => {
    const list = listOf(['A', 'completed'], ['B', 'in_progress'], ['C', 'pending'])
    const { output } = accepted(list, [{ content: 'D', status: 'in_progress' }])
    expect(output.dropped).toEqual([
      { id: 2, content: 'B' },
      { id: 3, content: 'C' },
    ])
    const kept = [{ content: 'B', status: 'in_progress' }]
    expect(accepted(list, kept).output.dropped).toEqual([{ id: 3, content: 'C' }])
  })

  test('says which id carries another text now', () => {
    const list = listOf(['A', 'in_progress'], ['B', 'pending'], ['C', 'pending'])
    const { output } = accepted(list, [
      { content: 'A', status: 'in_progress' },
      { content: 'NEW', status: 'pending' },
      { content: 'C', status: 'pending' },
    ])
    expect(output.renamed).toEqual(['2 was B, is now NEW'])
  })

  test('says nothing about a text that differs in case alone', () => {
    const { output } = accepted(listOf(['A b', 'in_progress']), [{ content: 'a B', status: 'in_progress' }])
    expect(output).not.toHaveProperty('renamed')
    expect(output.todos).toEqual([{ id: 1, content: 'a B', status: 'in_progress' }])
  })

  test('of three or more items, all completed, brings the reminder to check the work', () => {
    const done = ['A', 'B', 'C'].map((content) => ({ content, status: 'completed' }))
    expect(accepted(emptyList, done).output.reminder).toMatch(/check the work/)
    expect(accepted(emptyList, done.slice(1)).output).not.toHaveProperty('reminder')
  })

  test('keeps what it does not know of items that were added by id', () => {
    const { list } = addTodos(emptyList, [{ title: 'A', description: 'how' }], 1)
    const { update } = accepted(list, [{ content: 'A', status: 'in_progress' }])
    expect(update.list.todos[0]).toMatchObject({ id: 1, description: 'how', createdAt: 1 })
  })

  test('is frozen with all that it brings', () => {
    const { output } = accepted(listOf(['A', 'in_progress'], ['B', 'pending']), [
      { content: 'C', status: 'in_progress' },
    ])
    for (const part of [output, output.todos, output.todos[0], output.dropped]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })
})

describe('the list can be emptied', () => {
  test('when nothing in it is unfinished', () => {
    expect(accepted(listOf(['A', 'completed']), []).update.list).toEqual({ todos: [], nextId: 2 })
    expect(accepted(emptyList, []).update.list).toBe(emptyList)
  })

  test('but not over unfinished items, which are named', () => {
    const error = refused(listOf(['A', 'in_progress'], ['B', 'pending']), { todos: [] })
    expect(error.code).toBe('empty_list_over_unfinished')
    expect(error.message).toContain('1 "A", 2 "B"')
  })
})

describe('a malformed call is refused', () => {
  test.each([
    [undefined, '', 'input is missing'],
    [null, '', 'input is null'],
    ['todos', '', 'input is "todos"'],
    [[{ content: 'a', status: 'pending' }], '', 'input is an array'],
    [{}, 'todos', 'todos is missing'],
    [{ todos: null }, 'todos', 'todos is null'],
    [{ todos: { content: 'a', status: 'pending' } }, 'todos', 'todos is an object, expected array'],
    [{ todos: '- [x] Draft\n- [ ] Review' }, 'todos', 'todos is "- [x] Draft\n- [ ] Review", expected array'],
    [{ todos: [null] }, 'todos[0]', 'todos[0] is null, expected object'],
    [{ todos: [[]] }, 'todos[0]', 'todos[0] is an array'],
    [{ todos: ['a'] }, 'todos[0]', 'todos[0] is "a"'],
    [{ todos: [{}] }, 'todos[0].content', 'todos[0].content is missing, expected string'],
    [{ todos: [{ content: null, status: 'pending' }] }, 'todos[0].content', 'todos[0].content is null'],
    [{ todos: [{ content: 'a' }] }, 'todos[0].status', 'todos[0].status is missing'],
    [
      {
        todos: [
          { content: 'a', status: 'pending' },
          { content: 'b', status: 'pending' },
          { content: 'c', status: 'done' },
        ],
      },
      'todos[2].status',
      'todos[2].status is "done", expected pending | in_progress | completed',
    ],
  ])('%j', (input, path, message) => {
    const error = refused(listOf(['A', 'in_progress']), input)
    expect(error.code).toBe('invalid_payload')
    expect(error.path).toBe(path)
    expect(error.message).toContain(message)
  })

  test('with its first fault: payload, then blank content, then the number in progress', () => {
    const list = listOf(['A', 'in_progress'])
    const blank = { content: ' \n', status: 'pending' }
    expect(refused(list, { todos: [blank, { content: 'b', status: 'nope' }] }).code).toBe('invalid_payload')
    const error = refused(list, { todos: [{ content: 'a', status: 'pending' }, blank] })
    expect(error.code).toBe('empty_content')
    expect(error.path).toBe('todos[1].content')
    expect(refused(list, { todos: [{ content: 'a', status: 'pending' }] }).code).toBe(
      'not_exactly_one_in_progress',
    )
  })

  test('and names what it holds only shortened', () => {
    expect(refused(emptyList, { todos: 'x'.repeat(10_000) }).message.length).toBeLessThan(200)
  })
})

describe('how many items may be in progress', () => {
  const none = [{ content: 'A', status: 'pending' }]
  const two = [
    { content: 'A', status: 'in_progress' },
    { content: 'B', status: 'in_progress' },
  ]
  test.each([
    ['exactly-one', false, false],
    ['at-most-one', true, false],
    ['any', true, true],
  ] as const)('%s: none is %s, two is %s', (inProgress, noneIsFine, twoIsFine) => {
    expect(write(emptyList, { todos: none }, { inProgress }).ok).toBe(noneIsFine)
    expect(write(emptyList, { todos: two }, { inProgress }).ok).toBe(twoIsFine)
  })

  test('the refusal tells the number that came', () => {
    expect(refused(emptyList, { todos: two }).message).toContain('2 items are in_progress')
    expect(refused(emptyList, { todos: none }).message).toContain('0 items are in_progress')
  })
})

describe('exits', () => {
  const cancelled = { content: 'A', status: 'cancelled', reason: ' not wanted ' }

  test('are no statuses unless the host opts in', () => {
    const error = refused(emptyList, { todos: [cancelled] })
    expect(error.code).toBe('invalid_payload')
    expect(error.path).toBe('todos[0].status')
  })

  test('finish an item, so none needs to be in progress', () => {
    const { update } = accepted(emptyList, [cancelled, { content: 'B', status: 'completed' }], {
      exits: true,
    })
    expect(update.list.todos[0]).toMatchObject({ status: 'cancelled', reason: 'not wanted' })
  })

  test.each([undefined, '', ' '])('need a reason, and %j is none', (reason) => {
    const todos = [{ content: 'A', status: 'blocked', reason }]
    const error = refused(emptyList, { todos }, { exits: true })
    expect(error.code).toBe('invalid_payload')
    expect(error.path).toBe('todos[0].reason')
  })

  test('alone make a blank reason matter', () => {
    const items = [{ content: 'A', status: 'in_progress', reason: ' ' }]
    expect(accepted(emptyList, items, { exits: true }).update.list.todos).toEqual([
      { id: 1, content: 'A', status: 'in_progress', createdAt: NOW, startedAt: NOW },
    ])
  })

  test('let the list be emptied', () => {
    const { update } = accepted(emptyList, [cancelled], { exits: true })
    expect(accepted(update.list, []).update.list.todos).toEqual([])
  })
})

test('a refused write leaves the list as it was', () => {
  const list = listOf(['A', 'in_progress'])
  const before = structuredClone(list)
  for (const todos of [
    null,
    [],
    [{ content: '', status: 'pending' }],
    [{ content: 'B', status: 'pending' }],
  ]) {
    refused(list, { todos })
  }
  expect(list).toEqual(before)
})

test('whatever comes is accepted or refused, and never throws', () => {
  const list = listOf(['A', 'in_progress'], ['B', 'pending'])
  const odd = fc.oneof(
    fc.anything(),
    fc.record({ todos: fc.anything() }),
    fc.record({ todos: fc.array(fc.record({ content: fc.anything(), status: fc.constant('completed') })) }),
  )
  fc.assert(
    fc.property(odd, fc.boolean(), (input, exits) => {
      const outcome = write(list, input, { exits })
      if (!outcome.ok) expect(outcome.error.message).not.toBe('')
    }),
  )
})

test('the words can be replaced', () => {
  const texts = todoTexts({ writeTodos: { updated: '已更新' }, invalid: ({ path }) => `${path} 无效` })
  const done = writeTodos(
    emptyList,
    { todos: [{ content: 'A', status: 'in_progress' }] },
    { now: NOW, texts },
  )
  expect(done).toMatchObject({ output: { message: '已更新' } })
  const failed = writeTodos(emptyList, {}, { now: NOW, texts })
  expect(failed).toMatchObject({ error: { message: 'todos 无效' } })
})

// HELPERS

function write(list: TodoList, input: unknown, options: WriteTodosOptions = {}) {
  return writeTodos(list, input, { ...options, now: NOW })
}

function accepted(list: TodoList, todos: unknown, options?: WriteTodosOptions) {
  const outcome = write(list, { todos }, options)
  if (!outcome.ok) throw outcome.error
  const output: WriteTodosOutput = outcome.output
  return { update: outcome.update, output }
}

function refused(list: TodoList, input: unknown, options?: WriteTodosOptions) {
  const outcome = write(list, input, options)
  if (outcome.ok) throw new Error('was accepted')
  return outcome.error
}

function listOf(...items: [content: string, status: string][]): TodoList {
  const todos = items.map(([content, status]) => ({ content, status }))
  return accepted(emptyList, todos, { inProgress: 'any' }).update.list
}

function plain(list: TodoList) {
  return list.todos.map(({ content, status }) => ({ content, status }))
}
