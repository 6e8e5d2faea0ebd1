import { useSyncExternalStore } from 'react'
import { type TodoSession, useTodos } from 'use-todo-agent'

export function SessionState({ session }: { session: TodoSession }) {
  const { store } = session
  const { run } = useTodos(session)
  const persistence = useSyncExternalStore(
    store.subscribe,
    () => store.getState().persistence,
    () => store.getInitialState().persistence,
  )
  if (persistence === 'failed' || persistence === 'memory') return <p>Not saved: keep this page open.</p>
  if (run.status === 'interrupted') return <p>The page went away during the work.</p>
  return null
}
