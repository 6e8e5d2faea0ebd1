import { useStore } from 'zustand'
import {
  type DraftTodo,
  progress,
  type RunView,
  remaining,
  type Todo,
  type TodoProgress,
} from '../core/todo.ts'
import type { TodoSession } from '../session/createTodoSession.ts'
import type { SessionOptions } from './useSession.ts'
import { useSession } from './useSession.ts'

/** The list of a session as it is now. Every value keeps its identity until it changes. */
export interface TodosView {
  readonly todos: readonly Todo[]
  /** The unfinished ones. */
  readonly remaining: readonly Todo[]
  readonly progress: TodoProgress
  /** Items of a write that is still streaming; `null` when none is. */
  readonly draft: readonly DraftTodo[] | null
  readonly mode: string | null
  readonly run: RunView
}

/**
 * The live list of a session, to read: by its id, or the session itself. The component renders when the list, the mode or the run changes,
 * and not while text streams.
 *
 * @throws TypeError for a blank id
 */
export function useTodos(sessionOrId: TodoSession | string, options: SessionOptions = {}): TodosView {
  const session = useSession(sessionOrId, options)
  const todos = useStore(session.store, (state) => state.todos)
  const draft = useStore(session.store, (state) => state.draft)
  const mode = useStore(session.store, (state) => state.mode)
  const run = useStore(session.store, (state) => state.run)
  return { todos, remaining: remaining(todos), progress: progress(todos), draft, mode, run }
}
