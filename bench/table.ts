import type { Row } from './measure.ts'

/** Prints the rows of a group, each with its number, how far it went, and its bound. */
export function printGroup(name: string, rows: readonly Row[], ms: number): void {
  console.log(`\n${name} (${(ms / 1_000).toFixed(0)} s)`)
  const width = Math.max(...rows.map(({ what }) => what.length))
  for (const row of rows) console.log(`  ${row.what.padEnd(width)}  ${cells(row)}`)
}

/** Says which rows miss their bound. */
export function printVerdict(rows: readonly Row[]): void {
  const held = rows.filter(({ bound }) => bound !== null)
  const missed = held.filter((row) => !holds(row))
  console.log(`\n${held.length - missed.length} of ${held.length} bounds hold.`)
  for (const { id, value, bound } of missed) console.log(`  ${id}: ${value}, and at most ${bound} was meant`)
}

/** A number with its unit, as the README has it too. */
export function formatValue({ value, unit }: Pick<Row, 'value' | 'unit'>): string {
  const number = value.toLocaleString('en', { maximumSignificantDigits: 3 })
  if (unit === 'count') return number
  return unit === 'times' ? `${number} times` : `${number} ${unit}`
}

export function holds({ value, bound }: Pick<Row, 'value' | 'bound'>): boolean {
  return bound === null || value <= bound
}

function cells(row: Row): string {
  const { spread, rounds, bound, sides = {} } = row
  const range = rounds > 1 ? `${spread[0]} to ${spread[1]}` : ''
  const limit = bound === null ? '' : `${holds(row) ? 'within' : 'OVER'} ${bound}`
  const parts = Object.entries(sides).map(([name, ms]) => `${name} ${ms} ms`)
  return [formatValue(row).padStart(16), range.padEnd(16), limit.padEnd(12), parts.join(', ')]
    .join('  ')
    .trimEnd()
}
