import { tool, type UIMessage } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { englishTexts } from '../core/texts.ts'
import { createTodoSession } from '../session/createTodoSession.ts'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import { collectRun } from '../testing/collectRun.ts'
import { type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import type { RunTodoAgentOptions } from './options.ts'
import { runTodoAgent } from './runTodoAgent.ts'

function user(text: string, id = `u-${text}`): UIMessage {
  return { id, role: 'user', parts: [{ type: 'text', text }] }
}

const newSession = (storage = memoryStorage()) => createTodoSession({ id: 's', storage })

function setUp(script: readonly ScriptEntry[], options: Partial<RunTodoAgentOptions> = {}) {
  const session = options.session ?? newSession()
  const model = scriptedModel(script)
  const start = (messages: readonly UIMessage[], more: Partial<RunTodoAgentOptions> = {}) =>
    runTodoAgent({ model, ...options, ...more, session, messages })
  const statuses = () => session.getAllTodos().map((todo) => `${todo.id} ${todo.content} ${todo.status}`)
  return { session, model, start, statuses }
}

const search = tool({
  description: 'Searches',
  inputSchema: z.object({ q: z.string() }),
  execute: async ({ q }) => `found ${q}`,
})

describe('a run', () => {
  test('writes a list, works through it and ends completed', async () => {
    const { session, model, start, statuses } = setUp(
      [
        call.write('[>] Search A', '[ ] Search B'),
        call('search', { q: 'A' }),
        call.write('[x] Search A', '[>] Search B'),
        call('search', { q: 'B' }),
        call.write('[x] Search A', '[x] Search B'),
        'Both are found.',
      ],
      { tools: { search } },
    )
    const { result } = await collectRun(start([user('Find A and B')]))
    expect(result).toMatchObject({ outcome: 'completed', steps: 6, openTodos: [], error: null })
    expect(statuses()).toEqual(['1 Search A completed', '2 Search B completed'])
    expect(model.problems).toEqual([])
    expect(session.store.getState().run).toMatchObject({ status: 'idle', outcome: 'completed' })
  })

  test('saves the list before its result reaches the model', async () => {
    const storage = memoryStorage()
    const session = newSession(storage)
    let stored: unknown
    const { start } = setUp(
      [
        call.write('[>] A'),
        async () => {
          stored = await storage.read(session.id)
          return call.write('[x] A')
        },
        'Done.',
      ],
      { session },
    )
    await collectRun(start([user('Do A')]))
    expect(stored).toMatchObject({ list: { todos: [{ id: 1, content: 'A', status: 'in_progress' }] } })
  })

  test('tells nobody of a result before a slow storage has the list', async () => {
    const storage = memoryStorage()
    const slow = {
      ...storage,
      write: async (...args: Parameters<typeof storage.write>) => {
        await new Promise((resolve) => setTimeout(resolve, 30))
        return storage.write(...args)
      },
    }
    const session = newSession(slow)
    const { start } = setUp([call.write('[>] A'), call.write('[x] A'), 'Done.'], { session })
    const stored: unknown[] = []
    await collectRun(start([user('Do A')]), async (chunk) => {
      if (chunk.type === 'tool-output-available') stored.push(await storage.read(session.id))
    })
    expect(stored).toMatchObject([
      { list: { todos: [{ content: 'A', status: 'in_progress' }] } },
      { list: { todos: [{ content: 'A', status: 'completed' }] } },
    ])
  })

  test('saves the transcript with it, so that another session object reads the same', async () => {
    const storage = memoryStorage()
    const session = newSession(storage)
    const { start } = setUp([call.write('[>] A'), call.write('[x] A'), 'Done.'], { session })
    await collectRun(start([user('Do A')]))
    const again = createTodoSession({ id: session.id, storage })
    await again.ready()
    const { messages, todos } = again.store.getState()
    expect(todos).toEqual(session.getAllTodos())
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant'])
    expect(messages[1]?.parts.filter((part) => part.type === 'tool-write_todos')).toHaveLength(2)
  })

  test('stops at maxSteps and says so', async () => {
    const { start, model } = setUp(
      [call.write('[>] A'), call('search', { q: 'A' }), call('search', { q: 'A' })],
      {
        tools: { search },
        maxSteps: 3,
      },
    )
    const { result } = await collectRun(start([user('Do A')]))
    expect(result).toMatchObject({ outcome: 'max_steps', steps: 3 })
    expect(result.openTodos).toHaveLength(1)
    expect(model.calls).toBe(3)
  })

  test('refuses a second run of the same session while one is under way', async () => {
    const { session, start } = setUp(['Hello.'])
    const first = start([user('Hi')])
    await first.next()
    await expect(start([user('Hi')]).next()).rejects.toMatchObject({ code: 'session_busy' })
    await collectRun(first)
    expect(session.store.getState().run.outcome).toBe('completed')
  })

  test.each([
    ['model', { model: undefined }],
    ['maxSteps', { maxSteps: Number.NaN }],
    ['maxSteps', { maxSteps: -1 }],
    ['toolset', { toolset: 'both' }],
    ['inProgress', { todo: { inProgress: 'one' } }],
    ['modes', { modes: 'plan' }],
    ['modes', { modes: ['plan', 'execute'] }],
    ['evaluators', { loop: true }],
    ['guard', { guard: 'strict' }],
    ['tools', { tools: [search] }],
    ['settings', { settings: 0.2 }],
    ['commands', { commands: () => 'Hi' }],
  ])('refuses a wrong `%s` at the call', (option, wrong) => {
    const { start } = setUp(['Hello.'])
    expect(() => start([user('Hi')], wrong as never)).toThrow(TypeError)
    expect(() => start([user('Hi')], wrong as never)).toThrow(new RegExp(`\`${option}`))
  })

  test('refuses to run on no session', () => {
    const options = { model: scriptedModel(['Hello.']), messages: [user('Hi')] } as never
    expect(() => runTodoAgent(options)).toThrow(/^`session`/)
  })

  test.each<[string, object]>([
    ['no parts', { content: 'Hi' }],
    ['reasoning under another name', { parts: [{ type: 'reasoning', reasoning: 'Hm' }] }],
    ['a call under another name', { parts: [{ type: 'tool-invocation', toolInvocation: {} }] }],
  ])('refuses a message of an older AI SDK at the call: %s', (_, part) => {
    const { start } = setUp(['Hello.'])
    const old = { id: '2', role: 'assistant', ...part } as UIMessage
    expect(() => start([user('Hi'), old, user('On')])).toThrow(/^`messages\[1\]` .*AI SDK 7/)
  })

  test('hands its usage and steps to onRunEnd', async () => {
    const onRunEnd = vi.fn()
    const { start } = setUp([{ text: 'Hello.', usage: { input: 7, output: 2 } }], { onRunEnd })
    await collectRun(start([user('Hi')]))
    expect(onRunEnd).toHaveBeenCalledWith(
      expect.objectContaining({
        outcome: 'completed',
        usage: { inputTokens: 7, outputTokens: 2, totalTokens: 9 },
      }),
    )
  })

  test('an onRunEnd that throws is heard of, and changes nothing about the run', async () => {
    const thrown: unknown[] = []
    const queue = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((run) => {
      try {
        run()
      } catch (error) {
        thrown.push(error)
      }
    })
    const bug = new Error('a bug of the host')
    const { start } = setUp(['Hello.'], {
      onRunEnd: () => {
        throw bug
      },
    })
    const { result } = await collectRun(start([user('Hi')]))
    expect(result.outcome).toBe('completed')
    expect(thrown).toContain(bug)
    queue.mockRestore()
  })
})

describe('the calls of a step', () => {
  test('two writes in one step change nothing, and the other tools run (a1)', async () => {
    for (const order of [0, 1]) {
      const writes = [call.write('[>] A', '[ ] B'), call('search', { q: 'x' }), call.write('[>] C')]
      const { session, model, start } = setUp([order ? writes.toReversed() : writes, 'Sorry.'], {
        tools: { search },
      })
      const before = session.store.getState().todos
      const { chunks } = await collectRun(start([user('Do it')]))
      expect(session.store.getState().todos).toBe(before)
      expect(chunks.filter((chunk) => chunk.type === 'tool-output-error')).toHaveLength(2)
      expect(chunks.filter((chunk) => chunk.type === 'tool-output-available')).toHaveLength(1)
      expect(model.problems).toEqual([])
    }
  })

  test('six parallel completions lose nothing (a2)', async () => {
    const delays = [50, 10, 40, 5, 30, 20]
    const storage = memoryStorage()
    const slow = {
      ...storage,
      write: async (...args: Parameters<typeof storage.write>) => {
        await new Promise((resolve) => setTimeout(resolve, delays.shift() ?? 1))
        return storage.write(...args)
      },
    }
    const session = newSession(slow)
    const { start, model } = setUp(
      [
        call.add('1', '2', '3', '4', '5', '6'),
        [1, 2, 3, 4, 5, 6].map((id) => call.complete([id, 'done'])),
        'All six are done.',
      ],
      { session, toolset: 'todos' },
    )
    const { chunks, result } = await collectRun(start([user('Do six things')]))
    expect(result.outcome).toBe('completed')
    expect(session.getRemainingTodos()).toEqual([])
    const again = createTodoSession({ id: session.id, storage })
    await again.ready()
    expect(again.getAllTodos()).toEqual(session.getAllTodos())
    const counts = chunks.flatMap((chunk) =>
      chunk.type === 'tool-output-available' && chunk.output && 'completed' in (chunk.output as object)
        ? [chunk.output as { completed: number; remaining: number }]
        : [],
    )
    expect(counts.map(({ completed, remaining }) => [completed, remaining])).toEqual([
      [1, 5],
      [1, 4],
      [1, 3],
      [1, 2],
      [1, 1],
      [1, 0],
    ])
    expect(model.problems).toEqual([])
  })

  test.each([
    ['{}', {}],
    ['null', 'null'],
    ['a null list', { todos: null }],
    ['a null item', { todos: [null] }],
    ['a null text', { todos: [{ content: null, status: 'pending' }] }],
    ['a blank text', { todos: [{ content: '   ', status: 'in_progress' }] }],
    ['a list in a list', { todos: [[]] }],
    ['a Python literal', { todos: "[{'content': 'A', 'status': 'pending'}]" }],
    ['a checklist', { todos: '- [x] Draft' }],
    ['an unknown status', { todos: [{ content: 'A', status: 'finished' }] }],
  ])('%s is answered with one error and leaves the list (a4, a9)', async (_, input) => {
    const { session, model, start, statuses } = setUp([
      call.write('[>] A'),
      call('write_todos', input),
      call.write('[x] A'),
      'Done.',
    ])
    const { chunks } = await collectRun(start([user('Do A')]), () => {
      if (session.getAllTodos().length > 0) expect(statuses()[0]).toMatch(/^1 A/)
    })
    expect(chunks.filter((chunk) => chunk.type === 'tool-output-error')).toHaveLength(1)
    expect(statuses()).toEqual(['1 A completed'])
    expect(model.problems).toEqual([])
  })

  test('the error of an item names its place and the allowed words', async () => {
    const { start } = setUp([
      call('write_todos', {
        todos: [
          { content: 'A', status: 'in_progress' },
          { content: 'B', status: 'finished' },
        ],
      }),
      'Sorry.',
    ])
    const { chunks } = await collectRun(start([user('Do A')]))
    const error = chunks.find((chunk) => chunk.type === 'tool-output-error')
    expect(error).toMatchObject({
      errorText: expect.stringMatching(/todos\[1\]\.status.*finished.*pending/s),
    })
  })

  test('a list sent as JSON text is taken as the list (a4)', async () => {
    const { start, statuses } = setUp([
      call('write_todos', { todos: '[{"content":"Write report","status":"in_progress"}]' }),
      call.write('[x] Write report'),
      'Done.',
    ])
    await collectRun(start([user('Report')]))
    expect(statuses()).toEqual(['1 Write report completed'])
  })

  test('an empty list clears a finished one, now and after a reload (a9)', async () => {
    const storage = memoryStorage()
    const session = newSession(storage)
    const { start } = setUp([call.write('[>] A'), call.write('[x] A'), call.write(), 'Done.'], { session })
    await collectRun(start([user('Do A')]))
    expect(session.getAllTodos()).toEqual([])
    const again = createTodoSession({ id: session.id, storage })
    await again.ready()
    expect(again.getAllTodos()).toEqual([])
  })

  test.each([['#2'], ['2'], [' 2 '], [2]])('the id %j names the second item (a6)', async (id) => {
    const { start, statuses } = setUp(
      [
        call.add('A', 'B'),
        call('todos_complete', { items: [{ id, reason: 'r' }] }),
        call.complete([1, 'r']),
        'Done.',
      ],
      { toolset: 'todos' },
    )
    await collectRun(start([user('Do')]))
    expect(statuses()).toEqual(['1 A completed', '2 B completed'])
  })

  test('"01" is not taken for 1 (a6)', async () => {
    const { start, statuses } = setUp(
      [call.add('A'), call('todos_remove', { ids: ['01'] }), call.complete([1, 'r']), 'Done.'],
      {
        toolset: 'todos',
      },
    )
    const { chunks } = await collectRun(start([user('Do')]))
    expect(chunks.filter((chunk) => chunk.type === 'tool-output-error')).toHaveLength(1)
    expect(statuses()).toEqual(['1 A completed'])
  })

  test('a rewrite keeps ids with their texts, so that a later "complete 2" hits what it means (a7)', async () => {
    const { session, start, statuses } = setUp(
      [call.write('[>] A', '[ ] B', '[ ] C'), call.write('[x] A', '[>] NEW', '[ ] B', '[ ] C'), 'Planned.'],
      { guard: false },
    )
    const { chunks } = await collectRun(start([user('Plan')]))
    expect(statuses()).toEqual(['1 A completed', '4 NEW in_progress', '2 B pending', '3 C pending'])
    const outputs = chunks.flatMap((chunk) => (chunk.type === 'tool-output-available' ? [chunk.output] : []))
    expect(outputs[1]).toMatchObject({
      todos: [
        { id: 1, content: 'A', status: 'completed' },
        { id: 4, content: 'NEW', status: 'in_progress' },
        { id: 2, content: 'B' },
        { id: 3, content: 'C' },
      ],
    })
    expect(session.getAllTodos()[2]?.id).toBe(2)
  })

  test('blank arguments of a reading tool mean none (b21)', async () => {
    for (const input of ['', '   ', '{}', 'null']) {
      const { start, model } = setUp([call('todos_get_all', input), 'Nothing yet.'], { toolset: 'todos' })
      const { chunks } = await collectRun(start([user('List?')]))
      expect(chunks.find((chunk) => chunk.type === 'tool-output-available')).toMatchObject({ output: [] })
      expect(model.problems).toEqual([])
    }
  })

  test('blank arguments of a writing tool get its ordinary error (b21)', async () => {
    const { start } = setUp([call('write_todos', ''), 'Sorry.'])
    const { chunks } = await collectRun(start([user('List?')]))
    expect(chunks.find((chunk) => chunk.type === 'tool-output-error')).toMatchObject({
      errorText: expect.stringContaining('todos'),
    })
  })

  test('an unknown tool is answered with the names there are, and repeats are bounded (b21)', async () => {
    const { start, model } = setUp(
      Array.from({ length: 9 }, (_, index) => call(index % 2 ? 'TodoWrite' : 'todo_write', { todos: [] })),
      {
        tools: { search },
      },
    )
    const { chunks, result } = await collectRun(start([user('Plan')]))
    expect(chunks.find((chunk) => chunk.type === 'tool-input-error')).toMatchObject({
      errorText: englishTexts.unknownTool({ name: 'todo_write', available: ['write_todos', 'search'] }),
    })
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_failed' } })
    expect(model.calls).toBe(3)
    expect(model.problems).toEqual([])
  })

  test('the draft of a write that is refused goes with its step', async () => {
    let draft: unknown = 'not asked'
    const { session, start } = setUp([
      { toolCalls: [call.write('[ ] First thing', '[ ] Second thing')], delay: 15, chunkSize: 12 },
      () => {
        draft = session.store.getState().draft
        return 'Sorry.'
      },
    ])
    let shown = 0
    session.store.subscribe((state) => {
      if (state.draft) shown += 1
    })
    await collectRun(start([user('Do')]))
    expect(shown).toBeGreaterThan(0)
    expect(draft).toBeNull()
  })

  test('drafts show what a streaming write holds, and go with its commit', async () => {
    const { session, start } = setUp([
      { toolCalls: [call.write('[>] First thing', '[ ] Second thing')], delay: 15, chunkSize: 12 },
      call.write('[x] First thing', '[x] Second thing'),
      'Done.',
    ])
    const drafts: string[] = []
    session.store.subscribe(({ draft }, before) => {
      if (draft !== before.draft) drafts.push(draft ? draft.map((item) => item.content).join('+') : 'none')
    })
    await collectRun(start([user('Do')]))
    expect(drafts.some((draft) => draft.startsWith('First thing'))).toBe(true)
    expect(drafts.at(-1)).toBe('none')
    expect(session.store.getState().draft).toBeNull()
  })
})
