import { TodoPanel } from 'use-todo-agent/panel'

interface Task {
  readonly key: string
  readonly text: string
  readonly state: 'open' | 'active' | 'done'
}

const statuses = { open: 'pending', active: 'in_progress', done: 'completed' } as const

interface Props {
  readonly tasks: readonly Task[]
  readonly lost: boolean
  readonly onResume: () => void
}

export function ForeignAgent({ tasks, lost, onResume }: Props) {
  const todos = tasks.map(({ key, text, state }) => ({ id: key, content: text, status: statuses[state] }))
  return (
    <TodoPanel
      todos={todos}
      run={{ status: lost ? 'interrupted' : 'running' }}
      controls={{ resume: onResume }}
    />
  )
}
