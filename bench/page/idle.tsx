import { createRoot } from 'react-dom/client'
import { TodoPanel, useTodoAgent } from 'use-todo-agent'
import { memoryStorage } from 'use-todo-agent/agent'
import { call, scriptedModel } from 'use-todo-agent/testing'
import { plainRow, type Row } from '../measure.ts'
import { wait, wakeUps } from './timers.ts'

const storage = memoryStorage()
const model = scriptedModel([call.write('[x] Count', '[x] Report'), 'Done.'])
let renders = 0

function App() {
  const agent = useTodoAgent({ sessionId: 'idle', model, storage })
  renders += 1
  return (
    <>
      <TodoPanel.Root session={agent.session} render={(props) => countRender(<div {...props} />)} />
      <button type="button" onClick={() => void agent.send('go')}>
        {agent.outcome ?? agent.status}
      </button>
    </>
  )
}

function countRender<Element>(element: Element): Element {
  renders += 1
  return element
}

/** What a mounted agent and panel do in `ms` without anything to do: after a run, with its list on screen. */
export async function idleRows(ms: number): Promise<readonly Row[]> {
  const root = createRoot(document.getElementById('root') as HTMLElement)
  root.render(<App />)
  const button = () => document.querySelector('button')
  await until(() => button()?.textContent === 'ready')
  button()?.click()
  await until(() => button()?.textContent === 'completed')
  await wait(3_000)

  renders = 0
  const before = { ...wakeUps }
  await wait(ms)
  const timers = wakeUps.timers - before.timers
  const intervals = wakeUps.intervals - before.intervals
  const span = ms === 60_000 ? 'one minute' : `${ms / 1_000} s`
  const facts = { group: 'idle', unit: 'count', bound: 0 } as const
  const rows = [
    plainRow([renders], { ...facts, id: 'idle-renders', what: `renders in ${span} without change` }),
    plainRow([intervals], { ...facts, id: 'idle-intervals', what: `intervals that fire in ${span}` }),
    plainRow([timers], { ...facts, id: 'idle-timers', what: `timers and frames that fire in ${span}` }),
  ]
  root.unmount()
  return rows
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await wait(20)
}
