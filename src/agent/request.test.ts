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
  const session = createTodoSession({ id: 's', storage: memoryStorage() })
  const model = scriptedModel(script)
  const chat = new TodoChat({ model, guard: false, ...options, session })
  const queued = () => chat.store.getState().queued.map(textOf)
  const started = (requests: number) => vi.waitFor(() => expect(model.calls).toBe(requests), 10_000)
  const rest = () => vi.waitFor(() => expect(chat.status).toBe('ready'), 10_000)
  const contents = () => session.getAllTodos().map(({ content }) => content)
  return { session, model, chat, queued, started, rest, contents }
}

const last = (model: ReturnType<typeof scriptedModel>) => requestText(model.requests.at(-1))

describe('a change of the list that the person asks for', () => {
  test.each([
    ['write_todos', call.write('[ ] A', '[ ] B'), call.write('[>] A')],
    ['todos', call.add('A', 'B'), call.remove(2)],
  ] as const)(
    'starts a run, in the name of the person, and the model makes it (%s)',
    async (toolset, first, answer) => {
      const { session, model, chat, contents, queued } = setUp(
        [first, 'Planned.', answer, 'B is off the list.'],
        { toolset, todo: { inProgress: 'at-most-one' } },
      )
      await chat.send('Do A and B')
      const before = session.getAllTodos()
      const done = chat.request({ type: 'remove', id: 2 })
      expect(session.getAllTodos()).toBe(before)
      expect(queued()).toEqual(['Please change the todo list: remove 2 "B".'])
      await done

      expect(contents()).toEqual(['A'])
      expect(queued()).toEqual([])
      expect(chat.messages[2]).toMatchObject({
        role: 'user',
        parts: [{ text: 'Please change the todo list: remove 2 "B".' }],
      })
      expect(model.calls).toBe(4)
      expect(model.problems).toEqual([])
    },
  )

  test('reaches a run that is under way at its next step, as one message for all of them', async () => {
    const { until, open } = gate()
    const { session, model, chat, queued, started, contents } = setUp(
      [
        call.add('A', 'B', 'C'),
        { toolCalls: [call.complete([1, 'done'])], until },
        [call.remove(2), call.add('D')],
        'Changed.',
      ],
      { toolset: 'todos' },
    )
    const run = chat.send('Do A, B and C')
    await started(2)
    const { request } = session.store.getState().controls
    request?.({ type: 'remove', id: 2 })
    request?.({ type: 'add', content: 'D' })
    request?.({ type: 'rename', id: 3, content: 'Sea' })
    request?.({ type: 'skip', id: 3 })
    const asked = 'Please change the todo list: remove 2 "B"; add "D"; skip 3 "C" (drop it undone).'
    expect(queued()).toEqual([asked])
    expect(contents()).toEqual(['A', 'B', 'C'])
    open()
    await run

    expect(requestText(model.requests[2])).toContain(asked)
    expect(chat.messages).toHaveLength(2)
    expect(chat.messages[1]?.parts).toContainEqual(
      expect.objectContaining({ type: 'steering-message', parts: [{ type: 'text', text: asked }] }),
    )
    expect(contents()).toEqual(['A', 'C', 'D'])
    expect(model.calls).toBe(4)
    expect(model.problems).toEqual([])
  })

  test('is withdrawn like any message that waits, and begins anew after that', async () => {
    const { until, open } = gate()
    const { model, chat, queued, started, rest } = setUp(
      [call.add('A', 'B'), { toolCalls: [call.complete([1, 'done'])], until }, 'Nothing to change.'],
      { toolset: 'todos' },
    )
    const run = chat.send('Do A and B')
    await started(2)
    await chat.request({ type: 'remove', id: 1 })
    chat.withdraw(chat.store.getState().queued[0]?.id ?? '')
    expect(chat.store.getState()).toMatchObject({ queued: [], steering: [] })
    await chat.request({ type: 'skip', id: 2 })
    expect(queued()).toEqual(['Please change the todo list: skip 2 "B" (drop it undone).'])
    open()
    await run
    await rest()
    expect(last(model)).not.toContain('remove 1')
    expect(last(model)).toContain('skip 2')
  })

  test('outlives Stop, and goes on with Resume', async () => {
    const { until } = gate()
    const { model, chat, queued, started } = setUp(
      [call.add('A', 'B'), { text: 'Slow', until }, call.remove(2), 'As you say.'],
      { toolset: 'todos' },
    )
    const run = chat.send('Do A and B')
    await started(2)
    await chat.request({ type: 'remove', id: 2 })
    await chat.halt()
    await run
    expect(queued()).toHaveLength(1)
    await chat.resume()
    expect(queued()).toEqual([])
    expect(requestText(model.requests[2])).toContain('remove 2 "B"')
    expect(model.problems).toEqual([])
  })

  test('does not take away the question of a tool that waits for approval', async () => {
    const pay = tool({
      description: 'Pays',
      inputSchema: z.object({}),
      needsApproval: true,
      execute: async () => 'paid',
    })
    const { model, chat, session, queued, started, rest } = setUp(
      [
        [call.add('A', 'B'), call('pay', {})],
        call.complete([1, 'paid']),
        call.remove(2),
        'Paid, and B is off the list.',
      ],
      { toolset: 'todos', tools: { pay } },
    )
    await chat.send('Pay')
    expect(session.store.getState().run.outcome).toBe('awaiting_approval')
    await chat.request({ type: 'remove', id: 2 })
    expect(queued()).toHaveLength(1)
    const part = chat.messages[1]?.parts.find((one) => one.type === 'tool-pay') as never as {
      approval: { id: string }
    }
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: true })
    await started(4)
    await rest()
    expect(requestText(model.requests[1])).toContain('paid')
    expect(requestText(model.requests[1])).not.toContain('remove 2')
    expect(requestText(model.requests[2])).toContain('remove 2 "B"')
    expect(session.getAllTodos()).toHaveLength(1)
    expect(model.problems).toEqual([])
  })

  test('names no item that is not there, and no blank text', async () => {
    const { model, chat, queued } = setUp(['Never.'])
    await chat.request({ type: 'remove', id: 7 })
    await expect(chat.request({ type: 'add', content: ' ' })).rejects.toThrow('`content`')
    expect(queued()).toEqual([])
    expect(model.calls).toBe(0)
  })

  test('is put in the words of the host, who may know of exits', async () => {
    const { chat, queued, model } = setUp(['Hello.', 'Fertig.'], {
      todo: { exits: true },
      texts: { requests: ({ requests, exits }) => `Bitte ändern: ${requests[0]?.type} ${exits}` },
    })
    await chat.send('Hi')
    const done = chat.request({ type: 'add', content: 'Neu' })
    expect(queued()).toEqual(['Bitte ändern: add true'])
    await done
    expect(last(model)).toContain('Bitte ändern: add true')
  })

  test('is not offered while another tab runs the session, or where there is no list', async () => {
    const { session } = setUp(['Hello.'])
    expect(Object.keys(session.store.getState().controls)).toEqual(['request'])
    const other = setUp(['Hello.'], { todo: false })
    expect(other.session.store.getState().controls).toEqual({})
  })
})
