import { createRoot, hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { PanelTodo } from './panelState.ts'
import { TodoPanel, type TodoPanelProps } from './TodoPanel.tsx'

const todos: readonly PanelTodo[] = Array.from({ length: 30 }, (_, index) => ({
  id: index + 1,
  content: `Item ${index + 1}`,
  status: index < 12 ? 'completed' : 'pending',
}))
const panels: readonly TodoPanelProps[] = [
  {
    todos,
    variant: 'card',
    run: { status: 'running' },
    editable: true,
    controls: { request() {} },
    persistence: 'failed',
  },
  { todos: todos.slice(10, 15), variant: 'bar', defaultOpen: true, maxVisible: 3 },
  { todos: todos.slice(10, 15), variant: 'inline' },
  { todos: [], mode: 'plan' },
]
const all = (
  <>
    {panels.map((props) => (
      <TodoPanel key={props.variant ?? props.mode} {...props} />
    ))}
  </>
)

/** A page that takes styles from its own origin's files alone, and what it refused. */
async function strictPage(html: string): Promise<{ document: Document; refused: string[] }> {
  const frame = document.createElement('iframe')
  const policy = '<meta http-equiv="Content-Security-Policy" content="style-src \'self\'">'
  frame.srcdoc = `<!doctype html><html><head>${policy}</head><body><main></main></body></html>`
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
  document.body.append(frame)
  await loaded
  const page = frame.contentDocument as Document
  const refused: string[] = []
  page.addEventListener('securitypolicyviolation', (event) => refused.push(event.violatedDirective))
  ;(page.querySelector('main') as HTMLElement).innerHTML = html
  return { document: page, refused }
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 100))

test('the policy is one that refuses a style attribute', async () => {
  const { refused } = await strictPage('<p style="color: red">x</p>')
  await settle()
  expect(refused).toEqual(['style-src-attr'])
})

test.each(['in a browser', 'from a server'])(
  "style-src 'self' refuses nothing of a panel: %s",
  async (where) => {
    const html = where === 'from a server' ? renderToString(all) : ''
    const { document: page, refused } = await strictPage(html)
    const main = page.querySelector('main') as HTMLElement
    const root = html ? hydrateRoot(main, all) : createRoot(main)
    root.render(all)
    const progress = () => page.querySelector<HTMLElement>('[role=progressbar]')
    await expect.poll(() => progress()?.style.getPropertyValue('--todo-progress')).toBe('0.4')
    await settle()
    expect(refused).toEqual([])
    expect(page.querySelectorAll('.todo-panel')).toHaveLength(panels.length)
    expect(page.querySelectorAll('style, link')).toHaveLength(0)
    root.unmount()
  },
)
