import { TodoAgentError } from '../core/errors.ts'
import { storageFault } from './storage.ts'

export const goneDetail = 'This session was deleted in another tab. What is shown here is no longer saved.'
export const readOnlyDetail =
  'This session was saved by a newer version of this page. Reload the page to go on with it.'

/** What a failure of storage means, in words for the person. */
export function faultDetail(error: unknown): string {
  switch (storageFault(error)) {
    case 'unavailable':
      return 'This browser does not let the page store anything, so the list is lost when the page is closed.'
    case 'full':
      return 'The storage for this page is full. Delete old sessions to make room.'
    case 'slow':
      return 'The storage of this browser does not answer at the moment.'
    case 'failed':
      return `The storage of this browser failed (${(error as Error | null)?.name ?? String(error)}).`
  }
}

export function readOnlyError(id: string): TodoAgentError {
  return new TodoAgentError(
    'read_only',
    `Session "${id}" is read-only: a newer version of this page saved it. Reload the page to change it.`,
  )
}

export function closedError(id: string): TodoAgentError {
  return new TodoAgentError('session_closed', `Session "${id}" is closed. Get it anew to change it.`)
}
