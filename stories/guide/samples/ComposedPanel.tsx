import { TodoPanel, type TodoSession } from 'use-todo-agent'

export function ComposedPanel({ session }: { session: TodoSession }) {
  return (
    <TodoPanel.Root session={session} className="my-panel">
      <TodoPanel.Header collapsible={false} />
      <TodoPanel.Notices />
      <TodoPanel.Progress
        render={(props, { complete }) =>
          complete ? <p style={{ paddingInline: 16 }}>All done</p> : <div {...props} />
        }
      />
      <TodoPanel.List>
        {(row) => <TodoPanel.Item {...row} className={row.current ? 'my-current' : undefined} />}
      </TodoPanel.List>
      <TodoPanel.Outcome />
    </TodoPanel.Root>
  )
}
