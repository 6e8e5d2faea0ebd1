import type { SavedSession } from 'use-todo-agent'

export function titleOf({ title }: Pick<SavedSession, 'title'>): string {
  return title ?? 'Untitled'
}

export function progressOf({ done, total, readable }: SavedSession): string {
  if (!readable) return 'Can’t be read'
  return total === 0 ? 'No list' : `${done} of ${total}`
}

/** What is going on in it, `null` when nothing is. */
export function noteOf({ run, driver }: SavedSession): string | null {
  if (driver === 'other') return 'Running in another tab'
  if (driver === 'self') return 'Running'
  return run === 'interrupted' ? 'Interrupted' : null
}

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]
const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })

export function whenOf(at: number, now: number): string {
  const [unit, ms] = steps.find(([, length]) => now - at >= length) ?? [null, 1]
  return unit === null ? 'just now' : format.format(-Math.floor((now - at) / ms), unit)
}
