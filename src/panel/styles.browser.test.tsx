import axe from 'axe-core'
import { afterEach, expect, test } from 'vitest'
import { cdp, page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import type { PanelTodo } from './panelState.ts'
import { TodoPanel } from './TodoPanel.tsx'
import './styles.css'

const rows = () => [...document.querySelectorAll('li')]
const media = (features: readonly { name: string; value: string }[], of = '') =>
  (cdp() as unknown as { send(method: string, params: object): Promise<void> }).send(
    'Emulation.setEmulatedMedia',
    { features, media: of },
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

test('under reduced motion nothing moves and the current item is still another shape on another ground (f48)', async () => {
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

test('in forced colours the current item has a border, and signs have the colour of text', async () => {
  await media([{ name: 'forced-colors', value: 'active' }])
  await render(<TodoPanel todos={todos} />)
  expect(getComputedStyle(rows()[1] as Element).outlineStyle).toBe('solid')
  const colours = new Set([...document.querySelectorAll('svg')].map((icon) => getComputedStyle(icon).color))
  expect(colours.size).toBe(1)
})

test('in forced colours a list inside a transcript has no frame through its texts', async () => {
  await media([{ name: 'forced-colors', value: 'active' }])
  await render(<TodoPanel variant="inline" todos={todos} />)
  expect(getComputedStyle(rows()[1] as Element).outlineStyle).toBe('none')
})

test('on paper the whole list stands', async () => {
  const many = Array.from({ length: 60 }, (_, id) => ({ id, content: 'Row', status: 'pending' as const }))
  await render(<TodoPanel todos={many} />)
  const list = document.querySelector('ol') as HTMLElement
  expect(list.scrollHeight).toBeGreaterThan(list.clientHeight)
  await media([], 'print')
  expect(list.scrollHeight).toBe(list.clientHeight)
})

test('notices that a panel begins with keep clear of its edge', async () => {
  await render(
    <TodoPanel.Root todos={todos} persistence="failed">
      <TodoPanel.Notices />
    </TodoPanel.Root>,
  )
  const panel = document.querySelector('.todo-panel') as HTMLElement
  const notice = panel.querySelector('.todo-panel-notice') as HTMLElement
  const [{ top, left }, { top: edge, left: side }] = [notice, panel].map((it) =>
    it.getBoundingClientRect(),
  ) as [DOMRect, DOMRect]
  expect(top - edge).toBe(left - side)
})

test('a list leaves room for its menus as long as a row has one', async () => {
  const controls = { request() {} }
  const room = () => Number.parseFloat(getComputedStyle(rows()[0] as Element).paddingInlineEnd)
  const screen = await render(<TodoPanel todos={todos} editable controls={controls} />)
  expect(room()).toBeGreaterThan(24)
  const done = todos.map((todo) => ({ ...todo, status: 'completed' as const }))
  await screen.rerender(<TodoPanel todos={done} editable controls={controls} />)
  expect(room()).toBe(8)
})

test('on a low screen the open bar begins below its upper edge, and scrolls', async () => {
  await page.viewport(667, 375)
  const many = Array.from({ length: 20 }, (_, id) => ({ id, content: 'Row', status: 'pending' as const }))
  await render(
    <div style={{ position: 'fixed', insetInline: 0, insetBlockEnd: 0 }}>
      <TodoPanel
        variant="bar"
        todos={many}
        defaultOpen
        persistence="failed"
        run={{ status: 'interrupted' }}
      />
      <div style={{ blockSize: 130 }}>A chat input</div>
    </div>,
  )
  const sheet = document.querySelector('.todo-panel-sheet') as HTMLElement
  expect(sheet.getBoundingClientRect().top).toBeGreaterThanOrEqual(0)
  expect(sheet.scrollHeight).toBeGreaterThan(sheet.clientHeight)
})

test('a row that has the focus shows its long texts whole', async () => {
  const many = (word: string) => `${word} `.repeat(200)
  const blocked: PanelTodo = { id: 1, content: many('Send'), status: 'blocked', reason: many('Why') }
  await render(<TodoPanel todos={[blocked, ...todos.slice(1)]} />)
  const [first, second] = rows() as HTMLElement[] as [HTMLElement, HTMLElement]
  const cut = () =>
    [...first.querySelectorAll('.todo-panel-content, .todo-panel-detail')].map(
      (text) => text.scrollHeight > text.clientHeight + 1,
    )
  expect(cut()).toEqual([true, true])
  first.focus()
  expect(cut()).toEqual([false, false])
  second.focus()
  expect(cut()).toEqual([true, true])
})

test('the chevron points to where the list is about to open: down in the card, up in the bar', async () => {
  await render(
    <>
      <TodoPanel todos={todos} title="Card" open={false} />
      <TodoPanel todos={todos} title="Bar" variant="bar" />
    </>,
  )
  const chevrons = [...document.querySelectorAll('.todo-panel-chevron')]
  expect(chevrons.map((it) => getComputedStyle(it).scale)).toEqual(['none', '1 -1'])
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

const every: readonly PanelTodo[] = [
  ...todos,
  { id: 4, content: 'Blocked', status: 'blocked', reason: 'Why' },
  { id: 5, content: 'Cancelled', status: 'cancelled', reason: 'Why not' },
]
const outcomes = ['stopped', 'failed', 'blocked', 'awaiting_approval'] as const

test.each(['light', 'dark'])(
  'each status and notice has a contrast of 4.5 to 1 (f48): %s',
  async (scheme) => {
    await media([{ name: 'prefers-reduced-motion', value: 'reduce' }])
    await render(
      <div className={scheme} style={{ background: scheme === 'dark' ? '#000' : '#fff' }}>
        <TodoPanel todos={every} draft={[{ content: 'Draft', status: 'pending', partial: true }]} editable />
        <TodoPanel todos={every} title="Inline" variant="inline" data-theme={scheme} />
        {outcomes.map((outcome) => (
          <TodoPanel
            key={outcome}
            todos={every}
            title={outcome}
            run={{ outcome }}
            persistence="failed"
            driver="other"
          />
        ))}
      </div>,
    )
    const ground = getComputedStyle(document.querySelector('.todo-panel') as Element).backgroundColor
    expect(ground === 'rgb(255, 255, 255)').toBe(scheme === 'light')
    const { violations, passes } = await axe.run('.todo-panel', { runOnly: ['color-contrast'] })
    expect(violations.flatMap(({ nodes }) => nodes.map(({ html }) => html))).toEqual([])
    expect(passes[0]?.nodes.length).toBeGreaterThan(40)
  },
)
