import { indexedDbStorage } from 'use-todo-agent'
import { expect, test } from 'vitest'
import { render } from 'vitest-browser-react'
import { SessionsPage } from './SessionsPage.tsx'
import { manySeeds, saveSeeds } from './seed.ts'

async function databaseOf(count: number): Promise<string> {
  const databaseName = `open-${count}-${crypto.randomUUID()}`
  await saveSeeds(indexedDbStorage({ databaseName, retention: {} }), manySeeds(count))
  return databaseName
}

/** From nothing to rows on the screen, on a connection of its own as after a reload, in ms. */
async function timeToOpen(databaseName: string, count: number): Promise<number> {
  const storage = indexedDbStorage({ databaseName, retention: {} })
  const started = performance.now()
  const view = await render(<SessionsPage storage={storage} />)
  while (view.container.querySelector('.sl-count')?.textContent !== String(count)) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  const took = performance.now() - started
  expect(view.container.querySelectorAll('.sl-row').length).toBeLessThanOrEqual(80)
  await view.unmount()
  return took
}

const median = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

test('a thousand saved sessions open in about the time of ten', async () => {
  const few = await databaseOf(10)
  const many = await databaseOf(1000)
  const times: { few: number[]; many: number[] } = { few: [], many: [] }
  for (let round = 0; round < 14; round += 1) {
    const [ten, thousand] = [await timeToOpen(few, 10), await timeToOpen(many, 1000)]
    // The first rounds are for the engine to get warm.
    if (round < 3) continue
    times.few.push(ten)
    times.many.push(thousand)
  }
  const [ten, thousand] = [median(times.few), median(times.many)]
  console.info(`10 sessions: ${ten.toFixed(1)} ms, 1,000 sessions: ${thousand.toFixed(1)} ms`)
  expect(thousand / ten).toBeLessThan(3)
})
