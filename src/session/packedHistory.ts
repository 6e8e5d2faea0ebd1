import type { HistoryEntry } from './history.ts'
import type { SessionWrites } from './storage.ts'

// TYPES

/** The entries of a history as IndexedDB holds them. What comes from there is not checked here, but passed on as it is. */
export interface PackedHistory {
  /** To be stored as one value each. */
  readonly full: readonly (readonly unknown[])[]
  /** The newest: kept in the record, which is written anyway. */
  readonly recent: readonly unknown[]
}

/** Which entries go away with a write: those with a lower or a higher number. */
export type HistoryBounds = Pick<NonNullable<SessionWrites['history']>, 'deleteBelow' | 'deleteAbove'>

// VALUES

// Each value more in a transaction costs about as much as the record. These limits keep the record small all the same.
const MOST_RECENT = 8
const MOST_CHANGED = 200

// FUNCTIONS

/** Adds new entries to the recent ones, which become a value of their own when they are many, or much changed in them. */
export function packHistory(recent: readonly unknown[], added: readonly HistoryEntry[]): PackedHistory {
  const full: (readonly unknown[])[] = []
  let rest: readonly unknown[] = recent
  for (const entry of added) {
    rest = [...rest, entry]
    if (rest.length < MOST_RECENT && changedIn(rest) <= MOST_CHANGED) continue
    full.push(rest)
    rest = []
  }
  return { full, recent: rest }
}

/** The entries within the bounds. */
export function trimHistory(entries: readonly unknown[], bounds: HistoryBounds): readonly unknown[] {
  const { deleteBelow = 0, deleteAbove = Number.POSITIVE_INFINITY } = bounds
  return entries.filter((entry) => {
    const n = entryNumber(entry)
    return n >= deleteBelow && n <= deleteAbove
  })
}

/** The recent entries of a stored record. Those without a number are of no use, nor is what came before them. */
export function recentOf(stored: unknown): readonly unknown[] {
  const { recent } = (stored ?? {}) as { recent?: unknown }
  return Array.isArray(recent) ? trimHistory(recent, {}) : []
}

/** A stored record as it was written, without the entries that are kept in it. */
export function withoutRecent(stored: unknown): unknown {
  if (typeof stored !== 'object' || stored === null || !('recent' in stored)) return stored
  const { recent: _, ...record } = stored
  return record
}

/** The number of a stored entry, `NaN` when it has none. */
export function entryNumber(entry: unknown): number {
  const { n } = (entry ?? {}) as { readonly n?: unknown }
  return Number.isSafeInteger(n) ? (n as number) : Number.NaN
}

function changedIn(entries: readonly unknown[]): number {
  return entries.reduce<number>((sum, entry) => {
    const { changes, undo } = entry as Partial<HistoryEntry>
    return sum + (changes?.length ?? 0) + (undo?.todos?.length ?? 0) + (undo?.order?.length ?? 0)
  }, 0)
}
