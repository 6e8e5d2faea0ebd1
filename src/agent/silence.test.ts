import { tool, type UIMessage } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createTodoSession } from '../session/createTodoSession.ts'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import { collectRun } from '../testing/collectRun.ts'
import { type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import type { RunTodoAgentOptions } from './options.ts'
import { runTodoAgent } from './runTodoAgent.ts'

const hello: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
const never = new Promise<void>(() => {})
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function setUp(script: readonly ScriptEntry[], options: Partial<RunTodoAgentOptions>) {
  const session = createTodoSession({ id: 's', storage: memoryStorage() })
  const model = scriptedModel(script)
  const run = runTodoAgent({ model, ...options, session, messages: [hello] })
  return { session, model, run }
}

describe('a model that goes silent', () => {
  test('fails the run, which the person can go on with', async () => {
    const { session, run } = setUp(
      [call.write('[>] A'), { text: 'One moment.', chunkSize: 4, until: never, untilAfter: 1 }],
      {
        stepTimeout: 200,
      },
    )
    const { result } = await collectRun(run)
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_interrupted' } })
    expect(result.error?.message).toContain('nothing was heard of it for 1 s')
    expect(session.getAllTodos()).toMatchObject([{ content: 'A', status: 'in_progress' }])
    expect(session.store.getState().run.correction).toBeNull()
  })

  test('ends with it though it ignores its signal', async () => {
    const { run } = setUp([{ text: 'One', until: never, ignoreAbort: true }], { stepTimeout: 200 })
    expect((await collectRun(run)).result.error?.code).toMatch(/^model_/)
  })

  test('is waited for where there is no limit, until Stop', async () => {
    const controller = new AbortController()
    const { run } = setUp([{ text: 'One', until: never }], { stepTimeout: false, signal: controller.signal })
    setTimeout(() => controller.abort(), 400)
    expect((await collectRun(run)).result.outcome).toBe('stopped')
  })
})

describe('no silence', () => {
  test('is the time that a tool takes', async () => {
    const slow = tool({
      description: 'Takes its time',
      inputSchema: z.object({}),
      execute: () => pause(700).then(() => 'done'),
    })
    const onLanguageModelCallEnd = vi.fn()
    const { run } = setUp([call('slow'), 'Done.'], {
      stepTimeout: 200,
      tools: { slow },
      settings: { onLanguageModelCallEnd },
    })
    expect((await collectRun(run)).result).toMatchObject({ outcome: 'completed', steps: 2 })
    expect(onLanguageModelCallEnd).toHaveBeenCalledTimes(2)
  })

  test('is the time in which nobody reads what came', async () => {
    const { run } = setUp([{ text: 'one two three', chunkSize: 4 }], { stepTimeout: 150 })
    const { result } = await collectRun(run, async (chunk) => {
      if (chunk.type === 'text-delta') await pause(400)
    })
    expect(result.outcome).toBe('completed')
  })

  test('is a model that speaks slowly', async () => {
    const { run } = setUp([{ text: 'one two three four five', chunkSize: 4, delay: 100 }], {
      stepTimeout: 400,
    })
    expect((await collectRun(run)).result.outcome).toBe('completed')
  })
})

test('a time limit of the AI SDK is a failure and not a stop', async () => {
  const { run } = setUp([{ text: 'One', until: never }], { settings: { timeout: 200 } })
  const { result } = await collectRun(run)
  expect(result.outcome).toBe('failed')
  expect(result.error?.message).toContain('settings.timeout')
})

test.each([
  ['stepTimeout', 0],
  ['stepTimeout', Number.NaN],
  ['stepTimeout', '5'],
  ['stepTimeout', true],
  ['maxRetryWait', -1],
  ['maxRetryWait', Number.NaN],
  ['maxRetryWait', null],
])('%s: %o is refused by name', (option, value) => {
  expect(() => setUp(['Hello.'], { [option]: value })).toThrow(TypeError)
  expect(() => setUp(['Hello.'], { [option]: value })).toThrow(`\`${option}\``)
})

test.each([
  { stepTimeout: Number.POSITIVE_INFINITY },
  { stepTimeout: 1e12, maxRetryWait: Number.POSITIVE_INFINITY },
  { maxRetryWait: 0 },
])('%o is a time', async (options) => {
  expect((await collectRun(setUp(['Hello.'], options).run)).result.outcome).toBe('completed')
})
