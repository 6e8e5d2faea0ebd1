import { deleteAllSessions } from 'use-todo-agent'

export async function signOut(): Promise<void> {
  await deleteAllSessions()
  await fetch('/api/sign-out', { method: 'POST' })
}
