import { tool } from 'ai'
import { z } from 'zod'

/** The distance of two days. Negative when `to` is before `from`. */
export interface DateDifference {
  readonly from: string
  readonly to: string
  readonly days: number
  readonly weeks: number
  /** Days from Monday to Friday, `from` counted and `to` not. */
  readonly workingDays: number
}

const day = 86_400_000

/** Days between two dates of the calendar. */
export const dateDifference = tool({
  description: 'Counts the days, weeks and working days between two dates.',
  inputSchema: z.object({
    from: z.string().describe('The first date, as YYYY-MM-DD.'),
    to: z.string().describe('The second date, as YYYY-MM-DD.'),
  }),
  execute: ({ from, to }) => difference(from, to),
})

/** The distance of two dates. Throws when one is not a day of the calendar. */
export function difference(from: string, to: string): DateDifference {
  const start = toDay(from)
  const end = toDay(to)
  const days = end - start
  return { from, to, days, weeks: Number((days / 7).toFixed(1)), workingDays: workingDays(start, end) }
}

function toDay(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/u.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // The parser takes 30 February for 1 March in some engines.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
    throw new Error(`"${text}" is not a date of the calendar. Write it as YYYY-MM-DD.`)
  }
  return time / day
}

function workingDays(start: number, end: number): number {
  if (end < start) return workingDays(end, start) * -1 || 0
  const weeks = Math.floor((end - start) / 7)
  let count = weeks * 5
  for (let current = start + weeks * 7; current < end; current += 1) {
    // Day 0 was a Thursday.
    const weekday = (((current + 3) % 7) + 7) % 7
    if (weekday < 5) count += 1
  }
  return count
}
