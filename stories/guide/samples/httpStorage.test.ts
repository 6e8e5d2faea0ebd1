import { memoryStorage } from 'use-todo-agent/agent'
import { storageContract } from 'use-todo-agent/testing'
import { afterEach, test, vi } from 'vitest'
import { httpStorage } from './httpStorage.ts'
import { storageRoute } from './storageRoute.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test.each(storageContract)('httpStorage: $name', async ({ run }) => {
  const onServer = memoryStorage()
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => storageRoute(new Request(url, init), onServer))
  await run(() => httpStorage('https://app.test/sessions'))
})
