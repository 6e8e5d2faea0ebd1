import { readFileSync } from 'node:fs'
import { createElement as h } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { panelAttributes, panelProperties } from './attributes.ts'
import type { PanelTodo } from './panelState.ts'
import { TodoPanel, type TodoPanelProps } from './TodoPanel.tsx'

const todos: readonly PanelTodo[] = [
  { id: 1, content: 'a', status: 'completed' },
  { id: 2, content: 'b', status: 'in_progress' },
  { id: 3, content: 'c', status: 'blocked' },
  { id: 4, content: 'd', status: 'cancelled' },
  { id: 5, content: 'e', status: 'pending' },
]
const draft = [
  { content: 'f', status: 'pending' as const },
  { content: 'g', status: 'pending' as const, partial: true },
]
const many = Array.from({ length: 25 }, (_, index) => ({
  id: index,
  content: `${index}`,
  status: 'completed' as const,
}))

/** All that the parts can look like. */
const scenes: readonly TodoPanelProps[] = [
  { todos, draft, run: { status: 'running', correction: { count: 1, max: 3, open: 2 } } },
  { todos, run: { status: 'interrupted' }, persistence: 'failed', driver: 'other' },
  { todos, run: { outcome: 'stopped' } },
  { todos: many, defaultOpen: false },
  { todos: [], mode: 'plan' },
  { todos: [], whenEmpty: 'hide' },
  { todos: many, maxVisible: 3 },
  { todos, editable: true, controls: { request() {} } },
  { todos: todos.slice(4), mode: 'plan', controls: { approvePlan() {} } },
  { todos, variant: 'bar' },
  { todos, variant: 'bar', open: true },
  { todos, variant: 'inline' },
]

/** Set in a browser alone, so no server renders it; the browser tests look at it. */
const measured = [
  'Root data-live',
  'List data-scrollable',
  'More data-expanded',
  'ItemEdit data-editing',
  'Add data-editing',
]

describe('panelAttributes', () => {
  const rendered = new Set(scenes.flatMap((props) => attributesOf(renderToStaticMarkup(h(TodoPanel, props)))))
  const listed = Object.entries(panelAttributes).flatMap(([part, attributes]) =>
    Object.keys(attributes).map((name) => `${part} ${name}`),
  )

  test('lists each attribute that the parts have, and no other', () => {
    expect([...rendered, ...measured].sort()).toEqual(listed.sort())
  })

  test('says one sentence about each', () => {
    const sentences = Object.values(panelAttributes).flatMap((attributes) => Object.values(attributes))
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/)
  })

  test('an attribute that says yes has no value', () => {
    const html = renderToStaticMarkup(h(TodoPanel, { todos }))
    expect(html).toContain('data-current=""')
    expect(html).not.toMatch(/data-[a-z]+="(true|false|null|undefined)"/)
  })
})

describe('panelProperties', () => {
  const css = readFileSync(new URL('./styles.css', import.meta.url), 'utf8').replace(/\s+/g, ' ')

  test('lists each custom property that the stylesheet reads, with its default', () => {
    const read = new Set(css.match(/var\(--todo-[a-z-]+(?=,)/g)?.map((text) => text.slice(4)))
    expect([...read].sort()).toEqual(Object.keys(panelProperties).sort())
    for (const [name, { default: value }] of Object.entries(panelProperties)) {
      expect(css).toContain(`var(${name}, ${value})`)
    }
  })

  test('the stylesheet is one layer and loads nothing', () => {
    expect(css.replace(/\/\*.*?\*\//g, '').trim()).toMatch(/^@layer todo-panel \{.*\}$/)
    expect(css).not.toMatch(/url\(|@import|!important/)
  })
})

function attributesOf(html: string): readonly string[] {
  return [...html.matchAll(/<[a-z]+ [^>]*class="todo-panel-?([a-z]*)[" ][^>]*>/g)].flatMap(
    ([tag, name = '']) => {
      const part = partOf(name)
      return [...tag.matchAll(/ (data-[a-z]+)=/g)].map(([, attribute]) => `${part} ${attribute}`)
    },
  )
}

function partOf(name: string): string {
  if (name === '') return 'Root'
  const word = name[0]?.toUpperCase() + name.slice(1)
  return ['Status', 'Content', 'Details', 'Edit'].includes(word) ? `Item${word}` : word
}
