import type { ComponentType, ReactElement } from 'react'
import { describe, expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import type { PanelTodo } from './panelState.ts'
import { TodoPanel, type TodoPanelProps } from './TodoPanel.tsx'

// No stylesheet here: the parts work without it.

const todos: readonly PanelTodo[] = [
  { id: 1, content: 'Read', status: 'completed', startedAt: 0, completedAt: 4000 },
  { id: 2, content: 'Review', status: 'in_progress', description: 'Both sheets' },
  { id: 3, content: 'Send', status: 'blocked', reason: 'Needs the owner' },
]
const notice = { kind: 'outcome', tone: 'quiet', title: 'Stopped', details: [], action: undefined } as const
const row = { todo: todos[1] as PanelTodo, draft: 'partial' as const }
const editableRow = { todo: todos[1] as PanelTodo, ask() {} }

type Any = ComponentType<Record<string, unknown>>

/** Each part with a panel that it shows itself in, and the tag of its element. */
const parts: readonly [name: keyof typeof TodoPanel & string, tag: string, panel: Partial<TodoPanelProps>][] =
  [
    ['Header', 'HEADER', {}],
    ['Progress', 'DIV', {}],
    ['List', 'OL', {}],
    ['Item', 'LI', {}],
    ['ItemStatus', 'SPAN', {}],
    ['ItemContent', 'SPAN', {}],
    ['ItemDetails', 'DIV', {}],
    ['ItemEdit', 'DIV', {}],
    ['Draft', 'SPAN', {}],
    ['Add', 'DIV', { editable: true, controls: { request() {} } }],
    ['More', 'BUTTON', { maxVisible: 1 }],
    ['Empty', 'P', { todos: [] }],
    ['Notices', 'DIV', { persistence: 'failed' }],
    ['Notice', 'DIV', {}],
    ['Outcome', 'DIV', { run: { outcome: 'stopped' } }],
    [
      'Actions',
      'DIV',
      {
        mode: 'plan',
        todos: [{ id: 1, content: 'a', status: 'pending' }],
        controls: { approvePlan() {} },
      },
    ],
    ['Bar', 'BUTTON', {}],
    ['Sheet', 'DIV', {}],
  ]

function partIn(
  name: keyof typeof TodoPanel & string,
  panel: Partial<TodoPanelProps>,
  props: Record<string, unknown>,
): ReactElement {
  const Part = TodoPanel[name] as unknown as Any
  const own = { Item: row, Notice: { notice } }[name as 'Item'] ?? {}
  const inRow = name.startsWith('Item') || name === 'Draft' ? name !== 'Item' : false
  const part = <Part {...own} {...props} />
  return (
    <TodoPanel.Root {...({ todos, ...panel } as { todos: readonly PanelTodo[] })}>
      {inRow ? <TodoPanel.Item {...(name === 'ItemEdit' ? editableRow : row)}>{part}</TodoPanel.Item> : part}
    </TodoPanel.Root>
  )
}

describe.each(parts)('<TodoPanel.%s>', (name, tag, panel) => {
  test('is one element with a ref, a class, a style and what else it is given', async () => {
    const ref = vi.fn()
    const style = { color: 'rgb(1, 2, 3)' }
    await render(partIn(name, panel, { ref, className: 'mine', style, id: 'part', title: 'hint' }))
    const element = document.getElementById('part') as HTMLElement
    expect(element.tagName).toBe(tag)
    expect(element.className).toMatch(/^todo-panel-[a-z]+ mine$/)
    expect(element.style.color).toBe('rgb(1, 2, 3)')
    expect(element.title).toBe('hint')
    expect(ref.mock.calls[0]?.[0]).toBe(element)
  })

  test('renders another element in its place', async () => {
    const other = vi.fn(({ children, ref, ...props }, _state: object) => (
      <b {...props} ref={ref}>
        {children}
      </b>
    ))
    await render(partIn(name, panel, { render: other, id: 'part' }))
    expect(document.getElementById('part')?.tagName).toBe('B')
    expect(other.mock.calls[0]?.[1]).toBeTypeOf('object')
  })
})

test('each part is looked at here', () => {
  const all = Object.keys(TodoPanel).filter((name) => /^[A-Z]/.test(name) && name !== 'Root')
  expect(parts.map(([name]) => name).sort()).toEqual(all.sort())
})

describe('without the stylesheet', () => {
  test('each row says its status, and the rest is there to read', async () => {
    const screen = await render(<TodoPanel todos={todos} />)
    const texts = screen
      .getByRole('listitem')
      .elements()
      .map((item) => item.textContent)
    expect(texts[0]).toMatch(/^Done: Read4\s+s$/)
    expect(texts[1]).toBe('In progress: ReviewBoth sheets')
    expect(texts[2]).toBe('SendblockedNeeds the owner')
    await expect.element(screen.getByRole('progressbar')).toHaveAttribute('aria-valuetext', '1 of 3')
  })

  test('it opens, closes and gives the focus back', async () => {
    const screen = await render(<TodoPanel variant="bar" todos={todos} />)
    const bar = screen.getByRole('button')
    await bar.click()
    await expect.element(screen.getByRole('list')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.getByRole('list')).not.toBeInTheDocument()
    await expect.element(bar).toHaveFocus()
  })

  test('rows of one’s own are made of the parts of a row', async () => {
    const screen = await render(
      <TodoPanel.Root todos={todos}>
        <TodoPanel.List>
          {(listed) => (
            <TodoPanel.Item {...listed}>
              <TodoPanel.ItemContent render={(props) => <h3 {...props} />} />
              <TodoPanel.ItemStatus>{listed.labels.status[listed.todo.status]}</TodoPanel.ItemStatus>
            </TodoPanel.Item>
          )}
        </TodoPanel.List>
      </TodoPanel.Root>,
    )
    await expect.element(screen.getByRole('heading', { name: 'Review' })).toBeVisible()
    expect(screen.getByRole('listitem').elements()[1]?.textContent).toBe('ReviewIn progress')
  })
})
