import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { addTodos } from '../src/core/list.ts'
import { createLoop, type RunFacts, todosCompleted } from '../src/core/loop.ts'
import { createModes } from '../src/core/mode.ts'
import { emptyList, type Todo, type TodoList } from '../src/core/todo.ts'
import { runLoop } from './loop.ts'
import { runMode } from './mode.ts'
import { type Row, rows } from './reference.ts'
import type { ScenarioResult } from './scenario.ts'
import { callTool, restore, runTodo, toState } from './todo.ts'

describe('where we differ on purpose', () => {
  const checks: Readonly<Record<Row, () => void | Promise<void>>> = {
    'white space'() {
      expect(add(emptyList, '\uFEFF a\u0085 ').result).toMatchObject([{ title: 'a\u0085' }])
      expect(add(emptyList, '\uFEFF').error).toBe('empty_content')
    },
    'todos_add: blank or null title'() {
      const before = add(emptyList, 'a').list
      for (const title of ['', '  ', null]) {
        const call = callTool(before, 'todos_add', { todos: [{ title: 'b' }, { title }, { title: 'c' }] })
        expect(call).toEqual({ list: before, error: 'empty_content' })
      }
      expect(callTool(before, 'todos_add', { todos: [{ title: 'b' }, null] })).toEqual({
        list: before,
        error: 'invalid_payload',
      })
      expect(add(before, 'd').result).toMatchObject([{ id: 2 }])
    },
    'todos_complete: no id'() {
      const { list } = add(emptyList, 'a')
      expect(callTool(list, 'todos_complete', { items: [{ reason: 'x' }] })).toEqual({
        list,
        error: 'invalid_payload',
      })
    },
    'restored state with too low a nextId'() {
      const list = restore({ items: [item(5, 'old'), item(7, 'older')], nextId: 5 })
      const added = add(list, 'new')
      expect(toState(added.list)).toEqual({
        items: [item(5, 'old'), item(7, 'older'), item(8, 'new')],
        nextId: 9,
      })
      expect(callTool(added.list, 'todos_complete', { items: [{ id: 5 }] }).result).toBe(1)
    },
    'a host writes to what it has read'() {
      const { todos } = add(emptyList, 'a').list
      expect(() => Object.assign(todos[0] ?? {}, { content: 'changed' })).toThrow(TypeError)
      expect(() => (todos as Todo[]).splice(0)).toThrow(TypeError)
      expect(todos).toMatchObject([{ content: 'a' }])
    },
    'external mode change undone by the model'() {
      const modes = createModes()
      const undone = modes.runTool('mode_set', modes.setByHost(modes.initial, 'execute'), { mode: 'plan' })
      expect(undone.ok && modes.announcement(undone.state)).toEqual({ message: null, state: modes.initial })
    },
    'restored mode that is no longer configured'() {
      expect(createModes().restore('gone')).toEqual({ mode: 'plan', change: null })
    },
    async 'fresh context per iteration'() {
      const loop = createLoop(
        { evaluators: [todosCompleted({ feedback: 'left: {remaining_todos}' })], freshContext: true },
        all,
      )
      const input = [{ role: 'user', text: 'go' }] as const
      let { list } = addTodos(emptyList, [{ title: 'one' }, { title: 'two' }], 0)
      const messages: unknown[] = []
      let state = loop.begin(input)
      for (let id = 1; ; id += 1) {
        list = callTool(list, 'todos_complete', { items: [{ id }] }).list
        const step = await loop.afterRun(state, ended(list))
        if (step.next === 'end') break
        messages.push(step.messages)
        state = step.state
      }
      const feedback = { role: 'user', text: '## Feedback\n\n- left: - 2: two', source: 'loop_feedback' }
      expect(messages).toEqual([[...input, feedback]])
    },
    'loop over todos or modes that are not there'() {
      const evaluators = [todosCompleted({ modes: ['plan'] })]
      expect(() => createLoop({ evaluators }, { todos: false, modes: true })).toThrow(/todos/)
      expect(() => createLoop({ evaluators }, { todos: true, modes: false })).toThrow(/modes/)
    },
  }

  test.each(Object.entries(rows))('%s: %s', (row) => checks[row as Row]())
})

describe('where the recorded sides differ and we follow one', () => {
  test('an empty batch is accepted and changes nothing', () => {
    const { list } = add(emptyList, 'a')
    expect(callTool(list, 'todos_add', { todos: [] })).toEqual({ list, result: [] })
    expect(callTool(list, 'todos_complete', { items: [] })).toEqual({ list, result: 0 })
    expect(callTool(list, 'todos_remove', { ids: [] })).toEqual({ list, result: 0 })
  })

  test('a completion needs no reason', () => {
    const { list } = addTodos(emptyList, [{ title: 'a' }, { title: 'b' }, { title: 'c' }], 0)
    const items = [{ id: 1 }, { id: 2, reason: '' }, { id: 3, reason: '  ' }]
    expect(callTool(list, 'todos_complete', { items }).result).toBe(3)
  })

  test('the case of a mode name counts', () => {
    const modes = createModes()
    expect(() => modes.setByHost(modes.initial, 'Execute')).toThrow(TypeError)
    expect(modes.restore('Execute')).toBe(modes.initial)
  })

  test('usage is the sum of all runs', async () => {
    const loop = createLoop({ evaluators: [() => ({ continue: true })], maxIterations: 2 }, all)
    const first = await loop.afterRun(loop.begin([]), { ...ended(emptyList), usage: { input: 2 } })
    const second = await loop.afterRun(first.state, { ...ended(emptyList), usage: { input: 11 } })
    expect(second.state.usage).toEqual({ input: 13 })
  })
})

describe('the runners', () => {
  const runners = { 'maf-todo.json': runTodo, 'maf-mode.json': runMode, 'maf-loop.json': runLoop }

  test.each(Object.entries(runners))('find nothing wrong in %s', async (file, run) => {
    const results = await run(read(file))
    expect(results.filter(({ pass, skipped }) => !pass && skipped === undefined)).toEqual([])
    expect(results.filter(({ skipped }) => skipped !== undefined).length).toBeLessThanOrEqual(1)
  })

  test.each<[keyof typeof runners, string, unknown, unknown]>([
    ['maf-todo.json', 'add-one', '"title":"a","description":null', '"title":"b","description":null'],
    ['maf-todo.json', 'complete-twice', '"result":0', '"result":1'],
    ['maf-todo.json', 'ids-not-reused-after-clear', '"nextId":5', '"nextId":1'],
    [
      'maf-mode.json',
      'notify-once-then-cleared',
      '"from":"plan","to":"execute"',
      '"from":"execute","to":"plan"',
    ],
    ['maf-mode.json', 'modes-empty', 'error:no_modes', 'error:duplicate_mode'],
    ['maf-loop.json', 'cap-three', '"iterations":3', '"iterations":4'],
    ['maf-loop.json', 'fresh-todo-added-items-lost', '## Feedback', '## Log'],
  ])('%s: see that %s is off when %s becomes %s', async (file, name, from, to) => {
    const recorded = JSON.stringify(read(file).find((scenario) => scenario.name === name))
    expect(recorded).toContain(from)
    const [result] = await runners[file]([JSON.parse(recorded.replaceAll(String(from), String(to)))])
    expect(result).toMatchObject({ name, pass: false })
  })

  test('skip nothing but calls without a session, and say so', async () => {
    const results: ScenarioResult[] = [
      ...(await runTodo(read('maf-todo.json'))),
      ...runMode(read('maf-mode.json')),
    ]
    const skipped = results.filter((result) => result.skipped !== undefined)
    expect(skipped.map(({ name }) => name)).toEqual(['no-session-nothing-kept', 'no-session'])
  })
})

const all = { todos: true, modes: true }

function add(list: TodoList, title: string) {
  return callTool(list, 'todos_add', { todos: [{ title }] })
}

function item(id: number, title: string) {
  return { id, title, description: null, isComplete: false }
}

function ended({ todos }: TodoList): RunFacts {
  return { end: 'complete', text: 'r', todos, mode: 'plan' }
}

function read(file: string): readonly { readonly name: string }[] {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).scenarios
}
