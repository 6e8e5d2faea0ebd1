import type { ReactNode } from 'react'
import { indexedDbStorage, TodoAgentProvider } from 'use-todo-agent'

const DAY = 24 * 60 * 60 * 1000

const storage = indexedDbStorage({
  databaseName: 'my-app-agents',
  retention: { keep: 200, maxAge: 90 * DAY },
})

export function Agents({ children }: { children: ReactNode }) {
  return <TodoAgentProvider storage={storage}>{children}</TodoAgentProvider>
}
