import { expect, test } from 'vitest'
import { interleave } from './measure.ts'

async function orders(names: readonly string[], rounds: number): Promise<readonly string[][]> {
  const ran: string[] = []
  const sides = Object.fromEntries(names.map((name) => [name, () => ran.push(name)]))
  await interleave(sides, { rounds, warmUp: 0 })
  return Array.from({ length: rounds }, () => ran.splice(0, names.length))
}

test('each side runs once in each round', async () => {
  for (const order of await orders(['a', 'b', 'c'], 50)) expect([...order].sort()).toEqual(['a', 'b', 'c'])
})

test('the orders are the same in every run', async () => {
  expect(await orders(['a', 'b', 'c', 'd'], 20)).toEqual(await orders(['a', 'b', 'c', 'd'], 20))
})

test('each side follows each other one about as often', async () => {
  const ran = (await orders(['a', 'b', 'c'], 600)).flat()
  const counts = new Map<string, number>()
  for (const [index, name] of ran.entries()) {
    const before = ran[index - 1]
    if (before && before !== name) counts.set(before + name, (counts.get(before + name) ?? 0) + 1)
  }
  expect(counts.size).toBe(6)
  const shares = [...counts.values()]
  expect(Math.max(...shares) / Math.min(...shares)).toBeLessThan(1.3)
})

test('the samples of the warm-up are left out', async () => {
  let runs = 0
  const { a } = await interleave({ a: () => (runs += 1) }, { rounds: 3, warmUp: 2 })
  expect(a).toEqual([3, 4, 5])
})
