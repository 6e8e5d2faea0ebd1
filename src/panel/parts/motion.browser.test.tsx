import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cdp } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import type { PanelTodo } from '../panelState.ts'
import { TodoPanel } from '../TodoPanel.tsx'
import '../styles.css'

const motion = (value: 'reduce' | 'no-preference' | '') =>
  (cdp() as unknown as { send(method: string, params: object): Promise<void> }).send(
    'Emulation.setEmulatedMedia',
    { features: [{ name: 'prefers-reduced-motion', value }] },
  )

const todosOf = (states: string): readonly PanelTodo[] =>
  [...states].map((state, index) => ({
    id: index + 1,
    content: `Item ${index + 1}`,
    status: ({ x: 'completed', '>': 'in_progress', '.': 'pending' } as const)[state as '.'],
  }))

/** What is being moved by script, each with the property that moves. */
function moving(): readonly (readonly [Element, string])[] {
  return scripted().map(({ effect }) => {
    const { target } = effect as KeyframeEffect
    const [frame] = (effect as KeyframeEffect).getKeyframes()
    const property = ['opacity', 'translate', 'scale', 'strokeDasharray', 'overflowY'].find(
      (name) => name in (frame ?? {}),
    )
    return [target as Element, property ?? '?'] as const
  })
}
const movedBy = (property: string) =>
  moving()
    .filter(([, name]) => name === property)
    .map(([it]) => it)
const rows = () => [...document.querySelectorAll('li')]
const tops = () => new Map(rows().map((row) => [row, row.getBoundingClientRect().top]))

const animate = Element.prototype.animate

/** Each movement waits at its start until it is told to go on, so that what a test sees does not hang on how fast it is. */
beforeEach(() => {
  Element.prototype.animate = function (...given: Parameters<typeof animate>) {
    const animation = animate.apply(this, given)
    animation.pause()
    return animation
  }
  return motion('no-preference')
})
afterEach(() => {
  Element.prototype.animate = animate
  return motion('')
})

const scripted = () =>
  document.getAnimations().filter((it) => !(it instanceof CSSAnimation) && !(it instanceof CSSTransition))

test('an old list is just there', async () => {
  await render(<TodoPanel todos={todosOf('xx>..')} run={{ status: 'idle' }} />)
  expect(moving()).toEqual([])
})

test('rows move in when they come during a run, and not when the panel does', async () => {
  const screen = await render(<TodoPanel todos={todosOf('x>..')} />)
  expect(moving()).toEqual([])
  await screen.rerender(<TodoPanel todos={todosOf('x>...')} />)
  expect(movedBy('opacity')).toEqual([rows()[4]])
  await screen.rerender(<TodoPanel todos={todosOf('x>....')} />)
  expect(movedBy('opacity')).toEqual(rows().slice(4))
})

test('rows that come while no run is on are just there', async () => {
  const screen = await render(<TodoPanel todos={todosOf('x..')} />)
  await screen.rerender(<TodoPanel todos={todosOf('x...')} />)
  expect(moving()).toEqual([])
})

test('what the person unfolds is just there', async () => {
  const screen = await render(<TodoPanel todos={todosOf('xx>..')} maxVisible={3} />)
  await screen.getByRole('button', { name: '+2 more' }).click()
  expect(rows()).toHaveLength(5)
  expect(moving()).toEqual([])
})

test('rows of a rewritten list set out from where they were, in their own elements', async () => {
  const todos = todosOf('>...')
  const screen = await render(<TodoPanel todos={todos} />)
  const before = tops()
  await screen.rerender(<TodoPanel todos={[...todos].reverse().map((todo) => ({ ...todo }))} />)
  expect(movedBy('translate')).toEqual(rows())
  // The page puts elements that move into the document anew: they must not come in as if they were.
  expect(rows().map((row) => getComputedStyle(row).opacity)).toEqual(['1', '1', '1', '1'])
  for (const [row, top] of tops()) {
    expect(top, row.textContent ?? '').toBeCloseTo(before.get(row) as number, 0)
  }
  for (const movement of scripted()) movement.finish()
  expect(rows().map((row) => row.textContent)[0]).toContain('Item 4')
  expect([...tops().values()]).toEqual([...tops().values()].sort((one, other) => one - other))
})

test('a movement that is overtaken goes on from where it is', async () => {
  const todos = todosOf('....')
  const screen = await render(<TodoPanel todos={todos} />)
  await screen.rerender(<TodoPanel todos={[...todos].reverse()} />)
  for (const movement of scripted()) movement.currentTime = 60
  const before = tops()
  await screen.rerender(<TodoPanel todos={todos.slice(0)} />)
  for (const [row, top] of tops()) expect(top).toBeCloseTo(before.get(row) as number, 0)
  expect(movedBy('translate').length).toBeLessThanOrEqual(4)
})

test('rows close up after one that was removed, without a scroll bar on the way', async () => {
  const todos = todosOf('....')
  const screen = await render(<TodoPanel todos={todos} />)
  await screen.rerender(<TodoPanel todos={todos.slice(1)} />)
  expect(movedBy('translate')).toEqual(rows())
  const list = document.querySelector('ol') as HTMLElement
  expect(getComputedStyle(list).overflowY).toBe('hidden')
})

test('what was just completed is checked off, once', async () => {
  const screen = await render(<TodoPanel todos={todosOf('x>.')} />)
  await screen.rerender(<TodoPanel todos={todosOf('xx>')} />)
  expect(movedBy('strokeDasharray').map((it) => it.closest('li'))).toEqual([rows()[1]])
})

test('a list settles when it is finished, and only then', async () => {
  const segments = () => [...document.querySelectorAll('.todo-panel-segment')]
  const waving = () => movedBy('scale').filter((it) => segments().includes(it as HTMLElement))
  const screen = await render(<TodoPanel todos={todosOf('x>')} />)
  expect(waving()).toEqual([])
  await screen.rerender(<TodoPanel todos={todosOf('xx')} />)
  expect(waving()).toEqual(segments())
  for (const movement of scripted()) movement.finish()
  await screen.rerender(<TodoPanel todos={todosOf('xx')} title="Again" />)
  await screen.rerender(<TodoPanel todos={[...todosOf('xx')]} title="Again" />)
  expect(waving()).toEqual([])
})

describe('nothing is moved by script', () => {
  const change = async () => {
    const screen = await render(<TodoPanel todos={todosOf('x>..')} />)
    await screen.rerender(<TodoPanel todos={[...todosOf('xx>.')].reverse()} />)
  }

  test('under reduced motion', async () => {
    await motion('reduce')
    await change()
    expect(document.getAnimations()).toEqual([])
  })

  test('in a list that shows one moment', async () => {
    const screen = await render(<TodoPanel variant="inline" todos={todosOf('x>..')} />)
    await screen.rerender(<TodoPanel variant="inline" todos={[...todosOf('xx>.')].reverse()} />)
    expect(moving()).toEqual([])
  })

  test('in a list of hundreds', async () => {
    const screen = await render(<TodoPanel todos={todosOf('.'.repeat(300))} />)
    await screen.rerender(<TodoPanel todos={[...todosOf('.'.repeat(300))].reverse()} />)
    expect(moving()).toEqual([])
  })
})
