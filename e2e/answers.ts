import { ordersCsv } from '../stories/orders.ts'
import { expect, expectNumber } from './fixtures.ts'

// Worked out here from the text of the CSV, with none of the code that answers in the page.
const [header = '', ...lines] = ordersCsv.split('\n')
const columns = header.split(',')
const column = (name: string) => lines.map((line) => line.split(',')[columns.indexOf(name)] ?? '')

const cents = column('price')
  .map((price) => Number(price.replace('.', '')))
  .sort((one, two) => one - two)
const total = cents.reduce((sum, price) => sum + price, 0)
const half = cents.length / 2
const median = Number.isInteger(half)
  ? ((cents[half - 1] ?? 0) + (cents[half] ?? 0)) / 2
  : (cents[Math.floor(half)] ?? 0)

const counts = new Map<string, number>()
for (const name of column('city')) counts.set(name, (counts.get(name) ?? 0) + 1)
const [city = ''] = [...counts.keys()].sort((one, two) => (counts.get(two) ?? 0) - (counts.get(one) ?? 0))

/** What the five questions of the example come to. */
export const expected = {
  rows: lines.length,
  mean: total / cents.length / 100,
  median: median / 100,
  city,
  share: (total * 17) / 100 / 100,
}

/** Expects all five answers in a text. */
export function expectAnswers(text: string): void {
  expectNumber(text, expected.rows)
  expectNumber(text, expected.mean)
  expectNumber(text, expected.median)
  expectNumber(text, expected.share)
  expect(text).toContain(expected.city)
}
