import 'fake-indexeddb/auto'
import type { UIMessage } from 'ai'
import fc from 'fast-check'
import { createStore, del, entries } from 'idb-keyval'
import { describe, expect, test, vi } from 'vitest'
import { createTodoSession } from './createTodoSession.ts'
import { indexedDbStorage } from './indexedDb.ts'
import { joinMessage, splitMessage } from './messageBlocks.ts'

const part = (text: string) => ({ type: 'text' as const, text })
const partsOf = (count: number) => Array.from({ length: count }, (_, index) => part(`${index}`))
const messageOf = (count: number): UIMessage => ({ id: 'run', role: 'assistant', parts: partsOf(count) })
const joined = ({ head, blocks }: ReturnType<typeof splitMessage>) =>
  joinMessage(
    head,
    blocks.map(({ parts }) => parts),
  )

describe('a message', () => {
  test('of a few parts is one value, as it is', () => {
    const message = messageOf(15)
    expect(splitMessage(message).head).toBe(message)
  })

  test.each([16, 17, 31, 32, 1_000])('of %i parts comes back whole', (count) => {
    const message = { ...messageOf(count), metadata: { total: 5 } }
    expect(joined(splitMessage(message))).toEqual(message)
  })

  test('that grew is written from where it did', () => {
    const places = (count: number, same: number) =>
      splitMessage(messageOf(count), same).blocks.map(({ place }) => place)
    expect(places(1_000, 999)).toEqual([])
    expect(places(1_008, 1_000)).toEqual([62])
    expect(places(40, 10)).toEqual([0, 1])
    expect(places(20, 500)).toEqual([])
  })

  test.each([null, 5, 'text', {}, { parts: 'none' }, { parts: Array(20) }])(
    'may be anything: %o',
    (value) => {
      expect(joined(splitMessage(value))).toEqual(value)
    },
  )

  test.each([-1, 1.5, '3', 1e9, Number.NaN])('with a count of %o blocks is taken as it is', (partBlocks) => {
    const head = { id: 'run', parts: [], partBlocks }
    expect(joinMessage(head, [])).toBe(head)
  })

  test('whose newest parts are no list is taken as it is', () => {
    const head = { id: 'run', parts: 'none', partBlocks: 1 }
    expect(joinMessage(head, [partsOf(16)])).toBe(head)
  })

  test.each([
    ['without', undefined],
    ['with too few parts in', partsOf(15)],
    ['with too many parts in', partsOf(17)],
  ])('%s one of its blocks keeps the places of the others', (_, first) => {
    const { head, blocks } = splitMessage(messageOf(40))
    const { parts } = joinMessage(head, [first, blocks[1]?.parts]) as UIMessage
    expect(parts.slice(0, 16)).toEqual(Array(16).fill(null))
    expect(parts.slice(16)).toEqual(partsOf(40).slice(16))
  })
})

describe('a run in IndexedDB', () => {
  let names = 0
  function fresh() {
    names += 1
    const databaseName = `blocks-${names}`
    const open = () => createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName }) })
    return { databaseName, open, store: createStore(databaseName, 'records') }
  }
  const reread = async (open: ReturnType<typeof fresh>['open']) => {
    const session = open()
    await session.ready()
    return session.store.getState()
  }

  test('of a thousand steps writes no more with the last one than with the first', async () => {
    const { open } = fresh()
    const session = open()
    const written: number[] = []
    const { put } = IDBObjectStore.prototype
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
      this: IDBObjectStore,
      value: readonly unknown[] | UIMessage,
      key,
    ) {
      if ((key as readonly unknown[])[0] === 'message')
        written.push(Array.isArray(value) ? value.length : (value as UIMessage).parts.length)
      return put.call(this, value, key)
    })
    const parts: UIMessage['parts'] = []
    for (let step = 0; step < 1_000; step += 1) {
      parts.push(part(`${step}`))
      await session.saveMessages([{ ...messageOf(0), parts: [...parts] }])
    }
    vi.restoreAllMocks()
    expect(written.length).toBe(1_000 + Math.floor(1_000 / 16))
    expect(Math.max(...written)).toBe(16)
    expect((await reread(open)).messages).toEqual([messageOf(1_000)])
  })

  test('is read as it was left, however it grew, changed and shrank', async () => {
    const step = fc.record({
      kept: fc.integer({ min: 0, max: 120 }),
      added: fc.integer({ min: 0, max: 60 }),
      changed: fc.option(fc.nat(120), { nil: undefined }),
      reopened: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { open } = fresh()
        let session = open()
        await session.ready()
        let n = 0
        for (const { kept, added, changed, reopened } of steps) {
          if (reopened) {
            session = open()
            await session.ready()
          }
          const before = session.store.getState().messages[0]?.parts ?? []
          const parts = [...before.slice(0, Math.max(kept, before.length - 3))]
          for (let more = 0; more < added; more += 1) parts.push(part(`${++n}`))
          if (changed !== undefined && changed < parts.length) parts[changed] = part(`changed ${++n}`)
          const next = { ...messageOf(0), parts }
          await session.saveMessages([next])
          expect((await reread(open)).messages).toEqual([next])
        }
      }),
      { numRuns: 40 },
    )
  }, 60_000)

  test('with a damaged block loses its parts only, says so, and is whole again with the next step', async () => {
    const { open, store } = fresh()
    await open().saveMessages([messageOf(40)])
    await del(['message', 's', 0, 0], store)
    const session = open()
    await session.ready()
    const { messages, problems } = session.store.getState()
    expect(problems.map(({ code }) => code)).toEqual(['damaged_message'])
    expect(messages[0]?.parts).toEqual(partsOf(40).slice(16))
    const longer = { ...messageOf(0), parts: [...(messages[0]?.parts ?? []), part('last')] }
    await session.saveMessages([longer])
    const again = await reread(open)
    expect(again.messages).toEqual([longer])
    expect(again.problems).toEqual([])
  })

  test('leaves nothing behind when it is cut away or deleted', async () => {
    const { open, store } = fresh()
    const session = open()
    const messages = (await entries(store)).length
    expect(messages).toBe(0)
    const first: UIMessage = { id: 'u', role: 'user', parts: [part('go')] }
    await session.saveMessages([first, messageOf(100)])
    const keys = async () => (await entries(store)).map(([key]) => JSON.stringify(key))
    expect((await keys()).filter((key) => key.startsWith('["message"')).length).toBe(8)
    await session.saveMessages([first, messageOf(20)])
    expect((await keys()).filter((key) => key.startsWith('["message","s",1,'))).toEqual([
      '["message","s",1,0]',
    ])
    await session.saveMessages([first])
    expect((await keys()).filter((key) => key.startsWith('["message"'))).toEqual(['["message","s",0]'])
    await session.delete()
    expect(await keys()).toEqual(['["database"]'])
  })

  test('keeps the other blocks when a part can not be stored, and does not try it again', async () => {
    const { open } = fresh()
    const session = open()
    const refused = () => {
      throw new Error('no')
    }
    const odd = {
      type: 'data-odd',
      data: () => 'x',
      toJSON: refused,
    } as unknown as UIMessage['parts'][number]
    const parts = [...partsOf(20), odd, ...partsOf(20)]
    await session.saveMessages([{ ...messageOf(0), parts }])
    await session.saveMessages([{ ...messageOf(0), parts: [...parts, part('last')] }])
    expect(session.store.getState().problems.map(({ code }) => code)).toEqual(['message_skipped'])
    expect((await reread(open)).messages[0]?.parts).toEqual([
      ...parts.slice(0, 16),
      ...parts.slice(32),
      part('last'),
    ])
  })

  test('stores what is plain data of a part that is more than that', async () => {
    const { open } = fresh()
    const odd: UIMessage['parts'][number] = { type: 'data-odd', data: { text: 'x', render: () => 'x' } }
    const parts = [...partsOf(20), odd, ...partsOf(20)]
    await open().saveMessages([{ ...messageOf(0), parts }])
    expect((await reread(open)).messages[0]?.parts).toEqual(
      parts.with(20, { type: 'data-odd', data: { text: 'x' } }),
    )
  })
})
