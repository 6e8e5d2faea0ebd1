import { createTodoSession, memoryStorage, runTodoAgent, type TodoAgentOptions } from 'use-todo-agent/agent'
import { call, collectRun, requestText, type ScriptEntry, scriptedModel } from 'use-todo-agent/testing'
import { expect, test } from 'vitest'
import { honestExits, lenient, off, ownWords, untilDone } from './guardOptions.ts'

async function run(options: Partial<TodoAgentOptions>, script: ScriptEntry[]) {
  const model = scriptedModel(script)
  const session = createTodoSession({ id: 'guard', storage: memoryStorage() })
  const messages = [{ id: '1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Go' }] }]
  const { result } = await collectRun(runTodoAgent({ session, model, messages, ...options }))
  return { model, result, session }
}

const lazy: ScriptEntry[] = [
  call.write('[>] Count', '[ ] Report'),
  'All done!',
  'All done!',
  'All done!',
  'I had no file.',
]

test('by default a model that only talks is corrected three times and then explains itself', async () => {
  const { model, result } = await run({}, lazy)
  expect(result.outcome).toBe('blocked')
  expect(model.calls).toBe(5)
})

test('with one correction the second answer stands, and the run says that items are open', async () => {
  const { model, result } = await run(lenient, lazy)
  expect(result.outcome).toBe('finished_with_open_todos')
  expect(result.openTodos.map(({ content }) => content)).toEqual(['Count', 'Report'])
  expect(model.calls).toBe(3)
})

test('without the guard the first answer stands', async () => {
  const { model, result } = await run(off, lazy)
  expect(result.outcome).toBe('finished_with_open_todos')
  expect(model.calls).toBe(2)
})

test('own words take the place of the correction', async () => {
  const { model } = await run(ownWords, lazy)
  expect(requestText(model.requests[2])).toContain('Not done yet: Count, Report.')
})

test('a blocked item ends the interest of the guard, and stays open', async () => {
  const { model, result } = await run(honestExits, [
    call.write({ content: 'Ask the owner', status: 'blocked', reason: 'Nobody answers' }),
    'I could not reach the owner.',
  ])
  expect(model.calls).toBe(2)
  expect(result.outcome).toBe('finished_with_open_todos')
  expect(result.openTodos).toMatchObject([{ content: 'Ask the owner', reason: 'Nobody answers' }])
})

test('a loop runs the agent again instead of correcting it', async () => {
  const { model, result, session } = await run(untilDone, [
    call.write('[>] Count', '[ ] Report'),
    'All done!',
    call.write('[x] Count', '[x] Report'),
    'There are 200 rows.',
  ])
  expect(result).toMatchObject({ outcome: 'completed', iterations: 2 })
  expect(model.calls).toBe(4)
  expect(session.store.getState().run.correction).toBeNull()
})
