import type { UIMessage } from 'ai'
import * as z from 'zod/mini'
import { describe, requireText, TodoAgentError } from '../core/errors.ts'
import { deepFreeze, type RunView } from '../core/todo.ts'
import type { SessionSnapshot } from './createTodoSession.ts'
import { type HistoryEntry, parseHistory } from './history.ts'
import { defaultStorage } from './indexedDb.ts'
import { liveSessions } from './live.ts'
import { parseMessages } from './messages.ts'
import {
  parseRecord,
  RECORD_VERSION,
  type SessionData,
  type SessionProblem,
  type SessionRecord,
} from './record.ts'
import { withSavedSession } from './registry.ts'
import { pruneSoon } from './retention.ts'
import { sessionListOf } from './sessionList.ts'
import type { SessionStorage } from './storage.ts'

// TYPES

/** A session as a JSON object: to download, to send, to import elsewhere. */
export interface ExportedSession {
  readonly format: typeof FORMAT
  /** The version of this shape. */
  readonly version: typeof VERSION
  /** ms since 1970. */
  readonly exportedAt: number
  readonly session: SessionData & { readonly id: string }
  readonly messages: readonly UIMessage[]
  /** What takes the list back when an earlier message is regenerated. */
  readonly history: readonly HistoryEntry[]
}

/** What an import came to. */
export interface ImportedSession {
  /** Another one than in the file when that was taken. */
  readonly id: string
  /** What could not be read and was left out, as when a saved session is opened. */
  readonly problems: readonly SessionProblem[]
}

// VALUES

const FORMAT = 'use-todo-agent/session'
const VERSION = 1

const headSchema = z.object({ format: z.literal(FORMAT), version: z.int().check(z.positive()) })

const bodySchema = z.object({
  session: z.looseObject({
    id: z.string().check(z.regex(/\S/)),
    list: z.looseObject({ todos: z.array(z.unknown()) }),
  }),
  messages: z.array(z.unknown()),
  history: z.array(z.unknown()),
})

/** How many ids are tried for a copy before the storage is taken to refuse it. */
const MOST_TRIES = 20

// EXPORT

/**
 * A saved session as a plain JSON object: list, guard, mode, title, transcript and history. A run that is under way is exported as interrupted.
 * Rejects with `unknown_session`, `read_only`, `storage_failed`.
 *
 * @example
 * const file = new Blob([JSON.stringify(await exportSession('trip-to-lyon'))], { type: 'application/json' })
 */
export function exportSession(
  id: string,
  storage: SessionStorage = defaultStorage(),
): Promise<ExportedSession> {
  return withSavedSession(id, storage, async (session) => {
    const { data, messages, history } = await session.snapshot()
    return toJson({
      format: FORMAT,
      version: VERSION,
      exportedAt: Date.now(),
      session: { ...data, id, run: atRest(data.run) },
      messages,
      history,
    })
  })
}

// IMPORT

/**
 * Saves what {@link exportSession} gave, as text or parsed, as a session of this storage. Under its own id or the given one, or a new one where
 * that is taken. It counts as changed now.
 *
 * Everything is checked. Single items or messages that are damaged are left out and reported, as when a saved session is opened; anything else
 * that is wrong rejects with `invalid_import`, and the `path` to it. Nothing is stored then. Also rejects with `storage_failed`.
 *
 * @example
 * const { id } = await importSession(await file.text())
 */
export async function importSession(
  json: unknown,
  storage: SessionStorage = defaultStorage(),
  options: { readonly id?: string | undefined } = {},
): Promise<ImportedSession> {
  if (options.id !== undefined) requireText('id', options.id)
  const { id, snapshot, problems } = readFile(json)
  return { id: await save(options.id ?? id, snapshot, storage), problems }
}

/**
 * Saves a session a second time, under the given id or a new one, and resolves with that id. The two know nothing of each other.
 * Rejects with `unknown_session`, `read_only`, `storage_failed`.
 */
export function duplicateSession(
  id: string,
  storage: SessionStorage = defaultStorage(),
  { id: wanted = id, title }: { readonly id?: string | undefined; readonly title?: string | undefined } = {},
): Promise<string> {
  requireText('id', wanted)
  return withSavedSession(id, storage, async (session) => {
    const { data, ...rest } = await session.snapshot()
    const copy = { ...data, run: atRest(data.run), title: title ?? data.title }
    return save(wanted, { ...rest, data: copy }, storage)
  })
}

function readFile(json: unknown): {
  readonly id: string
  readonly snapshot: SessionSnapshot
  readonly problems: readonly SessionProblem[]
} {
  const file = typeof json === 'string' ? parseJson(json) : json
  const { version } = parsePart(headSchema, file)
  if (version > VERSION) {
    throw invalid(
      `A newer version of this page made it (${version}). Reload the page and try again.`,
      'version',
    )
  }
  const { session, messages: storedMessages, history: storedHistory } = parsePart(bodySchema, file)
  const { id } = session
  const read = parseRecord(id, { ...session, version: RECORD_VERSION, revision: 1 })
  if (read.kind !== 'current') throw invalid('Its session could not be read.', 'session')
  const { list, guard, mode, modeChange, run, title } = read.record
  const { messages, problems } = parseMessages(id, storedMessages)
  const last = Number((storedHistory.at(-1) as Partial<HistoryEntry> | null | undefined)?.n)
  const history = parseHistory(storedHistory, last)
  const lost = storedHistory.length - history.length
  return {
    id,
    snapshot: { data: { list, guard, mode, modeChange, run: atRest(run), title }, messages, history },
    problems: [...read.problems, ...problems, ...(lost > 0 ? [lostHistory(id, lost)] : [])],
  }
}

function parsePart<Part>(schema: z.ZodMiniType<Part>, file: unknown): Part {
  const { success, data, error } = schema.safeParse(file)
  if (success) return data
  const issue: { path?: PropertyKey[]; values?: unknown[]; expected?: string } = { ...error.issues[0] }
  const expected = issue.values?.map((value) => `"${value}"`).join(' or ') ?? issue.expected
  throw faultIn(file, issue.path ?? [], expected)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid(`It is not JSON (${(cause as Error).message}).`, undefined, cause)
  }
}

// SAVE

async function save(wanted: string, snapshot: SessionSnapshot, storage: SessionStorage): Promise<string> {
  const live = liveSessions(storage)
  let id = wanted
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    // One that is open and still empty would take it for its own.
    if (!live.has(id) && (await write(id, snapshot, storage))) {
      sessionListOf(storage).announce(id)
      pruneSoon(storage)
      return id
    }
    id = `${wanted}-${Math.random().toString(36).slice(2, 8)}`
  }
  throw new TodoAgentError('storage_failed', `A copy of session "${wanted}" was refused by the storage.`)
}

async function write(
  id: string,
  { data, messages, history }: SessionSnapshot,
  storage: SessionStorage,
): Promise<boolean> {
  const at = Date.now()
  const record: SessionRecord = deepFreeze({
    ...data,
    version: RECORD_VERSION,
    id,
    revision: 1,
    createdAt: at,
    updatedAt: at,
    writeIds: [`copy.${Math.random().toString(36).slice(2)}`],
    messagesRevision: 1,
    lastEntry: history.at(-1)?.n ?? 0,
  })
  const puts = messages.map((message, index) => ({ index, message, sameParts: 0 }))
  try {
    const { written } = await storage.write(record, null, { messages: { puts }, history: { puts: history } })
    return written
  } catch (cause) {
    throw new TodoAgentError('storage_failed', `Session "${id}" could not be saved. Try again.`, { cause })
  }
}

// HELPERS

/** A run as a copy has it: nobody is at it. */
function atRest(run: RunView): RunView {
  return run.status === 'running' ? { ...run, status: 'interrupted' } : run
}

/** A value as JSON would give it back. */
// Storages keep more than JSON has: a bigint becomes text, and what holds itself ends there.
function toJson<Value>(value: Value): Value {
  const above: unknown[] = []
  const text = JSON.stringify(value, function toPlain(this: unknown, _key, part: unknown) {
    if (typeof part === 'bigint') return String(part)
    while (above.length > 0 && above.at(-1) !== this) above.pop()
    if (above.includes(part)) return undefined
    if (typeof part === 'object' && part !== null) above.push(part)
    return part
  })
  return JSON.parse(text)
}

function lostHistory(id: string, lost: number): SessionProblem {
  return {
    code: 'damaged_history',
    message: `${lost} entries of the history of session "${id}" could not be read and were left out.`,
  }
}

function faultIn(file: unknown, at: readonly PropertyKey[], expected?: string): TodoAgentError {
  let path = ''
  let value = file
  for (const key of at) {
    path += typeof key === 'number' ? `[${key}]` : `${path && '.'}${String(key)}`
    value = (value as Record<PropertyKey, unknown> | undefined)?.[key]
  }
  const got = value === undefined ? 'missing' : describe(value)
  const instead = expected === undefined ? '' : `, expected ${expected}`
  return invalid(`${path ? `\`${path}\`` : 'The whole'} is ${got}${instead}.`, path)
}

function invalid(why: string, path?: string, cause?: unknown): TodoAgentError {
  return new TodoAgentError('invalid_import', `This is no session that can be imported. ${why}`, {
    ...(path === undefined ? {} : { path }),
    ...(cause === undefined ? {} : { cause }),
  })
}
