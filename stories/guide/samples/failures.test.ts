import { createTodoSession, memoryStorage, runTodoAgent } from 'use-todo-agent/agent'
import { call, collectRun, faultyStorage, type ScriptEntry, scriptedModel } from 'use-todo-agent/testing'
import { expect, test } from 'vitest'

async function run(script: ScriptEntry[], storage = memoryStorage()) {
  const session = createTodoSession({ id: 'test', storage })
  const messages = [{ id: '1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Go' }] }]
  const { result } = await collectRun(runTodoAgent({ session, model: scriptedModel(script), messages }))
  return { session, result }
}

test('an answer that breaks off leaves the list as it was', async () => {
  const { session, result } = await run([
    call.write('[>] Count', '[ ] Report'),
    { toolCalls: [call.write('[x] Count')], cutOff: 2 },
  ])
  expect(result.error?.code).toBe('model_interrupted')
  expect(session.getRemainingTodos()).toHaveLength(2)
})

test('a model that never finishes its list is made to explain itself', async () => {
  const { result } = await run([
    call.write('[>] Count', '[ ] Report'),
    'All done!',
    'All done!',
    'All done!',
    'I could not count the rows, since there is no file.',
  ])
  expect(result.outcome).toBe('blocked')
})

test('the agent goes on while nothing can be saved', async () => {
  const storage = faultyStorage(memoryStorage(), ({ method }) =>
    method === 'write' ? { error: 'QuotaExceededError' } : null,
  )
  const { session, result } = await run([call.write('[x] Count'), 'There are 200 rows.'], storage)
  expect(result.outcome).toBe('completed')
  expect(session.store.getState().persistence).toBe('failed')
})
