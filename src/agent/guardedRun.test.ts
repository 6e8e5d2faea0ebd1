import { tool, type UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTodoSession } from '../session/createTodoSession.ts'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import { collectRun } from '../testing/collectRun.ts'
import { offeredTools, requestText, type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import type { TodoAgentOptions } from './options.ts'
import { runTodoAgent } from './runTodoAgent.ts'
import type { TodoUIMessage } from './transcript.ts'

let runs = 0
const search = tool({
  description: 'Searches',
  inputSchema: z.object({ q: z.string() }),
  execute: async ({ q }) => {
    runs += 1
    return `found ${q}`
  },
})

function setUp(script: readonly ScriptEntry[], options: Partial<TodoAgentOptions> = {}) {
  runs = 0
  const session = createTodoSession({ id: 's', storage: memoryStorage() })
  const model = scriptedModel(script, { atEnd: 'repeat' })
  const send = (text: string) => {
    model.newConversation()
    const messages: UIMessage[] = [
      ...session.store.getState().messages,
      { id: `u-${text}`, role: 'user', parts: [{ type: 'text', text }] },
    ]
    return collectRun(runTodoAgent({ model, tools: { search }, ...options, session, messages }))
  }
  const synthetic = () =>
    (session.store.getState().messages as TodoUIMessage[]).flatMap((message) =>
      message.parts.flatMap((part) => (part.type === 'data-synthetic' ? [part.data.source] : [])),
    )
  return { session, model, send, synthetic }
}

const open = call.write('[>] A', '[ ] B')

describe('a model that says it is done over open items', () => {
  test('is sent back once and then closes its list', async () => {
    const { send, synthetic, model, session } = setUp([
      open,
      'All done.',
      call.write('[x] A', '[x] B'),
      'The list is closed.',
    ])
    const { result } = await send('Do A and B')
    expect(result).toMatchObject({ outcome: 'completed', steps: 4 })
    expect(synthetic()).toEqual(['todo_guard'])
    expect(session.store.getState().run.correction).toEqual({ count: 1, max: 3, open: 2 })
    expect(model.problems).toEqual([])
    const correction = requestText(model.requests[2] as never)
    expect(correction).toContain('"A"')
    expect(correction).toContain('write_todos')
  })

  test('is stopped honestly when it never touches the list again (a10 i)', async () => {
    const { send, model, session } = setUp([open, 'All done.'])
    const { result } = await send('Do A and B')
    expect(result.outcome).toBe('blocked')
    expect(result.openTodos.map((todo) => todo.content)).toEqual(['A', 'B'])
    expect(model.calls).toBeLessThanOrEqual(6)
    expect(model.problems).toEqual([])
    expect(session.store.getState().run.openIds).toEqual([1, 2])
  })

  test('is never corrected where the todo tools are not offered (a10 ii)', async () => {
    const { send, model, session } = setUp([open, 'Half done.'], { guard: false })
    await send('Do A and B')
    const bare = scriptedModel(['All done.'])
    const messages: UIMessage[] = [{ id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Well?' }] }]
    const { result } = await collectRun(runTodoAgent({ model: bare, todo: false, session, messages }))
    expect(result.steps).toBe(1)
    expect(offeredTools(bare.requests[0] as never)).toEqual([])
    expect(requestText(bare.requests[0] as never)).not.toContain('todo')
    expect(model.problems).toEqual([])
  })

  test('cannot gain more corrections with harmless calls between (a10 iii)', async () => {
    const alternating = Array.from({ length: 14 }, (_, index) =>
      index % 2 ? call('search', { q: 'x' }) : 'All done.',
    )
    const { send, model } = setUp([open, ...alternating])
    const { result } = await send('Do A and B')
    expect(result.outcome).toBe('finished_with_open_todos')
    expect(result.openTodos).toHaveLength(2)
    expect(model.calls).toBe(8)
    expect(model.problems).toEqual([])
  })

  test('is not ended while it works, however long the list stays as it is (a10 iv)', async () => {
    const work = Array.from({ length: 10 }, () => call('search', { q: 'x' }))
    const { send, synthetic, model } = setUp([open, ...work, call.write('[x] A', '[x] B'), 'Done.'])
    const { result } = await send('Do A and B')
    expect(result).toMatchObject({ outcome: 'completed', steps: 13 })
    expect(synthetic()).toEqual(['todo_stale_reminder', 'todo_stale_reminder'])
    expect(model.problems).toEqual([])
  })

  test('has an honest way to stop where the host opts in (a10 v)', async () => {
    const { send, synthetic, session } = setUp(
      [
        call.write('[>] Send', '[ ] Archive'),
        call.write(
          { content: 'Send', status: 'blocked', reason: 'Needs the approval of the owner' },
          { content: 'Archive', status: 'cancelled', reason: 'Not wanted' },
        ),
        'Sending needs an approval.',
      ],
      { todo: { exits: true } },
    )
    const { result } = await send('Send the report')
    expect(synthetic()).toEqual([])
    expect(result.outcome).toBe('finished_with_open_todos')
    expect(result.openTodos.map((todo) => todo.content)).toEqual(['Send'])
    expect(session.getRemainingTodos()).toEqual([])
  })

  test('ends with its next answer once it has updated the list, open items or not', async () => {
    const { send, synthetic } = setUp([open, 'All done.', call.write('[x] A', '[>] B'), 'B must wait.'])
    const { result } = await send('Do A and B')
    expect(result).toMatchObject({ outcome: 'finished_with_open_todos', steps: 4 })
    expect(synthetic()).toEqual(['todo_guard'])
  })
})

describe('a blocked run', () => {
  const blocked: ScriptEntry[] = [open, 'Done.', 'Done.', 'Done.']

  test('executes no tool of the host, and answers each call once', async () => {
    const { send, model } = setUp([
      ...blocked,
      [call('search', { q: 'x' }), call('search', { q: 'y' })],
      'B is not done.',
    ])
    const { chunks, result } = await send('Do A and B')
    expect(runs).toBe(0)
    expect(chunks.filter((chunk) => chunk.type === 'tool-output-error')).toHaveLength(2)
    expect(result.outcome).toBe('blocked')
    expect(model.problems).toEqual([])
  })

  test('accepts the update that cures it', async () => {
    const { send, session, model } = setUp([...blocked, call.write('[x] A', '[x] B'), 'Now it is done.'])
    const { result } = await send('Do A and B')
    expect(result.outcome).toBe('completed')
    expect(session.getRemainingTodos()).toEqual([])
    expect(model.problems).toEqual([])
  })

  test('rests in later runs until the model updates the list', async () => {
    const { send, synthetic } = setUp([
      ...blocked,
      'B is not done.',
      'Hello.',
      call.write('[x] A', '[>] B'),
      'All done.',
      call.write('[x] A', '[x] B'),
      'Yes.',
    ])
    await send('Do A and B')
    const before = synthetic().length
    await send('Hi')
    expect(synthetic()).toHaveLength(before)
    const { result } = await send('Go on')
    expect(synthetic()).toHaveLength(before + 1)
    expect(result.outcome).toBe('completed')
  })
})

describe('an end that is no answer', () => {
  test('an empty response is retried once and then reported', async () => {
    const { send, synthetic, model } = setUp([{ text: '' }])
    const { result } = await send('Hi')
    expect(result).toMatchObject({ outcome: 'empty_response', steps: 2 })
    expect(synthetic()).toEqual(['empty_response'])
    expect(model.problems).toEqual([])
  })

  test('a blank answer over open items is corrected like any other', async () => {
    const { send, synthetic, model } = setUp([
      open,
      { reasoning: 'I am done', text: ' ' },
      call.write('[x] A', '[x] B'),
      'Done.',
    ])
    const { result } = await send('Do A and B')
    expect(synthetic()).toEqual(['todo_guard'])
    expect(result.outcome).toBe('completed')
    expect(model.problems).toEqual([])
  })

  test('an old list costs an unrelated question one correction at most', async () => {
    const { send, synthetic } = setUp([open, 'A first.', 'A first.', 'A first.', 'It is blocked.'], {
      guard: { maxCorrections: 0 },
    })
    await send('Do A and B')
    expect(synthetic()).toEqual([])
    const later = scriptedModel(['It is noon.'], { atEnd: 'repeat' })
    const fresh = setUp([open, call('search', { q: 'x' })], { maxSteps: 2 })
    await fresh.send('Do A and B')
    const messages: UIMessage[] = [
      ...fresh.session.store.getState().messages,
      { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'What time is it?' }] },
    ]
    const { result } = await collectRun(runTodoAgent({ model: later, session: fresh.session, messages }))
    expect(result).toMatchObject({ outcome: 'finished_with_open_todos', steps: 2 })
    expect(later.problems).toEqual([])
  })
})

describe('the stale reminder', () => {
  test('counts steps, not deltas or calls (a12 iv)', async () => {
    const busy = {
      text: 'x'.repeat(300),
      chunkSize: 1,
      toolCalls: [call('search', { q: 'a' }), call('search', { q: 'b' })],
    }
    const { send, synthetic, model } = setUp([
      open,
      busy,
      busy,
      busy,
      busy,
      call.write('[x] A', '[x] B'),
      'Done.',
    ])
    await send('Do A and B')
    expect(synthetic()).toEqual([])
    expect(model.problems).toEqual([])
  })

  test('comes after the results of its step and before the list (b23)', async () => {
    const two = [call('search', { q: 'a' }), call('search', { q: 'b' })]
    const { send, model } = setUp([open, two, two, two, two, two, call.write('[x] A', '[x] B'), 'Done.'])
    await send('Do A and B')
    expect(model.problems).toEqual([])
    const tail = model.requests[6]?.prompt.slice(-3).map((message) => message.role)
    expect(tail).toEqual(['tool', 'user', 'user'])
  })

  test('can be turned off', async () => {
    const { send, synthetic } = setUp(
      [
        open,
        ...Array.from({ length: 12 }, () => call('search', { q: 'x' })),
        call.write('[x] A', '[x] B'),
        'Done.',
      ],
      {
        guard: { staleAfter: false },
      },
    )
    await send('Do A and B')
    expect(synthetic()).toEqual([])
  })
})
