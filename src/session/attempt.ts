import type { UIMessage } from 'ai'
import type { PendingCommit } from './commit.ts'
import type { InterruptedRun } from './findStored.ts'
import type { HistoryEntry } from './history.ts'
import { diffMessages } from './messages.ts'
import { type Base, lastEntryOf, type Working } from './pending.ts'
import { RECORD_VERSION, type SessionRecord } from './record.ts'
import type { SessionWrites } from './storage.ts'

/** One try to write the newest state. */
export interface Attempt<Message extends UIMessage> {
  readonly writeId: string
  /** The commits that it holds. */
  readonly items: readonly PendingCommit<Message>[]
  readonly entries: readonly HistoryEntry[]
  /** What it is written onto. */
  readonly onto: Base<Message>
  /** What is stored once it has landed. */
  readonly after: Base<Message>
}

const KEPT_WRITE_IDS = 16
// Deleting costs more than writing the record does, so the oldest entries go many at a time.
const LEAST_DELETED = 64

export function createAttempt<Message extends UIMessage>(
  writeId: string,
  working: Working<Message>,
  onto: Base<Message>,
  items: readonly PendingCommit<Message>[],
): Attempt<Message> {
  const { entries, keptEntries: _, ...state } = working
  const after: Base<Message> = {
    ...state,
    expected: working.revision,
    writeIds: [...onto.writeIds, writeId].slice(-KEPT_WRITE_IDS),
    lastEntry: lastEntryOf(working),
  }
  return { writeId, items, entries, onto, after }
}

/** What is left to be stored once an attempt has landed. */
export function afterLanding<Message extends UIMessage>(
  working: Working<Message>,
  { entries }: Attempt<Message>,
): Working<Message> {
  const stored = new Set(entries)
  return {
    ...working,
    keptEntries: working.entries.findLast((entry) => stored.has(entry))?.n ?? working.keptEntries,
    entries: working.entries.filter((entry) => !stored.has(entry)),
  }
}

/** The record that is stored. A run that was only shown as interrupted stays as it was found. */
export function recordOf<Message extends UIMessage>(
  id: string,
  { data, expected: _, messages: __, ...facts }: Base<Message>,
  interrupted: InterruptedRun | null,
): SessionRecord {
  const run = data.run === interrupted?.shown ? interrupted.stored : data.run
  return {
    ...data,
    run,
    ...facts,
    version: RECORD_VERSION,
    id,
    createdAt: facts.createdAt ?? facts.updatedAt,
  }
}

/** What goes with the record: messages and history entries that are new, and the end of those that are not any more. */
export function writesOf<Message extends UIMessage>(
  { after, onto, entries: puts }: Attempt<Message>,
  historyLimit: number,
): SessionWrites {
  const messages = diffMessages(onto.messages, after.messages)
  const kept = puts[0] ? puts[0].n - 1 : after.lastEntry
  const outdated = after.lastEntry - historyLimit
  const together = Math.max(LEAST_DELETED, Math.floor(historyLimit / 2))
  const tidy = outdated > 0 && puts.some(({ n }) => n % together === 0)
  const history = {
    puts,
    ...(kept < onto.lastEntry ? { deleteAbove: kept } : {}),
    ...(tidy ? { deleteBelow: outdated + 1 } : {}),
  }
  return {
    ...(messages ? { messages } : {}),
    ...(puts.length > 0 || kept < onto.lastEntry ? { history } : {}),
  }
}
