import { createGuard, type GuardState, type TodoList, writeTodos } from 'use-todo-agent/core'

const guard = createGuard()
const facts = { toolset: 'write_todos', mode: null } as const

type Call = { readonly id: string; readonly name: string; readonly input: unknown }

/** What a response does to list and guard. `inject` goes to the model after all results; the person did not say it. */
export function settle(list: TodoList, state: GuardState, text: string, calls: readonly Call[]) {
  const toolCalls = calls.map(
    ({ id, name }) => ({ id, name, kind: name === 'write_todos' ? 'todo_write' : 'other' }) as const,
  )
  const first = guard.afterModelResponse(
    state,
    { text, toolCalls, end: 'complete' },
    { ...facts, todos: list.todos },
  )
  const allowed = calls.filter(({ id }) => first.refuse.every((refused) => refused.id !== id))
  const write = allowed.find(({ name }) => name === 'write_todos')
  const outcome = write && writeTodos(list, write.input, { now: Date.now() })
  const next = outcome?.ok ? outcome.update.list : list
  const second = guard.afterTodoTools(
    first.state,
    { updated: outcome?.ok ?? false },
    { ...facts, todos: next.todos },
  )
  const answered = calls.length === 0 && first.decision === 'natural'
  return {
    list: next,
    guard: second.state,
    outcome,
    refused: first.refuse,
    inject: [...first.inject, ...second.inject],
    isOver: answered || first.decision === 'stop' || second.decision === 'stop',
  }
}
