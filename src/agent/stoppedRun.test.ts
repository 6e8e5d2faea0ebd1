import { APICallError, tool, type UIMessage } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createTodoSession } from '../session/createTodoSession.ts'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import { collectRun } from '../testing/collectRun.ts'
import { type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import type { RunTodoAgentOptions } from './options.ts'
import { runTodoAgent } from './runTodoAgent.ts'

function setUp(script: readonly ScriptEntry[], options: Partial<RunTodoAgentOptions> = {}) {
  const session = createTodoSession({ id: 's', storage: memoryStorage() })
  const model = scriptedModel(script)
  const controller = new AbortController()
  const start = (text: string | null, more: Partial<RunTodoAgentOptions> = {}) =>
    runTodoAgent({
      model,
      signal: controller.signal,
      settings: { maxRetries: 0 },
      ...options,
      ...more,
      session,
      messages: [
        ...session.store.getState().messages,
        ...(text === null
          ? []
          : [{ id: `u-${text}`, role: 'user', parts: [{ type: 'text', text }] } satisfies UIMessage]),
      ],
    })
  const statuses = () => session.getAllTodos().map((todo) => `${todo.content} ${todo.status}`)
  const texts = () =>
    session.store
      .getState()
      .messages.flatMap((message) =>
        message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
      )
  return { session, model, controller, start, statuses, texts }
}

const open = call.write('[>] A', '[ ] B')

describe('a stop (b27)', () => {
  test('in the tick of the final text makes no further request and no correction', async () => {
    const { model, controller, start, session } = setUp([open, 'All done.'])
    const { result } = await collectRun(start('Do A and B'), (chunk) => {
      if (chunk.type === 'text-end') controller.abort()
    })
    expect(result.outcome).toBe('stopped')
    expect(model.calls).toBe(2)
    expect(session.store.getState().run).toMatchObject({
      status: 'idle',
      outcome: 'stopped',
      correction: null,
    })
  })

  test('while the arguments of a write arrive leaves the list as it was', async () => {
    const { model, controller, start, statuses } = setUp([
      open,
      { toolCalls: [call.write('[x] A', '[x] B')], delay: 5, chunkSize: 4 },
    ])
    const { result } = await collectRun(start('Do A and B'), (chunk) => {
      if (chunk.type === 'tool-input-delta' && model.calls === 2) controller.abort()
    })
    expect(result.outcome).toBe('stopped')
    expect(statuses()).toEqual(['A in_progress', 'B pending'])
  })

  test('while a tool runs that ignores its signal ends at once', async () => {
    let finish = () => {}
    const slow = tool({
      inputSchema: z.object({}),
      execute: () =>
        new Promise<string>((resolve) => {
          finish = () => resolve('late')
        }),
    })
    const { model, controller, start } = setUp([open, [call('slow'), call('slow')]], { tools: { slow } })
    const run = collectRun(start('Do A'))
    await vi.waitFor(() => expect(model.calls).toBe(2))
    await new Promise((resolve) => setTimeout(resolve, 20))
    controller.abort()
    const { result } = await run
    finish()
    expect(result.outcome).toBe('stopped')
    expect(model.calls).toBe(2)
  })

  test('in the extra request of the guard ends the run there', async () => {
    const { model, controller, start, statuses } = setUp([
      open,
      'All done.',
      { toolCalls: [call.write('[x] A', '[x] B')], delay: 5 },
    ])
    const { result } = await collectRun(start('Do A and B'), (chunk) => {
      if (chunk.type === 'data-synthetic') controller.abort()
    })
    expect(result.outcome).toBe('stopped')
    expect(model.calls).toBe(2)
    expect(statuses()).toEqual(['A in_progress', 'B pending'])
  })

  test('twice is the same as once', async () => {
    const { controller, start } = setUp([{ text: 'A long answer', delay: 20, chunkSize: 1 }])
    const { result } = await collectRun(start('Hi'), (chunk) => {
      if (chunk.type === 'text-delta') {
        controller.abort()
        controller.abort()
      }
    })
    expect(result.outcome).toBe('stopped')
  })

  test('lets a new run begin at once, and nothing of the old one comes into it', async () => {
    const { session, model, controller, start, texts } = setUp([
      { text: 'old old old old old', delay: 5, chunkSize: 1, ignoreAbort: true },
      'new',
    ])
    const first = collectRun(start('One'), (chunk) => {
      if (chunk.type === 'text-delta') controller.abort()
    })
    await vi.waitFor(() => expect(controller.signal.aborted).toBe(true))
    model.newConversation()
    const second = collectRun(start('Two', { signal: new AbortController().signal }))
    expect((await first).result.outcome).toBe('stopped')
    expect((await second).result.outcome).toBe('completed')
    const settled = JSON.stringify(session.store.getState().messages)
    await new Promise((resolve) => setTimeout(resolve, 120))
    expect(JSON.stringify(session.store.getState().messages)).toBe(settled)
    expect(texts().at(-1)).toBe('new')
  })

  test('leaves a transcript that the next run can send', async () => {
    const slow = tool({ inputSchema: z.object({}), execute: () => new Promise<string>(() => {}) })
    const { session, model, controller, start } = setUp([[call('slow'), open], 'Fine.'], { tools: { slow } })
    const run = collectRun(start('Do A'))
    await vi.waitFor(() => expect(model.calls).toBe(1))
    await new Promise((resolve) => setTimeout(resolve, 20))
    controller.abort()
    await run
    const { result } = await collectRun(start('And now?', { signal: new AbortController().signal }))
    expect(result.outcome).toBe('completed')
    expect(session.getAllTodos()).toEqual([])
    expect(model.problems).toEqual([])
  })

  test('of a consumer that goes away is a stop too', async () => {
    const { session, start } = setUp([{ text: 'A long answer', chunkSize: 1 }])
    const run = start('Hi')
    for (let next = await run.next(); next.value && !('delta' in next.value); next = await run.next());
    await run.return(undefined as never)
    expect(session.store.getState().run).toMatchObject({ status: 'idle', outcome: 'stopped' })
  })
})

describe('a failure', () => {
  test('of every request is told once, and the guard keeps out of it (b27 vi)', async () => {
    const denied = new APICallError({
      message: 'Unauthorized',
      url: 'http://127.0.0.1:1/v1/chat',
      requestBodyValues: {},
      statusCode: 401,
    })
    const { model, start, session } = setUp([open, { error: denied }])
    const { chunks, result } = await collectRun(start('Do A and B'))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_failed' } })
    expect(chunks.filter((chunk) => chunk.type === 'error')).toHaveLength(1)
    expect(result.error?.message).toMatch(/http:\/\/127\.0\.0\.1:1.*401.*key/s)
    expect(model.calls).toBe(2)
    expect(session.store.getState().run.error?.message).toBe(result.error?.message)
  })

  test('to connect names the address and what to check, and leaves the list', async () => {
    const { start, statuses, session } = setUp([
      open,
      {
        error: new APICallError({
          message: 'Cannot connect to API: fetch failed',
          url: 'http://localhost:11434/v1/chat/completions',
          requestBodyValues: {},
          isRetryable: true,
        }),
      },
      call.write('[x] A', '[x] B'),
      'Done.',
    ])
    const { result } = await collectRun(start('Do A and B'))
    expect(result.error).toMatchObject({ code: 'model_unreachable' })
    expect(result.error?.message).toMatch(/http:\/\/localhost:11434.*running.*allows/s)
    expect(statuses()).toEqual(['A in_progress', 'B pending'])
    const again = await collectRun(start(null, { goesOn: 'interrupted' }))
    expect(again.result.outcome).toBe('completed')
    expect(session.getRemainingTodos()).toEqual([])
  })

  test.each([
    [
      'an OpenAI-compatible one',
      { config: { url: () => 'http://localhost:11434/v1' } },
      'http://localhost:11434',
    ],
    ['Anthropic', { config: { baseURL: 'https://api.anthropic.com/v1' } }, 'https://api.anthropic.com'],
    ['one that hides it', {}, 'scripted-model'],
  ])(
    'to connect in a browser, which only says "Failed to fetch", names the address of %s',
    async (_, facts, address) => {
      const { start, model } = setUp([open, { error: new TypeError('Failed to fetch') }])
      const { result } = await collectRun(start('Do A and B', { model: Object.assign(model, facts) }))
      expect(result.error).toMatchObject({
        code: 'model_unreachable',
        message: expect.stringContaining(address),
      })
    },
  )

  test.each([['Load failed'], ['network error'], ['NetworkError when attempting to fetch resource.']])(
    'of the stream in the middle (%s) keeps the partial text, and the run can go on (b20)',
    async (message) => {
      const { start, statuses, texts, model } = setUp([
        open,
        { text: 'Half an answer', chunkSize: 4, delay: 5, error: new TypeError(message), errorAfter: 3 },
        call.write('[x] A', '[x] B'),
        'Done.',
      ])
      const { result } = await collectRun(start('Do A and B'))
      expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_interrupted' } })
      expect(texts().at(-1)).toMatch(/^Half/)
      expect(statuses()).toEqual(['A in_progress', 'B pending'])
      const again = await collectRun(start(null, { goesOn: 'interrupted' }))
      expect(again.result.outcome).toBe('completed')
      expect(model.problems).toEqual([])
    },
  )

  test('an end of the stream without a finish is no answer (b20)', async () => {
    const { start, texts, model } = setUp([open, { text: 'Half an answer', chunkSize: 4, cutOff: 2 }])
    const { result } = await collectRun(start('Do A and B'))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_interrupted' } })
    expect(texts()).toContain('Half an ')
    expect(model.calls).toBe(2)
  })
})

describe('a call that was cut off (b18)', () => {
  const cut = '{"todos":[{"content":"A","status":"completed"},{"content":"B","sta'

  test.each([['length' as const], ['tool-calls' as const]])(
    'with finish %s never changes the list, and is asked for again',
    async (finish) => {
      const { start, statuses, model } = setUp([
        open,
        { toolCalls: [call('write_todos', cut)], finish },
        call.write('[x] A', '[x] B'),
        'Done.',
      ])
      const { chunks, result } = await collectRun(start('Do A and B'), () => {
        if (model.calls === 2) expect(statuses()).toEqual(['A in_progress', 'B pending'])
      })
      expect(chunks.find((chunk) => chunk.type === 'tool-output-error')).toMatchObject({
        errorText: expect.stringMatching(/Not run.*write_todos.*shorter/s),
      })
      expect(result.outcome).toBe('completed')
      expect(model.problems).toEqual([])
    },
  )

  test('without a finish ends the run, and the list is as it was', async () => {
    const { start, statuses, model } = setUp([
      open,
      { toolCalls: [call('write_todos', cut)], cutOff: Number.POSITIVE_INFINITY },
      call.write('[x] A', '[x] B'),
      'Done.',
    ])
    const { result } = await collectRun(start('Do A and B'))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_interrupted' } })
    expect(statuses()).toEqual(['A in_progress', 'B pending'])
    const again = await collectRun(start(null, { goesOn: 'interrupted' }))
    expect(again.result.outcome).toBe('completed')
    expect(model.problems).toEqual([])
  })

  test('is told apart from one with broken JSON, for which shorter would not help', async () => {
    const { start } = setUp([call('write_todos', '{"todos":[{"content":"A "quoted" text"}]}'), 'Sorry.'])
    const { chunks } = await collectRun(start('Do A'))
    expect(chunks.find((chunk) => chunk.type === 'tool-output-error')).toMatchObject({
      errorText: expect.stringMatching(/not valid JSON.*shorter if it was cut off/s),
    })
  })

  test('with whole arguments is run even so', async () => {
    const { start, statuses } = setUp([
      open,
      { toolCalls: [call.write('[x] A', '[x] B')], finish: 'length' },
      'Done.',
    ])
    const { result } = await collectRun(start('Do A and B'))
    expect(statuses()).toEqual(['A completed', 'B completed'])
    expect(result.outcome).toBe('completed')
  })

  test('again and again does not go on for ever', async () => {
    const { start, model } = setUp([
      open,
      ...Array.from({ length: 9 }, () => ({
        toolCalls: [call('write_todos', cut)],
        finish: 'length' as const,
      })),
    ])
    const { result } = await collectRun(start('Do A and B'))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'cut_off' } })
    expect(model.calls).toBe(4)
  })

  test('of a host tool is answered and not run', async () => {
    const execute = vi.fn(async () => 'ran')
    const send = tool({ inputSchema: z.object({ to: z.string() }), execute })
    const { start, model } = setUp(
      [{ toolCalls: [call('send', { to: 'x' })], finish: 'length' }, 'Too long.'],
      { tools: { send } },
    )
    await collectRun(start('Send'))
    expect(execute).not.toHaveBeenCalled()
    expect(model.problems).toEqual([])
  })

  test('a text cut off at the length limit is not taken for an answer', async () => {
    const { start, model } = setUp([open, { text: 'A very long ans', finish: 'length' }])
    const { result } = await collectRun(start('Do A and B'))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'cut_off' } })
    expect(model.calls).toBe(2)
  })
})
