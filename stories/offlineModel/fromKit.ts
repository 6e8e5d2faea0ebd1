import { englishTexts } from '../../src/core/texts.ts'
import { TODO_STATUSES, type Todo, type TodoStatus } from '../../src/core/todo.ts'

// TYPES

/** An item of the list as the request reads it out. */
export interface ListItem {
  /** `null` where the list names no ids. */
  readonly id: number | null
  readonly content: string
  readonly status: TodoStatus
  readonly reason?: string
}

export type Note = 'correction' | 'blocked' | 'mode' | 'other'

// NOTES

/** Whether a message is one that the kit wrote, and not the person: the list, or a note. */
export function isFromKit(text: string): boolean {
  return parseList(text) !== null || knownNote(text) !== null
}

/** Which note of the kit a text is, `null` for any other text. */
export function knownNote(text: string): Note | null {
  if (modeChanged.test(text)) return 'mode'
  return noteStarts.find(([, start]) => start.length > 5 && text.startsWith(start.trim()))?.[0] ?? null
}

// What stands before the first thing that differs: so the model knows the kit's notes without a copy of their words.
const todo = (content: string): Todo => ({ id: content.length, content, status: 'pending', createdAt: 0 })
const facts = [
  { open: [todo('A')], toolset: 'todos' },
  { open: [todo('BB')], toolset: 'write_todos' },
] as const
const noteStarts: readonly (readonly [Note, string])[] = [
  ['correction', commonStart(facts.map(englishTexts.correction))],
  ['blocked', commonStart(facts.map(englishTexts.blocked))],
  ['other', commonStart(facts.map(englishTexts.stale))],
  ['other', englishTexts.emptyResponse],
  ['other', englishTexts.resume],
  ['other', englishTexts.loopFeedback.split('{remaining_todos}', 1)[0] ?? ''],
  ['other', '## Feedback'],
]

/** The announcement of another mode, with the two modes. */
export const modeChanged = pattern(englishTexts.mode.changed({ from: 'MODE-A', to: 'MODE-B' }))
/** A sentence of the kit as a pattern, with MODE-A and MODE-B for what differs. */
export function pattern(sentence: string): RegExp {
  const literal = sentence.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')
  return new RegExp(literal.replace('MODE-A', '(.+?)').replace('MODE-B', '(.+?)'), 'u')
}

function commonStart(texts: readonly string[]): string {
  const [first = '', ...rest] = texts
  let length = 0
  while (length < first.length && rest.every((text) => text[length] === first[length])) length += 1
  return first.slice(0, length)
}

// LIST

/** The list in a message that reads it out, `null` when it is another message. */
export function parseList(text: string): ListItem[] | null {
  const lines = text.split('\n')
  if (lines.length >= 2 && lines[1] === englishTexts.noneYet) return []
  return parseJsonList(text) ?? parseLines(lines)
}

function parseJsonList(text: string): ListItem[] | null {
  const start = text.indexOf('[{"')
  const end = text.lastIndexOf('}]')
  // A person may paste JSON too: a list message has at most a heading before it.
  if (start === -1 || end < start || text.slice(0, start).trim().includes('\n')) return null
  try {
    const items: unknown = JSON.parse(text.slice(start, end + 2))
    return Array.isArray(items) && items.every(isItem) ? items.map(toItem) : null
  } catch {
    return null
  }
}

function parseLines(lines: readonly string[]): ListItem[] | null {
  const found = lines.slice(1).map((line) => /^- (\d+) \[(open|done|cancelled|blocked)\] (.*)$/u.exec(line))
  if (!found[0]) return null
  return found.flatMap((match) => {
    const [, id, word, content = ''] = match ?? []
    const status = word === 'done' ? 'completed' : word === 'open' ? 'pending' : (word as TodoStatus)
    return match ? [{ id: Number(id), content, status }] : []
  })
}

export function isItem(
  value: unknown,
): value is { id?: unknown; content: string; status: TodoStatus; reason?: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'content' in value &&
    typeof value.content === 'string' &&
    'status' in value &&
    TODO_STATUSES.some((status) => status === value.status)
  )
}

export function toItem({
  id,
  content,
  status,
  reason,
}: {
  id?: unknown
  content: string
  status: TodoStatus
  reason?: unknown
}): ListItem {
  return {
    id: typeof id === 'number' ? id : null,
    content,
    status,
    ...(typeof reason === 'string' && { reason }),
  }
}
