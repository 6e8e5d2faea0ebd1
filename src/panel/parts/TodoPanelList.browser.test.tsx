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
