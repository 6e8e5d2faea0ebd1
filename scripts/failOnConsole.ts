import { afterEach, expect } from 'vitest'

/** A warning from React, or anything else on the console, fails the test it appears in. A test that expects one mocks that method. */
const unexpected: string[] = []

for (const method of ['error', 'warn'] as const) {
  const original = console[method]
  console[method] = (...values: unknown[]) => {
    unexpected.push(`console.${method}: ${values.map(String).join(' ')}`)
    original(...values)
  }
}

afterEach(() => {
  expect(unexpected.splice(0)).toEqual([])
})
