import { useSyncExternalStore } from 'react'
import { useTodoSession, useTodos } from 'use-todo-agent'

export function SessionState({ sessionId }: { sessionId: string }) {
  const { store } = useTodoSession(sessionId)
  const { run } = useTodos(sessionId)
  const persistence = useSyncExternalStore(
    store.subscribe,
    () => store.getState().persistence,
    () => store.getInitialState().persistence,
  )
  if (persistence === 'failed' || persistence === 'memory') return <p>Not saved: keep this page open.</p>
  if (run.status === 'interrupted') return <p>The page went away during the work.</p>
  return null
}
