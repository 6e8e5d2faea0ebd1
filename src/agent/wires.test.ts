import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type LanguageModel, tool, type UIMessage } from 'ai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { anthropicMessages } from '../../e2e/wire/anthropicMessages.ts'
import { llamaCpp, ollama, openAIChat } from '../../e2e/wire/chatCompletions.ts'
import { failures, find, write } from '../../e2e/wire/failures.ts'
import { openAIResponses } from '../../e2e/wire/responses.ts'
import { type Dialect, startWireServer, type WireAnswer, type WireServer } from '../../e2e/wire/wireServer.ts'
import { createTodoSession } from '../session/createTodoSession.ts'
import { memoryStorage } from '../session/storage.ts'
import { collectRun } from '../testing/collectRun.ts'
import type { RunTodoAgentOptions } from './options.ts'
import { runTodoAgent } from './runTodoAgent.ts'
import { TodoChat } from './TodoChat.ts'

interface ModelOptions {
  readonly baseURL: string
  readonly apiKey?: string
  readonly fetch?: typeof fetch
}

interface Wire {
  readonly dialect: Dialect
  readonly model: (options: ModelOptions) => LanguageModel
  /** A word for the end that does not fit an answer with calls, as some servers say it all the same. */
  readonly wrongFinish?: string
  readonly options?: Partial<RunTodoAgentOptions>
}

const openAI = { apiKey: 'sk-openai-1234' }

const wires: readonly Wire[] = [
  {
    dialect: openAIChat,
    model: (options) => createOpenAI({ ...openAI, ...options }).chat('gpt-4.1'),
    wrongFinish: 'stop',
  },
  {
    dialect: openAIResponses,
    model: (options) => createOpenAI({ ...openAI, ...options }).responses('gpt-5'),
  },
  {
    dialect: anthropicMessages,
    model: (options) => createAnthropic({ apiKey: 'sk-ant-1234', ...options })('claude-sonnet-4-5'),
    wrongFinish: 'end_turn',
  },
  {
    dialect: ollama,
    model: (options) => createOpenAICompatible({ name: 'ollama', ...options })('qwen3:8b'),
    wrongFinish: 'stop',
  },
  {
    dialect: llamaCpp,
    model: (options) => createOpenAICompatible({ name: 'llama.cpp', ...options })('gpt-3.5-turbo'),
    wrongFinish: 'stop',
    options: { alternateRoles: true },
  },
]

const named = (list: readonly Wire[]) => list.map((wire) => [wire.dialect.name, wire] as const)
const [chat, responses, , ollamaWire, llamaWire] = wires as [Wire, Wire, Wire, Wire, Wire]

const servers: WireServer[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

function user(text: string): UIMessage {
  return { id: `u-${text}`, role: 'user', parts: [{ type: 'text', text }] }
}

async function setUp(
  wire: Wire,
  script: Parameters<typeof startWireServer>[1],
  options: Partial<RunTodoAgentOptions> = {},
) {
  const server = await startWireServer(wire.dialect, script)
  servers.push(server)
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
  const controller = new AbortController()
  const model = wire.model({ baseURL: server.baseURL })
  const start = (messages: readonly UIMessage[], more: Partial<RunTodoAgentOptions> = {}) =>
    runTodoAgent({
      model,
      tools: { search },
      signal: controller.signal,
      ...wire.options,
      ...options,
      ...more,
      session,
      messages: more.messages ?? [...session.store.getState().messages, ...messages],
    })
  const say = (text: string, more?: Partial<RunTodoAgentOptions>) => collectRun(start([user(text)], more))
  const retry = (more?: Partial<RunTodoAgentOptions>) =>
    collectRun(start([], { ...more, goesOn: 'interrupted' }))
  const todos = () => session.getAllTodos().map(({ content, status }) => `${content} ${status}`)
  const parts = () => session.store.getState().messages.flatMap((message) => message.parts)
  const found = () =>
    parts().flatMap((part) =>
      part.type === 'tool-search' && part.state === 'output-available' ? [[part.input, part.output]] : [],
    )
  return { server, session, controller, start, say, retry, todos, parts, found, searches }
}

describe.each(named(wires))('%s', (_, wire) => {
  test('works through a list, whatever the pieces in which answers come (b25)', async () => {
    const [one, two] = ['Zürich ✓ 你好 👍🏽', 'Genève']
    const { server, say, todos, found } = await setUp(wire, [
      { reasoning: 'First a list. ', calls: [write([one, 'in_progress'], [two, 'pending'])], bytes: 3 },
      { text: 'Both at once. ', calls: [find('A ✓'), find('B')], noise: ': keep-alive\n\n', bytes: 64 },
      { reasoning: 'That was all. ', calls: [write([one, 'completed'], [two, 'completed'])], bytes: 7 },
      { reasoning: 'Now I say it. ', text: 'All is done: 你好.', bytes: 1 },
      'Nothing more.',
    ])
    const { result } = await say('Find both')
    expect(result).toMatchObject({ outcome: 'completed', steps: 4 })
    expect(todos()).toEqual([`${one} completed`, `${two} completed`])
    expect(found()).toEqual([
      [{ q: 'A ✓' }, { found: 'A ✓' }],
      [{ q: 'B' }, { found: 'B' }],
    ])
    expect((await say('And now?')).result.outcome).toBe('completed')
    expect(server.faults).toEqual([])
  })

  test('has calls run though the answer ends with a word that does not fit', async () => {
    const finish = wire.wrongFinish ? { finish: wire.wrongFinish } : {}
    const { server, say, searches } = await setUp(wire, [
      { calls: [find('A'), find('B')], ...finish },
      'Found.',
    ])
    expect((await say('Find both')).result.outcome).toBe('completed')
    expect(searches).toEqual(['A', 'B'])
    expect(server.faults).toEqual([])
  })

  test('has calls with blank or repeated ids kept apart, each with its own result (b16)', async () => {
    const { server, say, found, parts } = await setUp(wire, [
      {
        calls: [
          find('A', { id: '' }),
          find('B', { id: '' }),
          find('C', { id: 'same' }),
          find('D', { id: 'same' }),
        ],
      },
      { calls: [find('E', { id: 'same' }), find('F', { id: '' })] },
      'Found.',
    ])
    expect((await say('Find them')).result.outcome).toBe('completed')
    // Whichever of them a provider package takes for one call, none is answered with the result of another.
    for (const [input, output] of found()) expect(output).toEqual({ found: (input as { q: string }).q })
    expect(found().length).toBeGreaterThanOrEqual(4)
    const ids = parts().flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []))
    expect(new Set(ids).size).toBe(ids.length)
    expect(server.faults).toEqual([])
  })

  test('comes out of a response without an end with its list, its text and a way on (b20)', async () => {
    const { server, session, say, retry, todos, parts } = await setUp(wire, [
      { reasoning: 'First a list. ', calls: [write(['A', 'in_progress'], ['B', 'pending'])] },
      { reasoning: 'And now? ', text: 'one two three four five six seven eight', after: 0.8, end: 'eof' },
      { reasoning: 'On. ', calls: [write(['A', 'completed'], ['B', 'completed'])] },
      'Done.',
      'Bye.',
    ])
    const { result } = await say('Do A and B')
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_interrupted' }, steps: 2 })
    expect(result.error?.message).toMatch(/connection .* was lost .* list is as it was\. Try again/)
    expect(todos()).toEqual(['A in_progress', 'B pending'])
    expect(parts()).toContainEqual({ type: 'text', text: expect.stringMatching(/^one two/), state: 'done' })
    expect(session.store.getState().run.correction).toBeNull()

    expect((await retry()).result.outcome).toBe('completed')
    expect((await say('Thanks')).result.outcome).toBe('completed')
    expect(todos()).toEqual(['A completed', 'B completed'])
    expect(server.faults).toEqual([])
  })

  test('forgets calls of a response without an end (b18)', async () => {
    const { server, say, retry, searches } = await setUp(wire, [
      { calls: [write(['A', 'in_progress'])] },
      {
        reasoning: 'Both. ',
        text: 'I search. ',
        calls: [find('A'), find('a longer query')],
        after: 0.8,
        end: 'eof',
      },
      { calls: [find('A')] },
      { calls: [write(['A', 'completed'])] },
      'Done.',
    ])
    // Ollama sends calls whole, and some words later they are all there.
    expect((await say('Do A')).result.outcome).toBe('failed')
    expect(searches).toEqual([])
    expect((await retry()).result.outcome).toBe('completed')
    expect(searches).toEqual(['A'])
    expect(server.faults).toEqual([])
  })

  test('goes on after Stop in the middle of an answer (b27)', async () => {
    const { server, say, start, controller } = await setUp(wire, [
      { reasoning: 'Hm. ', text: 'one two three four', after: 0.8, end: 'silence' },
      'Hello again.',
    ])
    const run = start([user('Hello')])
    const { result } = await collectRun(run, (chunk) => {
      if (chunk.type === 'text-delta') controller.abort()
    })
    expect(result.outcome).toBe('stopped')
    expect((await say('Again', { signal: new AbortController().signal })).result.outcome).toBe('completed')
    expect(server.faults).toEqual([])
    await vi.waitFor(() => expect(server.aborted).toBe(1))
  })

  test.each(failures)('%s is explained, and Retry goes on', async (_, answer, code, words) => {
    const { server, say, retry, todos } = await setUp(
      wire,
      [{ calls: [write(['A', 'in_progress'])] }, answer, { calls: [write(['A', 'completed'])] }, 'Done.'],
      { stepTimeout: 700, settings: { maxRetries: 0 } },
    )
    const { result } = await say('Do A')
    expect(result).toMatchObject({ outcome: 'failed', error: { code }, steps: 2 })
    expect(result.error?.message).toMatch(words)
    expect(result.error?.message).toContain('list is as it was')
    expect(todos()).toEqual(['A in_progress'])
    expect((await retry({ stepTimeout: false })).result.outcome).toBe('completed')
    expect(todos()).toEqual(['A completed'])
    expect(server.faults).toEqual([])
  })

  test('a request that the page may not make names the address and what to check', async () => {
    const { server, say } = await setUp(wire, [])
    const refuse = () => Promise.reject(new TypeError('Failed to fetch'))
    const { result } = await say('Hello', { model: wire.model({ baseURL: server.baseURL, fetch: refuse }) })
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_unreachable' } })
    expect(result.error?.message).toMatch(
      `Could not reach ${server.origin}. Check that the server is running`,
    )
    expect(server.requests).toEqual([])
  })

  test('a failure that passes is tried again, within the same step (b26)', async () => {
    const { server, session, say, searches } = await setUp(wire, [
      { calls: [write(['A', 'in_progress'])] },
      { status: 500, message: 'Oops', headers: { 'retry-after': '0' } },
      { calls: [find('A')] },
      { status: 429, message: 'Slow down', headers: { 'retry-after': '1' } },
      { calls: [write(['A', 'completed'])] },
      'Done.',
    ])
    const waits: unknown[] = []
    session.store.subscribe(({ run }, before) => run.wait !== before.run.wait && waits.push(run.wait))
    const { result } = await say('Do A')
    expect(result).toMatchObject({ outcome: 'completed', steps: 4 })
    expect(searches).toEqual(['A'])
    expect(server.faults).toEqual([])
    const [, , , fourth, fifth] = server.requests
    expect((fifth?.at ?? 0) - (fourth?.at ?? 0)).toBeGreaterThanOrEqual(990)
    expect(fifth?.body).toEqual(fourth?.body)
    expect(waits).toMatchObject([
      { attempt: 2, attempts: 3 },
      undefined,
      { attempt: 2, attempts: 3, until: expect.any(Number) },
      undefined,
    ])
  })
})

describe('retries', () => {
  test('end after as many as were allowed, in one layer', async () => {
    const limit: WireAnswer = { status: 429, message: 'Too many', headers: { 'retry-after-ms': '5' } }
    const { server, say } = await setUp(chat, [limit, limit, limit, limit, 'No.'])
    const { result } = await say('Hello')
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_failed' }, steps: 1 })
    expect(server.requests).toHaveLength(3)
    expect((await say('Again', { settings: { maxRetries: 0 } })).result.outcome).toBe('failed')
    expect(server.requests).toHaveLength(4)
  })

  test('end at once with Stop (b26)', async () => {
    const { server, session, controller, start } = await setUp(chat, [
      { status: 429, message: 'Too many', headers: { 'retry-after': '30' } },
    ])
    const before = Date.now()
    session.store.subscribe(({ run }) => run.wait && controller.abort())
    const { result } = await collectRun(start([user('Hello')]))
    expect(result).toMatchObject({ outcome: 'stopped', steps: 1 })
    expect(Date.now() - before).toBeLessThan(10_000)
    expect(server.requests).toHaveLength(1)
    expect(session.store.getState().run).not.toHaveProperty('wait')
  })

  test('are not made when the server asks to wait for longer than allowed, or credit is used up (b26)', async () => {
    const { server, say } = await setUp(chat, [
      { status: 503, message: 'Busy', headers: { 'retry-after': '20' } },
      { status: 429, message: 'You exceeded your current quota', code: 'insufficient_quota' },
    ])
    const busy = await say('Hello', { maxRetryWait: 10_000 })
    expect(busy.result.error?.message).toMatch(
      'answered 503: Busy. It asks to wait 20 s. The server has trouble',
    )
    const quota = await say('Hello')
    expect(quota.result.error?.message).toMatch('The credit is used up: add to it, or choose another model.')
    expect(server.requests).toHaveLength(2)
  })

  test('do not run an approved tool twice, and do not count as steps for the guard', async () => {
    const limit: WireAnswer = { status: 429, message: 'Too many', headers: { 'retry-after-ms': '5' } }
    const runs: string[] = []
    const erase = tool({
      description: 'Erases',
      inputSchema: z.object({ name: z.string() }),
      execute: async ({ name }) => {
        runs.push(name)
        return 'erased'
      },
    })
    const { server, session, say, start } = await setUp(
      chat,
      [
        { calls: [write(['A', 'in_progress']), { name: 'erase', input: { name: 'A' } }] },
        limit,
        limit,
        'It is erased.',
        limit,
        { calls: [write(['A', 'completed'])] },
        'Done.',
      ],
      { tools: { erase }, settings: { toolApproval: { erase: 'user-approval' } } },
    )
    expect((await say('Erase A')).result.outcome).toBe('awaiting_approval')
    const [asked, answer] = session.store.getState().messages as [UIMessage, UIMessage]
    const parts = answer.parts.map((part) =>
      'approval' in part && part.approval
        ? { ...part, state: 'approval-responded', approval: { id: part.approval.id, approved: true } }
        : part,
    )
    const messages = [asked, { ...answer, parts } as UIMessage]
    const { result } = await collectRun(start([], { messages }))
    expect(result).toMatchObject({ outcome: 'completed', steps: 3 })
    expect(runs).toEqual(['A'])
    expect(session.store.getState().run.correction).toMatchObject({ count: 1 })
    expect(server.faults).toEqual([])
  })
})

describe('reasoning', () => {
  test.each(named(wires))(
    'comes back to %s after a reload and after the guard has sent it back',
    async (_, wire) => {
      const storage = memoryStorage()
      const session = createTodoSession({ id: 'kept', storage })
      const server = await startWireServer(wire.dialect, [
        { reasoning: 'First a list. ', calls: [write(['A', 'in_progress']), write(['B', 'in_progress'])] },
        { reasoning: 'One at a time. ', calls: [write(['A', 'in_progress'])] },
        { reasoning: 'Is that all? ', text: 'All is done.' },
        { reasoning: 'It is not. ', calls: [write(['A', 'completed'])] },
        { reasoning: 'Now it is. ', text: 'Now it is.' },
        { reasoning: 'Again. ', text: 'Yes.' },
      ])
      servers.push(server)
      const options = { ...wire.options, model: wire.model({ baseURL: server.baseURL }) }
      await collectRun(runTodoAgent({ ...options, session, messages: [user('Do A')] }))
      expect(server.requests).toHaveLength(5)
      session.close()

      const again = createTodoSession({ id: 'kept', storage })
      await again.ready()
      const messages = [...again.store.getState().messages, user('Sure?')]
      const { result } = await collectRun(runTodoAgent({ ...options, session: again, messages }))
      expect(result.outcome).toBe('completed')
      expect(server.faults).toEqual([])
    },
  )
})

describe('a chat', () => {
  test.each(named(wires))(
    'over %s goes on with Resume, and with what waits in the queue',
    async (_, wire) => {
      let answer = () => {}
      const until = new Promise<void>((resolve) => {
        answer = resolve
      })
      const server = await startWireServer(wire.dialect, [
        { reasoning: 'First a list. ', calls: [write(['A', 'in_progress'])] },
        { reasoning: 'Hm. ', text: 'one two three four', after: 0.6, end: 'eof', until },
        { reasoning: 'On. ', calls: [write(['A', 'completed'])] },
        'Done.',
        'Bye.',
      ])
      servers.push(server)
      const session = createTodoSession({ id: 'chat', storage: memoryStorage() })
      const model = wire.model({ baseURL: server.baseURL })
      const todoChat = new TodoChat({ ...wire.options, model, session })
      const first = todoChat.send('Do A')
      await vi.waitFor(() => expect(server.requests).toHaveLength(2), 10_000)
      await todoChat.send('Then say goodbye')
      answer()
      await first
      expect(todoChat.status).toBe('error')
      expect(session.store.getState().run.error?.code).toBe('model_interrupted')
      expect(todoChat.messages).toEqual(session.savedMessages())

      await todoChat.resume()
      await vi.waitFor(() => expect(server.requests).toHaveLength(5), 10_000)
      await vi.waitFor(() => expect(todoChat.status).toBe('ready'), 10_000)
      expect(todoChat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
      expect(server.faults).toEqual([])
    },
  )
})

describe('ids of OpenAI-compatible calls', () => {
  test.each([chat, ollamaWire, llamaWire].map((wire) => [wire.dialect.name, wire] as const))(
    'that are missing are made up once (%s)',
    async (_, wire) => {
      const { server, say, searches } = await setUp(wire, [
        { calls: [find('A', { id: undefined })] },
        { calls: [find('B', { id: null })] },
        'Found.',
      ])
      expect((await say('Find')).result.outcome).toBe('completed')
      expect(searches).toEqual(['A', 'B'])
      expect(server.faults).toEqual([])
    },
  )

  test.each([chat, ollamaWire, llamaWire].map((wire) => [wire.dialect.name, wire] as const))(
    'that the provider package refuses end the run visibly, with the list as it was (%s)',
    async (_, wire) => {
      const { server, say, retry, todos, searches } = await setUp(wire, [
        { calls: [write(['A', 'in_progress'])] },
        { calls: [find('A', { id: 7 })] },
        { calls: [write(['A', 'completed'])] },
        'Done.',
      ])
      const { result } = await say('Do A')
      expect(result).toMatchObject({ outcome: 'failed', error: { code: 'model_failed' } })
      expect(result.error?.message).toMatch(
        'cannot be read as an answer. Check that the provider package fits',
      )
      expect(result.error?.message.length).toBeLessThan(300)
      expect(searches).toEqual([])
      expect(todos()).toEqual(['A in_progress'])
      expect((await retry()).result.outcome).toBe('completed')
      expect(server.faults).toEqual([])
    },
  )
})

describe('errors inside a stream', () => {
  const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const failed = {
    type: 'response.failed',
    sequence_number: 90,
    response: { error: { code: 'server_error', message: 'The server broke' } },
  }
  test.each([
    [openAIChat.name, chat, event({ error: { message: 'The server broke', type: 'server_error' } }), 'broke'],
    [openAIResponses.name, responses, `event: response.failed\n${event(failed)}`, 'broke'],
    [anthropicMessages.name, wires[2] as Wire, `event: error\n${event(overloaded)}`, 'Overloaded'],
    [
      llamaCpp.name,
      llamaWire,
      event({ error: { code: 500, message: 'context is full' } }),
      'context is full',
    ],
    ['older llama.cpp', llamaWire, `error: {"code":500,"message":"context is full"}\n\n`, 'was lost'],
    ['a proxy', ollamaWire, 'data: <html>Bad gateway</html>\n\n', 'cannot be read'],
  ] as const)('of %s are told, and Retry goes on', async (_, wire, tail, words) => {
    const { server, say, retry } = await setUp(wire, [
      { reasoning: 'Hm. ', text: 'one two three four', after: 0.7, tail },
      'All is well.',
    ])
    const { result } = await say('Hello')
    expect(result.outcome).toBe('failed')
    expect(result.error?.message).toContain(words)
    expect((await retry()).result.outcome).toBe('completed')
    expect(server.faults).toEqual([])
  })
})

describe('a template that takes turns strictly', () => {
  test('is not asked again in vain, and the option for it is named', async () => {
    const { server, say } = await setUp(
      llamaWire,
      [
        { calls: [find('A')] },
        { status: 500, message: 'Conversation roles must alternate user/assistant/...' },
      ],
      { alternateRoles: false },
    )
    const { result } = await say('Find A')
    expect(result.error?.message).toContain('Set `alternateRoles` for this model.')
    expect(server.requests).toHaveLength(2)
  })

  test('gets turns after a stop, a failure without a word and a reminder', async () => {
    const { server, say, controller, start } = await setUp(
      llamaWire,
      [
        { status: 401, message: 'Bad key' },
        { calls: [write(['A', 'in_progress'], ['B', 'pending']), find('1')] },
        { calls: [find('2')] },
        { calls: [find('3'), find('4')] },
        { calls: [write(['A', 'completed'], ['B', 'completed'])] },
        'Done.',
      ],
      { guard: { staleAfter: 1, staleEvery: 1 } },
    )
    expect((await say('Do A and B')).result.outcome).toBe('failed')
    const run = start([user('Once more')])
    const { result } = await collectRun(run, (chunk) => {
      if (chunk.type === 'tool-output-available' && server.requests.length === 3) controller.abort()
    })
    expect(result.outcome).toBe('stopped')
    const { signal } = new AbortController()
    expect((await say('Go on', { signal })).result.outcome).toBe('completed')
    expect(server.faults).toEqual([])
  })
})

describe('keys', () => {
  test('go to the origin that they were given for, and nowhere else', async () => {
    const theirs = await startWireServer(ollama, ['Hello from the other one.'])
    servers.push(theirs)
    const { server, say } = await setUp(chat, ['Hello.'])
    await say('Hello')
    await say('And you?', { model: ollamaWire.model({ baseURL: theirs.baseURL }) })
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${openAI.apiKey}`)
    const { headers, body } = theirs.requests[0] ?? {}
    expect(headers).not.toHaveProperty('authorization')
    expect(JSON.stringify([headers, body])).not.toContain(openAI.apiKey)
    expect(theirs.faults).toEqual([])
  })

  test('do not follow a redirect to another origin', async () => {
    const theirs = await startWireServer(openAIChat, ['Hello from elsewhere.'])
    servers.push(theirs)
    const location = `${theirs.origin}${openAIChat.path}`
    const { say } = await setUp(chat, [{ status: 307, headers: { location } }])
    await say('Hello')
    expect(theirs.requests).toHaveLength(1)
    expect(theirs.requests[0]?.headers).not.toHaveProperty('authorization')
  })
})
