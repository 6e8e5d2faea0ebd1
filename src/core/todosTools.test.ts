import fc from 'fast-check'
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { toJsonSchema } from './jsonSchema.ts'
import { englishTexts } from './texts.ts'
import { emptyList, remaining, type TodoList } from './todo.ts'
import { isTodosTool, runTodosTool, TODOS_TOOLS, type TodosToolName, todosToolSchemas } from './todosTools.ts'
import { writeTodos } from './writeTodos.ts'

const now = 1000

function run<Name extends TodosToolName>(name: Name, list: TodoList, input: unknown, exits = false) {
  const outcome = runTodosTool(name, list, input, { now, exits })
  if (!outcome.ok) throw outcome.error
  return { ...outcome.update, output: outcome.output }
}

function refusal(name: TodosToolName, list: TodoList, input: unknown, exits = false) {
  const outcome = runTodosTool(name, list, input, { now, exits })
  if (outcome.ok) throw new Error('The call was accepted.')
  return outcome.error
}

function listOf(...titles: string[]): TodoList {
  return run('todos_add', emptyList, { todos: titles.map((title) => ({ title })) }).list
}

describe('todos_add', () => {
  test('gives ids from 1 and returns the items it made', () => {
    const { output, list } = run('todos_add', emptyList, {
      todos: [{ title: 'a' }, { title: 'b', description: 'why' }],
    })
    expect(output).toEqual([
      { id: 1, title: 'a', isComplete: false },
      { id: 2, title: 'b', description: 'why', isComplete: false },
    ])
    expect(list.nextId).toBe(3)
  })

  test('trims titles and descriptions', () => {
    const { output } = run('todos_add', emptyList, { todos: [{ title: '  a ', description: '\n d ' }] })
    expect(output).toEqual([{ id: 1, title: 'a', description: 'd', isComplete: false }])
  })

  test('never gives an id again, also after the list was emptied', () => {
    const emptied = run('todos_remove', listOf('a', 'b'), { ids: [1, 2] }).list
    expect(run('todos_add', emptied, { todos: [{ title: 'c' }] }).output[0]?.id).toBe(3)
  })

  test.each([
    ['blank', { title: ' \t' }],
    ['null', { title: null }],
    ['missing', { description: 'd' }],
  ])('refuses the whole batch for a title that is %s, and uses no id', (_, item) => {
    const list = listOf('a')
    const error = refusal('todos_add', list, { todos: [{ title: 'b' }, item] })
    expect(error).toMatchObject({ code: 'empty_content', path: 'todos[1].title' })
    expect(run('todos_add', list, { todos: [{ title: 'c' }] }).output[0]?.id).toBe(2)
  })

  test('lifts a stored nextId that is too low above the highest id', () => {
    const list = { ...listOf('a', 'b', 'c'), nextId: 2 }
    expect(run('todos_add', list, { todos: [{ title: 'd' }] }).output[0]?.id).toBe(4)
  })
})

describe('todos_complete', () => {
  test('counts what became complete now and shows the items it named', () => {
    const list = run('todos_complete', listOf('a', 'b', 'c'), { items: [{ id: 1, reason: 'ok' }] }).list
    const { output } = run('todos_complete', list, {
      items: [
        { id: 1, reason: 'ok' },
        { id: 3, reason: 'ok' },
      ],
    })
    expect(output).toEqual({
      completed: 1,
      items: [
        { id: 1, title: 'a', isComplete: true },
        { id: 3, title: 'c', isComplete: true },
      ],
      remaining: 1,
    })
  })

  test('keeps the reason in the change log and not in the item', () => {
    const { changes, list } = run('todos_complete', listOf('a'), {
      items: [{ id: 1, reason: ' tests pass ' }],
    })
    expect(changes).toEqual([
      { type: 'restated', id: 1, content: 'a', from: 'pending', to: 'completed', reason: 'tests pass' },
    ])
    expect(list.todos[0]).not.toHaveProperty('reason')
  })

  test.each([{ id: 1 }, { id: 1, reason: null }, { id: 1, reason: '  ' }])(
    'accepts a completion without a reason: %o',
    (item) => {
      const { output, changes } = run('todos_complete', listOf('a'), { items: [item] })
      expect(output.completed).toBe(1)
      expect(changes[0]).not.toHaveProperty('reason')
    },
  )

  test('counts an id that comes twice once and says so', () => {
    const { output } = run('todos_complete', listOf('a', 'b'), {
      items: [
        { id: 1, reason: 'x' },
        { id: 1, reason: 'y' },
      ],
    })
    expect(output).toMatchObject({ completed: 1, countedOnce: [1] })
  })

  test('names an unknown id with the ids and titles that are there', () => {
    const list = listOf('Draft', 'Review')
    const outcome = run('todos_complete', list, { items: [{ id: 9, reason: 'x' }] })
    expect(outcome.output).toMatchObject({ completed: 0, items: [], remaining: 2, unknownIds: [9] })
    expect(outcome.output.note).toMatch(/9.*1 "Draft", 2 "Review"/)
    expect(outcome.list).toBe(list)
    expect(outcome.changes).toEqual([])
  })

  test('takes ids of zero and below as unknown', () => {
    const { output } = run('todos_complete', listOf('a'), {
      items: [
        { id: 0, reason: 'x' },
        { id: -1, reason: 'x' },
      ],
    })
    expect(output).toMatchObject({ completed: 0, unknownIds: [0, -1] })
  })
})

describe('todos_remove', () => {
  test('counts what it removed and shows it', () => {
    const { output, list } = run('todos_remove', listOf('a', 'b'), { ids: [2, 2, 7] })
    expect(output).toMatchObject({
      removed: 1,
      items: [{ id: 2, title: 'b', isComplete: false }],
      remaining: 1,
      countedOnce: [2],
      unknownIds: [7],
    })
    expect(list.todos.map(({ id }) => id)).toEqual([1])
  })
})

describe('reads', () => {
  test('return all items, or the unfinished ones, and change nothing', () => {
    const list = run('todos_complete', listOf('a', 'b'), { items: [{ id: 1, reason: 'x' }] }).list
    const all = run('todos_get_all', list, {})
    expect(all.output.map(({ id }) => id)).toEqual([1, 2])
    expect(all.list).toBe(list)
    expect(run('todos_get_remaining', list, {}).output).toEqual([{ id: 2, title: 'b', isComplete: false }])
  })

  test('take any input', () => {
    expect(run('todos_get_all', listOf('a'), null).output).toHaveLength(1)
  })
})

describe('input', () => {
  test.each<[TodosToolName, unknown, string]>([
    ['todos_add', null, ''],
    ['todos_add', 'todos', ''],
    ['todos_add', {}, 'todos'],
    ['todos_add', { todos: [{ title: 'a' }, null] }, 'todos[1]'],
    ['todos_add', { todos: [{ title: 7 }] }, 'todos[0].title'],
    ['todos_add', { todos: [{ title: 'a', description: [] }] }, 'todos[0].description'],
    ['todos_complete', { items: [{ reason: 'x' }] }, 'items[0].id'],
    ['todos_complete', { items: [{ id: '1', reason: 'x' }] }, 'items[0].id'],
    ['todos_complete', { items: [{ id: 1.5, reason: 'x' }] }, 'items[0].id'],
    ['todos_complete', { items: [{ id: 1, reason: 5 }] }, 'items[0].reason'],
    ['todos_remove', { ids: 1 }, 'ids'],
    ['todos_remove', { ids: [1, '2'] }, 'ids[1]'],
  ])('%s refuses %j and names %s', (name, input, path) => {
    const error = refusal(name, listOf('a', 'b'), input)
    expect(error).toMatchObject({ code: 'invalid_payload', path })
    expect(error.message).toContain(path || 'input')
  })

  test('an empty batch is accepted and changes nothing', () => {
    const list = listOf('a')
    expect(run('todos_add', list, { todos: [] })).toMatchObject({ output: [], changes: [] })
    expect(run('todos_add', list, { todos: [] }).list).toBe(list)
    expect(run('todos_complete', list, { items: [] }).list).toBe(list)
    expect(run('todos_remove', list, { ids: [] }).list).toBe(list)
  })

  test('six completions of one step all count, each on the list that the one before left', () => {
    let list = listOf('a', 'b', 'c', 'd', 'e', 'f')
    const left = [1, 2, 3, 4, 5, 6].map((id) => {
      const done = run('todos_complete', list, { items: [{ id, reason: 'done' }] })
      list = done.list
      return done.output.remaining
    })
    expect(left).toEqual([5, 4, 3, 2, 1, 0])
    expect(remaining(list.todos)).toEqual([])
  })
})

describe('exits', () => {
  const cancel = { items: [{ id: 1, outcome: 'cancelled', reason: 'out of scope' }] }

  test('let the model cancel or block an item with a reason', () => {
    const { output, list, changes } = run('todos_complete', listOf('a', 'b'), cancel, true)
    expect(output).toEqual({
      completed: 0,
      items: [{ id: 1, title: 'a', isComplete: false, outcome: 'cancelled', reason: 'out of scope' }],
      remaining: 1,
    })
    expect(list.todos[0]).toMatchObject({ status: 'cancelled', reason: 'out of scope' })
    expect(changes[0]).toMatchObject({ to: 'cancelled', reason: 'out of scope' })
    const blocked = { items: [{ id: 1, outcome: 'blocked', reason: 'no access' }] }
    expect(run('todos_complete', listOf('a'), blocked, true).output.items).toMatchObject([
      { outcome: 'blocked', reason: 'no access' },
    ])
  })

  test.each(['completed', null])('take %j for a plain completion, which needs no reason', (outcome) => {
    const input = { items: [{ id: 1, outcome, reason: null }] }
    const { output, list } = run('todos_complete', listOf('a'), input, true)
    expect(output.completed).toBe(1)
    expect(list.todos[0]?.status).toBe('completed')
  })

  test('need a reason', () => {
    const input = { items: [{ id: 1, outcome: 'blocked', reason: ' ' }] }
    expect(refusal('todos_complete', listOf('a'), input, true)).toMatchObject({
      code: 'invalid_payload',
      path: 'items[0].reason',
    })
  })

  test('leave a completed item as it is', () => {
    const list = run('todos_complete', listOf('a'), { items: [{ id: 1, reason: 'done' }] }).list
    expect(run('todos_complete', list, cancel, true).list).toBe(list)
  })

  test('are refused where they are off, rather than taken for a completion', () => {
    const error = refusal('todos_complete', listOf('a'), cancel)
    expect(error).toMatchObject({ code: 'invalid_payload', path: 'items[0].outcome' })
    expect(runTodosTool('todos_complete', listOf('a'), cancel, { now }).ok).toBe(false)
  })

  test('are offered in the schema only where they are on', () => {
    const schema = (exits: boolean) =>
      JSON.stringify(toJsonSchema(todosToolSchemas({ exits }).todos_complete.inputSchema))
    expect(schema(false)).not.toContain('outcome')
    expect(schema(true)).toContain('"enum":["completed","cancelled","blocked"]')
  })
})

describe('what the model is offered', () => {
  test('is five tools under their exact names', () => {
    expect(Object.keys(todosToolSchemas())).toEqual(Object.keys(TODOS_TOOLS))
    expect(Object.keys(TODOS_TOOLS).every(isTodosTool)).toBe(true)
    expect(isTodosTool('write_todos') || isTodosTool('toString')).toBe(false)
  })

  test('is these five schemas', () => {
    const schemas = Object.values(todosToolSchemas()).map((tool) => toJsonSchema(tool.inputSchema))
    const title = { title: { type: 'string' }, description: { type: 'string' } }
    const end = { id: { type: 'integer' }, reason: { type: 'string' } }
    expect(schemas).toEqual([
      object({ todos: { type: 'array', items: object(title, ['title']) } }),
      object({ items: { type: 'array', items: object(end) } }),
      object({ ids: { type: 'array', items: { type: 'integer' } } }),
      object({}, null),
      object({}, null),
    ])
  })

  test.each([false, true])('costs at most 500 tokens, with exits %s', (exits) => {
    const tools = Object.entries(todosToolSchemas({ exits })).map(([name, { description, inputSchema }]) => ({
      name,
      description,
      parameters: toJsonSchema(inputSchema),
    }))
    const text = `${englishTexts.todos.instructions}\n${JSON.stringify(tools)}`
    expect(encodeCl100k(text).length).toBeLessThanOrEqual(500)
    expect(encodeO200k(text).length).toBeLessThanOrEqual(500)
  })
})

describe('any calls of both toolsets, in any order', () => {
  const id = fc.oneof(fc.integer({ min: -1, max: 12 }), fc.constantFrom('1', 1.5, null))
  const text = fc.oneof(
    fc.constantFrom('a', 'b', 'A ', 'long text', ''),
    fc.constant(null),
    fc.string({ maxLength: 3 }),
  )
  const todos = fc.constantFrom(
    'todos_add',
    'todos_complete',
    'todos_remove',
    'todos_get_remaining',
    'todos_get_all',
  )
  const input = fc.oneof(
    fc.record({ todos: fc.array(fc.record({ title: text, description: text }), { maxLength: 4 }) }),
    fc.record({
      items: fc.array(
        fc.record({ id, reason: text, outcome: fc.constantFrom('blocked', 'completed', undefined) }),
      ),
    }),
    fc.record({ ids: fc.array(id, { maxLength: 4 }) }),
  )
  const status = fc.constantFrom('pending', 'in_progress', 'completed', 'cancelled')
  const rewrite = fc.record({
    todos: fc.array(fc.record({ content: text, status, reason: text }), { maxLength: 5 }),
  })
  const call = fc.oneof(fc.tuple(todos, input), fc.tuple(fc.constant('write_todos'), rewrite))

  test('keep ids whole, single and below nextId, and give none twice', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 30 }), (calls) => {
        let list = emptyList
        let given = 0
        for (const [at, [name, args]] of calls.entries()) {
          const before = list
          const options = { now: at, exits: true, inProgress: 'any' } as const
          const outcome = isTodosTool(name)
            ? runTodosTool(name, list, args, options)
            : writeTodos(list, args, options)
          if (!outcome.ok) continue
          list = outcome.update.list
          expect(list === before).toBe(outcome.update.changes.length === 0)
          const ids = list.todos.map((todo) => todo.id)
          expect(new Set(ids).size).toBe(ids.length)
          expect(Math.max(0, ...ids)).toBeLessThan(list.nextId)
          const old = new Set(before.todos.map((todo) => todo.id))
          expect(ids.filter((one) => !old.has(one)).every((one) => one > given)).toBe(true)
          given = Math.max(given, list.nextId - 1)
          expect(list.nextId).toBeGreaterThanOrEqual(before.nextId)
          for (const todo of list.todos) {
            expect(todo.content.trim()).not.toBe('')
            expect(todo.completedAt !== undefined).toBe(todo.status === 'completed')
            expect(Object.isFrozen(todo)).toBe(true)
          }
        }
      }),
      { numRuns: 150 },
    )
  })
})

function object(properties: object, required: readonly string[] | null = Object.keys(properties)) {
  return { type: 'object', properties, ...(required && { required }) }
}
