import { tool } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createTodoSession } from '../session/createTodoSession.ts'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import { requestText, type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import type { TodoAgentOptions } from './options.ts'
import { TodoChat } from './TodoChat.ts'
import { textOf } from './transcript.ts'

function gate() {
  let open = () => {}
  const until = new Promise<void>((resolve) => {
    open = resolve
  })
  return { until, open: () => open() }
}

function setUp(script: readonly ScriptEntry[], options: Partial<TodoAgentOptions> = {}) {
  const storage = memoryStorage()
  const session = createTodoSession({ id: 's', storage })
  const model = scriptedModel(script)
  const search = tool({
    description: 'Searches',
    inputSchema: z.object({ q: z.string() }),
    execute: async ({ q }) => `found ${q}`,
  })
  const chat = new TodoChat({ model, tools: { search }, guard: false, ...options, session })
  const said = () => chat.messages.map((message) => `${message.role}: ${textOf(message)}`)
  const queued = () => chat.store.getState().queued.map(textOf)
  const started = (requests: number) => vi.waitFor(() => expect(model.calls).toBe(requests), 10_000)
  const rest = () => vi.waitFor(() => expect(chat.status).toBe('ready'), 10_000)
  return { storage, session, model, chat, said, queued, started, rest }
}

/** The roles of a request after its system message, and its last texts. */
function tailOf(request: Parameters<typeof requestText>[0]): readonly string[] {
  return (request?.prompt ?? [])
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) =>
      role === 'user' && typeof content !== 'string'
        ? `user: ${content.map((part) => (part.type === 'text' ? part.text : '')).join('')}`
        : role,
    )
}

describe('a message that steers', () => {
  test('is read at the next step, after the results, and stays where it came in (b23)', async () => {
    const { until, open } = gate()
    const { storage, session, model, chat, queued, started } = setUp(
      [
        { toolCalls: [call('search', { q: 'A' }), call('search', { q: 'B' })], until },
        call('search', { q: 'C' }),
        'Found all.',
      ],
      { whileRunning: 'steer' },
    )
    const run = chat.send('Find A and B')
    await started(1)
    await chat.send('And C, please')
    await chat.send('In French')
    expect(queued()).toEqual(['And C, please', 'In French'])
    open()
    await run

    expect(queued()).toEqual([])
    const [, second, third] = model.requests
    expect(tailOf(second)).toEqual([
      'user: Find A and B',
      'assistant',
      'tool',
      'user: And C, please',
      'user: In French',
    ])
    expect(tailOf(third)).toEqual([...tailOf(second), 'assistant', 'tool'])
    expect(model.calls).toBe(3)
    expect(model.problems).toEqual([])

    const types = (message: (typeof chat.messages)[number] | undefined) =>
      message?.parts.map(({ type }) => type)
    const shape = [
      ...['step-start', 'tool-search', 'tool-search', 'steering-message', 'steering-message'],
      ...['step-start', 'tool-search', 'step-start', 'text'],
    ]
    expect(chat.messages).toHaveLength(2)
    expect(types(chat.messages[1])).toEqual(shape)
    const again = createTodoSession({ id: session.id, storage })
    await again.ready()
    expect(types(again.store.getState().messages[1])).toEqual(shape)
    expect(again.store.getState().messages[1]?.parts[3]).toMatchObject({
      parts: [{ type: 'text', text: 'And C, please' }],
    })
  })

  test('is saved before the model reads it', async () => {
    const { until, open } = gate()
    const { storage, session, chat, started } = setUp(
      [
        { toolCalls: [call('search', { q: 'A' })], until },
        async () => {
          expect(JSON.stringify(await storage.readMessages(session.id))).toContain('And B')
          return 'Found.'
        },
      ],
      { whileRunning: 'steer' },
    )
    const run = chat.send('Find A')
    await started(1)
    await chat.send('And B')
    open()
    await run
    expect(session.store.getState().run.outcome).toBe('completed')
  })

  test('comes last, after a correction of the guard in the same step', async () => {
    const { until, open } = gate()
    const { model, chat, started } = setUp(
      [call.write('[>] A'), { text: 'Done.', until }, call.write('[x] A'), 'All done.'],
      { whileRunning: 'steer', guard: {} },
    )
    const run = chat.send('Do A')
    await started(2)
    await chat.send('Hurry')
    open()
    await run
    const [correction, last] = tailOf(model.requests[2]).slice(-3)
    expect(correction).toContain('unfinished items')
    expect(last).toBe('user: Hurry')
    expect(model.problems).toEqual([])
  })

  test('is sent as a message of its own where the run has no further step', async () => {
    const { until, open } = gate()
    const { model, chat, said, started, rest } = setUp([{ text: 'Hello.', until }, 'Hello again.'])
    const run = chat.send('Hi')
    await started(1)
    await chat.send('Hi again', { whileRunning: 'steer' })
    open()
    await run
    await started(2)
    await rest()
    expect(said()).toEqual(['user: Hi', 'assistant: Hello.', 'user: Hi again', 'assistant: Hello again.'])
    expect(model.problems).toEqual([])
  })

  test('is no command: that waits for the end, and the model never hears of it', async () => {
    const { until, open } = gate()
    const { session, model, chat, said, queued, started, rest } = setUp(
      [{ toolCalls: [call('search', { q: 'A' })], until }, 'Found.'],
      { whileRunning: 'steer', modes: true },
    )
    const run = chat.send('Find A')
    await started(1)
    await chat.send('/mode execute')
    await chat.send({ text: '/todos' })
    expect(queued()).toEqual(['/mode execute', '/todos'])
    open()
    await run
    await vi.waitFor(() => expect(said().at(-1)).toContain('There are no todos.'))
    await rest()
    expect(session.store.getState().mode).toBe('execute')
    expect(model.calls).toBe(2)
    expect(requestText(model.requests[1])).not.toContain('/')
  })

  test('does not take with it what is queued', async () => {
    const { until, open } = gate()
    const { model, chat, said, queued, started, rest } = setUp([
      { toolCalls: [call('search', { q: 'A' })], until },
      'Found A.',
      'Goodbye.',
    ])
    const run = chat.send('Find A')
    await started(1)
    await chat.send('Say goodbye', { whileRunning: 'queue' })
    await chat.send('Be brief', { whileRunning: 'steer' })
    expect(queued()).toEqual(['Say goodbye', 'Be brief'])
    open()
    await run
    await started(3)
    await rest()
    expect(requestText(model.requests[1])).toContain('Be brief')
    expect(requestText(model.requests[1])).not.toContain('Say goodbye')
    expect(said().slice(-2)).toEqual(['user: Say goodbye', 'assistant: Goodbye.'])
  })

  test('reaches a model that wants roles to alternate', async () => {
    const { until, open } = gate()
    const { model, chat, started } = setUp([{ toolCalls: [call('search', { q: 'A' })], until }, 'Found A.'], {
      whileRunning: 'steer',
      alternateRoles: true,
    })
    const run = chat.send('Find A')
    await started(1)
    await chat.send('Be brief')
    open()
    await run
    expect(tailOf(model.requests[1])).toEqual([
      'user: Find A',
      'assistant',
      'tool',
      'assistant',
      'user: Be brief',
    ])
  })
})

describe('what waits', () => {
  test('is withdrawn by its id and comes back to be edited', async () => {
    const { until, open } = gate()
    const { model, chat, queued, started, rest } = setUp([
      { toolCalls: [call('search', { q: 'A' })], until },
      'Found A.',
      'Fine.',
    ])
    const run = chat.send('Find A')
    await started(1)
    await chat.send('Never mind', { whileRunning: 'steer' })
    await chat.send('And this?')
    const [first, second] = chat.store.getState().queued
    expect(chat.withdraw(first?.id ?? '')).toBe(first)
    expect(chat.withdraw(first?.id ?? '')).toBeUndefined()
    expect(queued()).toEqual(['And this?'])
    open()
    await run
    await started(3)
    await rest()
    expect(chat.withdraw(second?.id ?? '')).toBeUndefined()
    expect(model.requests.map(requestText).join()).not.toContain('Never mind')
    expect(chat.messages).toHaveLength(4)
  })

  test.each(['queue', 'steer'] as const)(
    'is not dropped by Stop (%s), and goes on with Resume',
    async (whileRunning) => {
      const { until, open } = gate()
      const { model, chat, queued, started, rest } = setUp(
        [{ toolCalls: [call('search', { q: 'A' })], until }, 'Going on.', 'As you say.'],
        { whileRunning },
      )
      const run = chat.send('Find A')
      await started(1)
      await chat.send('Only in Spain')
      await chat.halt()
      await run
      open()
      expect(queued()).toEqual(['Only in Spain'])
      expect(model.calls).toBe(1)

      await chat.resume()
      if (whileRunning === 'queue') await started(3)
      await rest()
      expect(queued()).toEqual([])
      expect(requestText(model.requests.at(-1))).toContain('Only in Spain')
      expect(model.problems).toEqual([])
    },
  )

  test('stays after a failure until Retry has gone through', async () => {
    const { until, open } = gate()
    const { model, chat, queued, started, rest } = setUp(
      [{ text: 'One moment.', error: new Error('Broken'), errorAfter: 1, until }, 'Going on.', 'As you say.'],
      { settings: { maxRetries: 0 } },
    )
    const run = chat.send('Find A')
    await started(1)
    await chat.send('Then B')
    open()
    await run
    expect(chat.status).toBe('error')
    expect(queued()).toEqual(['Then B'])
    await chat.resume()
    await started(3)
    await rest()
    expect(queued()).toEqual([])
    expect(chat.messages.at(-2)).toMatchObject({ role: 'user', parts: [{ text: 'Then B' }] })
    expect(model.problems).toEqual([])
  })
})

describe('a message that may not wait', () => {
  test('is refused while a run is under way, also one of the same moment', async () => {
    const { until, open } = gate()
    const { model, chat, queued, said } = setUp([{ text: 'Hello.', until }, 'Yes.'], {
      whileRunning: 'reject',
    })
    const run = chat.send('Hi')
    await expect(chat.send('Hi?')).rejects.toMatchObject({ code: 'session_busy' })
    await expect(chat.send('Hi??')).rejects.toThrow(
      'has a run under way. Wait until it has ended, or stop it',
    )
    expect(queued()).toEqual([])
    open()
    await run
    await chat.send('There?')
    expect(said()).toEqual(['user: Hi', 'assistant: Hello.', 'user: There?', 'assistant: Yes.'])
    expect(model.calls).toBe(2)
  })

  test('a word that is none of them is refused', async () => {
    const whileRunning = 'later' as never
    expect(() => setUp(['Hello.'], { whileRunning })).toThrow('`whileRunning` must be')
    const { chat } = setUp(['Hello.'])
    await expect(chat.send('Hi', { whileRunning })).rejects.toThrow(TypeError)
  })
})

test('a session that is deleted in mid-run leaves nothing that waits for it', async () => {
  const { session, model, chat, said, queued, started } = setUp([
    { text: 'Slow', until: new Promise(() => {}) },
    'Hello.',
  ])
  const run = chat.send('Find A')
  await started(1)
  await chat.send('Then B')
  await chat.send('C too', { whileRunning: 'steer' })
  expect(queued()).toEqual(['Then B', 'C too'])
  await session.stopRun()
  await session.delete()
  await run
  expect(queued()).toEqual([])
  expect(chat.store.getState().steering).toEqual([])
  model.newConversation()
  await chat.send('Hi')
  expect(said()).toEqual(['user: Hi', 'assistant: Hello.'])
})
