import type { ComponentType, ReactElement } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, type Root } from 'react-dom/client'
import { TodoPanel } from 'use-todo-agent'
import type { Todo } from 'use-todo-agent/core'
import { interleave, median, plainRow, quick, type Row, ratioRow } from '../measure.ts'
import { wait } from './timers.ts'
import 'use-todo-agent/styles.css'

type List = ComponentType<{ readonly todos: readonly Todo[] }>

const Panel: List = ({ todos }) => <TodoPanel todos={todos} />

/** The least that shows a list: no bar, no states, no styles. */
const Plain: List = ({ todos }) => (
  <ul>
    {todos.map((todo) => (
      <li key={todo.id}>
        {todo.status} {todo.content}
      </li>
    ))}
  </ul>
)

let rowsRendered = 0

/** Stable, so that only a row that renders calls it. */
function countRow(props: Record<string, unknown>): ReactElement {
  rowsRendered += 1
  return <li {...props} />
}

const CountedPanel: List = ({ todos }) => (
  <TodoPanel.Root todos={todos}>
    <TodoPanel.List>{(row) => <TodoPanel.Item {...row} render={countRow} />}</TodoPanel.List>
  </TodoPanel.Root>
)

/** The panel against a bare list: first render, and one item that changes among 1,000. */
export async function panelRows(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const size of [10, 100, 1_000]) {
    const samples = await interleave(
      { panel: () => firstRender(Panel, size), plain: () => firstRender(Plain, size) },
      { rounds: 15, warmUp: 3 },
    )
    rows.push(
      ratioRow(samples, ['panel', 'plain'], {
        id: `panel-first-${size}`,
        group: 'panel',
        what: `first render of ${size.toLocaleString('en')} items against a plain <ul>`,
        bound: null,
      }),
    )
  }
  const samples = await interleave(
    { panel: () => oneChange(Panel), plain: () => oneChange(Plain) },
    { rounds: 15, warmUp: 3 },
  )
  rows.push(
    ratioRow(samples, ['panel', 'plain'], {
      id: 'panel-change',
      group: 'panel',
      what: 'one of 1,000 items changes, against a plain <ul>',
      bound: null,
    }),
  )
  return [...rows, ...(await updateRows()), ...countRows()]
}

function firstRender(Component: List, size: number): number {
  const { root, close } = mount()
  const started = performance.now()
  show(root, <Component todos={todosOf(size, 0)} />)
  const time = performance.now() - started
  close()
  return time
}

function oneChange(Component: List): number {
  const { root, close } = mount()
  const before = todosOf(1_000, 10)
  show(root, <Component todos={before} />)
  const after = before.map((todo, index) => (index === 500 ? { ...todo, content: 'Renamed' } : todo))
  const started = performance.now()
  show(root, <Component todos={after} />)
  const time = performance.now() - started
  close()
  return time
}

/**
 * A change of the current item every 100 ms, for three seconds: what one keeps the main thread from, from the change until all is laid out,
 * in a long list against a short one.
 */
async function updateRows(): Promise<readonly Row[]> {
  let longTasks = 0
  const countLong = (list: PerformanceObserverEntryList) => {
    longTasks += list.getEntries().length
  }
  const samples = await interleave(
    { '500 items': () => timePerUpdate(500, countLong), '50 items': () => timePerUpdate(50) },
    { rounds: 5 },
  )
  return [
    ratioRow(samples, ['500 items', '50 items'], {
      id: 'panel-updates',
      group: 'panel',
      what: 'a change every 100 ms among 500 items, against one among 50',
      // Ten times as many items, and twice the time, within a tenth from run to run, also on a busy machine: the rows that stay are compared
      // and no more. If each were rendered or laid out, it would be about ten times.
      bound: 3,
    }),
    plainRow([longTasks], {
      id: 'panel-long-tasks',
      group: 'panel',
      unit: 'count',
      what: 'tasks of more than 50 ms meanwhile, among 500 items',
      // An update takes a tenth of that, so that not even a busy machine makes it a long task.
      bound: 0,
    }),
  ]
}

/** The median of 30 updates, in ms. The first render, which takes longer, is over by then and not counted. */
async function timePerUpdate(
  size: number,
  onLongTasks: (list: PerformanceObserverEntryList) => void = () => {},
): Promise<number> {
  const { root, close } = mount()
  const before = todosOf(size, 10)
  show(root, <Panel todos={before} />)
  await wait(500)
  const longTasks = new PerformanceObserver(onLongTasks)
  longTasks.observe({ type: 'longtask' })
  const times: number[] = []
  for (let update = 1; update <= (quick ? 5 : 30); update += 1) {
    await wait(100)
    const after = before.map((todo, index) => (index === 10 ? { ...todo, content: `Part ${update}` } : todo))
    const started = performance.now()
    show(root, <Panel todos={after} />)
    times.push(performance.now() - started)
  }
  // What is drawn after the last one is told a little later.
  await wait(200)
  longTasks.disconnect()
  close()
  return median(times)
}

/** The next item becomes the current one: two rows change, all nodes stay. */
function countRows(): readonly Row[] {
  const { root, element, close } = mount()
  const before = todosOf(1_000, 10)
  show(root, <CountedPanel todos={before} />)
  const nodes = [...element.querySelectorAll('li')]
  rowsRendered = 0
  const after = todosOf(1_000, 11).map((todo, index) =>
    index === 10 || index === 11 ? todo : (before[index] as Todo),
  )
  show(root, <CountedPanel todos={after} />)
  const kept = [...element.querySelectorAll('li')].filter((node, index) => node === nodes[index]).length
  const replaced = nodes.length - kept
  close()
  if (nodes.length !== 1_000) throw new Error(`${nodes.length} rows were rendered.`)
  const facts = { group: 'panel', unit: 'count' } as const
  return [
    plainRow([rowsRendered], {
      ...facts,
      id: 'panel-rows',
      what: 'rows rendered when the work goes on to the next of 1,000 items',
      bound: 2,
    }),
    plainRow([replaced], {
      ...facts,
      id: 'panel-nodes',
      what: 'rows whose DOM node is replaced then',
      bound: 0,
    }),
  ]
}

function mount(): { readonly root: Root; readonly element: HTMLElement; readonly close: () => void } {
  const element = document.createElement('div')
  document.body.append(element)
  const root = createRoot(element)
  return {
    root,
    element,
    close() {
      root.unmount()
      element.remove()
    },
  }
}

/** Renders and lays out, at once. */
function show(root: Root, element: ReactElement): void {
  flushSync(() => root.render(element))
  document.body.getBoundingClientRect()
}

function todosOf(size: number, done: number): readonly Todo[] {
  return Array.from({ length: size }, (_, index) => ({
    id: index + 1,
    content: `Item ${index}: look at what came in and note what is missing`,
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
    createdAt: 0,
  }))
}
