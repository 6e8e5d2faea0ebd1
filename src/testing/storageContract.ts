import { emptyData, RECORD_VERSION, type SessionRecord } from '../session/record.ts'
import type { SessionStorage } from '../session/storage.ts'

/** Makes the storage under test. What it holds already does not matter: each case uses ids of its own. */
export type StorageFactory = () => SessionStorage | Promise<SessionStorage>

/** One thing that sessions rely on. `run` rejects when the storage does not hold it. */
export interface StorageContractCase {
  readonly name: string
  run(storageFactory: StorageFactory): Promise<void>
}

/**
 * What a `SessionStorage` must hold, for any test runner.
 *
 * @example
 * for (const { name, run } of storageContract) test(name, () => run(() => myStorage()))
 */
export const storageContract: readonly StorageContractCase[] = [
  contractCase('reads nothing of a session that was never written', async (storage, id) => {
    same(await storage.read(id), undefined, 'read')
    same(await storage.readMessages(id), [], 'readMessages')
    same(await storage.readHistory(id), [], 'readHistory')
  }),

  contractCase('gives a record back as it was written', async (storage, id) => {
    const record = recordOf(id, 1, undefined, { todos: [todo(1, 'Buy “bread” 🥖')], nextId: 2 })
    same(await storage.write(record, null), { written: true }, 'write', ['written'])
    same(await storage.read(id), record, 'read')
  }),

  contractCase('keeps a copy that nobody else holds', async (storage, id) => {
    const message = { id: 'm', parts: ['as it was'] }
    await storage.write(recordOf(id, 1), null, { messages: { puts: [{ index: 0, message }] } })
    message.parts[0] = 'changed by the writer'
    const read = (await storage.read(id)) as { title: string }
    read.title = 'changed by the reader'
    same(await storage.read(id), recordOf(id, 1), 'read')
    same(await storage.readMessages(id), [{ id: 'm', parts: ['as it was'] }], 'readMessages')
  }),

  contractCase('replaces the revision that a write was derived from', async (storage, id) => {
    await storage.write(recordOf(id, 1), null)
    same(await storage.write(recordOf(id, 4, 1), 1), { written: true }, 'write', ['written'])
    same(await storage.read(id), recordOf(id, 4, 1), 'read')
  }),

  contractCase('refuses a write onto an older revision and tells what is stored', async (storage, id) => {
    await storage.write(recordOf(id, 1), null)
    await storage.write(recordOf(id, 2, 1), 1)
    const result = await storage.write(recordOf(id, 9, 1), 1)
    same(result, { written: false, stored: recordOf(id, 2, 1) }, 'write', ['written', 'stored'])
    same(await storage.read(id), recordOf(id, 2, 1), 'read')
  }),

  contractCase(
    'refuses a write that was derived from another write of the same revision',
    async (storage, id) => {
      await storage.write(recordOf(id, 1), null)
      await storage.write(recordOf(id, 2, 1), 1)
      const other = { ...recordOf(id, 3), writeIds: ['w1', 'another second write', 'w3'] }
      same(await storage.write(other, 2), { written: false }, 'write', ['written'])
      same(await storage.read(id), recordOf(id, 2, 1), 'read')
    },
  ),

  contractCase('refuses a first write where something is stored', async (storage, id) => {
    await storage.write(recordOf(id, 1), null)
    const result = await storage.write({ ...recordOf(id, 1), title: 'second' }, null)
    same(result, { written: false, stored: recordOf(id, 1) }, 'write', ['written', 'stored'])
  }),

  contractCase('refuses a write onto a session that was deleted', async (storage, id) => {
    await storage.write(recordOf(id, 1), null)
    await storage.delete(id)
    same(await storage.write(recordOf(id, 2, 1), 1), { written: false, lost: false }, 'write', [
      'written',
      'lost',
    ])
    same(await storage.read(id), undefined, 'read')
  }),

  contractCase('refuses a write into a session that was begun again', async (storage, id) => {
    await storage.write(recordOf(id, 1), null)
    await storage.delete(id)
    const again = { ...recordOf(id, 1), createdAt: 7, writeIds: ['new life'] }
    await storage.write(again, null)
    same(await storage.write(recordOf(id, 2, 1), 1), { written: false }, 'write', ['written'])
    same(await storage.read(id), again, 'read')
  }),

  contractCase('makes exactly one of several writes onto one revision', async (storage, id) => {
    await storage.write(recordOf(id, 1), null)
    const results = await Promise.all(
      [2, 3, 4, 5].map((revision) => storage.write(recordOf(id, revision, 1), 1)),
    )
    same(results.filter(({ written }) => written).length, 1, 'number of writes made')
    const winner = [2, 3, 4, 5][results.findIndex(({ written }) => written)]
    same(await storage.read(id), recordOf(id, winner ?? 0, 1), 'read')
  }),

  contractCase('puts, replaces and deletes messages by their place', async (storage, id) => {
    const put = (index: number, text: string) => ({ index, message: { id: text } })
    await storage.write(recordOf(id, 1), null, {
      messages: { puts: [put(0, 'a'), put(1, 'b'), put(2, 'c')] },
    })
    await storage.write(recordOf(id, 2, 1), 1, { messages: { puts: [put(3, 'd')] } })
    same(await storage.readMessages(id), [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }], 'readMessages')
    await storage.write(recordOf(id, 3, 2), 2, { messages: { puts: [put(1, 'B')], deleteFrom: 2 } })
    same(await storage.readMessages(id), [{ id: 'a' }, { id: 'B' }], 'readMessages')
    await storage.write(recordOf(id, 4, 3), 3, { messages: { puts: [], deleteFrom: 0 } })
    same(await storage.readMessages(id), [], 'readMessages')
  }),

  contractCase('keeps more than ten messages in order', async (storage, id) => {
    const messages = Array.from({ length: 25 }, (_, index) => ({ id: `m${index}` }))
    await storage.write(recordOf(id, 1), null, {
      messages: { puts: messages.map((message, index) => ({ index, message })) },
    })
    same(await storage.readMessages(id), messages, 'readMessages')
  }),

  contractCase('gives back the whole of a message that grows, changes and shrinks', async (storage, id) => {
    const part = (n: number, text = '') => ({ type: 'text', text: `${n}${text}` })
    const parts = (count: number, text = '') => Array.from({ length: count }, (_, n) => part(n, text))
    const steps: readonly { readonly parts: readonly unknown[]; readonly sameParts?: number }[] = [
      { parts: parts(3), sameParts: 0 },
      { parts: parts(90), sameParts: 3 },
      { parts: [...parts(90), ...parts(7, 'x')], sameParts: 90 },
      { parts: [...parts(20), part(20, 'y'), ...parts(120, 'z')], sameParts: 20 },
      { parts: parts(40) },
      { parts: [...parts(40), ...parts(3, 'v')], sameParts: 40 },
      { parts: parts(2, 'w') },
    ]
    for (const [index, { parts, ...rest }] of steps.entries()) {
      const message = { id: 'run', role: 'assistant', parts, metadata: { step: index } }
      const puts = [{ index: 1, message, ...rest }]
      if (index === 0) await storage.write(recordOf(id, 1), null, { messages: { puts } })
      else await storage.write(recordOf(id, index + 1, index), index, { messages: { puts } })
      same((await storage.readMessages(id))[1], message, `readMessages after step ${index}`)
    }
  }),

  contractCase('keeps history in order and deletes it at both ends', async (storage, id) => {
    const puts = [1, 2, 9, 10, 11].map((n) => entry(n))
    await storage.write(recordOf(id, 1), null, { history: { puts } })
    same(await storage.readHistory(id), puts, 'readHistory')
    await storage.write(recordOf(id, 2, 1), 1, {
      history: { puts: [entry(10, 'new')], deleteBelow: 2, deleteAbove: 9 },
    })
    same(await storage.readHistory(id), [entry(2), entry(9), entry(10, 'new')], 'readHistory')
  }),

  contractCase('changes neither messages nor history with a refused write', async (storage, id) => {
    const first = { messages: { puts: [{ index: 0, message: { id: 'a' } }] }, history: { puts: [entry(1)] } }
    await storage.write(recordOf(id, 1), null, first)
    await storage.write(recordOf(id, 9, 5), 5, {
      messages: { puts: [{ index: 0, message: { id: 'b' } }], deleteFrom: 1 },
      history: { puts: [entry(2)], deleteAbove: 0 },
    })
    same(await storage.readMessages(id), [{ id: 'a' }], 'readMessages')
    same(await storage.readHistory(id), [entry(1)], 'readHistory')
  }),

  contractCase('makes a write although a message in it can not be stored', async (storage, id) => {
    const message = { id: 'odd', render: () => 'x' }
    const puts = [
      { index: 0, message: { id: 'a' } },
      { index: 1, message },
      { index: 2, message: { id: 'c' } },
    ]
    same(await storage.write(recordOf(id, 1), null, { messages: { puts } }), { written: true }, 'write', [
      'written',
    ])
    const messages = await storage.readMessages(id)
    same([messages[0], messages[2]], [{ id: 'a' }, { id: 'c' }], 'the other messages')
  }),

  contractCase('keeps sessions apart, whatever their ids', async (storage, id) => {
    const ids = [id, `${id}1`, `${id},1`, `${id}/x`, `${id}\u0000`, `${id} ü`]
    for (const [place, other] of ids.entries()) {
      const puts = [{ index: 0, message: { id: `of ${place}` } }]
      await storage.write(recordOf(other, 1), null, {
        messages: { puts },
        history: { puts: [entry(1, String(place))] },
      })
    }
    await storage.delete(id)
    for (const [place, other] of ids.entries()) {
      if (place === 0) continue
      same(await storage.read(other), recordOf(other, 1), `read of ${JSON.stringify(other)}`)
      same(
        await storage.readMessages(other),
        [{ id: `of ${place}` }],
        `readMessages of ${JSON.stringify(other)}`,
      )
      same(
        await storage.readHistory(other),
        [entry(1, String(place))],
        `readHistory of ${JSON.stringify(other)}`,
      )
    }
  }),

  contractCase('deletes everything of a session', async (storage, id) => {
    const writes = { messages: { puts: [{ index: 0, message: { id: 'a' } }] }, history: { puts: [entry(1)] } }
    await storage.write(recordOf(id, 1), null, writes)
    await storage.delete(id)
    same(await storage.read(id), undefined, 'read')
    same(await storage.readMessages(id), [], 'readMessages')
    same(await storage.readHistory(id), [], 'readHistory')
    same(
      (await storage.list()).filter((summary) => summary.id === id),
      [],
      'list',
    )
    await storage.delete(id)
  }),

  contractCase('lists sessions with title and progress', async (storage, id) => {
    const list = { todos: [{ ...todo(1, 'A'), status: 'completed' as const }, todo(2, 'B')], nextId: 3 }
    await storage.write({ ...recordOf(id, 1, undefined, list), title: 'Trip' }, null)
    const found = (await storage.list()).find((summary) => summary.id === id)
    same(found, { id, title: 'Trip', done: 1, total: 2, updatedAt: 5, readable: true }, 'summary', [
      'id',
      'title',
      'done',
      'total',
      'updatedAt',
      'readable',
    ])
  }),

  contractCase('sets a record aside only at the given revision', async (storage, id) => {
    await storage.write(recordOf(id, 3), null, { messages: { puts: [{ index: 0, message: { id: 'a' } }] } })
    await storage.setAside(id, 2, 100)
    same(await storage.read(id), recordOf(id, 3), 'read')
    await storage.setAside(id, 3, 100)
    same(await storage.read(id), undefined, 'read')
    same(await storage.readMessages(id), [{ id: 'a' }], 'readMessages')
    same(await storage.write(recordOf(id, 4), null), { written: true }, 'write', ['written'])
    await storage.setAside(`${id} that is not there`, null, 100)
  }),
]

// HELPERS

let made = 0

function contractCase(
  name: string,
  body: (storage: SessionStorage, id: string) => Promise<void>,
): StorageContractCase {
  return {
    name,
    async run(storageFactory) {
      made += 1
      await body(await storageFactory(), `contract-${made}-${Math.random().toString(36).slice(2)}`)
    },
  }
}

/** A record; `onto`: the revision that it was derived from. */
function recordOf(id: string, revision: number, onto?: number, list = emptyData.list): SessionRecord {
  const writeIds = onto === undefined ? [`w${revision}`] : [`w${onto}`, `w${revision}`]
  const facts = { version: RECORD_VERSION, id, revision, createdAt: 1, updatedAt: 5, writeIds }
  return { ...emptyData, list, ...facts, messagesRevision: revision, lastEntry: 0 }
}

function todo(id: number, content: string) {
  return { id, content, status: 'pending' as const, createdAt: 1 }
}

function entry(n: number, messageId = 'm') {
  return {
    n,
    revision: n,
    at: n,
    cause: { messageId },
    parent: null,
    changes: [],
    undo: { todos: [], order: null, nextId: 1 },
  }
}

/** Compares plain data; with `keys`, only those of it. */
function same(actual: unknown, expected: unknown, what: string, keys?: readonly string[]): void {
  const found = text(keys ? pick(actual, keys) : actual)
  const wanted = text(keys ? pick(expected, keys) : expected)
  if (found !== wanted) throw new Error(`${what} gave ${found}, expected ${wanted}.`)
}

function pick(value: unknown, keys: readonly string[]): unknown {
  const source = (value ?? {}) as Record<string, unknown>
  return Object.fromEntries(keys.map((key) => [key, key === 'lost' ? Boolean(source[key]) : source[key]]))
}

// The order of keys does not matter, and what is undefined is not there.
function text(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? 'undefined'
  )
}
