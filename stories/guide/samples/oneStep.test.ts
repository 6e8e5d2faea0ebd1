import { emptyList, initialGuard } from 'use-todo-agent/core'
import { expect, test } from 'vitest'
import { settle } from './oneStep.ts'

type Response = readonly [text: string, ...writes: (readonly string[])[]]

const write = (items: readonly string[], index: number) => ({
  id: `call-${index}`,
  name: 'write_todos',
  input: {
    todos: items.map((item) => ({
      content: item.slice(1),
      status: item[0] === 'x' ? 'completed' : 'in_progress',
    })),
  },
})

function play(...responses: readonly Response[]) {
  const steps: ReturnType<typeof settle>[] = []
  let before: Pick<ReturnType<typeof settle>, 'list' | 'guard'> = { list: emptyList, guard: initialGuard }
  for (const [text, ...writes] of responses) {
    const step = settle(before.list, before.guard, text, writes.map(write))
    steps.push(step)
    before = step
  }
  return steps
}

test('a loop of one’s own ends when the list is done', () => {
  const steps = play(['', ['>Count']], ['', ['xCount']], ['200 rows.'])
  expect(steps.map(({ isOver }) => isOver)).toEqual([false, false, true])
  expect(steps.at(-1)?.list.todos).toMatchObject([{ id: 1, content: 'Count', status: 'completed' }])
})

test('an answer over open items is corrected, and at the end explained', () => {
  const steps = play(['', ['>Count']], ['Done!'], ['Done!'], ['Done!'], ['I had no file.'])
  expect(steps.map(({ isOver }) => isOver)).toEqual([false, false, false, false, true])
  expect(steps.map(({ inject }) => inject.map(({ source }) => source))).toEqual([
    [],
    ['todo_guard'],
    ['todo_guard'],
    ['todo_blocked'],
    [],
  ])
})

test('two writes in one step are refused, and the list stays as it was', () => {
  const [, step] = play(['', ['>Count']], ['', ['xCount'], ['>Report']])
  expect(step?.refused.map(({ code }) => code)).toEqual(['parallel_writes', 'parallel_writes'])
  expect(step?.list.todos).toMatchObject([{ content: 'Count', status: 'in_progress' }])
})
