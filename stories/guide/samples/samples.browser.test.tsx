import { simulateReadableStream } from 'ai'
import {
  createTodoSession,
  deleteSession,
  getTodoSession,
  listSessions,
  memoryStorage,
  type SessionStorage,
  TodoAgentProvider,
  type TodoSession,
  useTodoAgent,
} from 'use-todo-agent'
import { call, type ScriptEntry, scriptedModel } from 'use-todo-agent/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { ChatPanel } from './ChatPanel.tsx'
import { ComposedPanel } from './ComposedPanel.tsx'
import { Agents } from './ConfiguredStorage.tsx'
import FirstSample from './FirstSample.tsx'
import { ForeignAgent } from './ForeignAgent.tsx'
import { download, upload } from './files.ts'
import { PlainList } from './PlainList.tsx'
import { SessionState } from './SessionState.tsx'
import { signOut } from './signOut.ts'
import './theme.css'

afterEach(() => {
  vi.unstubAllGlobals()
})

const half: ScriptEntry[] = [call.write('[x] Train', '[>] Hotel'), 'Half.', 'Half.', 'Half.', 'No hotel.']

/** Runs an agent in the page, on a session that `show` shows. */
function Agent({ script, sessionId = 'sample' }: { script: ScriptEntry[]; sessionId?: string }) {
  const agent = useTodoAgent({ sessionId, model: scriptedModel(script) })
  return (
    <button type="button" onClick={() => agent.send('Go')}>
      Send, then {agent.outcome ?? 'nothing'}
    </button>
  )
}

test('the first sample runs on a server of OpenAI’s wire format, and shows list and answer', async () => {
  const answers = [
    { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: writeTodos('Train', 'Hotel') }] },
    { content: 'Train at 9, hotel by the river.' },
  ]
  vi.stubGlobal('fetch', async (url: string) => {
    expect(url).toBe('http://localhost:11434/v1/chat/completions')
    return chatCompletion(answers.shift() ?? {})
  })
  await render(<FirstSample />)
  await page.getByRole('button', { name: 'Go' }).click()
  await expect.element(page.getByText('Train at 9, hotel by the river.')).toBeInTheDocument()
  await expect.element(page.getByRole('progressbar')).toHaveAttribute('aria-valuetext', '2 of 2')
  await deleteSession('demo')
})

test('a chat of useChat has its panel beside it', async () => {
  const model = scriptedModel([call.write('[x] Read', '[x] Compare'), 'The second one.'])
  await render(<ChatPanel id="with-use-chat" model={model} tools={{}} />)
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await expect.element(page.getByRole('progressbar')).toHaveAttribute('aria-valuetext', '2 of 2')
  await expect.poll(() => model.calls).toBe(2)
  await deleteSession('with-use-chat')
})

test('sessions of the configured provider are in the database that it names', async () => {
  await render(
    <Agents>
      <Agent script={half} sessionId="configured" />
    </Agents>,
  )
  await page.getByRole('button').click()
  await expect.element(page.getByText('Send, then blocked')).toBeInTheDocument()
  expect((await indexedDB.databases()).map(({ name }) => name)).toContain('my-app-agents')
  expect((await listSessions()).map(({ id }) => id)).not.toContain('configured')
})

test('the session state speaks up only when something is wrong', async () => {
  const stateIn = (storage: SessionStorage) => (
    <TodoAgentProvider storage={storage}>
      <SessionState sessionId="state" />
    </TodoAgentProvider>
  )
  const storage = { ...memoryStorage(), durable: true }
  const session = getTodoSession('state', { storage })
  await session.ready()
  const view = await render(stateIn(storage))
  expect(view.container.textContent).toBe('')
  await session.commit((data) => ({ ...data, run: { ...data.run, status: 'interrupted' } }))
  await expect.element(page.getByText('The page went away during the work.')).toBeInTheDocument()
  await view.rerender(stateIn(memoryStorage()))
  await expect.element(page.getByText('Not saved: keep this page open.')).toBeInTheDocument()
})

test('the plain list shows words and progress, and marks the current item', async () => {
  await render(
    <TodoAgentProvider storage={memoryStorage()}>
      <Agent script={half} />
      <PlainList sessionId="sample" />
    </TodoAgentProvider>,
  )
  await page.getByRole('button').click()
  await expect.element(page.getByText('Hotel (working on it)')).toHaveAttribute('aria-current', 'step')
  await expect.element(page.getByText('1 of 2')).toBeInTheDocument()
})

test('the composed panel has the host’s classes and words in the parts of the kit', async () => {
  const session = await sessionWith('[x] Train', '[>] Hotel')
  const view = await render(<ComposedPanel session={session} />)
  await expect.element(page.getByRole('listitem').nth(1)).toHaveClass('my-current')
  expect(view.container.querySelector('.my-panel')).not.toBeNull()
  await expect.element(page.getByRole('progressbar')).toHaveAttribute('aria-valuetext', '1 of 2')
  await session.commit((data) => ({
    ...data,
    list: { ...data.list, todos: data.list.todos.map((todo) => ({ ...todo, status: 'completed' as const })) },
  }))
  await expect.element(page.getByText('All done')).toBeVisible()
  await expect.element(page.getByRole('progressbar')).not.toBeInTheDocument()
})

test('an agent from elsewhere is shown by its plain values, and can be resumed', async () => {
  const onResume = vi.fn()
  const tasks = [
    { key: 'a', text: 'Fetch', state: 'done' },
    { key: 'b', text: 'Sum up', state: 'active' },
  ] as const
  const view = await render(<ForeignAgent tasks={tasks} lost={false} onResume={onResume} />)
  await expect.element(page.getByRole('listitem').nth(1)).toHaveAttribute('aria-current', 'step')
  await expect.element(page.getByRole('button', { name: 'Resume' })).not.toBeInTheDocument()
  await view.rerender(<ForeignAgent tasks={tasks} lost onResume={onResume} />)
  await page.getByRole('button', { name: 'Resume' }).click()
  expect(onResume).toHaveBeenCalledOnce()
})

test('the custom properties of the theme reach the panel', async () => {
  const tasks = [{ key: 'a', text: 'Fetch', state: 'active' }] as const
  const view = await render(
    <div className="my-app">
      <ForeignAgent tasks={tasks} lost={false} onResume={() => {}} />
    </div>,
  )
  const panel = view.container.querySelector('section') as HTMLElement
  expect(getComputedStyle(panel).borderRadius).toBe('6px')
  expect(getComputedStyle(panel).fontSize).toBe('13px')
})

test('a downloaded session is uploaded as another one, and signing out deletes both', async () => {
  const session = createTodoSession({ id: 'to-download' })
  await session.ready()
  await session.commit((data) => ({ ...data, title: 'Trip' }))
  const id = await upload(await download('to-download'))
  expect(id).not.toBe('to-download')
  const titles = async () => (await listSessions()).map(({ title }) => title)
  expect(await titles()).toEqual(expect.arrayContaining(['Trip', 'Trip']))

  const asked = vi.fn(async () => new Response())
  vi.stubGlobal('fetch', asked)
  await signOut()
  expect(asked).toHaveBeenCalledWith('/api/sign-out', { method: 'POST' })
  expect(await titles()).toEqual([])
})

// HELPERS

async function sessionWith(...items: string[]): Promise<TodoSession> {
  const session = createTodoSession({ id: 'composed', storage: memoryStorage() })
  await session.importExtra({
    todos: items.map((item) => ({
      content: item.slice(4),
      status: item.startsWith('[x]') ? 'completed' : 'in_progress',
    })),
  })
  return session
}

function writeTodos(...contents: string[]) {
  const todos = contents.map((content) => ({ content, status: 'completed' }))
  return { name: 'write_todos', arguments: JSON.stringify({ todos }) }
}

function chatCompletion(delta: object): Response {
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'qwen3', choices: [{ index: 0, ...choice }] })}\n\n`
  const finish = 'tool_calls' in delta ? 'tool_calls' : 'stop'
  const chunks = [chunk({ delta }), chunk({ delta: {}, finish_reason: finish }), 'data: [DONE]\n\n']
  const stream = simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null })
  return new Response(stream.pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': 'text/event-stream' },
  })
}
