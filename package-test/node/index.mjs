// A loop of one's own around the list and the guard, with nothing installed beside the kit.
import assert from 'node:assert/strict'
import { createGuard, emptyList, initialGuard, listMessage, progress, writeTodos } from 'use-todo-agent/core'

const guard = createGuard()
const run = guard.startRun(initialGuard, { continued: false })

const written = writeTodos(emptyList, { todos: [{ content: 'Count', status: 'in_progress' }] }, { now: 1 })
assert.ok(written.ok)
const { list } = written.update
assert.deepEqual(progress(list.todos), { done: 0, total: 1, current: list.todos[0] })
assert.match(listMessage(list.todos, { toolset: 'write_todos' }) ?? '', /Count/)

const updated = guard.afterTodoTools(
  run,
  { updated: true },
  { todos: list.todos, toolset: 'write_todos', mode: null },
)
const verdict = guard.afterModelResponse(
  updated.state,
  { text: 'All done.', toolCalls: [], end: 'complete' },
  { todos: list.todos, toolset: 'write_todos', mode: null },
)
assert.equal(verdict.decision, 'loop_to_model')

const refused = writeTodos(list, { todos: [] }, { now: 2 })
assert.ok(!refused.ok)
assert.equal(refused.error.code, 'empty_list_over_unfinished')
console.log('The guard sent the model back.')
