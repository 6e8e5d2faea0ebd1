import { useEffect, useMemo } from 'react'
import { requireText } from '../core/errors.ts'
import type { TodoSession, TodoSessionOptions } from '../session/createTodoSession.ts'
import {
  getTodoSession,
  type RetainOptions,
  requireKeepAlive,
  retainTodoSession,
} from '../session/registry.ts'
import { useWithDefaults } from './TodoAgentProvider.tsx'

/**
 * Where a session is kept, and what is told about it: these count when the session is made; later ones are not looked at. `keepAlive`
 * may change.
 */
export interface SessionOptions extends Partial<Omit<TodoSessionOptions, 'id'>>, RetainOptions {}

/**
 * The live session of an id, or the given one. It is read from the storage once the component is mounted. Options that are not given are those
 * of the `TodoAgentProvider` around it.
 *
 * A component that is unmounted, or hidden by `<Activity>`, no longer holds it. Its run goes on: to its end while another component holds
 * the session, else for `keepAlive`, a minute unless you say otherwise; then it is stopped, and can be resumed.
 *
 * @throws TypeError for a blank id, or a `keepAlive` that is no time
 */
export function useSession(sessionOrId: TodoSession | string, given: SessionOptions = {}): TodoSession {
  if (typeof sessionOrId !== 'object') requireText('sessionId', sessionOrId)
  const options: SessionOptions = useWithDefaults(given)
  const { storage, keepAlive } = options
  requireKeepAlive(keepAlive)
  // biome-ignore lint/correctness/useExhaustiveDependencies: an id and a storage name one session; the other options count when it is made
  const session = useMemo(
    () => (typeof sessionOrId === 'object' ? sessionOrId : getTodoSession(sessionOrId, options)),
    [sessionOrId, storage],
  )
  useEffect(
    function keepSessionAlive() {
      return retainTodoSession(session, { keepAlive })
    },
    [session, keepAlive],
  )
  return session
}
