import { isToolUIPart, readUIMessageStream, tool, type UIMessage } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { todosCompleted } from '../core/loop.ts'
import { createTodoSession } from '../session/createTodoSession.ts'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import { type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import type { TodoAgentOptions } from './options.ts'
import { TodoChat } from './TodoChat.ts'
import { TodoChatTransport } from './TodoChatTransport.ts'

const user = (text: string): UIMessage => ({ id: `u-${text}`, role: 'user', parts: [{ type: 'text', text }] })
const textsOf = (messages: readonly UIMessage[]) =>
  messages.map((message) => message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))

function newChat(script: readonly ScriptEntry[], options: Partial<TodoAgentOptions> = {}) {
  const storage = memoryStorage()
  const session = createTodoSession({ id: 's', storage })
  const model = scriptedModel(script)
  const chat = new TodoChat({ model, ...options, session })
  return { storage, session, model, chat }
}

describe('TodoChatTransport', () => {
  test('streams a run and leaves list and transcript in the session of the chat', async () => {
    const storage = memoryStorage()
    const model = scriptedModel([call.write('[>] A'), call.write('[x] A'), 'Done.'])
    const transport = new TodoChatTransport({ model, storage })
    const stream = await transport.sendMessages({
      chatId: 'c1',
      trigger: 'submit-message',
      messageId: undefined,
      messages: [user('Do A')],
      abortSignal: undefined,
    })
    let last: UIMessage | undefined
    for await (const message of readUIMessageStream({ stream })) last = message
    const saved = createTodoSession({ id: 'c1', storage })
    await saved.ready()
    expect(saved.getAllTodos()).toMatchObject([{ content: 'A', status: 'completed' }])
    expect(JSON.parse(JSON.stringify(saved.store.getState().messages[1]))).toEqual(
      JSON.parse(JSON.stringify(last)),
    )
  })

  test('refuses wrong options at construction', () => {
    expect(() => new TodoChatTransport({ model: undefined as never })).toThrow(/`model`/)
    expect(() => new TodoChatTransport(undefined as never)).toThrow(/`model`/)
  })

  test('rejects a second run of one chat', async () => {
    const model = scriptedModel([{ text: 'Slow', delay: 30 }])
    const transport = new TodoChatTransport({ model, storage: memoryStorage() })
    const options = {
      chatId: 'c1',
      trigger: 'submit-message' as const,
      messageId: undefined,
      messages: [user('Hi')],
      abortSignal: undefined,
    }
    const first = await transport.sendMessages(options)
    await expect(transport.sendMessages(options)).rejects.toMatchObject({ code: 'session_busy' })
    await first.cancel()
  })
})

describe('TodoChat', () => {
  test('shows what is saved, part for part', async () => {
    const { storage, session, chat, model } = newChat([
      { reasoning: 'Plan', toolCalls: [call.write('[>] A', '[ ] B')] },
      'All done.',
      call.write('[x] A', '[x] B'),
      'Closed.',
    ])
    await chat.send('Do A and B')
    expect(chat.status).toBe('ready')
    const again = createTodoSession({ id: 's', storage })
    await again.ready()
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
    expect(plain(session.store.getState().messages)).toEqual(plain(again.store.getState().messages))
    expect(model.problems).toEqual([])
  })

  test('answers again from the list as it was before', async () => {
    const { session, chat, model } = newChat([
      call.write('[>] A'),
      call.write('[x] A'),
      'Done.',
      'Done differently.',
    ])
    await chat.send('Do A')
    model.newConversation()
    await chat.regenerate()
    expect(session.getAllTodos()).toEqual([])
    expect(textsOf(session.store.getState().messages)).toEqual(['Do A', 'Done differently.'])
  })

  test('clears everything, also what is stored', async () => {
    const { storage, session, chat } = newChat([call.write('[>] A'), call.write('[x] A'), 'Done.'])
    await chat.send('Do A')
    await chat.clear()
    expect(session.getAllTodos()).toEqual([])
    expect(session.store.getState().messages).toEqual([])
    expect(await storage.list()).toEqual([])
  })

  test('saves files, metadata and data parts of the host, and sends the files alone', async () => {
    const { storage, chat, model } = newChat(['A red dot.', 'Sure.'])
    const url = 'data:image/png;base64,iVBORw0KGgo='
    await chat.send({
      role: 'user',
      metadata: { sentFrom: 'the mobile app' },
      parts: [
        { type: 'file', mediaType: 'image/png', filename: 'dot.png', url },
        { type: 'data-page', data: { title: 'Secret page' } },
        { type: 'text', text: 'What is this?' },
      ],
    })
    const again = createTodoSession({ id: 's', storage })
    await again.ready()
    expect(again.store.getState().messages[0]).toMatchObject({
      metadata: { sentFrom: 'the mobile app' },
      parts: [{ filename: 'dot.png', url }, { data: { title: 'Secret page' } }, { text: 'What is this?' }],
    })
    const next = new TodoChat({ model, session: again })
    await next.send('Sure?')
    const sent = JSON.stringify(model.requests.map(({ prompt }) => prompt))
    expect(sent).toContain('image/png')
    expect(sent).not.toMatch(/Secret page|mobile app/)
    expect(model.problems).toEqual([])
  })

  test('tells the model why a tool was denied', async () => {
    const pay = tool({
      description: 'Pays',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: async () => 'paid',
    })
    const { chat, model, session } = newChat([call('pay', {}), 'Not paid.'], { tools: { pay } })
    await chat.send('Pay')
    const part = chat.messages[1]?.parts.find(({ type }) => type === 'tool-pay') as never as {
      approval: { id: string }
    }
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: false, reason: 'Paid last week' })
    await vi.waitFor(() => expect(session.store.getState().run.outcome).toBe('completed'))
    expect(JSON.stringify(model.requests[1]?.prompt)).toContain('Paid last week')
    expect(model.problems).toEqual([])
  })

  test('refuses a blank message and keeps what was typed', async () => {
    const { chat, session } = newChat(['Hello.'])
    await expect(chat.send('  ')).rejects.toThrow(TypeError)
    expect(session.store.getState().messages).toEqual([])
  })

  test('offers resume after an interruption, stop while it runs, and neither at rest', async () => {
    const { storage, chat, session } = newChat([
      { toolCalls: [call.write('[>] A')], delay: 5 },
      call.write('[x] A'),
      'Done.',
    ])
    const seen = new Set<string>()
    session.store.subscribe(({ controls }) => seen.add(Object.keys(controls).join(' ')))
    await chat.send('Do A')
    expect([...seen]).toContain('stop request')
    expect(Object.keys(session.store.getState().controls)).toEqual(['request'])

    // A page that dies in the middle of a run leaves it as it was saved last.
    const dying = new TodoChat({
      model: scriptedModel([{ text: 'Never', until: new Promise(() => {}) }]),
      session,
    })
    void dying.send('And now?')
    await vi.waitFor(async () =>
      expect(await storage.read('s')).toMatchObject({ run: { status: 'running' } }),
    )

    const reopened = createTodoSession({ id: 's', storage })
    const model = scriptedModel(['Gone on.'])
    const again = new TodoChat({ model, session: reopened })
    await reopened.ready()
    expect(reopened.store.getState().run.status).toBe('interrupted')
    expect(Object.keys(reopened.store.getState().controls)).toEqual(['resume', 'request'])
    await again.resume()
    expect(reopened.store.getState().run).toMatchObject({ status: 'idle', outcome: 'completed' })
    expect(textsOf(reopened.store.getState().messages).at(-1)).toContain('Gone on.')
  })
})

describe('modes', () => {
  test('a plan waits for its approval, the model is told once, and the work starts', async () => {
    const { session, chat, model } = newChat(
      [
        call.write('[ ] A', '[ ] B'),
        'This is the plan.',
        call.write('[>] A', '[ ] B'),
        call.write('[x] A', '[x] B'),
        'Done.',
      ],
      { modes: true },
    )
    await chat.send('Plan A and B')
    expect(session.store.getState()).toMatchObject({
      mode: 'plan',
      run: { outcome: 'completed', correction: null },
    })
    expect(Object.keys(session.store.getState().controls)).toEqual(['approvePlan', 'request'])
    await chat.approvePlan()
    expect(session.store.getState()).toMatchObject({ mode: 'execute', run: { outcome: 'completed' } })
    expect(session.getRemainingTodos()).toEqual([])
    const announced = model.requests.map(
      (request) => JSON.stringify(request.prompt).split('was changed from').length - 1,
    )
    expect(announced).toEqual([0, 0, 1, 1, 1])
    expect(model.problems).toEqual([])
  })

  test('a resumed run is sent back as often as one that wrote the list', async () => {
    const { session, chat } = newChat([call.write('[>] A'), { text: 'Half', error: 'The line went dead.' }])
    await chat.send('Do A')
    expect(session.store.getState().run.outcome).toBe('failed')
    const model = scriptedModel(['Done.', 'Done.', 'Done.', 'It is not done.'])
    chat.configure({ model })
    await chat.resume()
    expect(session.store.getState().run.outcome).toBe('blocked')
    expect(model.calls).toBe(4)
  })

  test('so is one more iteration of a loop', async () => {
    const go = () => ({ continue: true as const, feedback: 'Go on.' })
    const { session, chat } = newChat([call.write('[>] A'), 'Hm.'], { guard: false })
    await chat.send('Do A')
    const model = scriptedModel(['Hm.', 'Done.', 'Done.', 'Done.', 'It is not done.'])
    chat.configure({ model, loop: { maxIterations: 2, evaluators: [go] } })
    await chat.send('And now?')
    expect(session.store.getState().run.outcome).toBe('blocked')
    expect(model.calls).toBe(5)
  })

  test('a plan can be approved by an agent that has no modes any more', async () => {
    const script = [call.write('[ ] A'), 'This is the plan.', call.write('[x] A'), 'Done.']
    // Without modes the system prompt is another one.
    const model = scriptedModel(script, { validate: { prefix: false } })
    const { session, chat } = newChat(['unused'], { model, modes: true })
    await chat.send('Plan A')
    chat.configure({ model })
    await chat.approvePlan()
    expect(session.store.getState()).toMatchObject({ mode: null, run: { outcome: 'completed' } })
    expect(session.getRemainingTodos()).toEqual([])
    expect(model.calls).toBe(4)
  })

  test('a change while a tool waits for approval is told after its result', async () => {
    const pay = tool({
      description: 'Pays',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: async () => 'paid',
    })
    // The mode stands in the system prompt, so that changes with it.
    const model = scriptedModel([call('pay', {}), call('todos_get_all', {}), 'Paid.'], {
      validate: { prefix: false },
    })
    const { chat } = newChat(['unused'], {
      model,
      modes: true,
      toolset: 'todos',
      tools: { pay },
    })
    await chat.send('Pay')
    await chat.setMode('execute')
    const part = chat.messages[1]?.parts.find(({ type }) => type === 'tool-pay') as never as {
      approval: { id: string }
    }
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: true })
    await vi.waitFor(() => expect(model.calls).toBe(3))
    await vi.waitFor(() => expect(chat.status).toBe('ready'))
    const told = model.requests.map((request) => JSON.stringify(request.prompt).includes('was changed from'))
    expect(told).toEqual([false, false, true])
    expect(model.problems).toEqual([])
  })

  test('an unknown mode is refused and nothing changes', async () => {
    const { session, chat } = newChat(['Hello.'], { modes: true })
    await expect(chat.setMode('dream')).rejects.toThrow(/`mode`/)
    expect(session.store.getState().revision).toBe(0)
  })

  test('without modes there is nothing to set', async () => {
    const { chat } = newChat(['Hello.'])
    await expect(chat.setMode('plan')).rejects.toThrow(/`modes`/)
  })
})

describe('the loop', () => {
  test('runs a model that stops after each item until all are done', async () => {
    const { session, chat, model } = newChat(
      [
        call.add('A', 'B', 'C'),
        'Planned.',
        call.complete([1, 'done']),
        'A is done.',
        call.complete([2, 'done']),
        'B is done.',
        call.complete([3, 'done']),
        'C is done.',
      ],
      { toolset: 'todos', loop: { evaluators: [todosCompleted()] } },
    )
    let iterations = 0
    chat.configure({
      model,
      toolset: 'todos',
      loop: { evaluators: [todosCompleted()] },
      onRunEnd: (result) => {
        iterations = result.iterations
      },
    })
    await chat.send('Do three things')
    expect(session.store.getState().run.outcome).toBe('completed')
    expect(iterations).toBe(4)
    expect(model.problems).toEqual([])
  })

  test('stops at its cap and says what is open', async () => {
    const { session, chat, model } = newChat(
      [call.add('A'), ...Array.from({ length: 20 }, () => 'Not today.')],
      {
        toolset: 'todos',
        guard: false,
        loop: { evaluators: [todosCompleted()], maxIterations: 3 },
      },
    )
    await chat.send('Do A')
    expect(session.store.getState().run).toMatchObject({ outcome: 'max_iterations', openIds: [1] })
    expect(model.calls).toBe(4)
  })

  test('without feedback says a word, and sums the tokens of its runs', async () => {
    const results: unknown[] = []
    const { chat, model } = newChat(
      [
        { text: 'One.', usage: { input: 10, output: 2 } },
        { text: 'Two.', usage: { input: 20, output: 3 } },
      ],
      {
        loop: {
          evaluators: [({ iteration }) => (iteration < 2 ? { continue: true } : { continue: false })],
        },
        onRunEnd: (result) => results.push(result),
      },
    )
    await chat.send('Hi')
    expect(model.requests[1]?.prompt.at(-1)?.role).toBe('user')
    expect(results).toMatchObject([
      { iterations: 2, steps: 2, usage: { inputTokens: 30, outputTokens: 5, totalTokens: 35 } },
    ])
  })

  test('counts maxSteps anew in each of its runs', async () => {
    const { session, chat, model } = newChat(
      [call.add('A', 'B'), 'Planned.', call.complete([1, '']), 'A is done.', call.complete([2, '']), 'All.'],
      { toolset: 'todos', maxSteps: 2, loop: { evaluators: [todosCompleted()] } },
    )
    await chat.send('Do A and B')
    expect(session.store.getState().run.outcome).toBe('completed')
    expect(model.calls).toBe(6)
  })

  test('is not asked about an answer that was cut off', async () => {
    const { session, chat, model } = newChat([{ text: 'A very long ans', finish: 'length' }, 'Again.'], {
      loop: { evaluators: [() => ({ continue: true })] },
    })
    await chat.send('Hi')
    expect(session.store.getState().run).toMatchObject({ outcome: 'failed', error: { code: 'cut_off' } })
    expect(model.calls).toBe(1)
  })

  test('ends as failed with the cause when an evaluator throws', async () => {
    const cause = new Error('no judge')
    const { session, chat } = newChat(['Hello.'], {
      loop: {
        evaluators: [
          () => {
            throw cause
          },
        ],
      },
    })
    let error: unknown
    chat.configure({
      ...{ model: scriptedModel(['Hello.']) },
      loop: {
        evaluators: [
          () => {
            throw cause
          },
        ],
      },
      onRunEnd: (result) => {
        error = result.error
      },
    })
    await chat.send('Hi')
    expect(session.store.getState().run).toMatchObject({ outcome: 'failed', error: { code: 'loop_failed' } })
    expect((error as Error).cause).toBe(cause)
  })

  test('with a fresh context forgets what was said, but not the list', async () => {
    const model = scriptedModel(
      [
        call.add('A', 'B'),
        'Planned.',
        call.complete([1, 'done']),
        'One done.',
        call.complete([2, 'done']),
        'All done.',
      ],
      {
        validate: { prefix: false },
      },
    )
    const { session, chat } = newChat(['unused'], {
      model,
      toolset: 'todos',
      loop: { evaluators: [todosCompleted()], freshContext: true },
    })
    await chat.send('Do A and B')
    expect(session.store.getState().run.outcome).toBe('completed')
    const third = JSON.stringify(model.requests[2]?.prompt)
    expect(third).not.toContain('Planned.')
    expect(third).toContain('## Feedback')
    expect(third).toContain('- 1 [open] A')
    expect(model.problems).toEqual([])
  })
})

describe('a run that goes on in a loop with a fresh context', () => {
  const loop = { evaluators: [todosCompleted()], freshContext: true }
  const options = { validate: { prefix: false } }
  const promptOf = (request: unknown) => JSON.stringify((request as { prompt: unknown }).prompt)

  test('sends what its iteration knew after an interruption, and keeps the feedback', async () => {
    const first = scriptedModel([call.add('A', 'B', 'C'), 'Planned.', call.complete([1, 'done'])], options)
    const { session, chat } = newChat(['unused'], { model: first, toolset: 'todos', loop })
    await chat.send('Do A, B and C')
    expect(session.store.getState().run.outcome).toBe('failed')
    const model = scriptedModel(
      [call.complete([2, 'done']), 'Two done.', call.complete([3, 'done']), 'All done.'],
      options,
    )
    chat.configure({ model, toolset: 'todos', loop })
    await chat.resume()
    expect(session.store.getState().run.outcome).toBe('completed')
    const [resumed, , next] = model.requests.map(promptOf)
    expect(resumed).toContain('Do A, B and C')
    expect(resumed).not.toContain('Planned.')
    expect(resumed).toContain('## Feedback')
    expect(next).not.toContain('Two done.')
    expect(next?.split('Go on with the unfinished todos')).toHaveLength(3)
    expect(model.problems).toEqual([])
  })

  test('sends the same after an approval', async () => {
    const pay = tool({
      description: 'Pays',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: async () => 'paid',
    })
    const model = scriptedModel(
      [call.add('Pay'), 'Planned.', call('pay', {}), call.complete([1, 'paid']), 'All done.'],
      options,
    )
    const { chat } = newChat(['unused'], { model, toolset: 'todos', tools: { pay }, loop })
    await chat.send('Pay the bill')
    const part = chat.messages[1]?.parts.find(({ type }) => type === 'tool-pay') as never as {
      approval: { id: string }
    }
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: true })
    await vi.waitFor(() => expect(model.calls).toBe(5))
    for (const prompt of model.requests.slice(2).map(promptOf)) {
      expect(prompt).toContain('Pay the bill')
      expect(prompt).not.toContain('Planned.')
    }
    expect(promptOf(model.requests[4])).toContain('paid')
    expect(model.problems).toEqual([])
  })
})

describe('several approvals of a step', () => {
  test('an answer to one of them is still there after a reload, and the last one lets both run', async () => {
    const paid: string[] = []
    const pay = tool({
      description: 'Pays',
      inputSchema: z.object({ to: z.string() }),
      needsApproval: true,
      execute: async ({ to }) => {
        paid.push(to)
        return `paid ${to}`
      },
    })
    const model = scriptedModel([[call('pay', { to: 'A' }), call('pay', { to: 'B' })], 'Both are paid.'])
    const storage = memoryStorage()
    const open = async () => {
      const session = createTodoSession({ id: 's', storage })
      const chat = new TodoChat({ model, tools: { pay }, session })
      await session.ready()
      return { session, chat }
    }
    const asked = (chat: TodoChat) =>
      chat.messages
        .flatMap(({ parts }) => parts)
        .flatMap((part) =>
          isToolUIPart(part) && part.state === 'approval-requested' ? [part.approval.id] : [],
        )
    const before = await open()
    await before.chat.send('Pay A and B')
    const [, second] = asked(before.chat)
    await before.chat.addToolApprovalResponse({ id: second as string, approved: true })
    before.session.close()

    const { chat } = await open()
    expect(asked(chat)).toHaveLength(1)
    await chat.addToolApprovalResponse({ id: asked(chat)[0] as string, approved: true })
    await vi.waitFor(() => expect(model.calls).toBe(2))
    expect(paid).toEqual(['A', 'B'])
    expect(model.problems).toEqual([])
  })
})

describe('reasons of completed items', () => {
  test('are known to views at once, and again after a reload', async () => {
    const { storage, session, chat } = newChat(
      [call.add('A', 'B'), call.complete([1, 'counted twice'], [2, '']), 'Done.'],
      {
        toolset: 'todos',
      },
    )
    await chat.send('Do A and B')
    expect(session.store.getState().reasons).toEqual({ 1: 'counted twice' })
    const again = createTodoSession({ id: 's', storage })
    const unwatch = again.watchTabs()
    await vi.waitFor(() => expect(again.store.getState().reasons).toEqual({ 1: 'counted twice' }))
    unwatch()
  })
})

describe('commands', () => {
  test('/todos shows the list without asking the model', async () => {
    const { session, chat, model } = newChat([call.write('[>] A', '[ ] B'), 'Planned.', 'Hello.'], {
      guard: false,
    })
    await chat.send('Plan')
    await chat.send('/todos')
    expect(model.calls).toBe(2)
    expect(textsOf(session.store.getState().messages).at(-1)).toBe(
      '0 of 2 done\n1. A (in progress)\n2. B (pending)',
    )
    await chat.send('Hi')
    expect(JSON.stringify(model.requests[2]?.prompt)).not.toContain('/todos')
    expect(model.problems).toEqual([])
  })

  test('before a plan is approved leave the work that follows in the conversation', async () => {
    const model = scriptedModel(
      [
        call.write('[ ] A', '[ ] B'),
        'This is the plan.',
        call.write('[x] A', '[x] B'),
        'Both are done.',
        'Hello.',
      ],
      // The mode stands in the system prompt, so that changes with it.
      { validate: { prefix: false } },
    )
    const { chat } = newChat(['unused'], { model, modes: true })
    await chat.send('Plan A and B')
    await chat.send('/todos')
    await chat.approvePlan()
    const work = JSON.stringify(model.requests[2]?.prompt)
    expect(work).toContain('was changed from plan to execute')
    await chat.send('Hi')
    const later = JSON.stringify(model.requests[4]?.prompt)
    expect(later).toContain('was changed from plan to execute')
    expect(later).toContain('Both are done.')
    expect(later).not.toMatch(/\/todos|0 of 2 done/)
    expect(model.problems).toEqual([])
  })

  test('are no title of a session', async () => {
    const { session, chat } = newChat(['Hello.'], { modes: true })
    await chat.send('/mode execute')
    await chat.send('Compare the three offers')
    expect(session.store.getState().data.title).toBe('Compare the three offers')
  })

  test('/mode shows and sets the mode', async () => {
    const { session, chat, model } = newChat(['Hello.'], { modes: true })
    await chat.send('/mode')
    expect(textsOf(session.store.getState().messages).at(-1)).toContain('plan')
    await chat.send('/mode execute')
    expect(session.store.getState().mode).toBe('execute')
    await chat.send('/mode dream')
    expect(textsOf(session.store.getState().messages).at(-1)).toContain('no mode "dream"')
    expect(model.calls).toBe(0)
  })

  test('an unknown word, or commands turned off, is text for the model', async () => {
    const { chat, model } = newChat(['What?', 'What?'], { commands: false })
    await chat.send('/todos')
    const other = newChat(['What?'])
    await other.chat.send('/unknown thing')
    expect(model.calls).toBe(1)
    expect(other.model.calls).toBe(1)
  })

  test('a host adds its own', async () => {
    const { session, chat, model } = newChat(['Hello.'], {
      commands: { echo: ({ args }) => `You said ${args}.` },
    })
    await chat.send('/echo hello  there')
    expect(textsOf(session.store.getState().messages).at(-1)).toBe('You said hello  there.')
    await chat.send('/todos')
    expect(model.calls).toBe(0)
  })
})
