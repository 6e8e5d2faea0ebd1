import * as z from 'zod/mini'
import { type GuardState, guardStateSchema, initialGuard } from '../core/guard.ts'
import { deepFreeze, emptyList, type Todo, type TodoChange, type TodoList, todoSchema } from '../core/todo.ts'
import type { SessionData } from './record.ts'

// TYPES

/** What a commit came from. */
export interface CommitCause {
  readonly messageId?: string
  readonly toolCallId?: string
  readonly toolName?: string
}

/** The part of a session's data that history keeps. */
export type HistoryState = Pick<SessionData, 'list' | 'guard' | 'mode'>

/** One committed change of list, guard or mode, and what they were after it. */
export interface Revision extends HistoryState {
  readonly revision: number
  /** ms since 1970. */
  readonly at: number
  readonly cause: CommitCause | null
  readonly changes: readonly TodoChange[]
}

/**
 * A revision as it is stored. The list is not in it: each entry says how to undo it, and the newest list is in the session's record. So
 * an entry is as large as its change, and dropping the oldest ones never breaks the others.
 */
export interface HistoryEntry {
  /** Grows by one; entries are stored under it. */
  readonly n: number
  readonly revision: number
  readonly at: number
  readonly cause: CommitCause | null
  /** The message before the one that caused it, as the transcript was then. */
  readonly parent: string | null
  readonly changes: readonly TodoChange[]
  readonly undo: {
    /** Items as they were before, where they changed or went away. */
    readonly todos: readonly Todo[]
    /** The ids in their order before, `null` when they are the same. */
    readonly order: readonly number[] | null
    readonly nextId: number
    readonly guard?: GuardState | undefined
    readonly mode?: string | null | undefined
  }
}

/** The end of history that a rewind goes back to: everything after entry `n` is undone. */
export interface RewindTarget extends HistoryState {
  readonly n: number
}

// SCHEMA

const optionalText = z.optional(z.string())
const entrySchema = z.object({
  n: z.int().check(z.positive()),
  revision: z.int(),
  at: z.number(),
  cause: z.nullable(z.object({ messageId: optionalText, toolCallId: optionalText, toolName: optionalText })),
  parent: z.catch(z.nullable(z.string()), null),
  // Only ever shown, and written by the same code: an odd one costs the log a line.
  changes: z.catch(z.array(z.unknown()), []),
  undo: z.object({
    todos: z.array(todoSchema),
    order: z.nullable(z.array(z.int())),
    nextId: z.int(),
    guard: z.optional(guardStateSchema),
    mode: z.optional(z.nullable(z.string())),
  }),
})

// ENTRIES

/** The entry for a change, `null` when it touched neither list, guard nor mode. */
export function historyEntry(
  before: SessionData,
  after: SessionData,
  facts: Pick<HistoryEntry, 'n' | 'revision' | 'at' | 'cause' | 'parent' | 'changes'>,
): HistoryEntry | null {
  if (before.list === after.list && before.guard === after.guard && before.mode === after.mode) return null
  const kept = new Set(after.list.todos)
  const old = before.list.todos
  const sameOrder =
    old.length === after.list.todos.length &&
    old.every((todo, index) => after.list.todos[index]?.id === todo.id)
  return deepFreeze({
    ...facts,
    undo: {
      todos: old.filter((todo) => !kept.has(todo)),
      order: sameOrder ? null : old.map((todo) => todo.id),
      nextId: before.list.nextId,
      ...(before.guard === after.guard ? {} : { guard: before.guard }),
      ...(before.mode === after.mode ? {} : { mode: before.mode }),
    },
  })
}

/**
 * Reads stored entries, oldest first, up to number `last`. They are undone from the newest on, so what is older than a damaged or missing
 * one is of no use, and left out.
 */
export function parseHistory(stored: readonly unknown[], last: number): readonly HistoryEntry[] {
  const entries: HistoryEntry[] = []
  for (const item of [...stored].reverse()) {
    const parsed = entrySchema.safeParse(item)
    if (parsed.success && parsed.data.n > last) continue
    if (!parsed.success || parsed.data.n !== last - entries.length) break
    entries.push(deepFreeze(parsed.data as HistoryEntry))
  }
  return entries.reverse()
}

/** The entries as revisions with their lists, oldest first, and what was before the first. `now` is what is after the last. */
export function expandHistory(
  entries: readonly HistoryEntry[],
  now: HistoryState,
): { revisions: Revision[]; before: HistoryState } {
  const revisions: Revision[] = []
  let state: HistoryState = { list: now.list, guard: now.guard, mode: now.mode }
  for (const { revision, at, cause, changes, undo } of [...entries].reverse()) {
    revisions.push(deepFreeze({ revision, at, cause, changes, ...state }))
    state = {
      list: undoList(state.list, undo),
      guard: undo.guard ?? state.guard,
      mode: undo.mode === undefined ? state.mode : undo.mode,
    }
  }
  return { revisions: revisions.reverse(), before: state }
}

function undoList(list: TodoList, undo: HistoryEntry['undo']): TodoList {
  if (undo.todos.length === 0 && undo.order === null && undo.nextId === list.nextId) return list
  const items = new Map(list.todos.map((todo) => [todo.id, todo]))
  for (const todo of undo.todos) items.set(todo.id, todo)
  const order = undo.order ?? list.todos.map((todo) => todo.id)
  return deepFreeze({ todos: order.flatMap((id) => items.get(id) ?? []), nextId: undo.nextId })
}

// REWIND

/** Where messages stand in the transcript. */
export interface TranscriptOrder {
  /** Ids of the message in question and of those before it. */
  readonly upTo: ReadonlySet<string>
  /** Ids of those after it. */
  readonly after: ReadonlySet<string>
}

/**
 * How many of the entries stand when `messageId` is the last message: those before the first that a later message caused. Entries without a
 * message (a change by the host) stand with what they followed.
 *
 * The transcript may have been cut already, so later messages can be unknown: an entry whose message followed this one counts as later,
 * and so does one of an unknown message after the last entry of a known one.
 */
export function entriesUpTo(
  entries: readonly HistoryEntry[],
  messageId: string,
  order: TranscriptOrder,
): number {
  const messageOf = (entry: HistoryEntry) => entry.cause?.messageId
  const later = entries.findIndex((entry) => {
    const message = messageOf(entry)
    if (message === undefined || order.upTo.has(message)) return false
    return order.after.has(message) || entry.parent === messageId
  })
  if (later >= 0) return later
  const known = entries.findLastIndex((entry) => order.upTo.has(messageOf(entry) ?? ''))
  if (known < 0) return entries.length
  const unknown = entries.findIndex((entry, index) => index > known && messageOf(entry) !== undefined)
  return unknown < 0 ? entries.length : unknown
}

/** What a session goes back to when it is rewound to `messageId`; `null` for the start of the session. */
export function rewindTarget(
  entries: readonly HistoryEntry[],
  now: HistoryState,
  messageId: string | null,
  order: TranscriptOrder,
): RewindTarget {
  if (messageId === null) {
    const whole = entries[0]?.n === 1
    const mode = whole ? expandHistory(entries, now).before.mode : null
    return { n: 0, list: emptyList, guard: initialGuard, mode: entries.length > 0 ? mode : now.mode }
  }
  const count = entriesUpTo(entries, messageId, order)
  const { before } = expandHistory(entries.slice(count), now)
  const next = entries[count]
  return { n: next ? next.n - 1 : (entries.at(-1)?.n ?? 0), ...before }
}
