import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { render } from 'vitest-browser-react'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { emptyView, idleRun, type Todo, type TodoView } from '../../core/todo.ts'
import { TodoPanel } from '../TodoPanel.tsx'
import '../styles.css'

interface ChatView extends TodoView {
  readonly messages: readonly string[]
}

function newSession(change: Partial<TodoView> = {}): { id: string; store: StoreApi<ChatView> } {
  return {
    id: 's1',
    store: createStore<ChatView>(() => ({ ...emptyView, persistence: 'saved', messages: [], ...change })),
  }
}

function todosOf(...contents: readonly string[]): readonly Todo[] {
  return contents.map((content, index) => ({ id: index + 1, content, status: 'pending', createdAt: 0 }))
}

function withStatus(todos: readonly Todo[], id: number, status: Todo['status']): readonly Todo[] {
  return todos.map((todo) => (todo.id === id ? { ...todo, status } : todo))
}

const running = { ...idleRun, status: 'running' } as const
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))

/** A change of the session, and what the page makes of it. */
async function change(session: ReturnType<typeof newSession>, next: Partial<ChatView>): Promise<void> {
  session.store.setState(next)
  await frame()
  await frame()
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const said = () => document.querySelector('[role=status]')?.textContent
const wait = async (ms: number) => {
  vi.advanceTimersByTime(ms)
  await frame()
  await frame()
}
const twelve = todosOf(...Array.from({ length: 12 }, (_, index) => `Item ${index + 1}`))

test('nothing is said of an old list, mounted or read from storage', async () => {
  const session = newSession({ persistence: 'loading' })
  await render(<TodoPanel session={session} verbosity="changes" />)
  await change(session, {
    persistence: 'saved',
    todos: withStatus(twelve, 1, 'completed'),
    run: { ...idleRun, outcome: 'stopped' },
  })
  await wait(3000)
  expect(said()).toBe('')
})

test('one sentence for a list that was replaced with one status changed (f43)', async () => {
  const session = newSession({ todos: twelve, run: running })
  await render(<TodoPanel session={session} verbosity="changes" />)
  await change(session, {
    todos: withStatus(
      twelve.map((todo) => ({ ...todo })),
      1,
      'in_progress',
    ),
  })
  await wait(1000)
  expect(said()).toBe('0 of 12 done: now Item 1')
})

test('three completions in a second are one sentence (f43)', async () => {
  const session = newSession({ todos: twelve, run: running })
  await render(<TodoPanel session={session} verbosity="changes" />)
  let todos = twelve
  for (const id of [1, 2, 3]) {
    todos = withStatus(todos, id, 'completed')
    await change(session, { todos })
    await wait(300)
    expect(said()).toBe('')
  }
  await wait(1000)
  expect(said()).toBe('3 of 12 done')
})

test('nothing is said of drafts and text (f43)', async () => {
  const session = newSession({ todos: twelve, run: running })
  await render(<TodoPanel session={session} verbosity="changes" />)
  for (let index = 0; index < 500; index++) {
    session.store.setState({
      draft: [{ content: `${index}`, status: 'pending', partial: true }],
      messages: [`${index}`],
    })
  }
  await wait(3000)
  expect(said()).toBe('')
})

test('an end and a failed save are said once', async () => {
  const session = newSession({ todos: twelve, run: running })
  await render(<TodoPanel session={session} verbosity="changes" />)
  await change(session, { run: { ...idleRun, outcome: 'stopped' } })
  await change(session, { persistence: 'failed' })
  await wait(1000)
  expect(said()).toBe('Stopped · 12 still open. Not saved')
  await change(session, { run: running })
  await wait(1000)
  expect(said()).toBe('0 of 12 done')
})

test('milestones alone are said, unless the host wants all or nothing', async () => {
  const session = newSession({ todos: twelve })
  const screen = await render(<TodoPanel session={session} />)
  const heard: (string | null | undefined)[] = []
  let todos = twelve
  await change(session, { run: running })
  await wait(1000)
  heard.push(said())
  for (const { id } of twelve) {
    todos = withStatus(todos, id, 'completed')
    await change(session, { todos })
    await wait(1000)
    if (said() !== heard.at(-1)) heard.push(said())
  }
  expect(heard).toEqual(['0 of 12 done', '4 of 12 done', '8 of 12 done', 'All 12 done'])
  await screen.rerender(<TodoPanel session={session} verbosity="off" />)
  expect(document.querySelector('[role=status]')).toBeNull()
})

test('drafts do not put off what there is to say', async () => {
  const session = newSession({ todos: twelve })
  await render(<TodoPanel session={session} />)
  await change(session, { run: running })
  for (let index = 0; index < 6; index++) {
    await change(session, { draft: [{ content: `New ${index}`, status: 'pending', partial: true }] })
    await wait(200)
  }
  expect(said()).toBe('0 of 12 done')
})

test('an agent that never rests is heard all the same', async () => {
  const session = newSession({ todos: twelve })
  await render(<TodoPanel session={session} />)
  await change(session, { run: running })
  const heard: (string | null | undefined)[] = []
  let todos = twelve
  for (const { id } of twelve) {
    todos = withStatus(todos, id, 'completed')
    await change(session, { todos })
    await wait(900)
    if (said() !== heard.at(-1)) heard.push(said())
  }
  expect(heard).toEqual(['', '5 of 12 done', '10 of 12 done'])
  await wait(1000)
  expect(said()).toBe('All 12 done')
})

test('a second run that fails as the first did is told again, however soon', async () => {
  const failed = {
    ...idleRun,
    outcome: 'failed',
    error: { code: 'model_failed', message: 'No answer' },
  } as const
  const session = newSession()
  await render(<TodoPanel session={session} />)
  const region = document.querySelector('[role=status]') as HTMLElement
  const told: string[] = []
  const observer = new MutationObserver(() => told.push(region.textContent ?? ''))
  observer.observe(region, { childList: true, characterData: true, subtree: true })
  for (const endedAt of [1, 2]) {
    await change(session, { run: running })
    await wait(300)
    await change(session, { run: { ...failed, endedAt } })
    await wait(1000)
  }
  expect(told).toEqual(['Failed · No answer', 'Failed · No answer'])
  observer.disconnect()
})
