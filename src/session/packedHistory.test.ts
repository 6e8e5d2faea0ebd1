import 'fake-indexeddb/auto'
import fc from 'fast-check'
import { createStore, entries, get, set } from 'idb-keyval'
import { describe, expect, test } from 'vitest'
import { addTodos } from '../core/list.ts'
import { createTodoSession } from './createTodoSession.ts'
import type { HistoryEntry } from './history.ts'
import { indexedDbStorage } from './indexedDb.ts'
import { packHistory, recentOf, trimHistory } from './packedHistory.ts'
import { emptyData, type SessionData, type SessionRecord } from './record.ts'
import { memoryStorage, type SessionStorage, type SessionWrites } from './storage.ts'

function entry(n: number, changed = 1): HistoryEntry {
  const todos = Array.from({ length: changed }, (_, index) => ({
    id: index + 1,
    content: 'A',
    status: 'pending' as const,
    createdAt: 1,
  }))
  return {
    n,
    revision: n,
    at: 1,
    cause: null,
    parent: null,
    changes: [],
    undo: { todos, order: null, nextId: 2 },
  }
}
const entriesOf = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => entry(from + index))
const numbers = (values: readonly unknown[]) => values.map((value) => (value as HistoryEntry).n)

describe('new entries', () => {
  test('join the recent ones until these are eight', () => {
    expect(packHistory(entriesOf(1, 6), entriesOf(7, 7))).toEqual({ full: [], recent: entriesOf(1, 7) })
    expect(packHistory(entriesOf(1, 7), entriesOf(8, 9))).toEqual({
      full: [entriesOf(1, 8)],
      recent: entriesOf(9, 9),
    })
    expect(packHistory([], entriesOf(1, 20)).full.map(numbers)).toEqual([
      numbers(entriesOf(1, 8)),
      numbers(entriesOf(9, 16)),
    ])
  })

  const many = Array.from({ length: 201 }, (_, index) => index)
  test.each<[string, HistoryEntry]>([
    ['change much', entry(3, 201)],
    [
      'say much of what they changed',
      { ...entry(3), changes: many.map((id) => ({ type: 'removed', id }) as never) },
    ],
    ['move much', { ...entry(3), undo: { todos: [], order: many, nextId: 300 } }],
  ])('that %s leave the record at once, since it is written again with each commit', (_, large) => {
    const { full, recent } = packHistory(entriesOf(1, 2), [large])
    expect(full.map(numbers)).toEqual([[1, 2, 3]])
    expect(recent).toEqual([])
  })
})

test('trimming keeps the entries within both bounds', () => {
  expect(numbers(trimHistory(entriesOf(1, 9), { deleteBelow: 3, deleteAbove: 5 }))).toEqual([3, 4, 5])
  expect(trimHistory([entry(1), 'damaged'], {})).toEqual([entry(1)])
})

test.each([undefined, null, 5, {}, { recent: 'x' }, { recent: ['x', null, { n: 'y' }, { n: 1.5 }] }])(
  'there is nothing recent in %o',
  (stored) => {
    expect(recentOf(stored)).toEqual([])
  },
)

describe('in IndexedDB', () => {
  let names = 0
  const fresh = () => `packed-${++names}`

  /** Writes as a session would: each onto the one before. */
  function writer(storage: SessionStorage) {
    const record: SessionRecord = {
      ...emptyData,
      version: 1,
      id: 's',
      revision: 0,
      createdAt: 1,
      updatedAt: 1,
      writeIds: [],
      messagesRevision: 0,
      lastEntry: 0,
    }
    let last = record
    return async (history: NonNullable<SessionWrites['history']>) => {
      const expected = last.revision === 0 ? null : last.revision
      const revision = last.revision + 1
      last = { ...last, revision, writeIds: [...last.writeIds, `w${revision}`].slice(-16) }
      expect(await storage.write(last, expected, { history })).toMatchObject({ written: true })
    }
  }

  test('a hundred entries take a dozen values beside the record', async () => {
    const databaseName = fresh()
    const write = writer(indexedDbStorage({ databaseName }))
    for (const put of entriesOf(1, 100)) await write({ puts: [put] })
    const stored = await entries(createStore(databaseName, 'records'))
    const keys = stored.map(([key]) => key as unknown[]).filter(([kind]) => kind === 'revision')
    expect(keys.map(([, , n]) => n)).toEqual(Array.from({ length: 12 }, (_, index) => index * 8 + 1))
    expect(numbers(await indexedDbStorage({ databaseName }).readHistory('s'))).toEqual(
      numbers(entriesOf(1, 100)),
    )
  })

  test('a record that another tab wrote keeps its recent entries', async () => {
    const databaseName = fresh()
    const mine = indexedDbStorage({ databaseName })
    const theirs = indexedDbStorage({ databaseName })
    let turn = 0
    const write = writer({
      ...mine,
      write: (...args) => (++turn % 3 === 0 ? theirs : mine).write(...args),
    })
    for (const put of entriesOf(1, 30)) await write({ puts: [put] })
    expect(numbers(await mine.readHistory('s'))).toEqual(numbers(entriesOf(1, 30)))
  })

  test('damaged recent entries cost no write, only the history before them', async () => {
    const databaseName = fresh()
    const open = () => createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName }) })
    const add = (title: string) => (data: SessionData) => ({
      ...data,
      list: addTodos(data.list, [{ title }], 1).list,
    })
    await open().commit(add('A'))
    const store = createStore(databaseName, 'records')
    const record = (await get(['session', 's'], store)) as object
    await set(['session', 's'], { ...record, recent: ['damaged', null, { n: 'x' }] }, store)
    const session = open()
    for (let n = 0; n < 20; n += 1) expect(await session.commit(add(`${n}`))).toMatchObject({ saved: true })
    expect((await open().history()).length).toBe(20)
  })

  test('history is the same as in memory, however it is written, rewound and shortened', async () => {
    const step = fc.record({
      added: fc.integer({ min: 0, max: 12 }),
      changed: fc.constantFrom(1, 1, 1, 250),
      back: fc.option(fc.integer({ min: 0, max: 20 }), { freq: 3, nil: undefined }),
      kept: fc.option(fc.integer({ min: 0, max: 30 }), { freq: 3, nil: undefined }),
      reopened: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const databaseName = fresh()
        const memory = memoryStorage()
        let storage = indexedDbStorage({ databaseName })
        const write = writer({
          ...memory,
          async write(...args) {
            const result = await storage.write(...args)
            expect(await memory.write(...args)).toEqual(result)
            return result
          },
        })
        let last = 0
        for (const { added, changed, back, kept, reopened } of steps) {
          if (reopened) {
            storage = indexedDbStorage({ databaseName })
            await storage.read('s')
          }
          const from = back === undefined ? last : Math.max(0, last - back)
          const puts = Array.from({ length: added }, (_, index) => entry(from + index + 1, changed))
          const deletes = {
            ...(from < last ? { deleteAbove: from } : {}),
            ...(kept === undefined ? {} : { deleteBelow: Math.max(0, from + added - kept) }),
          }
          last = from + added
          await write({ puts, ...deletes })
          // What a write brings stands, whatever its bounds say.
          expect(await storage.readHistory('s')).toEqual(await memory.readHistory('s'))
        }
      }),
      { numRuns: 40 },
    )
  }, 60_000)
})
