import * as z from 'zod/mini'
import { describe } from '../core/errors.ts'
import { type GuardState, guardStateSchema, initialGuard } from '../core/guard.ts'
import {
  deepFreeze,
  emptyList,
  idleRun,
  progress,
  type RunStatus,
  type RunView,
  type Todo,
  type TodoList,
  todoSchema,
} from '../core/todo.ts'

// TYPES

/** What a session saves beside its messages. A commit takes one and gives the next. */
export interface SessionData {
  readonly list: TodoList
  readonly guard: GuardState
  readonly mode: string | null
  /** A change of mode by the host that the model has not been told of yet. */
  readonly modeChange: { readonly from: string; readonly to: string } | null
  readonly run: RunView
  readonly title: string | null
}

/** The one record of a session as it is stored. Messages and history are records of their own. */
export interface SessionRecord extends SessionData {
  readonly version: number
  readonly id: string
  /** Grows by one at each committed change. A write is made only onto the revision that it was derived from. */
  readonly revision: number
  /** ms since 1970. A session that was deleted and begun again has another one. */
  readonly createdAt: number
  readonly updatedAt: number
  /**
   * Ids of this write and of those before it, newest last, at most 16: what a write was derived from, and a session knows its own write again
   * when the answer to it got lost.
   */
  readonly writeIds: readonly string[]
  /** The revision at which the stored messages changed last. */
  readonly messagesRevision: number
  /** The number of the newest history entry; 0: none. */
  readonly lastEntry: number
}

/** A session as a list of sessions shows it. */
export interface SessionSummary {
  readonly id: string
  readonly title: string | null
  readonly done: number
  readonly total: number
  /** ms since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly revision: number
  readonly run: RunStatus
  /** False when the record can't be read by this version of the kit: damaged, or from a newer one. */
  readonly readable: boolean
}

/** What is stored beside a record, so that its session can be listed without reading it. `version` is that of the record; 0: it is damaged. */
export interface SessionHead extends Omit<SessionSummary, 'readable'> {
  readonly version: number
}

/** Something that was wrong in what was read or written, reported once and worked around. */
export interface SessionProblem {
  /**
   * `damaged_*`: dropped from what was read; a damaged record is kept under another key. `newer_version`: the session is read-only.
   * `not_saved`: storage failed, see `cause`. `message_reduced`, `message_skipped`: a message holds what can't be stored, such as a
   * function. `history_dropped`: room was made for the list. `deleted_elsewhere`: another tab deleted the session.
   * `change_dropped`: a change could not be made again on what another tab had written. `tabs_not_shared`: the browser lacks or refuses
   * what tabs need to share a session, so that it works in one tab at a time.
   */
  readonly code:
    | 'damaged_item'
    | 'damaged_message'
    | 'damaged_history'
    | 'damaged_record'
    | 'newer_version'
    | 'not_saved'
    | 'message_reduced'
    | 'message_skipped'
    | 'history_dropped'
    | 'deleted_elsewhere'
    | 'change_dropped'
    | 'tabs_not_shared'
  readonly message: string
  readonly cause?: unknown
}

/** What a stored value turned out to be. */
export type ParsedRecord =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'current' | 'newer'
      readonly record: SessionRecord
      readonly problems: readonly SessionProblem[]
    }
  | { readonly kind: 'damaged'; readonly problems: readonly SessionProblem[] }

// VALUES

/** The version of the saved shape. */
export const RECORD_VERSION = 1

export const emptyData: SessionData = deepFreeze({
  list: emptyList,
  guard: initialGuard,
  mode: null,
  modeChange: null,
  run: idleRun,
  title: null,
})

const damagedHead = {
  title: null,
  done: 0,
  total: 0,
  createdAt: 0,
  updatedAt: 0,
  revision: 0,
  run: 'idle',
  version: 0,
} as const satisfies Omit<SessionHead, 'id'>

// SCHEMAS

const time = z.catch(z.number().check(z.nonnegative()), 0)
const count = z.catch(z.int().check(z.nonnegative()), 0)
const textSchema = z.nullable(z.string())
const text = z.catch(textSchema, null)
const modeChangeSchema = z.nullable(z.object({ from: z.string(), to: z.string() }))
const writeIds = z.catch(z.array(z.string()), [])

const headSchema = z.object({
  version: z.int().check(z.positive()),
  revision: z.int().check(z.nonnegative()),
  list: z.object({ todos: z.array(z.unknown()), nextId: z.unknown() }),
})

const runSchema = z.object({
  status: z.enum(['idle', 'running', 'interrupted']),
  outcome: z.nullable(
    z.enum([
      'completed',
      'finished_with_open_todos',
      'blocked',
      'awaiting_approval',
      'max_steps',
      'max_iterations',
      'empty_response',
      'stopped',
      'failed',
    ]),
  ),
  openIds: z.array(z.int()),
  correction: z.nullable(z.object({ count: z.int(), max: z.int(), open: z.int() })),
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
  startedAt: z.nullable(z.number()),
  endedAt: z.nullable(z.number()),
})

const restSchema = z.object({
  createdAt: time,
  updatedAt: time,
  writeIds,
  messagesRevision: count,
  lastEntry: count,
  guard: guardStateSchema,
  mode: text,
  modeChange: z.catch(modeChangeSchema, null),
  run: z.catch(runSchema, { ...idleRun, openIds: [] }),
  title: text,
})

const partSchemas = {
  list: z.object({ todos: z.array(todoSchema), nextId: z.int() }),
  guard: z.looseObject({}),
  mode: textSchema,
  modeChange: modeChangeSchema,
  run: runSchema,
  title: textSchema,
} satisfies Record<keyof SessionData, z.ZodMiniType>

const whole = z.int().check(z.nonnegative())
const sessionHeadSchema = z.object({
  id: z.string(),
  title: z.nullable(z.string()),
  done: whole,
  total: whole,
  createdAt: z.number(),
  updatedAt: z.number(),
  revision: whole,
  run: z.enum(['idle', 'running', 'interrupted']),
  version: whole,
})

// CHECK

/**
 * Refuses what a change gave when it could not be stored, or not be read again. Parts that are as before are not looked into, nor are frozen
 * ones: the functions of the kit give those.
 *
 * @throws TypeError that names the field
 */
export function requireData(data: SessionData, before: SessionData): void {
  for (const key of Object.keys(partSchemas) as (keyof SessionData)[]) {
    const part: unknown = data?.[key]
    if (part === before[key] || (Object(part) === part && Object.isFrozen(part))) continue
    const issue = partSchemas[key].safeParse(part).error?.issues[0]
    let cause: unknown
    try {
      if (!issue) structuredClone(part)
    } catch (error) {
      cause = error
    }
    if (!issue && !cause) continue
    const path = [key, ...(issue?.path ?? [])]
    const got = path.reduce<unknown>((value, step) => (value as never)?.[step], data)
    throw new TypeError(
      `A commit was given a \`${path.join('.')}\` that can't be saved: ${describe(got)}. Nothing was changed.`,
      cause ? { cause } : undefined,
    )
  }
}

// PARSE

/**
 * Reads a stored record. Never throws: a damaged item is left out, an odd field falls back, and what is no record at all is `damaged`.
 * A record of a newer version is read as far as this version can.
 */
export function parseRecord(id: string, stored: unknown): ParsedRecord {
  if (stored === undefined || stored === null) return { kind: 'none' }
  const head = headSchema.safeParse(stored)
  const newer = isNewer(stored)
  if (!head.success && !newer) {
    const issue = head.error.issues[0]
    const place = issue?.path.join('.') || 'record'
    return {
      kind: 'damaged',
      problems: [
        {
          code: 'damaged_record',
          message: `The saved record of session "${id}" can't be read (${place}: ${issue?.message}). It is kept aside; the session starts anew.`,
        },
      ],
    }
  }
  const { list, problems } = head.success ? parseList(id, head.data.list) : { list: emptyList, problems: [] }
  const record: SessionRecord = deepFreeze({
    ...restSchema.parse(stored),
    version: versionOf(stored),
    id,
    revision: Math.max(revisionOf(stored) ?? 0, 0),
    list,
  })
  if (!newer) return { kind: 'current', record, problems }
  const message = `Session "${id}" was saved by a newer version of the kit (record version ${record.version}). It is shown, but not changed.`
  return { kind: 'newer', record, problems: [{ code: 'newer_version', message }, ...problems] }
}

/** Reads a stored list: items that don't pass the schema, and ids that came before, are left out and reported. */
function parseList(
  id: string,
  stored: { readonly todos: readonly unknown[]; readonly nextId: unknown },
): { list: TodoList; problems: readonly SessionProblem[] } {
  const todos: Todo[] = []
  const problems: SessionProblem[] = []
  const ids = new Set<number>()
  stored.todos.forEach((item, index) => {
    const parsed = todoSchema.safeParse(item)
    const issue = parsed.success ? undefined : parsed.error.issues[0]
    if (parsed.success && !ids.has(parsed.data.id)) {
      ids.add(parsed.data.id)
      todos.push(parsed.data)
      return
    }
    const fault = issue ? `${issue.path.join('.') || 'item'}: ${issue.message}` : 'its id came before'
    problems.push({
      code: 'damaged_item',
      message: `Item ${index} of session "${id}" was left out (${fault}).`,
    })
  })
  const highest = todos.reduce((max, todo) => Math.max(max, todo.id), 0)
  const nextId = Number.isSafeInteger(stored.nextId)
    ? Math.max(stored.nextId as number, highest + 1)
    : highest + 1
  return { list: deepFreeze({ todos, nextId }), problems }
}

/**
 * The revision of a stored value as a compare-and-set sees it: `null` when nothing is stored, -1 when what is stored has no revision.
 */
export function revisionOf(stored: unknown): number | null {
  if (stored === undefined || stored === null) return null
  const { revision } = stored as { revision?: unknown }
  return Number.isSafeInteger(revision) && (revision as number) >= 0 ? (revision as number) : -1
}

/**
 * Whether a write may replace what is stored: it has the expected revision, and is what the write was derived from. The number alone would
 * not tell: another tab may have written a revision of the same number. For storages.
 */
export function mayReplace(
  stored: unknown,
  record: Pick<SessionRecord, 'writeIds'>,
  expectedRevision: number | null,
): boolean {
  const revision = revisionOf(stored)
  if (revision !== expectedRevision) return false
  if (revision === null || revision === -1) return true
  return lastWriteId(stored) === record.writeIds.at(-2)
}

/** The write that a stored value came from; `undefined` when it does not say. */
export function lastWriteId(stored: unknown): string | undefined {
  return writeIds.parse((stored as Partial<SessionRecord> | null | undefined)?.writeIds).at(-1)
}

/** A stored record as a list of sessions shows it. For storages; `null` when the value has no id. */
export function summarize(stored: unknown): SessionSummary | null {
  const head = readHead(stored)
  return head && summaryOf(head)
}

/** The head of a record. For storages that keep heads beside their records. */
export function headOf(record: SessionRecord): SessionHead {
  const { id, title, createdAt, updatedAt, revision, run, version } = record
  const { done, total } = progress(record.list.todos)
  return { id, title, done, total, createdAt, updatedAt, revision, run: run.status, version }
}

/** The head of a stored record; `null` when the value has no id. */
export function readHead(stored: unknown): SessionHead | null {
  const id = (stored as { id?: unknown } | null | undefined)?.id
  if (typeof id !== 'string') return null
  const parsed = parseRecord(id, stored)
  if (parsed.kind === 'current' || parsed.kind === 'newer') return headOf(parsed.record)
  return { ...damagedHead, id }
}

/** A stored head; `null` when it is none. */
export function parseHead(stored: unknown): SessionHead | null {
  const { success, data } = sessionHeadSchema.safeParse(stored)
  return success ? data : null
}

export function summaryOf({ version, ...summary }: SessionHead): SessionSummary {
  return deepFreeze({ ...summary, readable: version > 0 && version <= RECORD_VERSION })
}

function versionOf(stored: unknown): number {
  const { version } = (stored ?? {}) as { version?: unknown }
  return Number.isSafeInteger(version) ? (version as number) : 0
}

function isNewer(stored: unknown): boolean {
  return versionOf(stored) > RECORD_VERSION
}
