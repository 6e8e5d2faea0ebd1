import type { UIMessage } from 'ai'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addTodos } from '../core/list.ts'
import { faultsInOrder, faultyStorage, type PlannedFault } from '../testing/faultyStorage.ts'
import { createTodoSession } from './createTodoSession.ts'
import type { SessionData } from './record.ts'
import { memoryStorage } from './storage.ts'

// A page, as far as sessions look at one.
const page = Object.assign(new EventTarget(), { visibilityState: 'hidden' })
vi.stubGlobal('document', page)
vi.stubGlobal('addEventListener', () => {})

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})
const message = (id: string): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text: id }] })

const fault: fc.Arbitrary<PlannedFault | null> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.record({ delay: fc.integer({ min: 0, max: 5000 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      error: fc.constantFrom(
        'UnknownError',
        'QuotaExceededError',
        'AbortError',
        'InvalidStateError',
        'SecurityError',
      ),
      late: fc.boolean(),
      delay: fc.integer({ min: 0, max: 3000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ hang: fc.constant(true), late: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ stale: fc.constant(true), delay: fc.integer({ min: 0, max: 500 }) }) },
)

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('add' as const), tab: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('say' as const), tab: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('refresh' as const), tab: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('hide' as const), tab: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 4000 }) }),
  },
)

/**
 * Two tabs work on one session while the storage fails as planned; then it works again. Every change must be in both tabs and in the storage
 * exactly once, each tab's own in order, and whatever was said to be saved must have been in the storage at that moment.
 */
test.each([[1], [2]])('nothing is lost or made twice, whatever the storage does (%i tabs)', async (tabs) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 14 }),
      fc.array(fault, { maxLength: 25 }),
      async (steps, faults) => {
        const memory = memoryStorage()
        const storage = faultyStorage(memory, faultsInOrder(faults))
        const sessions = Array.from({ length: tabs }, () => createTodoSession({ id: 's', storage }))
        const titles = async () =>
          ((await memory.read('s')) as SessionData | undefined)?.list.todos.map((todo) => todo.content) ?? []
        const said = async () => ((await memory.readMessages('s')) as UIMessage[]).map(({ id }) => id)
        const wrong: string[] = []
        const made: Promise<unknown>[] = []
        let count = 0

        const check = async (saved: boolean, what: string, stored: () => Promise<string[]>) => {
          if (saved && !(await stored()).includes(what)) wrong.push(`${what} was said to be saved`)
        }

        for (const next of steps) {
          if (next.type === 'wait') {
            await vi.advanceTimersByTimeAsync(next.ms)
            continue
          }
          count += 1
          const session = sessions[next.tab % tabs]
          if (!session) continue
          const name = `${next.tab % tabs}:${count}`
          if (next.type === 'add')
            made.push(session.commit(add(name)).then(({ saved }) => check(saved, name, titles)))
          else if (next.type === 'say') {
            const messages = [...session.store.getState().messages, message(name)]
            made.push(session.saveMessages(messages).then((saved) => check(saved, name, said)))
          } else if (next.type === 'refresh') made.push(session.refresh())
          else page.dispatchEvent(new Event('visibilitychange'))
        }

        await vi.advanceTimersByTimeAsync(200_000)
        storage.setPlan(() => null)
        await vi.advanceTimersByTimeAsync(100_000)
        await Promise.all(made)
        for (const session of sessions) {
          await session.flush()
          await session.refresh()
        }
        for (const session of sessions) await session.refresh()

        expect(wrong).toEqual([])
        const adds = names(steps, 'add', tabs)
        const says = names(steps, 'say', tabs)
        expect([...(await titles())].sort()).toEqual([...adds].sort())
        expect([...(await said())].sort()).toEqual([...says].sort())
        for (let tab = 0; tab < tabs; tab += 1) {
          const own = (all: readonly string[]) => all.filter((name) => name.startsWith(`${tab}:`))
          expect(own(await titles())).toEqual(own(adds))
        }
        for (const session of sessions) {
          const { todos, revision, messages, persistence } = session.store.getState()
          expect(todos.map(({ content }) => content)).toEqual(await titles())
          expect(new Set(todos.map(({ id }) => id)).size).toBe(todos.length)
          expect(messages.map(({ id }) => id)).toEqual(await said())
          expect(revision).toBe(((await memory.read('s')) as { revision: number } | undefined)?.revision ?? 0)
          expect(persistence).toBe('memory')
          expect(session.store.getState().persistenceDetail).toBeNull()
          session.close()
        }
      },
    ),
    { numRuns: 500 },
  )
})

function names(steps: readonly { type: string; tab?: number }[], type: string, tabs: number): string[] {
  let count = 0
  return steps.flatMap((next) => {
    if (next.type === 'wait') return []
    count += 1
    return next.type === type ? [`${(next.tab ?? 0) % tabs}:${count}`] : []
  })
}
