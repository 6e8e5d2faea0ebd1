'use client'

import { tool } from 'ai'
import { TodoPanel, type TodoStatus, useTodoAgent, useTodoSessions } from 'use-todo-agent'
import { remaining } from 'use-todo-agent/core'
import { call, scriptedModel } from 'use-todo-agent/testing'
import { z } from 'zod'
import 'use-todo-agent/styles.css'

// The answer in the middle comes too early: the guard sends the model back.
const model = scriptedModel([
  call.write('[>] Count the rows', '[ ] Write a summary'),
  call('count_rows', { csv: 'a\nb\nc' }),
  'There are 3 rows.',
  call.write('[x] Count the rows', '[x] Write a summary'),
  'All done: 3 rows.',
])

const tools = {
  count_rows: tool({
    description: 'Counts the rows of a CSV.',
    inputSchema: z.object({ csv: z.string() }),
    execute: async ({ csv }) => ({ rows: csv.split('\n').length }),
  }),
}

export function Agent() {
  const agent = useTodoAgent({ sessionId: 'demo', model, tools, instructions: 'You count rows.' })
  const { sessions } = useTodoSessions()
  const statuses: TodoStatus[] = agent.todos.map((todo) => todo.status)
  return (
    <main>
      <TodoPanel session={agent.session} />
      <button type="button" onClick={() => void agent.send('Count, then sum up')}>
        Go
      </button>
      <output data-status={agent.status} data-outcome={agent.outcome} data-saved={sessions.length}>
        {remaining(agent.todos).length} of {statuses.length} open
      </output>
      <p>{agent.messages.at(-1)?.parts.map((part) => (part.type === 'text' ? part.text : ''))}</p>
    </main>
  )
}
