import { TodoPanel } from 'use-todo-agent'
import { addTodos, emptyList } from 'use-todo-agent/core'
import { Agent } from './Agent.tsx'

// A nonce is of one answer, so the page cannot be rendered beforehand.
export const dynamic = 'force-dynamic'

// A list that the server knows, and one that only the browser will.
const { list } = addTodos(emptyList, [{ title: 'Read on the server' }], Date.UTC(2026, 0, 1))

export default function Page() {
  return (
    <main>
      <section id="server">
        <TodoPanel todos={list.todos} />
      </section>
      <section id="browser">
        <Agent />
      </section>
    </main>
  )
}
