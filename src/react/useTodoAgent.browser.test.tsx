import { Profiler, StrictMode, useMemo, useState } from 'react'
import { describe, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { TodoPanel } from '../panel/TodoPanel.tsx'
import { deleteSession } from '../session/registry.ts'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import {
  requestText,
  type ScriptEntry,
  type ScriptedModelOptions,
  scriptedModel,
} from '../testing/scriptedModel.ts'
import { TodoAgentProvider } from './TodoAgentProvider.tsx'
import { type TodoAgent, type UseTodoAgentOptions, useTodoAgent } from './useTodoAgent.ts'
import { useTodos } from './useTodos.ts'

const newId = () => `hook-${crypto.randomUUID()}`
const model = (script: readonly ScriptEntry[], options?: ScriptedModelOptions) =>
  scriptedModel(script, options)

function Chat({ onAgent, ...options }: UseTodoAgentOptions & { onAgent?: (agent: TodoAgent) => void }) {
  const agent = useTodoAgent(options)
  onAgent?.(agent)
  return (
    <main>
      <p data-testid="status">{agent.status}</p>
      <p data-testid="outcome">{agent.outcome ?? 'none'}</p>
      <p data-testid="text">
        {agent.messages
          .map((message) => message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
          .join('|')}
      </p>
      <button type="button" onClick={() => void agent.send('Do A and B')}>
        Send
      </button>
      <button type="button" onClick={() => void agent.stop()}>
        Stop
      </button>
    </main>
  )
}

const script: ScriptEntry[] = [
  call.write('[>] A', '[ ] B'),
  call.write('[x] A', '[>] B'),
  call.write('[x] A', '[x] B'),
  'Both are done.',
]

describe('useTodoAgent', () => {
  test('runs the agent, shows the list live and keeps it in IndexedDB', async () => {
    const sessionId = newId()
    const view = await render(<Chat sessionId={sessionId} model={model(script)} />)
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.element(page.getByTestId('outcome')).toHaveTextContent('completed')
    await expect.element(page.getByTestId('text')).toHaveTextContent('Do A and B|Both are done.')
    await view.unmount()

    let todos: readonly { content: string; status: string }[] = []
    function Reader() {
      todos = useTodos(sessionId).todos
      return <p>{todos.length} items</p>
    }
    await render(<Reader />)
    await expect.element(page.getByText('2 items')).toBeInTheDocument()
    expect(todos).toMatchObject([
      { content: 'A', status: 'completed' },
      { content: 'B', status: 'completed' },
    ])
    await deleteSession(sessionId)
  })

  test('gives the error of a failed run with its cause, and after a reload without', async () => {
    const sessionId = newId()
    const storage = memoryStorage()
    const cause = new Error('no judge')
    const judge = () => {
      throw cause
    }
    const options = { sessionId, storage, loop: { evaluators: [judge] } }
    const errors: unknown[] = []
    const onAgent = ({ error }: TodoAgent) => {
      if (error && errors.at(-1) !== error) errors.push(error)
    }
    const view = await render(<Chat {...options} model={model(['Hello.'])} onAgent={onAgent} />)
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.element(page.getByTestId('outcome')).toHaveTextContent('failed')
    expect(errors).toEqual([expect.objectContaining({ code: 'loop_failed', cause })])
    await view.unmount()

    const reloaded = { ...storage }
    await render(<Chat {...options} storage={reloaded} model={model(['Hello.'])} onAgent={onAgent} />)
    await expect.poll(() => errors.length).toBe(2)
    const [before, after] = errors as [Error, Error]
    expect([after.message, after.cause]).toEqual([before.message, undefined])
  })

  test('works under StrictMode with one run and one transcript', async () => {
    const scripted = model(script)
    await render(
      <StrictMode>
        <Chat sessionId={newId()} storage={memoryStorage()} model={scripted} />
      </StrictMode>,
    )
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.element(page.getByTestId('outcome')).toHaveTextContent('completed')
    expect(scripted.calls).toBe(4)
    await expect.element(page.getByTestId('text')).toHaveTextContent('Do A and B|Both are done.')
  })

  test('two hooks of one session share its run and its list', async () => {
    const storage = memoryStorage()
    const sessionId = newId()
    const scripted = model(script)
    function Two() {
      const left = useTodoAgent({ sessionId, storage, model: scripted })
      const right = useTodoAgent({ sessionId, storage, model: scripted })
      return (
        <button type="button" onClick={() => void left.send('Do A and B')}>
          {left.todos === right.todos && left.messages === right.messages ? 'same' : 'different'}{' '}
          {right.outcome ?? 'none'}
        </button>
      )
    }
    await render(<Two />)
    await page.getByRole('button').click()
    await expect.element(page.getByRole('button')).toHaveTextContent('same completed')
    expect(scripted.calls).toBe(4)
  })

  test.each<object>([{}, { model: undefined, storage: undefined }])(
    'given %o takes the rest from the provider',
    async (given) => {
      const storage = memoryStorage()
      const sessionId = newId()
      await render(
        <TodoAgentProvider model={model(['Hello.'])} storage={storage}>
          <TodoAgentProvider {...given}>
            <Chat sessionId={sessionId} {...given} />
          </TodoAgentProvider>
        </TodoAgentProvider>,
      )
      await page.getByRole('button', { name: 'Send' }).click()
      await expect.element(page.getByTestId('text')).toHaveTextContent('Hello.')
      expect(await storage.list()).toHaveLength(1)
    },
  )

  test('an option that is `undefined` is none: the one around it holds', async () => {
    const scripted = model(['Hello.'])
    const storage = memoryStorage()
    const unset = { model: undefined, instructions: undefined, storage: undefined } as object
    let agent: TodoAgent | undefined
    await render(
      <TodoAgentProvider model={scripted} instructions="Speak plainly." storage={storage}>
        <TodoAgentProvider {...unset}>
          <Chat
            {...unset}
            sessionId={newId()}
            onAgent={(next) => {
              agent = next
            }}
          />
        </TodoAgentProvider>
      </TodoAgentProvider>,
    )
    await agent?.send('Hi')
    expect(agent?.session.storage).toBe(storage)
    expect(requestText(scripted.requests[0])).toContain('Speak plainly.')
  })

  test('a reader of the list takes the storage from the provider too', async () => {
    const sessionId = newId()
    function Count({ id }: { id: string }) {
      return <p>{useTodos(id).todos.length} items</p>
    }
    await render(
      <TodoAgentProvider model={model(script)} storage={memoryStorage()}>
        <Chat sessionId={sessionId} />
        <Count id={sessionId} />
      </TodoAgentProvider>,
    )
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.element(page.getByText('2 items')).toBeInTheDocument()
  })

  test('goes on with its run when the component is gone, and shows the end when it is back (g51)', async () => {
    const storage = memoryStorage()
    const sessionId = newId()
    const scripted = model(script, { delay: 5, chunkSize: 4 })
    const view = await render(<Chat sessionId={sessionId} storage={storage} model={scripted} />)
    await page.getByRole('button', { name: 'Send' }).click()
    await vi.waitFor(() => expect(scripted.calls).toBeGreaterThan(0))
    await view.unmount()
    await render(<Chat sessionId={sessionId} storage={storage} model={scripted} />)
    await expect.element(page.getByTestId('outcome')).toHaveTextContent('completed')
    expect(scripted.calls).toBe(4)
  })

  test('a late write of one session never shows in another (a15)', async () => {
    const storage = memoryStorage()
    const ids = [newId(), newId()] as const
    const models = {
      [ids[0]]: model([
        { toolCalls: [call.write('[>] First')], delay: 20, chunkSize: 4 },
        call.write('[x] First'),
        'One.',
      ]),
      [ids[1]]: model([call.write('[>] Second'), call.write('[x] Second'), 'Two.']),
    }
    let agent: TodoAgent | undefined
    function Switch() {
      const [sessionId, setSessionId] = useState<string>(ids[0])
      return (
        <>
          {ids.map((id) => (
            <button key={id} type="button" onClick={() => setSessionId(id)}>
              {id}
            </button>
          ))}
          <Chat
            key={sessionId}
            sessionId={sessionId}
            storage={storage}
            model={models[sessionId] as never}
            onAgent={(next) => {
              agent = next
            }}
          />
        </>
      )
    }
    await render(<Switch />)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: ids[1] }).click()
    expect(agent?.todos).toEqual([])
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.element(page.getByTestId('outcome')).toHaveTextContent('completed')
    expect(agent?.todos.map((todo) => todo.content)).toEqual(['Second'])
    await page.getByRole('button', { name: ids[0] }).click()
    await expect.element(page.getByTestId('outcome')).toHaveTextContent('completed')
    expect(agent?.todos.map((todo) => todo.content)).toEqual(['First'])
  })

  test('sent while a run is under way, a message waits and is then answered', async () => {
    const scripted = model([{ text: 'First answer', delay: 150, chunkSize: 2 }, 'Second answer'])
    let agent: TodoAgent | undefined
    await render(
      <Chat
        sessionId={newId()}
        storage={memoryStorage()}
        model={scripted}
        onAgent={(next) => {
          agent = next
        }}
      />,
    )
    await vi.waitFor(() => expect(agent?.status).toBe('ready'))
    void agent?.send('One')
    await vi.waitFor(() => expect(agent?.status).toBe('streaming'))
    void agent?.send('Two')
    await vi.waitFor(() => expect(agent?.queued).toHaveLength(1))
    await expect.element(page.getByTestId('text')).toHaveTextContent('One|First answer|Two|Second answer')
  })

  test('a message sent right after Stop is answered, and the stopped answer does not come back', async () => {
    const scripted = model([{ text: 'old old old old', delay: 10, chunkSize: 1, ignoreAbort: true }, 'new'])
    let agent: TodoAgent | undefined
    await render(
      <Chat
        sessionId={newId()}
        storage={memoryStorage()}
        model={scripted}
        onAgent={(next) => {
          agent = next
        }}
      />,
    )
    await vi.waitFor(() => expect(agent?.status).toBe('ready'))
    void agent?.send('One')
    await vi.waitFor(() => expect(agent?.messages).toHaveLength(2))
    void agent?.stop()
    await agent?.send('Two')
    expect(agent?.queued).toEqual([])
    const texts = agent?.messages.map((message) =>
      message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    )
    expect(texts?.[3]).toBe('new')
    expect('old old old old'.startsWith(texts?.[1] ?? '')).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(agent?.messages).toHaveLength(4)
  })

  test.each([
    ['sessionId', { sessionId: ' ' }],
    ['model', { model: undefined }],
    ['tools', { tools: { write_todos: {} } }],
    ['maxSteps', { maxSteps: Number.NaN }],
    ['maxCorrections', { guard: { maxCorrections: -1 } }],
    ['modes', { modes: { modes: [] } }],
    ['modes', { modes: ['plan'] }],
    ['maxIterations', { loop: { evaluators: [() => ({ continue: false })], maxIterations: 0 } }],
  ])('refuses a wrong `%s` in the render', async (option, wrong) => {
    const complained = vi.spyOn(console, 'error').mockImplementation(() => {})
    const options = { sessionId: 's', storage: memoryStorage(), model: model(['Hi']), ...(wrong as object) }
    await expect(render(<Chat {...options} />)).rejects.toThrow(TypeError)
    await expect(render(<Chat {...options} />)).rejects.toThrow(`\`${option}\``)
    complained.mockRestore()
  })
})

describe('rendering', () => {
  test('text tokens render no panel, and a burst of deltas stays calm (c33)', async () => {
    const items = Array.from(
      { length: 100 },
      (_, index) => `${index === 0 ? '[>]' : '[ ]'} Item number ${index}`,
    )
    const scripted = model([
      { toolCalls: [call.write(...items)], chunkSize: 2 },
      { text: 'x'.repeat(2000), chunkSize: 1 },
    ])
    let renders = 0
    const countRender = () => {
      renders += 1
    }
    let rendersAtCommit = 0
    let committedAt = 0
    let agent: TodoAgent | undefined
    function App() {
      const current = useTodoAgent({ sessionId, storage, model: scripted, guard: false })
      agent = current
      // One element: a Profiler that is made anew reports a render of its own.
      const panel = useMemo(
        () => (
          <Profiler id="panel" onRender={countRender}>
            <TodoPanel session={current.session} />
          </Profiler>
        ),
        [current.session],
      )
      return (
        <>
          {panel}
          <p>{current.messages.length}</p>
        </>
      )
    }
    const sessionId = newId()
    const storage = memoryStorage()
    await render(<App />)
    await vi.waitFor(() => expect(agent?.status).toBe('ready'))
    const commits: number[] = []
    let textUpdates = 0
    agent?.session.store.subscribe((state, before) => {
      if (state.todos !== before.todos) {
        commits.push(state.todos.length)
        rendersAtCommit = renders
        committedAt = performance.now()
      }
      if (state.messages !== before.messages && state.todos.length > 0) textUpdates += 1
    })
    await agent?.send('Plan')
    expect(commits).toEqual([100])
    // The list itself, the draft that goes, the end of the run, and a clock that ticks each second: none for 2,000 deltas of text.
    const seconds = Math.ceil((performance.now() - committedAt) / 1000)
    expect(renders - rendersAtCommit).toBeLessThanOrEqual(6 + seconds)
    expect(textUpdates).toBeGreaterThan(6 + seconds)
    expect(agent?.messages[1]?.parts.at(-1)).toMatchObject({ type: 'text', text: 'x'.repeat(2000) })
  })

  test('an unknown session renders once it is read, and not again (c30)', async () => {
    let renders = 0
    const seen = new Set<unknown>()
    function Reader() {
      const view = useTodos(sessionId, { storage })
      renders += 1
      seen.add(view.todos).add(view.remaining).add(view.progress)
      return null
    }
    const sessionId = newId()
    const storage = memoryStorage()
    await render(
      <StrictMode>
        <Reader />
      </StrictMode>,
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(renders).toBeLessThan(8)
    expect(seen.size).toBeLessThanOrEqual(3)
  })
})
