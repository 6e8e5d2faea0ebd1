import { TodoPanel, type TodoSession } from 'use-todo-agent'

export function ComposedPanel({ session }: { session: TodoSession }) {
  return (
    <TodoPanel.Root session={session} className="my-panel">
      <TodoPanel.Notices />
      <TodoPanel.List>
        {(row) => (
          <TodoPanel.Item key={row.todo.id} {...row} className={row.current ? 'my-current' : undefined} />
        )}
      </TodoPanel.List>
      <TodoPanel.Progress render={(props, { complete }) => <div {...props}>{complete && 'All done'}</div>} />
      <TodoPanel.Outcome />
    </TodoPanel.Root>
  )
}
