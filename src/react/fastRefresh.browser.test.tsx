// First, since it must be there before React DOM is.
import '../../scripts/reactRefresh.ts'

import { type ReactElement, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { refresh } from '../../scripts/reactRefresh.ts'
import { TodoPanel } from '../panel/TodoPanel.tsx'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import { type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import { type TodoAgent, type UseTodoAgentOptions, useTodoAgent } from './useTodoAgent.ts'

const script: readonly ScriptEntry[] = [
  call.write('[>] A', '[ ] B'),
  { toolCalls: [call.write('[x] A', '[>] B')], delay: 15, chunkSize: 2 },
  { toolCalls: [call.write('[x] A', '[x] B')], delay: 15, chunkSize: 2 },
  'Both are done.',
]

let agent: TodoAgent

/** The component as its file has it after the nth edit. */
function edition(nth: number) {
  return function App(options: UseTodoAgentOptions): ReactElement {
    agent = useTodoAgent(options)
    const [typed, setTyped] = useState('')
    return (
      <main>
        <h1>Edition {nth}</h1>
        <input aria-label="Draft" value={typed} onChange={(event) => setTyped(event.target.value)} />
        <TodoPanel session={agent.session} />
        <p data-testid="outcome">{agent.outcome ?? agent.run.status}</p>
      </main>
    )
  }
}

test.each([
  ['keeps its state', (_nth: number) => 'hooks'],
  ['is mounted anew, since its hooks have changed', (nth: number) => `hooks ${nth}`],
])('a component that is edited in mid-run and %s goes on with the same run', async (_, signature) => {
  const keepsState = signature(1) === signature(2)
  const model = scriptedModel(script)
  const first = edition(1)
  refresh('App', first, signature(1))
  const App = first
  await render(<App sessionId={`refreshed-${keepsState}`} storage={memoryStorage()} model={model} />)
  await vi.waitFor(() => expect(agent.status).toBe('ready'))
  await page.getByLabelText('Draft').fill('typed')
  const { session } = agent
  const sent = agent.send('Do A and B')
  await vi.waitFor(() => expect(agent.todos).toHaveLength(2))

  for (const nth of [2, 3]) {
    refresh('App', edition(nth), signature(nth))
    await expect.element(page.getByRole('heading', { name: `Edition ${nth}` })).toBeInTheDocument()
    expect(agent.run.status).toBe('running')
  }
  await expect.element(page.getByLabelText('Draft')).toHaveValue(keepsState ? 'typed' : '')

  await sent
  await expect.element(page.getByTestId('outcome')).toHaveTextContent('completed')
  expect(agent.session).toBe(session)
  expect(agent.progress).toMatchObject({ done: 2, total: 2 })
  expect(model.calls).toBe(4)
})
