import { beforeEach, expect, test } from 'vitest'
import { cdp, page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { createStore } from 'zustand/vanilla'
import { emptyView, idleRun, type Todo, type TodoView } from '../core/todo.ts'
import { TodoPanel } from './TodoPanel.tsx'
import './styles.css'

interface Frame {
  readonly frame: { readonly id: string; readonly url: string }
  readonly childFrames?: readonly Frame[]
}
interface AxNode {
  readonly nodeId: string
  readonly ignored: boolean
  readonly role: { readonly value: string }
  readonly name?: { readonly value: string }
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[]
  readonly childIds?: readonly string[]
}

const send = <Result,>(method: string, params: object = {}): Promise<Result> =>
  (cdp() as unknown as { send(method: string, params: object): Promise<Result> }).send(method, params)

function find(tree: Frame, url: string): string | undefined {
  if (tree.frame.url === url) return tree.frame.id
  for (const child of tree.childFrames ?? []) {
    const id = find(child, url)
    if (id) return id
  }
  return undefined
}

/** What Chromium gives assistive technology of the panel: a line for each node, with its name and states. */
async function heard(): Promise<readonly string[]> {
  const { frameTree } = await send<{ frameTree: Frame }>('Page.getFrameTree')
  const frameId = find(frameTree, location.href.split('#')[0] as string)
  const { nodes } = await send<{ nodes: readonly AxNode[] }>('Accessibility.getFullAXTree', { frameId })
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const root = nodes.find((node) => node.role?.value === 'region') as AxNode
  const lines: string[] = []
  function walk(node: AxNode, depth: number): void {
    const shown =
      !node.ignored && !['none', 'generic', 'InlineTextBox', 'sectionheader'].includes(node.role.value)
    if (shown) lines.push(`${'  '.repeat(depth)}${describe(node)}`)
    for (const id of node.childIds ?? []) {
      const child = byId.get(id)
      if (child) walk(child, depth + (shown ? 1 : 0))
    }
  }
  walk(root, 0)
  return lines
}

const told = ['expanded', 'valuetext', 'valuemax', 'live', 'keyshortcuts']

function describe({ role, name, properties = [] }: AxNode): string {
  const states = properties
    .filter((it) => told.includes(it.name))
    .map((it) => `${it.name}=${String(it.value.value)}`)
  const text = name?.value.replace(/\s+/g, ' ').trim()
  return [role.value, text && `"${text}"`, ...states].filter(Boolean).join(' ')
}

const running = { ...idleRun, status: 'running' } as const
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
const todosOf = (...items: readonly (readonly [string, Todo['status'], string?])[]): readonly Todo[] =>
  items.map(([content, status, reason], index) => ({
    id: index + 1,
    content,
    status,
    createdAt: 0,
    ...(reason && { reason }),
  }))

beforeEach(() => page.viewport(500, 700))

test('a whole run reads well: its list, its progress, each status in words, and its end', async () => {
  const session = { id: 'ax', store: createStore<TodoView>(() => ({ ...emptyView, persistence: 'saved' })) }
  const change = async (next: Partial<TodoView>) => {
    session.store.setState(next)
    await frame()
    await frame()
  }
  await render(<TodoPanel session={session} />)
  expect(await heard()).toMatchInlineSnapshot(`
    [
      "region "Todos" keyshortcuts=Alt+Shift+L",
      "  StaticText "Todos"",
      "  paragraph",
      "    StaticText "Nothing planned yet. For work of several steps the agent keeps its list here."",
      "  status live=polite",
    ]
  `)

  await change({
    run: running,
    draft: [
      { content: 'Read the orders', status: 'pending' },
      { content: 'Find the ci', status: 'pending', partial: true },
    ],
  })
  expect(await heard()).toMatchInlineSnapshot(`
    [
      "region "Todos" keyshortcuts=Alt+Shift+L",
      "  StaticText "Todos"",
      "  button "Todos" expanded=true",
      "  list "Todos"",
      "    listitem",
      "      StaticText "Being written"",
      "      StaticText ":"",
      "      StaticText "Read the orders"",
      "    listitem",
      "      StaticText "Being written"",
      "      StaticText ":"",
      "      StaticText "Find the ci"",
      "  status live=polite",
    ]
  `)

  await change({
    draft: null,
    todos: todosOf(['Read the orders', 'in_progress'], ['Find the city', 'pending'], ['Send it', 'pending']),
  })
  await expect.element(page.getByRole('status')).toHaveTextContent('0 of 3 done: now Read the orders')
  expect(await heard()).toMatchInlineSnapshot(`
    [
      "region "Todos" keyshortcuts=Alt+Shift+L",
      "  StaticText "Todos"",
      "  StaticText "0 of 3"",
      "  button "Todos" expanded=true",
      "  progressbar "Todos" valuemax=3 valuetext=0 of 3",
      "  list "Todos"",
      "    listitem",
      "      StaticText "In progress"",
      "      StaticText ":"",
      "      StaticText "Read the orders"",
      "    listitem",
      "      StaticText "To do"",
      "      StaticText ":"",
      "      StaticText "Find the city"",
      "    listitem",
      "      StaticText "To do"",
      "      StaticText ":"",
      "      StaticText "Send it"",
      "  status live=polite",
      "    StaticText "0 of 3 done: now Read the orders"",
    ]
  `)

  await change({
    todos: todosOf(
      ['Read the orders', 'completed'],
      ['Find the city', 'in_progress'],
      ['Send it', 'pending'],
    ),
    reasons: { 1: 'All 200 were read' },
    run: { ...running, correction: { count: 1, max: 3, open: 2 } },
  })
  await expect.element(page.getByRole('status')).toHaveTextContent('1 of 3 done: now Find the city')
  // Chromium tells assistive technology of it, but not the protocol.
  expect(document.querySelector('[aria-current=step]')?.textContent).toContain('Find the city')
  expect(await heard()).toMatchInlineSnapshot(`
    [
      "region "Todos" keyshortcuts=Alt+Shift+L",
      "  StaticText "Todos"",
      "  StaticText "1 of 3"",
      "  button "Todos" expanded=true",
      "  progressbar "Todos" valuemax=3 valuetext=1 of 3",
      "  list "Todos"",
      "    listitem",
      "      StaticText "Done"",
      "      StaticText ":"",
      "      StaticText "Read the orders"",
      "      group",
      "        DisclosureTriangle "How it was finished" expanded=false",
      "          StaticText "How it was finished"",
      "    listitem",
      "      StaticText "In progress"",
      "      StaticText ":"",
      "      StaticText "Find the city"",
      "    listitem",
      "      StaticText "To do"",
      "      StaticText ":"",
      "      StaticText "Send it"",
      "  strong",
      "    StaticText "Asked to continue"",
      "  StaticText "·"",
      "  StaticText "2 still open"",
      "  StaticText "·"",
      "  StaticText "1 of 3"",
      "  status live=polite",
      "    StaticText "1 of 3 done: now Find the city"",
    ]
  `)

  await change({
    todos: todosOf(
      ['Read the orders', 'completed'],
      ['Find the city', 'completed'],
      ['Send it', 'blocked', 'Needs the owner'],
    ),
    run: { ...idleRun, outcome: 'finished_with_open_todos' },
  })
  await expect.element(page.getByRole('status')).toHaveTextContent('blocked: Send it. Finished with 1 open')
  expect(await heard()).toMatchInlineSnapshot(`
    [
      "region "Todos" keyshortcuts=Alt+Shift+L",
      "  StaticText "Todos"",
      "  StaticText "2 of 3"",
      "  button "Todos" expanded=true",
      "  progressbar "Todos" valuemax=3 valuetext=2 of 3",
      "  list "Todos"",
      "    listitem",
      "      StaticText "Done"",
      "      StaticText ":"",
      "      StaticText "Read the orders"",
      "      group",
      "        DisclosureTriangle "How it was finished" expanded=false",
      "          StaticText "How it was finished"",
      "    listitem",
      "      StaticText "Done"",
      "      StaticText ":"",
      "      StaticText "Find the city"",
      "    listitem",
      "      StaticText "Send it"",
      "      StaticText "blocked"",
      "      StaticText "Needs the owner"",
      "  strong",
      "    StaticText "Finished with 1 open"",
      "  status live=polite",
      "    StaticText "blocked: Send it. Finished with 1 open"",
    ]
  `)
})
