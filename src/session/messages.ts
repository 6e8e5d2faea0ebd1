import type { UIMessage } from 'ai'
import type { SessionProblem } from './record.ts'
import type { MessagePut, SessionWrites } from './storage.ts'

const roles: readonly unknown[] = ['system', 'user', 'assistant']
// Their parts have other places in the storage.
const mended = new WeakSet<UIMessage>()

/**
 * Reads stored messages. What is no message is left out and reported, and so are parts that are none. `aligned` holds the message of each
 * stored place, so that the next write knows which places to put or delete.
 */
export function parseMessages<Message extends UIMessage>(
  id: string,
  stored: readonly unknown[],
): {
  messages: readonly Message[]
  aligned: readonly (Message | undefined)[]
  damaged: readonly number[]
  problems: readonly SessionProblem[]
} {
  const problems: SessionProblem[] = []
  const damaged: number[] = []
  const aligned = Array.from(stored, (value, index) => {
    const message = parseMessage<Message>(value)
    if (message !== value) {
      damaged.push(index)
      const [what, were] = message ? ['Parts of message', 'were'] : ['Message', 'was']
      problems.push({
        code: 'damaged_message',
        message: `${what} ${index} of session "${id}" could not be read and ${were} left out.`,
      })
    }
    return message
  })
  return { messages: aligned.filter((message) => message !== undefined), aligned, damaged, problems }
}

/** Has the messages at these places written as a whole when they change: they are not as they are stored. */
export function markMended(messages: readonly (UIMessage | undefined)[], places: readonly number[]): void {
  for (const place of places) {
    const message = messages[place]
    if (message) mended.add(message)
  }
}

// The parts of a message are the AI SDK's to check, which knows the host's tools; here it only has to be one.
function parseMessage<Message extends UIMessage>(value: unknown): Message | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const message = value as Message
  if (typeof message.id !== 'string' || !roles.includes(message.role) || !Array.isArray(message.parts))
    return undefined
  const parts = message.parts.filter((part: { type?: unknown } | null) => typeof part?.type === 'string')
  return parts.length === message.parts.length ? message : { ...message, parts }
}

/**
 * Joins two transcripts that both came from `base`: theirs, with the messages that are changed or new in mine. What either side deleted
 * stays deleted.
 */
export function mergeMessages<Message extends UIMessage>(
  base: readonly (Message | undefined)[],
  mine: readonly Message[],
  theirs: readonly Message[],
): readonly Message[] {
  const baseById = byId(base)
  const mineById = byId(mine)
  const theirIds = new Set(theirs.map((message) => message.id))
  const kept = theirs.flatMap((message) => {
    const own = mineById.get(message.id)
    const known = baseById.get(message.id)
    if (own) return own === known ? message : own
    return known ? [] : message
  })
  const merged = [
    ...kept,
    ...mine.filter((message) => !theirIds.has(message.id) && !baseById.has(message.id)),
  ]
  return merged.length === mine.length && merged.every((message, index) => message === mine[index])
    ? mine
    : merged
}

/** The writes that turn the stored places into `next`. Messages are compared by identity. */
export function diffMessages<Message extends UIMessage>(
  stored: readonly (Message | undefined)[],
  next: readonly (Message | undefined)[],
): SessionWrites['messages'] {
  if (next === stored) return undefined
  const puts: MessagePut[] = []
  next.forEach((message, index) => {
    const before = stored[index]
    if (message && message !== before) puts.push({ index, message, ...samePartsOf(before, message) })
  })
  if (stored.length > next.length) return { puts, deleteFrom: next.length }
  return puts.length > 0 ? { puts } : undefined
}

function samePartsOf(before: UIMessage | undefined, { parts }: UIMessage): Pick<MessagePut, 'sameParts'> {
  if (!before) return { sameParts: 0 }
  if (mended.has(before) || before.parts.length > parts.length) return {}
  const other = before.parts.findIndex((part, index) => part !== parts[index])
  return { sameParts: other < 0 ? before.parts.length : other }
}

function byId<Message extends UIMessage>(messages: readonly (Message | undefined)[]): Map<string, Message> {
  return new Map(messages.flatMap((message) => (message ? [[message.id, message] as const] : [])))
}
