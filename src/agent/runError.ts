import { TodoAgentError } from '../core/errors.ts'
import { deepFreeze, type RunView } from '../core/todo.ts'

type SavedError = NonNullable<RunView['error']>

// What is saved is plain data: the cause lives as long as the page.
const originals = new WeakMap<SavedError, TodoAgentError>()

/** What is saved of the error that a run failed with. */
export function savedError(error: TodoAgentError): SavedError {
  const saved = deepFreeze({ code: error.code, message: error.message })
  originals.set(saved, error)
  return saved
}

/** The error that a run failed with: itself in the page where it happened, made anew from what is saved elsewhere. */
export function errorOf(saved: RunView['error']): TodoAgentError | undefined {
  if (!saved) return undefined
  return originals.get(saved) ?? new TodoAgentError(saved.code as TodoAgentError['code'], saved.message)
}
