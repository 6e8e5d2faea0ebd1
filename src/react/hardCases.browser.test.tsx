import { Activity, StrictMode, Suspense, use, useState } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { addTodos } from '../core/list.ts'
import { TodoPanel } from '../panel/TodoPanel.tsx'
import type { SessionData } from '../session/record.ts'
import { getTodoSession } from '../session/registry.ts'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import { type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import { type TodoAgent, type UseTodoAgentOptions, useTodoAgent } from './useTodoAgent.ts'
import { useTodoSessions } from './useTodoSessions.ts'
import { useTodos } from './useTodos.ts'

const script: readonly ScriptEntry[] = [
  call.write('[>] A', '[ ] B'),
  { toolCalls: [call.write('[x] A', '[>] B')], delay: 15, chunkSize: 2 },
  { toolCalls: [call.write('[x] A', '[x] B')], delay: 15, chunkSize: 2 },
  'Both are done.',
]
const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})

let agent: TodoAgent

function App(options: UseTodoAgentOptions) {
  agent = useTodoAgent(options)
  return (
    <main>
      <TodoPanel session={agent.session} />
      <p data-testid="outcome">{agent.outcome ?? agent.run.status}</p>
    </main>
  )
}

const outcome = () => expect.element(page.getByTestId('outcome'))
const items = () => page.getByRole('listitem').elements().length

test('hidden by Activity, a run goes on, and shown again it is where it is', async () => {
  const model = scriptedModel(script)
  const options = { sessionId: 's', storage: memoryStorage(), model }
  function Page({ mode }: { mode: 'visible' | 'hidden' }) {
    return (
      <StrictMode>
        <Activity mode={mode}>
          <App {...options} />
        </Activity>
      </StrictMode>
    )
  }
  const view = await render(<Page mode="visible" />)
  await vi.waitFor(() => expect(agent.status).toBe('ready'))
  const { session } = agent
  const sent = agent.send('Do A and B')
  await vi.waitFor(() => expect(agent.todos).toHaveLength(2))
  await view.rerender(<Page mode="hidden" />)
  await sent
  expect(session.store.getState().run.outcome).toBe('completed')
  await view.rerender(<Page mode="visible" />)
  await outcome().toHaveTextContent('completed')
  expect(agent.session).toBe(session)
  expect(agent.progress).toMatchObject({ done: 2, total: 2 })
  expect(model.calls).toBe(4)
})

test('hidden from the start, a session is not read before it is shown', async () => {
  const storage = memoryStorage()
  const read = vi.spyOn(storage, 'read')
  const options = { sessionId: 's', storage, model: scriptedModel(script) }
  const view = await render(
    <Activity mode="hidden">
      <App {...options} />
    </Activity>,
  )
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(read).not.toHaveBeenCalled()
  await view.rerender(
    <Activity mode="visible">
      <App {...options} />
    </Activity>,
  )
  await vi.waitFor(() => expect(agent.status).toBe('ready'))
})

test('a component that suspends beside the agent, again and again, starts nothing twice', async () => {
  const model = scriptedModel(script)
  const options = { sessionId: 's', storage: memoryStorage(), model }
  let finish = () => {}
  const waits = new Map<number, Promise<void>>()
  function Slow({ at }: { at: number }) {
    const wait = waits.get(at) ?? new Promise<void>((resolve) => (finish = resolve))
    waits.set(at, wait)
    use(wait)
    return <p>ready {at}</p>
  }
  function Page() {
    const [at, setAt] = useState(0)
    return (
      <Suspense fallback={<p>waiting</p>}>
        <button type="button" onClick={() => setAt(at + 1)}>
          Next
        </button>
        <App {...options} />
        <Slow at={at} />
      </Suspense>
    )
  }
  await render(
    <StrictMode>
      <Page />
    </StrictMode>,
  )
  await expect.element(page.getByText('waiting')).toBeVisible()
  finish()
  await expect.element(page.getByText('ready 0')).toBeVisible()
  await vi.waitFor(() => expect(agent.status).toBe('ready'))
  const { session } = agent
  const sent = agent.send('Do A and B')
  await vi.waitFor(() => expect(agent.todos).toHaveLength(2))
  await page.getByRole('button', { name: 'Next' }).click()
  await expect.element(page.getByText('waiting')).toBeVisible()
  await sent
  finish()
  await expect.element(page.getByText('ready 1')).toBeVisible()
  await outcome().toHaveTextContent('completed')
  expect(agent.session).toBe(session)
  expect(model.calls).toBe(4)
})

test('unmounted in mid-run, the run is stopped after keepAlive, and can be resumed (g51)', async () => {
  const model = scriptedModel([
    call.write('[>] A', '[ ] B'),
    { text: 'A long answer that takes its time', delay: 30, chunkSize: 1, ignoreAbort: true },
    call.write('[x] A', '[x] B'),
    'Both are done.',
  ])
  const options = { sessionId: 's', storage: memoryStorage(), model, guard: false as const }
  const view = await render(<App {...options} keepAlive={100} />)
  await vi.waitFor(() => expect(agent.status).toBe('ready'))
  const { session } = agent
  const sent = agent.send('Do A and B')
  await vi.waitFor(() => expect(model.calls).toBe(2))
  await view.unmount()
  await sent
  await vi.waitFor(() => expect(session.store.getState().run.outcome).toBe('stopped'))
  await render(<App {...options} keepAlive={100} />)
  await outcome().toHaveTextContent('stopped')
  await agent.resume()
  await outcome().toHaveTextContent('completed')
  expect(agent.progress).toMatchObject({ done: 2, total: 2 })
})

test('offline, a model in the page runs all the same (g50)', async () => {
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  window.dispatchEvent(new Event('offline'))
  await render(<App sessionId="s" storage={memoryStorage()} model={scriptedModel(script)} />)
  await vi.waitFor(() => expect(agent.status).toBe('ready'))
  await agent.send('Do A and B')
  await outcome().toHaveTextContent('completed')
  onLine.mockRestore()
  window.dispatchEvent(new Event('online'))
})

test('refuses a keepAlive that is no time, in the render', async () => {
  const complained = vi.spyOn(console, 'error').mockImplementation(() => {})
  function Reader() {
    useTodos('s', { storage: memoryStorage(), keepAlive: -1 })
    return null
  }
  await expect(render(<Reader />)).rejects.toThrow('`keepAlive`')
  complained.mockRestore()
})

test('a server markup equals the first client render, with a saved session that is in memory already (c29)', async () => {
  const options = { sessionId: 's', storage: memoryStorage(), model: scriptedModel(script) }
  function Page() {
    return (
      <StrictMode>
        <App {...options} />
        <Sessions />
      </StrictMode>
    )
  }
  function Sessions() {
    const { status, sessions } = useTodoSessions(options)
    return (
      <p data-testid="sessions">
        {status} {sessions.length}
      </p>
    )
  }
  const container = document.createElement('div')
  container.innerHTML = renderToString(<Page />)
  document.body.append(container)
  const markup = container.innerHTML
  expect(container.querySelectorAll('li')).toHaveLength(0)
  expect(container.querySelector('[data-testid=sessions]')).toHaveTextContent('pending 0')

  // Another part of the page has read both before this one is hydrated.
  await getTodoSession('s', options).commit(add('Saved'))
  const elsewhere = await render(<Sessions />)
  await expect.element(page.elementLocator(elsewhere.container).getByText('success 1')).toBeVisible()

  const recovered = vi.fn()
  const root = hydrateRoot(container, <Page />, { onRecoverableError: recovered })
  await vi.waitFor(() => expect(items()).toBe(1))
  expect(markup).not.toContain('Saved')
  await vi.waitFor(() =>
    expect(container.querySelector('[data-testid=sessions]')).toHaveTextContent('success 1'),
  )
  expect(recovered).not.toHaveBeenCalled()
  root.unmount()
  container.remove()
})
