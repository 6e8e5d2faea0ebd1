import { tool } from 'ai'
import Papa from 'papaparse'
import { max, mean, median, min, sum } from 'simple-statistics'
import { z } from 'zod'
import { parseNumbers } from './numbers.ts'
import { pastedIn, withoutFrame } from './pasted.ts'

/** What the tool tells about a CSV. */
export interface CsvSummary {
  /** Without the header. */
  readonly rows: number
  readonly columns: readonly string[]
  readonly numeric: Readonly<Record<string, NumericColumn>>
  readonly text: Readonly<Record<string, TextColumn>>
}

export interface NumericColumn {
  /** Cells with a number; the rest are blank. */
  readonly count: number
  readonly sum: number
  readonly mean: number
  readonly median: number
  readonly min: number
  readonly max: number
}

export interface TextColumn {
  readonly distinct: number
  /** The five most frequent values, most frequent first. */
  readonly mostFrequent: readonly { readonly value: string; readonly count: number }[]
}

/** Statistics of a CSV that the person pasted, or of one in the arguments. */
export const summariseCsv = tool({
  description:
    'Summarises CSV data: how many rows and which columns it has; for numeric columns count, sum (total), mean (average), median, min and max; for text columns the most frequent values with their counts.',
  inputSchema: z.object({
    columns: z
      .array(z.string())
      .optional()
      .describe(
        'The columns to describe. Left out: all of them. Empty: only the number of rows and the names of the columns.',
      ),
    csv: z
      .string()
      .optional()
      .describe(
        'The CSV with its header. Leave it out to read the CSV that the user pasted in the conversation.',
      ),
  }),
  execute: ({ columns, csv }, { messages }) => {
    const data = csv ?? pastedIn(messages, 'csv')
    if (data === null)
      throw new Error('There is no CSV: the user has pasted none, and the argument `csv` is missing.')
    return summarise(data, columns)
  },
})

/** Describes the given columns of a CSV. Throws with the row where it is broken. */
export function summarise(csv: string, wanted?: readonly string[]): CsvSummary {
  const { header, rows } = read(csv)
  const numeric: Record<string, NumericColumn> = {}
  const text: Record<string, TextColumn> = {}
  for (const name of wanted ?? header) {
    const index = header.indexOf(name)
    if (index === -1) throw new Error(`There is no column "${name}". The columns are ${header.join(', ')}.`)
    const cells = rows.map((row) => row[index]?.trim() ?? '')
    const numbers = toNumbers(name, cells)
    if (numbers) numeric[name] = describeNumbers(numbers)
    else text[name] = describeTexts(cells)
  }
  return { rows: rows.length, columns: header, numeric, text }
}

function read(csv: string): { header: string[]; rows: string[][] } {
  const { data, errors } = Papa.parse<string[]>(withoutFrame(csv).trim(), { skipEmptyLines: 'greedy' })
  const quotes = errors.find((error) => error.type === 'Quotes')
  if (quotes) throw new Error(`The CSV is broken in row ${quotes.row ?? '?'}: ${quotes.message}.`)
  const [header = [], ...rows] = data
  const names = header.map((name) => name.trim())
  const doubled = names.find((name, index) => names.indexOf(name) !== index)
  if (doubled !== undefined) throw new Error(`The header of the CSV has the column "${doubled}" twice.`)
  if (rows.length === 0) throw new Error('The CSV has no rows under its header.')
  for (const [index, row] of rows.entries()) {
    if (row.length !== names.length) {
      throw new Error(
        `The CSV is broken in row ${index + 1}: it has ${row.length} ${row.length === 1 ? 'field' : 'fields'}, the header has ${names.length} ("${row.join(',')}").`,
      )
    }
  }
  return { header: names, rows }
}

const BLANK = /^(?:n\/?a|null|none|nil|nan|[-–—?])$/iu

function toNumbers(name: string, cells: readonly string[]): number[] | null {
  const filled = cells.flatMap((cell, index) => (cell === '' ? [] : [{ cell, row: index + 1 }]))
  const isNumber = ({ cell }: { readonly cell: string }) => parseNumbers([cell]) !== null
  const numbers = filled.filter(isNumber)
  const wrong = filled.filter((entry) => !isNumber(entry) && !BLANK.test(entry.cell))
  if (numbers.length === 0 || wrong.length > filled.length / 10) return null
  // A few texts among numbers are faults of the data; counted as text, they would make the whole column useless.
  const [first] = wrong
  if (first)
    throw new Error(
      `The CSV is broken in row ${first.row}: "${first.cell}" in column "${name}" is not a number.`,
    )
  const values = parseNumbers(numbers.map(({ cell }) => cell))
  if (!values) throw new Error(`The numbers in column "${name}" are not all written in the same way.`)
  return values
}

function describeNumbers(numbers: number[]): NumericColumn {
  return {
    count: numbers.length,
    sum: tidy(sum(numbers)),
    mean: tidy(mean(numbers)),
    median: tidy(median(numbers)),
    min: min(numbers),
    max: max(numbers),
  }
}

function describeTexts(cells: readonly string[]): TextColumn {
  const counts = new Map<string, number>()
  for (const cell of cells) if (cell !== '') counts.set(cell, (counts.get(cell) ?? 0) + 1)
  const sorted = [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count)
  return { distinct: counts.size, mostFrequent: sorted.slice(0, 5) }
}

// 0.1 + 0.2: what binary fractions add is not part of the answer.
function tidy(value: number): number {
  return Number(value.toPrecision(12))
}
