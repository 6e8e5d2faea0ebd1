import { createPortal } from 'react-dom'
import { beforeEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { type DraftTodo, emptyView, idleRun, type Todo, type TodoView } from '../../core/todo.ts'
import type { PanelTodo } from '../panelState.ts'
import { TodoPanel } from '../TodoPanel.tsx'
import '../styles.css'

function newSession(change: Partial<TodoView> = {}): { id: string; store: StoreApi<TodoView> } {
  return {
    id: 's1',
    store: createStore<TodoView>(() => ({ ...emptyView, persistence: 'saved', ...change })),
  }
}

function todosOf(...contents: readonly string[]): readonly Todo[] {
  return contents.map((content, index) => ({ id: index + 1, content, status: 'pending', createdAt: 0 }))
}

const running = { ...idleRun, status: 'running' } as const
const rows = () => [...document.querySelectorAll('li')]
const texts = () => rows().map((row) => row.querySelector('.todo-panel-content')?.textContent)
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))

/** A change of the session, and what the page makes of it. */
async function change(session: ReturnType<typeof newSession>, next: Partial<TodoView>): Promise<void> {
  session.store.setState(next)
  await frame()
  await frame()
}

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

describe('a long list (f45)', () => {
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
  const restsFor100ms = async () => {
    const before = list().scrollTop
    await new Promise((resolve) => setTimeout(resolve, 100))
    return list().scrollTop === before
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
    // The row is in view before the movement ends, and what is left of that would be added to the next.
    await expect.poll(restsFor100ms).toBe(true)

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

  test.each([0.5, 2])('shows it where the page around it is scaled by %s', async (scale) => {
    await render(
      <div style={{ inlineSize: 300, transform: `scale(${scale})`, transformOrigin: '0 0' }}>
        <TodoPanel todos={items(56, 41)} />
      </div>,
    )
    await expect.poll(() => inView(41)).toBe(true)
  })

  test('the keyboard reaches and scrolls it', async () => {
    const screen = await render(<TodoPanel todos={items(56, 1)} />)
    expect(list().dataset.scrollable).toBe('')
    await userEvent.tab()
    await userEvent.tab()
    expect(document.activeElement).toBe(rows()[0])
    await userEvent.keyboard('{PageDown}')
    await expect.poll(() => list().scrollTop).toBeGreaterThan(0)
    await screen.rerender(<TodoPanel todos={items(3, 1)} />)
    await expect.poll(() => list().dataset.scrollable).toBeUndefined()
  })
})

describe('the keyboard', () => {
  const five = todosOf('a', 'b', 'c', 'd', 'e')
  const third = five.map((todo) => (todo.id === 3 ? { ...todo, status: 'in_progress' as const } : todo))
  const focused = () => document.activeElement?.querySelector('.todo-panel-content')?.textContent

  test('enters at the current row, goes from row to row, and leaves at one press', async () => {
    await render(
      <>
        <TodoPanel todos={third} />
        <button type="button">After</button>
      </>,
    )
    await userEvent.tab()
    await userEvent.tab()
    expect(focused()).toBe('c')
    await userEvent.keyboard('{ArrowDown}')
    expect(focused()).toBe('d')
    await userEvent.keyboard('{End}{ArrowDown}')
    expect(focused()).toBe('e')
    await userEvent.keyboard('{Home}{ArrowUp}')
    expect(focused()).toBe('a')
    await userEvent.tab({ shift: true })
    await expect.element(page.getByRole('button', { name: 'Todos' })).toHaveFocus()
    await userEvent.tab()
    expect(focused()).toBe('c')
    await userEvent.tab()
    await expect.element(page.getByRole('button', { name: 'After' })).toHaveFocus()
  })

  test('a list of reasons is one stop too', async () => {
    const done = five.map((todo) => ({ ...todo, status: 'completed' as const }))
    await render(
      <>
        <TodoPanel todos={done} reasons={{ 1: 'Read', 2: 'Counted', 3: 'Sent' }} />
        <button type="button">After</button>
      </>,
    )
    await userEvent.tab()
    await userEvent.tab()
    expect(focused()).toBe('a')
    await userEvent.tab()
    await expect.element(page.getByRole('button', { name: 'After' })).toHaveFocus()
  })

  test('opens the reason of a row with Enter', async () => {
    const todos = [{ id: 1, content: 'a', status: 'completed' as const }]
    await render(<TodoPanel todos={todos} reasons={{ 1: 'Read twice' }} />)
    await userEvent.tab()
    await userEvent.tab()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText('Read twice')).toBeVisible()
  })

  test('a handler of the host goes before', async () => {
    await render(
      <TodoPanel.Root todos={five}>
        <TodoPanel.List onKeyDown={(event) => event.preventDefault()} />
      </TodoPanel.Root>,
    )
    await userEvent.tab()
    await userEvent.keyboard('{ArrowDown}')
    expect(focused()).toBe('a')
  })

  test('stays on a row that moves', async () => {
    const session = newSession({ todos: five })
    await render(<TodoPanel session={session} />)
    ;(rows()[0] as HTMLElement).focus()
    await change(session, { todos: [...five.slice(1), five[0] as Todo] })
    expect(texts()).toEqual(['b', 'c', 'd', 'e', 'a'])
    expect(focused()).toBe('a')
  })

  test('goes to the next row when the one under it goes, and to the panel after the last', async () => {
    const session = newSession({ todos: five })
    await render(<TodoPanel session={session} />)
    ;(rows()[1] as HTMLElement).focus()
    await change(session, { todos: five.filter(({ id }) => id !== 2) })
    expect(focused()).toBe('c')
    ;(rows()[3] as HTMLElement).focus()
    await change(session, { todos: five.slice(0, 3) })
    expect(focused()).toBe('c')
    await change(session, { todos: [] })
    await expect.element(page.getByRole('region', { name: 'Todos' })).toHaveFocus()
  })

  test('stays in the panel when the host closes the list, or takes another variant', async () => {
    const session = newSession({ todos: five })
    const panel = page.getByRole('region', { name: 'Todos' })
    const screen = await render(<TodoPanel session={session} open />)
    ;(rows()[1] as HTMLElement).focus()
    await screen.rerender(<TodoPanel session={session} open={false} />)
    await expect.element(panel).toHaveFocus()
    await screen.rerender(<TodoPanel session={session} open />)
    ;(rows()[1] as HTMLElement).focus()
    await screen.rerender(<TodoPanel session={session} variant="bar" />)
    await expect.element(panel).toHaveFocus()
  })

  test('stays and is reached where the panel is shown in another window', async () => {
    const iframe = document.createElement('iframe')
    document.body.append(iframe)
    const page = iframe.contentDocument as Document
    const session = newSession({ todos: five })
    const { unmount } = await render(createPortal(<TodoPanel session={session} />, page.body))
    const inside = () => [...page.querySelectorAll('li')]
    ;(inside()[1] as HTMLElement).focus()
    await change(session, { todos: five.filter(({ id }) => id !== 2) })
    expect(page.activeElement).toBe(inside()[1])
    ;(page.activeElement as HTMLElement).blur()
    page.body.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'L', altKey: true, shiftKey: true, bubbles: true }),
    )
    expect(page.activeElement).toBe(inside()[0])
    await unmount()
    iframe.remove()
  })

  test('a change takes no focus from elsewhere', async () => {
    const session = newSession({ todos: five })
    await render(
      <>
        <TodoPanel session={session} />
        <input aria-label="Message" />
      </>,
    )
    ;(page.getByRole('textbox').element() as HTMLElement).focus()
    await change(session, { todos: five.slice(1) })
    await expect.element(page.getByRole('textbox')).toHaveFocus()
  })
})

function shadowRoot(): ShadowRoot {
  const host = document.createElement('div')
  document.body.append(host)
  return host.attachShadow({ mode: 'open' })
}

describe('the shortcut', () => {
  const todos = todosOf('a', 'b')

  test('takes the focus to the list and back', async () => {
    await render(
      <>
        <input aria-label="Message" />
        <TodoPanel todos={todos} />
      </>,
    )
    const field = page.getByRole('textbox')
    ;(field.element() as HTMLElement).focus()
    await userEvent.keyboard('{Alt>}{Shift>}L{/Shift}{/Alt}')
    expect(document.activeElement).toBe(rows()[0])
    await expect
      .element(page.getByRole('region', { name: 'Todos' }))
      .toHaveAttribute('aria-keyshortcuts', 'Alt+Shift+L')
    await userEvent.keyboard('{Alt>}{Shift>}L{/Shift}{/Alt}')
    await expect.element(field).toHaveFocus()
  })

  test.each(['the page', 'its own shadow root', 'another shadow root'])(
    'takes the focus into a shadow root and back to a field in %s',
    async (place) => {
      const own = shadowRoot()
      const other = shadowRoot()
      const fields = { 'the page': document.body, 'its own shadow root': own, 'another shadow root': other }
      const field = document.createElement('input')
      fields[place as keyof typeof fields].append(field)
      const { unmount } = await render(createPortal(<TodoPanel todos={todos} />, own as unknown as Element))
      field.focus()
      await userEvent.keyboard('{Alt>}{Shift>}L{/Shift}{/Alt}')
      expect(own.activeElement?.localName).toBe('li')
      await userEvent.keyboard('{Alt>}{Shift>}L{/Shift}{/Alt}')
      expect((field.getRootNode() as Document | ShadowRoot).activeElement).toBe(field)
      expect(own.activeElement?.localName).not.toBe('li')
      await unmount()
      field.remove()
      own.host.remove()
      other.host.remove()
    },
  )

  test('passes by a panel that its page does not show', async () => {
    await render(
      <>
        <div hidden>
          <TodoPanel title="Other chat" todos={todos} />
        </div>
        <TodoPanel todos={todos} />
      </>,
    )
    await userEvent.keyboard('{Alt>}{Shift>}L{/Shift}{/Alt}')
    await expect
      .element(page.getByRole('list', { name: 'Todos' }).getByRole('listitem').first())
      .toHaveFocus()
  })

  test('reaches a closed panel, is another key, or none', async () => {
    const screen = await render(<TodoPanel todos={todos} shortcut="F8" variant="bar" />)
    await userEvent.keyboard('{Alt>}{Shift>}L{/Shift}{/Alt}')
    expect(document.activeElement).toBe(document.body)
    await userEvent.keyboard('{F8}')
    await expect.element(page.getByRole('button')).toHaveFocus()
    ;(document.activeElement as HTMLElement).blur()
    await screen.rerender(<TodoPanel todos={todos} shortcut={false} variant="bar" />)
    await userEvent.keyboard('{F8}')
    expect(document.activeElement).toBe(document.body)
  })
})
