import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { createStore } from 'zustand/vanilla'
import { emptyView, idleRun, type TodoView } from '../../core/todo.ts'
import type { PanelTodo } from '../panelState.ts'
import { TodoPanel } from '../TodoPanel.tsx'
import '../styles.css'

const open: readonly PanelTodo[] = [
  { id: 1, content: 'Read', status: 'completed' },
  { id: 2, content: 'Write', status: 'in_progress' },
]
const done = open.map((todo) => ({ ...todo, status: 'completed' as const }))
const list = () => document.querySelector('ol')
const panel = () => document.querySelector('.todo-panel') as HTMLElement
const toggle = () => page.getByRole('button', { name: 'Todos' })

function newSession(id: string, change: Partial<TodoView> = {}) {
  const todos = open.map((todo) => ({ ...todo, id: Number(todo.id), createdAt: 0 }))
  const view: TodoView = { ...emptyView, persistence: 'saved', todos, ...change }
  return { id, store: createStore<TodoView>(() => view) }
}

beforeEach(async () => {
  sessionStorage.clear()
  await userEvent.unhover(document.body)
})
afterEach(() => {
  vi.useRealTimers()
})

describe('when a list is done', () => {
  test('it stays, unless the host says otherwise', async () => {
    const screen = await render(<TodoPanel todos={open} />)
    await screen.rerender(<TodoPanel todos={done} />)
    await new Promise((resolve) => setTimeout(resolve, 1700))
    expect(list()).not.toBeNull()
  })

  test('it closes once its last check was to be seen', async () => {
    const screen = await render(<TodoPanel todos={open} whenDone="collapse" />)
    await screen.rerender(<TodoPanel todos={done} whenDone="collapse" />)
    expect(list()).not.toBeNull()
    await expect.poll(list, { timeout: 5000 }).toBeNull()
    await expect.element(toggle()).toHaveAttribute('aria-expanded', 'false')
    await screen.rerender(<TodoPanel todos={open} whenDone="collapse" />)
    expect(list()).not.toBeNull()
  })

  test('a list that was done before is closed or hidden from the first', async () => {
    await render(<TodoPanel todos={done} whenDone="collapse" title="Closed" />)
    await render(<TodoPanel todos={done} whenDone="hide" />)
    expect(list()).toBeNull()
    expect(document.querySelectorAll('.todo-panel[data-hidden]')).toHaveLength(1)
  })

  test('it is hidden and still says so to who listens', async () => {
    const screen = await render(<TodoPanel todos={open} whenDone="hide" />)
    await screen.rerender(<TodoPanel todos={done} whenDone="hide" />)
    await expect.poll(() => panel().dataset.hidden, { timeout: 5000 }).toBe('')
    expect(getComputedStyle(panel())).toMatchObject({ position: 'absolute', clipPath: 'inset(50%)' })
    await expect.element(page.getByRole('status')).toHaveTextContent('All 2 done')
  })

  test('it stays as long as it has something to say', async () => {
    await render(<TodoPanel todos={done} whenDone="hide" persistence="failed" />)
    await expect.element(page.getByText('Not saved').first()).toBeVisible()
  })

  test('it stays while the person has the focus in it', async () => {
    const screen = await render(<TodoPanel todos={open} whenDone="hide" />)
    await userEvent.tab()
    await expect.element(toggle()).toHaveFocus()
    await screen.rerender(<TodoPanel todos={done} whenDone="hide" />)
    await new Promise((resolve) => setTimeout(resolve, 1700))
    expect(list()).not.toBeNull()
    ;(document.activeElement as HTMLElement).blur()
    await expect.poll(() => panel().dataset.hidden, { timeout: 5000 }).toBe('')
  })

  test('it stays while the panel itself has it, from a button that went', async () => {
    const session = newSession('went', { run: { ...idleRun, status: 'interrupted' } })
    const resume = () => session.store.setState({ run: { ...idleRun, status: 'running' } })
    session.store.setState({ controls: { resume } })
    await render(<TodoPanel session={session} whenDone="hide" />)
    const button = page.getByRole('button', { name: 'Resume' })
    while (document.activeElement !== button.element()) await userEvent.tab()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => document.activeElement).toBe(panel())
    const todos = session.store.getState().todos.map((todo) => ({ ...todo, status: 'completed' as const }))
    session.store.setState({ todos, run: { ...idleRun, outcome: 'completed' } })
    await new Promise((resolve) => setTimeout(resolve, 1700))
    expect(list()).not.toBeNull()
    panel().blur()
    await expect.poll(() => panel().dataset.hidden, { timeout: 5000 }).toBe('')
  })

  test.each(['collapse', 'hide'] as const)('what the person opened stays open (%s)', async (whenDone) => {
    const screen = await render(<TodoPanel todos={open} whenDone={whenDone} />)
    await toggle().click()
    await toggle().click()
    await userEvent.unhover(toggle())
    ;(document.activeElement as HTMLElement).blur()
    await screen.rerender(<TodoPanel todos={done} whenDone={whenDone} />)
    await new Promise((resolve) => setTimeout(resolve, 1700))
    expect(list()).not.toBeNull()
  })
})

test('a panel without items can be hidden, and comes with the first of them', async () => {
  const screen = await render(<TodoPanel todos={[]} whenEmpty="hide" />)
  expect(panel().dataset.hidden).toBe('')
  expect(panel().textContent).toBe('')
  await screen.rerender(
    <TodoPanel todos={[]} draft={[{ content: 'Re', status: 'pending', partial: true }]} whenEmpty="hide" />,
  )
  await expect.element(page.getByText('Re')).toBeVisible()
})

describe('the choice of the person', () => {
  test('is kept for each session, also when the panel comes and goes', async () => {
    const [a, b] = [newSession('a'), newSession('b')]
    const screen = await render(<TodoPanel session={a} />)
    await toggle().click()
    expect(list()).toBeNull()
    await screen.rerender(<TodoPanel session={b} />)
    expect(list()).not.toBeNull()
    await screen.rerender(<TodoPanel session={a} />)
    expect(list()).toBeNull()
    await screen.unmount()
    await render(<TodoPanel session={newSession('a')} />)
    expect(list()).toBeNull()
  })

  test('holds as long as the panel where there is no storage', async () => {
    const get = vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
      throw new DOMException('no', 'SecurityError')
    })
    const set = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('no', 'SecurityError')
    })
    await render(<TodoPanel session={newSession('c')} />)
    await toggle().click()
    expect(list()).toBeNull()
    get.mockRestore()
    set.mockRestore()
  })

  test('the word of the host goes before it', async () => {
    sessionStorage.setItem('todo-panel card d', 'closed')
    await render(<TodoPanel session={newSession('d', { run: idleRun })} open />)
    expect(list()).not.toBeNull()
  })
})

describe('maxVisible', () => {
  const items = (states: string): readonly PanelTodo[] =>
    [...states].map((state, index) => ({
      id: index + 1,
      content: `Item ${index + 1}`,
      status: ({ x: 'completed', '>': 'in_progress', '.': 'pending' } as const)[state as '.'],
    }))
  const texts = () => [...document.querySelectorAll('.todo-panel-content')].map((it) => it.textContent)

  test('shows the current item where three were completed first, and how many are left out (f45)', async () => {
    const screen = await render(<TodoPanel todos={items('xxx>...')} maxVisible={3} />)
    expect(texts()).toEqual(['Item 3', 'Item 4', 'Item 5'])
    const more = page.getByRole('button', { name: '+4 more' })
    await more.click()
    expect(texts()).toHaveLength(7)
    const fewer = page.getByRole('button', { name: 'Show fewer' })
    await expect.element(fewer).toHaveFocus()
    await expect.element(fewer).toHaveAttribute('data-expanded', '')
    await fewer.click()
    expect(texts()).toHaveLength(3)
    await screen.rerender(<TodoPanel todos={items('xxx>')} maxVisible={4} />)
    await expect.element(page.getByRole('button', { name: /more/ })).not.toBeInTheDocument()
  })

  test('keeps the rows that stay', async () => {
    const screen = await render(<TodoPanel todos={items('x>....')} maxVisible={3} />)
    const third = document.querySelectorAll('li')[2]
    await screen.rerender(<TodoPanel todos={items('xx>...')} maxVisible={3} />)
    expect(texts()).toEqual(['Item 2', 'Item 3', 'Item 4'])
    expect(document.querySelectorAll('li')[1]).toBe(third)
  })
})
