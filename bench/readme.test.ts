import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/source.mjs'
import type { Results } from './measure.ts'
import { withNumbers } from './readme.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const results: Results = JSON.parse(readFileSync(join(root, 'bench', 'results.json'), 'utf8'))

test('the numbers in the README are those of the committed results', () => {
  expect(withNumbers(readme, results)).toBe(readme)
})

test('another result gives another README', () => {
  const rows = results.rows.map((row) => (row.id === 'stream' ? { ...row, value: 9.87 } : row))
  expect(withNumbers(readme, { ...results, rows })).toContain('9.87 times')
})
