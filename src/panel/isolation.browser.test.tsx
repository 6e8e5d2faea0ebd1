import type { ReactElement } from 'react'
import { createPortal } from 'react-dom'
import { afterEach, describe, expect, test } from 'vitest'
import { render } from 'vitest-browser-react'
import { hostRules } from '../../stories/panel/hostile.ts'
import type { PanelTodo } from './panelState.ts'
import panelStyles from './styles.css?inline'
import { TodoPanel } from './TodoPanel.tsx'

const todos: readonly PanelTodo[] = [
  { id: 1, content: 'Done', status: 'completed', startedAt: 0, completedAt: 4000 },
  { id: 2, content: 'Now', status: 'in_progress', description: 'What it is' },
  { id: 3, content: 'Stuck', status: 'blocked', reason: 'Why' },
]
const panel = (
  <TodoPanel todos={todos} run={{ status: 'interrupted' }} controls={{ resume() {} }} maxVisible={2} />
)
const host = (
  <article id="host">
    <h2>Title</h2>
    <ol>
      <li>One</li>
    </ol>
    <button type="button">Press</button>
    <svg width="20" aria-hidden="true" />
  </article>
)

const sheets: HTMLStyleElement[] = []
function addSheet(css: string): void {
  const sheet = document.createElement('style')
  sheet.textContent = css
  document.head.append(sheet)
  sheets.push(sheet)
}
afterEach(() => {
  for (const sheet of sheets.splice(0)) sheet.remove()
})

/** Each computed property of each element under a node, but for the shapes of a sign, which have no box. */
function looks(root: ParentNode): readonly string[] {
  return [...root.querySelectorAll('*:not(svg *)')].flatMap((element) => {
    const style = getComputedStyle(element)
    return [...style].map((name) => `${element.tagName} ${name}: ${style.getPropertyValue(name)}`)
  })
}

function changes(before: readonly string[], after: readonly string[]): readonly string[] {
  return after.flatMap((look, index) => (look === before[index] ? [] : [`${before[index]} -> ${look}`]))
}

function Shadow({ into, children }: { into: ShadowRoot; children: ReactElement }): ReactElement {
  return createPortal(children, into as unknown as Element)
}

async function inShadow(): Promise<ShadowRoot> {
  const element = document.createElement('div')
  element.style.inlineSize = '400px'
  document.body.append(element)
  const root = element.attachShadow({ mode: 'open' })
  const style = document.createElement('style')
  style.textContent = panelStyles
  root.append(style)
  await render(<Shadow into={root}>{panel}</Shadow>)
  return root
}

describe('the look of the panel', () => {
  test('is not touched by rules of the page in a layer before its own', async () => {
    addSheet('@layer base, todo-panel;')
    addSheet(panelStyles)
    const { container } = await render(<main style={{ inlineSize: 400, padding: 0 }}>{panel}</main>)
    const before = looks(container.querySelector('.todo-panel') as HTMLElement)
    addSheet(`@layer base { ${hostRules} }`)
    const after = looks(container.querySelector('.todo-panel') as HTMLElement)
    expect(changes(before, after)).toEqual([])
  })

  test('is not touched by any rule of the page in a shadow root', async () => {
    const root = await inShadow()
    const before = looks(root)
    addSheet(hostRules)
    expect(changes(before, looks(root))).toEqual([])
  })
})

test('the look of the page is not touched by the panel', async () => {
  const { container } = await render(host)
  const before = looks(container)
  addSheet(panelStyles)
  expect(changes(before, looks(container))).toEqual([])
})

test('the variables of a page keep their values in the panel', async () => {
  addSheet(panelStyles)
  addSheet(':root { --muted: 1px; --accent: 2px; --ring: 3px; --radius: 4px; --bg: 5px; --text: 6px }')
  await render(panel)
  const inside = getComputedStyle(document.querySelector('.todo-panel li') as Element)
  const values = ['muted', 'accent', 'ring', 'radius', 'bg', 'text'].map((name) =>
    inside.getPropertyValue(`--${name}`),
  )
  expect(values).toEqual(['1px', '2px', '3px', '4px', '5px', '6px'])
})

test('each rule names the panel', () => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(panelStyles)
  const selectors: string[] = []
  function collect(rules: CSSRuleList): void {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule) selectors.push(rule.selectorText)
      else if ('cssRules' in rule && !(rule instanceof CSSKeyframesRule))
        collect(rule.cssRules as CSSRuleList)
    }
  }
  collect(sheet.cssRules)
  expect(selectors.length).toBeGreaterThan(50)
  expect(selectors.filter((selector) => !selector.includes('.todo-panel'))).toEqual([])
})
