import { type LanguageModel, tool } from 'ai'
import { createTodoSession, memoryStorage, runTodoAgent } from 'use-todo-agent/agent'
import { collectRun } from 'use-todo-agent/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { builtInModel } from './builtInModel.ts'
import { fencedCall, installPromptApi } from './promptApi.ts'
import { webLLMModel } from './webLLMModel.ts'

const engine = vi.hoisted(() => ({
  answers: [] as string[],
  requests: [] as { messages: { role: string; content: string }[] }[],
}))

// The engine as WebLLM has it, without the weights and the GPU.
vi.mock('@mlc-ai/web-llm', () => ({
  MLCEngine: class {
    async reload() {}
    interruptGenerate() {}
    readonly chat = {
      completions: {
        async create(request: (typeof engine.requests)[number]) {
          engine.requests.push(request)
          const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 }
          const content = engine.answers[engine.requests.length - 1] ?? ''
          return {
            choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
            usage,
          }
        },
      },
    }
  },
  CreateWebWorkerMLCEngine: () => Promise.reject(new Error('no worker here')),
  WebWorkerMLCEngineHandler: class {},
}))

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'LanguageModel')
  vi.unstubAllGlobals()
  engine.requests.length = 0
})

const write = (...todos: readonly [string, string][]) =>
  fencedCall('write_todos', { todos: todos.map(([content, status]) => ({ content, status })) })

const answers = [
  `First a list.\n${write(['Find A', 'in_progress'], ['Say it', 'pending'])}`,
  fencedCall('search', { q: 'A' }),
  write(['Find A', 'completed'], ['Say it', 'in_progress']),
  write(['Find A', 'completed'], ['Say it', 'completed']),
  'A was found.',
]

function setUp(model: LanguageModel) {
  const session = createTodoSession({ id: 's', storage: memoryStorage() })
  const searches: string[] = []
  const search = tool({
    description: 'Searches',
    inputSchema: z.object({ q: z.string() }),
    execute: async ({ q }) => {
      searches.push(q)
      return { found: q }
    },
  })
  const say = (text: string, signal?: AbortSignal) =>
    runTodoAgent({
      session,
      model,
      tools: { search },
      settings: { maxRetries: 0 },
      ...(signal ? { signal } : {}),
      messages: [
        ...session.store.getState().messages,
        { id: text, role: 'user', parts: [{ type: 'text', text }] },
      ],
    })
  return { session, searches, say }
}

const todosOf = ({ session }: ReturnType<typeof setUp>) =>
  session.getAllTodos().map(({ content, status }) => `${content}: ${status}`)

describe("Chrome's built-in model", () => {
  test('works through a list by the tool calls that its provider reads out of its words', async () => {
    installPromptApi(answers)
    const agent = setUp(builtInModel())
    const { result } = await collectRun(agent.say('Find A and say it'))
    expect(result).toMatchObject({ outcome: 'completed', steps: 5 })
    expect(todosOf(agent)).toEqual(['Find A: completed', 'Say it: completed'])
    expect(agent.searches).toEqual(['A'])
    const requests = globalThis.promptApi?.requests ?? []
    for (const { system } of requests) {
      expect(system).toContain('"write_todos"')
      expect(system).toContain('"search"')
    }
    // The results come back as words, and the list last.
    const last = JSON.stringify(requests.at(-1)?.messages)
    expect(last).toContain('tool_result')
    expect(last.lastIndexOf('Say it')).toBeGreaterThan(last.lastIndexOf('tool_result'))
    expect(globalThis.promptApi?.open).toBe(0)
  })

  test('answers again after a stop, with instructions and tools of its own for each request', async () => {
    installPromptApi(['one two three '.repeat(200), 'Hello again.'])
    const agent = setUp(builtInModel())
    const controller = new AbortController()
    const stopped = collectRun(agent.say('Hello', controller.signal))
    await vi.waitFor(() => expect(globalThis.promptApi?.requests).toHaveLength(1))
    controller.abort()
    const { result } = await stopped
    expect(result.outcome).toBe('stopped')
    expect((await collectRun(agent.say('Again'))).result.outcome).toBe('completed')
    expect(globalThis.promptApi?.open).toBe(0)
  })

  test('is missing in words where the browser has none', async () => {
    const agent = setUp(builtInModel())
    const { result } = await collectRun(agent.say('Hello'))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_failed' } })
    expect(result.error?.message).toMatch(/Prompt API is not available.* Chrome or Edge/u)
  })
})

describe('WebLLM', () => {
  test('works through a list by the tool calls that its provider reads out of its words', async () => {
    vi.stubGlobal('navigator', { gpu: {} })
    engine.answers = answers
    const agent = setUp(webLLMModel('Qwen3-4B-q4f16_1-MLC'))
    const { result } = await collectRun(agent.say('Find A and say it'))
    expect(result).toMatchObject({ outcome: 'completed', steps: 5 })
    expect(todosOf(agent)).toEqual(['Find A: completed', 'Say it: completed'])
    expect(agent.searches).toEqual(['A'])
    expect(engine.requests[0]?.messages[0]).toMatchObject({ role: 'system' })
    expect(engine.requests[0]?.messages[0]?.content).toContain('"write_todos"')
    expect(JSON.stringify(engine.requests.at(-1)?.messages)).toContain('tool_result')
  })

  test('is missing in words where the browser has no WebGPU', async () => {
    vi.stubGlobal('navigator', {})
    const agent = setUp(webLLMModel('Qwen3-4B-q4f16_1-MLC'))
    const { result } = await collectRun(agent.say('Hello'))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_failed' } })
    expect(result.error?.message).toMatch(/WebGPU/u)
  })
})
