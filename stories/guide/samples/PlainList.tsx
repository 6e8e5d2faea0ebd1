import { useTodos } from 'use-todo-agent'

const words = {
  pending: 'to do',
  in_progress: 'working on it',
  completed: 'done',
  cancelled: 'cancelled',
  blocked: 'blocked',
}

export function PlainList({ sessionId }: { sessionId: string }) {
  const { todos, progress } = useTodos(sessionId)
  return (
    <section aria-label="Todos">
      <p>
        {progress.done} of {progress.total}
      </p>
      <ol>
        {todos.map(({ id, content, status }) => (
          <li key={id} aria-current={status === 'in_progress' ? 'step' : undefined}>
            {content} ({words[status]})
          </li>
        ))}
      </ol>
    </section>
  )
}
