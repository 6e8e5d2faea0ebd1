import { useEffect, useMemo } from 'react'
import { requireText } from '../core/errors.ts'
import type { TodoSession, TodoSessionOptions } from '../session/createTodoSession.ts'
import { getTodoSession, retainTodoSession } from '../session/registry.ts'

/** Where a session is kept, and what is told about it. They count when the session is made; later ones are not looked at. */
export interface SessionOptions extends Partial<Omit<TodoSessionOptions, 'id'>> {}

/** The live session of an id, or the given one. It is read from the storage once the component is mounted. */
export function useSession(sessionOrId: TodoSession | string, options: SessionOptions): TodoSession {
  if (typeof sessionOrId !== 'object') requireText('sessionId', sessionOrId)
  const { storage } = options
  // biome-ignore lint/correctness/useExhaustiveDependencies: an id and a storage name one session; the other options count when it is made
  const session = useMemo(
    () => (typeof sessionOrId === 'object' ? sessionOrId : getTodoSession(sessionOrId, options)),
    [sessionOrId, storage],
  )
  useEffect(
    function keepSessionAlive() {
      return retainTodoSession(session)
    },
    [session],
  )
  return session
}
