import { createTodoSession, memoryStorage, runTodoAgent } from 'use-todo-agent/agent'
import { call, collectRun, offeredTools, requestText, scriptedModel } from 'use-todo-agent/testing'
import { expect, test } from 'vitest'

test('the agent counts before it reports', async () => {
  const model = scriptedModel([
    call.write('[>] Count the rows', '[ ] Report'),
    call.write('[x] Count the rows', '[x] Report'),
    'There are 200 rows.',
  ])
  const session = createTodoSession({ id: 'test', storage: memoryStorage() })
  const { result } = await collectRun(
    runTodoAgent({
      session,
      model,
      messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'How many rows?' }] }],
    }),
  )

  expect(result.outcome).toBe('completed')
  expect(session.getAllTodos().map(({ content }) => content)).toEqual(['Count the rows', 'Report'])
  expect(offeredTools(model.requests[0])).toEqual(['write_todos'])
  expect(requestText(model.requests[2])).toContain('Count the rows')
})
