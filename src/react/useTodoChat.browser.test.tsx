import { useChat } from '@ai-sdk/react'
import { lastAssistantMessageIsCompleteWithApprovalResponses, tool } from 'ai'
import { StrictMode } from 'react'
import { describe, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { z } from 'zod'
import { TodoChatTransport, type TodoChatTransportOptions } from '../agent/TodoChatTransport.ts'
import { textOf } from '../agent/transcript.ts'
import { TodoPanel } from '../panel/TodoPanel.tsx'
import { deleteSession, getTodoSession } from '../session/registry.ts'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import { requestText, type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import { useTodoChat } from './useTodoChat.ts'

type Chat = ReturnType<typeof useChat>

const newId = () => `use-chat-${crypto.randomUUID()}`
const never = new Promise(() => {})

function setUp(script: readonly ScriptEntry[], options: Partial<TodoChatTransportOptions> = {}) {
  const model = scriptedModel(script)
  const transport = new TodoChatTransport({ model, settings: { maxRetries: 0 }, ...options })
  const current: { chat: Chat | null } = { chat: null }
  function Page({ id }: { id: string }) {
    const chat = useChat({
      id,
      transport,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
    const session = useTodoChat(chat, transport)
    current.chat = chat
    return (
      <StrictMode>
        <p data-testid="said">{chat.messages.map((message) => textOf(message)).join('|')}</p>
        <TodoPanel session={session} />
      </StrictMode>
    )
  }
  const chat = () => current.chat as Chat
  return { model, Page, chat }
}

const said = () => page.getByTestId('said')
const button = (name: string) => page.getByRole('button', { name })
const items = () => page.getByRole('listitem').elements().length
const outcome = (id: string) => getTodoSession(id).store.getState().run.outcome

describe('useTodoChat', () => {
  test('shows what is saved in a chat that was opened anew, and the panel its list', async () => {
    const id = newId()
    const { Page, chat, model } = setUp([
      call.write('[>] A', '[ ] B'),
      call.write('[x] A', '[x] B'),
      'Done.',
      'Hi.',
    ])
    const first = await render(<Page id={id} />)
    await chat().sendMessage({ text: 'Do A and B' })
    await expect.element(said()).toHaveTextContent('Do A and B|Done.')
    await first.unmount()

    await render(<Page id={id} />)
    await expect.element(said()).toHaveTextContent('Do A and B|Done.')
    expect(items()).toBe(2)
    await chat().sendMessage({ text: 'And hello' })
    await expect.element(said()).toHaveTextContent('Do A and B|Done.|And hello|Hi.')
    expect(model.problems).toEqual([])
    await deleteSession(id)
  })

  test('the panel stops a run, offers to go on, and both are one answer', async () => {
    const id = newId()
    const { Page, chat, model } = setUp([
      call.write('[>] A'),
      { text: 'Let me think', until: never },
      call.write('[x] A'),
      'Done.',
    ])
    await render(<Page id={id} />)
    const run = chat().sendMessage({ text: 'Do A' })
    await vi.waitFor(() => expect(model.calls).toBe(2))
    await getTodoSession(id).store.getState().controls.stop?.()
    await run
    await button('Resume').click()
    await expect.element(said()).toHaveTextContent('Do A|Done.')
    await vi.waitFor(() => expect(outcome(id)).toBe('completed'))
    expect(chat().messages).toHaveLength(2)
    expect(model.problems).toEqual([])
    await deleteSession(id)
  })

  test('each chat has its own list and transcript, and what runs stops when another is opened', async () => {
    const [one, two] = [newId(), newId()]
    const { Page, chat, model } = setUp([
      call.write('[>] A', '[ ] B'),
      { text: 'Slow', until: never },
      call.write('[>] C'),
      call.write('[x] C'),
      'C is done.',
    ])
    const view = await render(<Page id={one} />)
    void chat().sendMessage({ text: 'Do A and B' })
    await vi.waitFor(() => expect(model.calls).toBe(2))
    await view.rerender(<Page id={two} />)
    expect(items()).toBe(0)
    model.newConversation()
    await chat().sendMessage({ text: 'Do C' })
    await expect.element(said()).toHaveTextContent('Do C|C is done.')
    expect(items()).toBe(1)

    await view.rerender(<Page id={one} />)
    await expect.element(button('Resume')).toBeVisible()
    await expect.element(said()).toHaveTextContent('Do A and B')
    expect(outcome(one)).toBe('stopped')
    expect(items()).toBe(2)
    await Promise.all([deleteSession(one), deleteSession(two)])
  })

  test('what was left for an empty chat, or for one that runs, is there again', async () => {
    const [one, two] = [newId(), newId()]
    const { Page, chat, model } = setUp(['Hello.', { text: 'Slow', until: never }])
    const view = await render(<Page id={one} />)
    await chat().sendMessage({ text: 'Hi' })
    await expect.element(said()).toHaveTextContent('Hi|Hello.')
    await view.rerender(<Page id={two} />)
    await expect.element(said()).toBeEmptyDOMElement()
    await view.rerender(<Page id={one} />)
    await expect.element(said()).toHaveTextContent('Hi|Hello.')

    await view.rerender(<Page id={two} />)
    model.newConversation()
    void chat().sendMessage({ text: 'Hi there' })
    await vi.waitFor(() => expect(model.calls).toBe(2))
    await view.rerender(<Page id={one} />)
    await expect.element(said()).toHaveTextContent('Hi|Hello.')
    await Promise.all([deleteSession(one), deleteSession(two)])
  })

  test('answering again, and editing, take the list back with the chat', async () => {
    const id = newId()
    const { Page, chat, model } = setUp([
      ...[call.write('[>] A'), call.write('[x] A'), 'Done.', 'Done otherwise.'],
      ...[call.write('[>] B', '[ ] C'), call.write('[x] B', '[x] C'), 'Edited.'],
    ])
    await render(<Page id={id} />)
    await chat().sendMessage({ text: 'Do A' })
    expect(items()).toBe(1)
    model.newConversation()
    await chat().regenerate()
    await expect.element(said()).toHaveTextContent('Do A|Done otherwise.')
    expect(items()).toBe(0)
    model.newConversation()
    await chat().sendMessage({ text: 'Do B and C', messageId: chat().messages[0]?.id as string })
    await expect.element(said()).toHaveTextContent('Do B and C|Edited.')
    expect(items()).toBe(2)
    expect(model.problems).toEqual([])
    await deleteSession(id)
  })

  test('a denied tool tells the model why, and an approved one runs', async () => {
    const id = newId()
    const ran: string[] = []
    const pay = tool({
      description: 'Pays',
      inputSchema: z.object({ to: z.string() }),
      needsApproval: true,
      execute: async ({ to }) => {
        ran.push(to)
        return `paid ${to}`
      },
    })
    const { Page, chat, model } = setUp(
      [call('pay', { to: 'A' }), call('pay', { to: 'B' }), 'B is paid, A is not.'],
      { tools: { pay } },
    )
    await render(<Page id={id} />)
    const pending = () =>
      chat()
        .messages.at(-1)
        ?.parts.flatMap((part) =>
          'state' in part && part.state === 'approval-requested' ? [part.approval.id] : [],
        )[0] ?? ''
    await chat().sendMessage({ text: 'Pay A and B' })
    await vi.waitFor(() => expect(outcome(id)).toBe('awaiting_approval'))
    await chat().addToolApprovalResponse({ id: pending(), approved: false, reason: 'A was paid last week' })
    await vi.waitFor(() => expect(model.calls).toBe(2))
    expect(requestText(model.requests[1])).toContain('A was paid last week')
    await vi.waitFor(() => expect(outcome(id)).toBe('awaiting_approval'))
    await vi.waitFor(() => expect(pending()).not.toBe(''))
    await chat().addToolApprovalResponse({ id: pending(), approved: true })
    await expect.element(said()).toHaveTextContent('Pay A and B|B is paid, A is not.')
    expect(ran).toEqual(['B'])
    expect(model.problems).toEqual([])
    await deleteSession(id)
  })

  test('files, metadata and data parts of the host are saved; the model reads the files alone', async () => {
    const id = newId()
    const { Page, chat, model } = setUp(['A red dot.', 'Still a red dot.'])
    const first = await render(<Page id={id} />)
    const url = 'data:image/png;base64,iVBORw0KGgo='
    await chat().sendMessage({
      role: 'user',
      metadata: { sentFrom: 'the mobile app' },
      parts: [
        { type: 'file', mediaType: 'image/png', filename: 'dot.png', url },
        { type: 'data-page', data: { title: 'Secret page' } },
        { type: 'text', text: 'What is this?' },
      ],
    })
    chat().setMessages((messages) =>
      messages.map((message) =>
        message.role === 'assistant'
          ? {
              ...message,
              metadata: { liked: true },
              parts: [...message.parts, { type: 'data-note', data: 'kept' }],
            }
          : message,
      ),
    )
    await chat().sendMessage({ text: 'Sure?' })
    await expect.element(said()).toHaveTextContent('What is this?|A red dot.|Sure?|Still a red dot.')
    await first.unmount()

    await render(<Page id={id} />)
    await expect.element(said()).toHaveTextContent('What is this?|A red dot.|Sure?|Still a red dot.')
    const [question, answer] = chat().messages
    expect(question).toMatchObject({
      metadata: { sentFrom: 'the mobile app' },
      parts: [{ filename: 'dot.png', url }, { data: { title: 'Secret page' } }, { text: 'What is this?' }],
    })
    expect(answer?.metadata).toEqual({ liked: true })
    expect(answer?.parts.at(-1)).toMatchObject({ type: 'data-note', data: 'kept' })
    const sent = JSON.stringify(model.requests.map(({ prompt }) => prompt))
    expect(sent).toContain('image/png')
    expect(sent).not.toMatch(/Secret page|mobile app|kept/)
    expect(model.problems).toEqual([])
    await deleteSession(id)
  })

  test('an edit in mid-run is refused, and the panel can still stop the run', async () => {
    const id = newId()
    const { Page, chat, model } = setUp(['Hello.', { text: 'Slow', until: never }])
    await render(<Page id={id} />)
    await chat().sendMessage({ text: 'Hi' })
    void chat().sendMessage({ text: 'Do A' })
    await vi.waitFor(() => expect(model.calls).toBe(2))
    await chat().sendMessage({ text: 'Do B', messageId: chat().messages[0]?.id as string })
    await vi.waitFor(() => expect(chat().error).toMatchObject({ code: 'session_busy' }))
    await getTodoSession(id).store.getState().controls.stop?.()
    await vi.waitFor(() => expect(outcome(id)).toBe('stopped'))
    await expect.element(said()).toHaveTextContent('Hi|Hello.|Do A')
    await deleteSession(id)
  })

  test('a session that is deleted in mid-run leaves an empty chat', async () => {
    const [id, storage] = [newId(), memoryStorage()]
    const { Page, chat, model } = setUp([call.write('[>] A'), { text: 'Slow', until: never }, 'Hello.'], {
      storage,
    })
    await render(<Page id={id} />)
    const run = chat().sendMessage({ text: 'Do A' })
    await vi.waitFor(() => expect(model.calls).toBe(2))
    await deleteSession(id, storage)
    await run
    await expect.element(said()).toBeEmptyDOMElement()
    model.newConversation()
    await chat().sendMessage({ text: 'Hi' })
    expect(getTodoSession(id, { storage }).savedMessages()).toHaveLength(2)
    await deleteSession(id, storage)
    await expect.element(said()).toBeEmptyDOMElement()
  })

  test('a message that another tab keeps from being sent stays to be seen', async () => {
    const id = newId()
    const { Page, chat, model } = setUp(['Never.'])
    await render(<Page id={id} />)
    const session = getTodoSession(id)
    await session.ready()
    const claim = await session.claim()
    await chat().sendMessage({ text: 'Are you there?' })
    await vi.waitFor(() => expect(chat().error).toMatchObject({ code: 'session_busy' }))
    await session.saveMessages([{ id: 'other', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }])
    await expect.element(said()).toHaveTextContent('Hello|Are you there?')
    expect(model.calls).toBe(0)
    claim.release()
    await deleteSession(id)
  })

  test('says so when it is not given the transport', async () => {
    const complained = vi.spyOn(console, 'error').mockImplementation(() => {})
    function Page() {
      useTodoChat(useChat({ id: 's' }), undefined as never)
      return null
    }
    await expect(render(<Page />)).rejects.toThrow(/`transport` of useTodoChat .* TodoChatTransport/)
    complained.mockRestore()
  })
})
