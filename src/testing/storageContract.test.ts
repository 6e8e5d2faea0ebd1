import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { indexedDbStorage } from '../session/indexedDb.ts'
import { memoryStorage, type SessionStorage } from '../session/storage.ts'
import { faultyStorage } from './faultyStorage.ts'
import { storageContract } from './storageContract.ts'

const storages: Record<string, () => SessionStorage> = {
  memoryStorage,
  indexedDbStorage: () => indexedDbStorage(),
  'a faulty storage without faults': () => faultyStorage(memoryStorage()),
}

describe.each(Object.entries(storages))('%s', (_name, factory) => {
  test.each(storageContract)('$name', ({ run }) => run(factory))
})

const memory = memoryStorage()
const broken: Record<string, Partial<SessionStorage>> = {
  'writes whatever it is told': {
    write: async (record) => memory.write(record, revisionIn(await memory.read(record.id))),
  },
  'forgets messages': { readMessages: async () => [] },
  'deletes only the record': { delete: async () => {} },
  'puts records aside without looking': { setAside: async (id) => memory.delete(id) },
}

test.each(Object.entries(broken))('a storage that %s does not pass', async (_name, fault) => {
  const results = await Promise.allSettled(
    storageContract.map(({ run }) => run(() => ({ ...memory, ...fault }))),
  )
  expect(results.some(({ status }) => status === 'rejected')).toBe(true)
})

function revisionIn(stored: unknown): number | null {
  return (stored as { revision: number } | undefined)?.revision ?? null
}
