import { type ReactElement, useRef, useState } from 'react'
import { emptyList, exportExtra, idleRun, importExtra, initialGuard } from 'use-todo-agent/core'
import { TodoPanel } from 'use-todo-agent/panel'
import { evaluate } from '../tools/calculate.ts'
import { type LoopMessage, type LoopState, type LoopTool, runLoop } from './ownLoop.ts'
import { baseURLOf } from './serverChoice.ts'
import './chatUis.css'

const key = 'own-loop'

const tools: Record<string, LoopTool> = {
  calculate: {
    description: 'Calculates an arithmetic expression.',
    parameters: {
      type: 'object',
      properties: { expression: { type: 'string' } },
      required: ['expression'],
    },
    execute: ({ expression }: { expression: string }) => evaluate(expression),
  },
}

/** A host with a loop of its own: no AI SDK and no session of the kit, but its list, its guard and its panel. */
export function OwnLoopPage({ port }: { readonly port: number }): ReactElement {
  const [state, setState] = useState(load)
  const [text, setText] = useState('')
  const [baseURL, setBaseURL] = useState(port === 0 ? 'http://localhost:11434/v1' : baseURLOf(port))
  const [model, setModel] = useState('qwen3')
  const stopper = useRef<AbortController>(null)
  const isRunning = state.run.status === 'running'
  const canGoOn = !isRunning && ['stopped', 'failed', 'max_steps'].includes(state.run.outcome ?? '')

  function run(from: LoopState, continued: boolean) {
    stopper.current = new AbortController()
    const onChange = (next: LoopState) => {
      setState(next)
      save(next)
    }
    void runLoop(from, { baseURL, model, tools, onChange, continued, signal: stopper.current.signal })
  }

  function send() {
    if (text.trim() === '' || isRunning) return
    setText('')
    run({ ...state, messages: [...state.messages, { role: 'user', content: text }] }, false)
  }

  const isInterrupted = state.run.status === 'interrupted'
  const controls = {
    stop: isRunning ? () => stopper.current?.abort() : undefined,
    resume: canGoOn || isInterrupted ? () => run(state, true) : undefined,
  }

  return (
    <div className="cu-plain">
      <main>
        <TodoPanel todos={state.list.todos} run={state.run} controls={controls} />
        {state.messages.map((message, index) => {
          const place = `${index}`
          return <Line key={place} message={message} />
        })}
        {state.run.error && <p role="alert">{state.run.error.message}</p>}
        <form
          onSubmit={(event) => {
            event.preventDefault()
            send()
          }}
        >
          <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
          <button type="submit">Send</button>
          {isRunning && (
            <button type="button" onClick={() => stopper.current?.abort()}>
              Stop
            </button>
          )}
        </form>
        <details>
          <summary>Server</summary>
          <label>
            Base URL
            <input value={baseURL} onChange={(event) => setBaseURL(event.target.value)} />
          </label>
          <label>
            Model
            <input value={model} onChange={(event) => setModel(event.target.value)} />
          </label>
        </details>
      </main>
    </div>
  )
}

function Line({ message: { role, content, source, tool_calls } }: { readonly message: LoopMessage }) {
  if (source) return <p className="cu-quiet">The kit wrote to the model ({source})</p>
  if (role === 'tool') return null
  const calls = (tool_calls ?? []).map((call) => call.function.name)
  return (
    <>
      {content && (
        <article aria-label={role === 'user' ? 'You' : 'Agent'}>
          <p>{content}</p>
        </article>
      )}
      {calls.length > 0 && <p className="cu-quiet">{calls.join(', ')}</p>}
    </>
  )
}

// What is saved is not trusted: list and guard pass the checks of the kit.
function load(): LoopState {
  const saved = JSON.parse(localStorage.getItem(key) ?? 'null') as (Saved & { extra: unknown }) | null
  if (!saved) return { messages: [], list: emptyList, guard: initialGuard, run: idleRun }
  const previous = { todos: [], nextId: saved.nextId }
  const { run } = saved
  return {
    ...importExtra(saved.extra, { now: Date.now(), previous }),
    messages: saved.messages,
    run: run.status === 'running' ? { ...run, status: 'interrupted' } : run,
  }
}

interface Saved extends Pick<LoopState, 'messages' | 'run'> {
  readonly nextId: number
}

// A request fails when its page goes away. That is an interruption, and nothing to be saved.
let isLeaving = false
addEventListener('pagehide', () => {
  isLeaving = true
})
addEventListener('pageshow', () => {
  isLeaving = false
})

function save({ messages, list, guard, run }: LoopState): void {
  if (isLeaving) return
  const saved: Saved = { messages, run, nextId: list.nextId }
  localStorage.setItem(key, JSON.stringify({ ...saved, extra: exportExtra({ todos: list, guard }) }))
}
