import type { UIMessage } from 'ai'
import { deepFreeze, type TodoChange } from '../core/todo.ts'
import { type CommitCause, type HistoryEntry, historyEntry } from './history.ts'
import { mergeMessages } from './messages.ts'
import { emptyData, requireData, type SessionData } from './record.ts'

// TYPES

/** What is known to be stored. */
export interface Base<Message extends UIMessage> {
  /** The revision that the next write is made onto; `null` when nothing is stored. */
  readonly expected: number | null
  readonly revision: number
  readonly data: SessionData
  /** `null` until the session is stored for the first time. */
  readonly createdAt: number | null
  readonly updatedAt: number
  readonly writeIds: readonly string[]
  /** The message at each stored place. */
  readonly messages: readonly (Message | undefined)[]
  readonly messagesRevision: number
  /** The number of the newest history entry, 0: none. */
  readonly lastEntry: number
}

/** A change that is not stored yet. It is kept as a function, since it may have to be made again on what another tab wrote. */
export interface Operation<Message extends UIMessage> {
  readonly change: (data: SessionData) => SessionData
  readonly at: number
  readonly cause: CommitCause | null
  /** The message before the one that caused it. */
  readonly parent: string | null
  readonly changes: readonly TodoChange[]
  /** The whole transcript, where it is to be stored too. */
  readonly messages?: readonly Message[] | undefined
  /** The newest history entry that stands: a rewind drops those after it. */
  readonly keepEntries?: number
}

/** What the session is with some operations made on its base. */
export interface Working<Message extends UIMessage> {
  readonly data: SessionData
  readonly revision: number
  readonly createdAt: number | null
  readonly updatedAt: number
  /** The transcript to be stored. */
  readonly messages: readonly (Message | undefined)[]
  readonly messagesRevision: number
  /** The newest stored history entry that stands, and the new ones after it. */
  readonly keptEntries: number
  readonly entries: readonly HistoryEntry[]
}

// FUNCTIONS

/** A session of which nothing is stored. */
export function emptyBase<Message extends UIMessage>(): Base<Message> {
  return {
    expected: null,
    revision: 0,
    data: emptyData,
    createdAt: null,
    updatedAt: 0,
    writeIds: [],
    messages: [],
    messagesRevision: 0,
    lastEntry: 0,
  }
}

export function workOn<Message extends UIMessage>(base: Base<Message>): Working<Message> {
  const { data, revision, createdAt, updatedAt, messages, messagesRevision, lastEntry } = base
  return {
    data,
    revision,
    createdAt,
    updatedAt,
    messages,
    messagesRevision,
    keptEntries: lastEntry,
    entries: [],
  }
}

/** Makes an operation. The same reference comes back when it changed nothing. */
export function applyOperation<Message extends UIMessage>(
  working: Working<Message>,
  operation: Operation<Message>,
): Working<Message> {
  const { at, cause, parent, changes, messages, keepEntries } = operation
  const changed = operation.change(working.data)
  if (changed !== working.data) requireData(changed, working.data)
  const data = sameData(changed, working.data) ? working.data : deepFreeze(changed)
  if (data === working.data && (!messages || sameItems(messages, working.messages))) return working
  const revision = working.revision + 1
  const kept = dropEntries(working, data === working.data ? undefined : keepEntries)
  const entry =
    keepEntries === undefined
      ? historyEntry(working.data, data, {
          n: lastEntryOf(kept) + 1,
          revision,
          at,
          cause,
          parent,
          changes: deepFreeze(changes),
        })
      : null
  return {
    data,
    revision,
    createdAt: working.createdAt ?? at,
    updatedAt: at,
    messages: messages ?? working.messages,
    messagesRevision: messages ? revision : working.messagesRevision,
    keptEntries: kept.keptEntries,
    entries: entry ? [...kept.entries, entry] : kept.entries,
  }
}

/** An operation whose transcript was derived from `from`, for a session whose stored transcript is now `to`. */
export function rebaseOperation<Message extends UIMessage>(
  operation: Operation<Message>,
  from: Base<Message>,
  to: Base<Message>,
): Operation<Message> {
  if (!operation.messages || from.messages === to.messages) return operation
  const theirs = to.messages.filter((message) => message !== undefined)
  return { ...operation, messages: mergeMessages(from.messages, operation.messages, theirs) }
}

function sameData(a: SessionData, b: SessionData): boolean {
  return (Object.keys(emptyData) as (keyof SessionData)[]).every((key) => Object.is(a[key], b[key]))
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

export function lastEntryOf(working: Pick<Working<UIMessage>, 'keptEntries' | 'entries'>): number {
  return working.entries.at(-1)?.n ?? working.keptEntries
}

function dropEntries(
  { keptEntries, entries }: Pick<Working<UIMessage>, 'keptEntries' | 'entries'>,
  keep: number | undefined,
): Pick<Working<UIMessage>, 'keptEntries' | 'entries'> {
  if (keep === undefined) return { keptEntries, entries }
  return { keptEntries: Math.min(keptEntries, keep), entries: entries.filter((entry) => entry.n <= keep) }
}
