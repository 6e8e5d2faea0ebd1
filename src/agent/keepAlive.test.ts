import { expect, test, vi } from 'vitest'
import {
  deleteSession,
  getTodoSession,
  listSessions,
  renameSession,
  retainTodoSession,
} from '../session/registry.ts'
import { memoryStorage } from '../session/storage.ts'
import { call } from '../testing/calls.ts'
import { type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import { todoChatOf } from './TodoChat.ts'

const slow: readonly ScriptEntry[] = [
  call.write('[>] A', '[ ] B'),
  { text: 'A long answer that takes its time', delay: 30, chunkSize: 1 },
  'Second answer',
]

function open(options: { keepAlive?: number; script?: readonly ScriptEntry[] } = {}) {
  const storage = memoryStorage()
  const session = getTodoSession('s', { storage })
  const model = scriptedModel(options.script ?? slow, { validate: false })
  const chat = todoChatOf(session, { model, guard: false })
  const release = retainTodoSession(session, { keepAlive: options.keepAlive })
  const started = (steps: number) => vi.waitFor(() => expect(model.calls).toBe(steps))
  return { storage, session, chat, model, release, started }
}

const outcomeOf = (session: ReturnType<typeof getTodoSession>) => session.store.getState().run.outcome

test('a run goes on when the last holder is gone, and is stopped after keepAlive (g51)', async () => {
  const { session, chat, release, started } = open({ keepAlive: 500 })
  const sent = chat.send('Go')
  await started(2)
  release()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(session.store.getState().run.status).toBe('running')
  await sent
  expect(outcomeOf(session)).toBe('stopped')
  expect(session.getAllTodos()).toHaveLength(2)
})

test('renaming the session of a run that was left does not change when it is stopped', async () => {
  const { storage, session, chat, release, started } = open({ keepAlive: 300 })
  const sent = chat.send('Go')
  await started(2)
  release()
  await renameSession('s', 'Renamed', storage)
  await sent
  expect(outcomeOf(session)).toBe('stopped')
  expect(await listSessions(storage)).toMatchObject([{ title: 'Renamed', run: 'idle' }])
})

test('what waits in the queue is not sent when nobody is left to see it', async () => {
  const { session, chat, model, release, started } = open({ keepAlive: 0 })
  const sent = chat.send('Go')
  await started(2)
  void chat.send('And then this')
  await vi.waitFor(() => expect(chat.store.getState().queued).toHaveLength(1))
  release()
  await sent
  expect(outcomeOf(session)).toBe('stopped')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(model.calls).toBe(2)
  expect(chat.store.getState()).toMatchObject({ status: 'ready', queued: [{ role: 'user' }] })
})

test('a run is left alone when a holder comes back in time', async () => {
  const { session, chat, release, started } = open({ keepAlive: 500 })
  const sent = chat.send('Go')
  await started(2)
  release()
  await new Promise((resolve) => setTimeout(resolve, 20))
  retainTodoSession(session)
  await sent
  expect(outcomeOf(session)).toBe('finished_with_open_todos')
})

test('of two holders the one that asks for most is heard', async () => {
  const { session, chat, release, started } = open({ keepAlive: 0 })
  const other = retainTodoSession(session, { keepAlive: Number.POSITIVE_INFINITY })
  const sent = chat.send('Go')
  await started(2)
  other()
  release()
  await sent
  expect(outcomeOf(session)).toBe('finished_with_open_todos')
})

test('a session whose run is under way stays the live one of its id, and is let go of after it', async () => {
  const { storage, session, chat, release, started } = open({
    keepAlive: Number.POSITIVE_INFINITY,
    script: [{ text: 'x'.repeat(90), delay: 20, chunkSize: 1 }],
  })
  const sent = chat.send('Go')
  await started(1)
  release()
  await new Promise((resolve) => setTimeout(resolve, 1300))
  expect(session.store.getState().driver).toBe('self')
  expect(getTodoSession('s', { storage })).toBe(session)
  await sent
  await vi.waitFor(() => expect(getTodoSession('s', { storage })).not.toBe(session), 3000)
})

test('a run that starts after the session was let go of makes it the live one again, for keepAlive', async () => {
  const { storage, session, chat, release, started } = open({ keepAlive: 100 })
  await session.ready()
  release()
  await new Promise((resolve) => setTimeout(resolve, 1200))
  const sent = chat.send('Go')
  await started(2)
  expect(getTodoSession('s', { storage })).toBe(session)
  await sent
  expect(outcomeOf(session)).toBe('stopped')
})

test.each([-1, Number.NaN, '60'])('refuses %o as keepAlive', (keepAlive) => {
  const session = getTodoSession('s', { storage: memoryStorage() })
  expect(() => retainTodoSession(session, { keepAlive: keepAlive as number })).toThrow(TypeError)
  expect(() => retainTodoSession(session, { keepAlive: keepAlive as number })).toThrow('`keepAlive`')
})

test('deleting a session stops its run first, and nothing of the run comes back', async () => {
  const { storage, session, chat, started } = open()
  const sent = chat.send('Go')
  await started(2)
  void chat.send('And then this')
  await deleteSession('s', storage)
  expect(session.store.getState().driver).toBe('none')
  await sent
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(session.getAllTodos()).toEqual([])
  expect(session.store.getState().messages).toEqual([])
  expect(await listSessions(storage)).toEqual([])
})
