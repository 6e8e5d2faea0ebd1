import type { TodoSession } from 'use-todo-agent'
import { toWire } from 'use-todo-agent/core'

/** The list as the toolset `'todos'` names things: id, title, description, isComplete. */
export function listForServer(session: TodoSession) {
  return session.getAllTodos().map(toWire)
}
