import { describe, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { createStore } from 'zustand/vanilla'
import { emptyView, idleRun, type Todo, type TodoRequest, type TodoView } from '../../core/todo.ts'
import { enLabels, type RowState } from '../labels.ts'
import { TodoPanel } from '../TodoPanel.tsx'

const running = { ...idleRun, status: 'running' } as const
const todos: readonly Todo[] = [
  { id: 1, content: 'Read', status: 'completed', createdAt: 0 },
  { id: 2, content: 'Review', status: 'in_progress', createdAt: 0 },
  { id: 3, content: 'Write', status: 'pending', createdAt: 0 },
]
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))

function newSession(change: Partial<TodoView> = {}) {
  const request = vi.fn((_request: TodoRequest) => {})
  const view: TodoView = {
    ...emptyView,
    persistence: 'saved',
    todos,
    run: running,
    controls: { request },
    ...change,
  }
  return { id: 's1', request, store: createStore<TodoView>(() => view) }
}
async function change(session: ReturnType<typeof newSession>, next: Partial<TodoView>): Promise<void> {
  session.store.setState(next)
  await frame()
  await frame()
}
const dots = (content: string) => page.getByRole('button', { name: `Change: ${content}` })
const button = (name: string) => page.getByRole('button', { name })
const asked = () => [...document.querySelectorAll('.todo-panel-asked')].map((it) => it.textContent)
const rows = () => [...document.querySelectorAll('li')]

describe('a panel asks for nothing', () => {
  test('unless the host wants it', async () => {
    await render(<TodoPanel session={newSession()} />)
    await expect.element(dots('Write')).not.toBeInTheDocument()
    await expect.element(button('+ Add an item')).not.toBeInTheDocument()
  })

  test('where nobody would hear it, and in a list that shows one moment', async () => {
    const session = newSession({ controls: {} })
    const screen = await render(<TodoPanel session={session} editable />)
    await expect.element(dots('Write')).not.toBeInTheDocument()
    await screen.rerender(<TodoPanel variant="inline" session={newSession()} editable />)
    await expect.element(dots('Write')).not.toBeInTheDocument()
  })

  test('for items that are finished or still being written', async () => {
    const draft = [{ content: 'Send', status: 'pending' as const }]
    await render(<TodoPanel session={newSession({ draft })} editable />)
    await expect.element(dots('Write')).toBeInTheDocument()
    await expect.element(dots('Read')).not.toBeInTheDocument()
    await expect.element(dots('Send')).not.toBeInTheDocument()
  })
})

describe('a request', () => {
  test('is sent and shown on its row, and the list stays as it is', async () => {
    const session = newSession()
    await render(<TodoPanel session={session} editable />)
    await dots('Write').click()
    await button('Remove').click()
    expect(session.request.mock.calls).toEqual([[{ type: 'remove', id: 3 }]])
    expect(rows()).toHaveLength(3)
    expect(rows()[2]?.textContent).toContain('Asked to remove it')
    expect(document.activeElement).toBe(rows()[2])
  })

  test('is over when the model changed the item', async () => {
    const session = newSession()
    await render(<TodoPanel session={session} editable />)
    await dots('Write').click()
    await page.getByRole('textbox', { name: 'Rename' }).fill('Write it twice')
    await userEvent.keyboard('{Enter}')
    expect(asked()).toEqual(['Asked to make it “Write it twice”'])
    await change(session, { todos: todos.map((todo) => ({ ...todo })) })
    expect(asked()).toHaveLength(1)
    await change(session, {
      todos: todos.map((todo) => (todo.id === 3 ? { ...todo, content: 'Write it twice' } : todo)),
    })
    expect(asked()).toEqual([])
    await change(session, { todos })
    expect(asked()).toEqual([])
  })

  test('for a new item is over when a new one came', async () => {
    const session = newSession()
    await render(<TodoPanel session={session} editable />)
    await button('+ Add an item').click()
    await userEvent.keyboard('Send it{Enter}')
    expect(session.request.mock.calls).toEqual([[{ type: 'add', content: 'Send it' }]])
    expect(asked()).toEqual(['Asked to add “Send it”'])
    await expect.element(button('+ Add an item')).toHaveFocus()
    await change(session, { todos: todos.slice(1) })
    expect(asked()).toHaveLength(1)
    await change(session, {
      todos: [...todos.slice(1), { id: 4, content: 'Send the report', status: 'pending', createdAt: 1 }],
    })
    expect(asked()).toEqual([])
  })

  test('takes the place of the one before it for the same item', async () => {
    const session = newSession()
    await render(<TodoPanel session={session} editable />)
    for (const name of ['Remove', 'Not this one']) {
      await dots('Write').click()
      await button(name).click()
    }
    expect(session.request).toHaveBeenCalledTimes(2)
    expect(asked()).toEqual(['Asked to leave it out'])
  })

  test('and what was typed stay with their session', async () => {
    const other = { ...newSession(), id: 's2' }
    const screen = await render(<TodoPanel session={newSession()} editable />)
    await button('+ Add an item').click()
    await userEvent.keyboard('Send it{Enter}')
    await dots('Write').click()
    await screen.rerender(<TodoPanel session={other} editable />)
    expect(asked()).toEqual([])
    await expect.element(page.getByRole('textbox')).not.toBeInTheDocument()
  })

  test('is let go when a run ended that left it undone', async () => {
    const session = newSession({ run: idleRun })
    await render(<TodoPanel session={session} editable />)
    await dots('Write').click()
    await button('Remove').click()
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect(asked()).toHaveLength(1)
    await change(session, { run: running })
    await change(session, { run: idleRun })
    expect(asked()).toHaveLength(1)
    await expect.poll(asked, { timeout: 5000 }).toEqual([])
  })
})

describe('the keyboard', () => {
  test('opens the line with Enter, leaves it with Escape, and the sheet around it stays open', async () => {
    const session = newSession()
    await render(<TodoPanel variant="bar" defaultOpen session={session} editable />)
    ;(rows()[2] as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    const field = page.getByRole('textbox', { name: 'Rename' })
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(field).not.toBeInTheDocument()
    expect(document.activeElement).toBe(rows()[2])
    expect(session.request).not.toHaveBeenCalled()
  })

  test('Enter and Escape belong to the input method while a word is composed', async () => {
    const session = newSession()
    await render(<TodoPanel variant="bar" defaultOpen session={session} editable />)
    await dots('Write').click()
    const field = page.getByRole('textbox')
    await field.fill('写')
    for (const key of ['Enter', 'Escape']) {
      const event = new KeyboardEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true })
      field.element().dispatchEvent(event)
      expect(event.defaultPrevented).toBe(false)
    }
    await expect.element(field).toHaveValue('写')
    expect(session.request).not.toHaveBeenCalled()
  })

  test('Enter sends the line alone, where the panel stands in a form', async () => {
    const session = newSession()
    const submit = vi.fn((event: React.FormEvent) => event.preventDefault())
    await render(
      <form onSubmit={submit}>
        <TodoPanel session={session} editable />
      </form>,
    )
    await dots('Write').click()
    await page.getByRole('textbox').fill('Write it twice')
    await userEvent.keyboard('{Enter}')
    expect(session.request.mock.calls).toEqual([[{ type: 'rename', id: 3, content: 'Write it twice' }]])
    expect(submit).not.toHaveBeenCalled()
  })

  test('what is blank or unchanged is not asked for', async () => {
    const session = newSession()
    await render(<TodoPanel session={session} editable />)
    ;(rows()[2] as HTMLElement).focus()
    await userEvent.keyboard('{Enter}{Enter}')
    await userEvent.keyboard('{Enter}')
    await userEvent.fill(page.getByRole('textbox'), '  ')
    await userEvent.keyboard('{Enter}')
    expect(session.request).not.toHaveBeenCalled()
  })

  test('is kept when the row that is being edited is finished', async () => {
    const session = newSession()
    await render(<TodoPanel session={session} editable />)
    await dots('Write').click()
    await change(session, { todos: todos.map((todo) => ({ ...todo, status: 'completed' })) })
    await expect.element(page.getByRole('textbox')).not.toBeInTheDocument()
    expect(document.activeElement).toBe(rows()[2])
  })
})

test('asking renders one row', async () => {
  const many = Array.from({ length: 200 }, (_, index): Todo => {
    return { id: index + 1, content: `Item ${index + 1}`, status: 'pending', createdAt: 0 }
  })
  const word = vi.fn((words: typeof enLabels.status, state: RowState) => words[state])
  const labels = { ...enLabels, status: new Proxy(enLabels.status, { get: word as never }) }
  await render(<TodoPanel session={newSession({ todos: many })} labels={labels} editable />)
  word.mockClear()
  await dots('Item 123').click()
  expect(word).not.toHaveBeenCalled()
  await button('Remove').click()
  expect(word).toHaveBeenCalledTimes(1)
})
