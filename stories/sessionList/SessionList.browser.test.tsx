import { indexedDbStorage, type SessionStorage } from 'use-todo-agent'
import { expect, test } from 'vitest'
import { render } from 'vitest-browser-react'
import { SessionsPage } from './SessionsPage.tsx'
import { manySeeds, saveSeeds } from './seed.ts'

/** Opens the list of so many saved sessions, and says what it asks of the storage and shows of them. */
async function open(count: number): Promise<{ asked: readonly string[]; rows: number }> {
  const databaseName = `open-${count}-${crypto.randomUUID()}`
  await saveSeeds(indexedDbStorage({ databaseName, retention: {} }), manySeeds(count))
  const asked: string[] = []
  // A connection of its own, as after a reload.
  const storage = new Proxy<SessionStorage>(indexedDbStorage({ databaseName, retention: {} }), {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        asked.push(String(name))
        return value.apply(target, given)
      }
    },
  })
  const view = await render(<SessionsPage storage={storage} />)
  await expect.poll(() => view.container.querySelector('.sl-count')?.textContent).toBe(String(count))
  const rows = view.container.querySelectorAll('.sl-row').length
  await view.unmount()
  return { asked, rows }
}

test('a thousand saved sessions open as ten do: one question, and a screenful of rows', async () => {
  expect(await open(10)).toEqual({ asked: ['list'], rows: 10 })
  const { asked, rows } = await open(1000)
  expect(asked).toEqual(['list'])
  expect(rows).toBeGreaterThan(10)
  expect(rows).toBeLessThanOrEqual(80)
})
