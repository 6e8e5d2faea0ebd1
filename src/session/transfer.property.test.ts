import type { UIMessage } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addTodos, completeTodos } from '../core/list.ts'
import { todoSchema } from '../core/todo.ts'
import { createTodoSession } from './createTodoSession.ts'
import { memoryStorage } from './storage.ts'
import { type ExportedSession, exportSession, importSession } from './transfer.ts'

const numRuns = Number(process.env['IMPORT_RUNS'] ?? 1000)

// MUTATIONS

/** Where to go from a value: each number picks one of its parts. The last step does something to what is there. */
interface Mutation {
  readonly way: readonly number[]
  readonly act: 'replace' | 'delete' | 'double' | 'wrap'
  readonly junk: unknown
}

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    true,
    [],
    {},
    'running',
    'completed',
    'in_progress',
    '__proto__',
  ),
  fc.jsonValue({ maxDepth: 2 }),
)
const mutation: fc.Arbitrary<Mutation> = fc.record({
  way: fc.array(fc.nat(), { minLength: 1, maxLength: 7 }),
  act: fc.constantFrom('replace', 'delete', 'double', 'wrap'),
  junk,
})

function mutate(file: unknown, { way, act, junk: value }: Mutation): void {
  let parent = file as Record<string, unknown>
  for (const [index, step] of way.entries()) {
    const keys = Object.keys(parent)
    const key = keys[step % Math.max(keys.length, 1)]
    if (key === undefined) return
    const part = parent[key]
    if (index < way.length - 1 && typeof part === 'object' && part !== null) {
      parent = part as Record<string, unknown>
      continue
    }
    if (act === 'delete') delete parent[key]
    else if (act === 'double') parent[key] = [part, part]
    else if (act === 'wrap') parent[key] = { value: part }
    else parent[key] = value
    return
  }
}

// CHECK

async function realFile(): Promise<ExportedSession> {
  const storage = memoryStorage()
  const session = createTodoSession({ id: 'real', storage, now: () => 1000 })
  const messages: UIMessage[] = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Do A, B and C' }] }]
  await session.commit(
    (data) => ({
      ...data,
      title: 'Do A',
      mode: 'plan',
      list: addTodos(data.list, [{ title: 'A', description: 'a' }, { title: 'B' }], 1).list,
    }),
    { messages, cause: { messageId: 'm1', toolCallId: 'c1', toolName: 'todos_add' } },
  )
  await session.commit((data) => ({ ...data, list: completeTodos(data.list, [{ id: 1 }], 2).list }))
  await session.commit((data) => ({ ...data, list: addTodos(data.list, [{ title: 'C' }], 3).list }))
  return exportSession('real', storage)
}

/** An import either refuses a file and stores nothing, or what it stored opens without a fault and has all that was valid in the file. */
async function check(file: unknown): Promise<void> {
  const storage = memoryStorage()
  await createTodoSession({ id: 'other', storage, now: () => 1 }).commit((data) => ({
    ...data,
    title: 'Other',
  }))
  const other = await storage.read('other')
  let id: string
  try {
    id = (await importSession(file, storage)).id
  } catch (error) {
    expect(error).toMatchObject({ name: 'TodoAgentError', code: 'invalid_import' })
    expect((await storage.list()).map((summary) => summary.id)).toEqual(['other'])
    return
  }
  expect(await storage.read('other')).toEqual(other)

  const session = createTodoSession({ id, storage })
  await session.ready()
  await session.history()
  const { problems, todos, messages, run } = session.store.getState()
  expect(problems).toEqual([])
  expect(run.status).not.toBe('running')
  for (const todo of todos) expect(todoSchema.safeParse(todo).success).toBe(true)
  expect(new Set(todos.map((todo) => todo.id)).size).toBe(todos.length)
  const given = (typeof file === 'string' ? JSON.parse(file) : file) as ExportedSession
  const valid = given.session.list.todos.filter((todo) => todoSchema.safeParse(todo).success)
  expect(todos.map((todo) => todo.id)).toEqual([...new Set(valid.map((todo) => todo.id))])
  for (const message of messages) expect(Array.isArray(message.parts)).toBe(true)

  // It can be worked with, and a copy of it is whole.
  await session.commit((data) => ({ ...data, list: addTodos(data.list, [{ title: 'New' }], 9).list }))
  const again = await importSession(JSON.stringify(await exportSession(id, storage)), memoryStorage())
  expect(again).toEqual({ id, problems: [] })
}

test('a mutated file is refused or read, and never harms what is stored', async () => {
  const real = JSON.stringify(await realFile())
  await fc.assert(
    fc.asyncProperty(
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (mutations, asText) => {
        const file: unknown = JSON.parse(real)
        for (const one of mutations) mutate(file, one)
        await check(asText ? JSON.stringify(file) : file)
      },
    ),
    { numRuns },
  )
})

test('junk is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.anything(), fc.json(), fc.string()), async (file) => {
      await expect(importSession(file, memoryStorage())).rejects.toMatchObject({ code: 'invalid_import' })
    }),
    { numRuns },
  )
})
