import type { UIMessage } from 'ai'
import { deepFreeze, type RunView } from '../core/todo.ts'
import { markMended, parseMessages } from './messages.ts'
import { type Base, emptyBase, type Working } from './pending.ts'
import { parseRecord, revisionOf, type SessionProblem, type SessionRecord } from './record.ts'
import { share } from './share.ts'
import type { SessionStorage } from './storage.ts'

/** A run that was under way when it was read: shown as interrupted, and stored as it was until someone changes it. */
export interface InterruptedRun {
  readonly shown: RunView
  readonly stored: RunView
}

/** What turned out to be stored. */
export interface Found<Message extends UIMessage> {
  readonly base: Base<Message>
  readonly interrupted: InterruptedRun | null
  /** It comes from a newer version of the kit. */
  readonly readOnly: boolean
  readonly problems: readonly SessionProblem[]
}

interface Known<Message extends UIMessage> {
  readonly id: string
  readonly storage: SessionStorage
  readonly at: number
  /** What was known to be stored so far, and what the session is at the moment. */
  readonly base: Base<Message>
  readonly working: Working<Message>
}

/**
 * Makes a stored record, and the messages with it, into something to go on from. What is equal to what was known keeps its identity, and
 * messages that did not change are not read again. A record that can't be read is set aside.
 */
export async function findStored<Message extends UIMessage>(
  stored: unknown,
  { id, storage, at, base, working }: Known<Message>,
): Promise<Found<Message>> {
  const parsed = parseRecord(id, stored)
  if (parsed.kind === 'none') return { base: emptyBase(), interrupted: null, readOnly: false, problems: [] }
  if (parsed.kind === 'damaged') {
    const revision = revisionOf(stored)
    await storage.setAside(id, revision, at)
    const { aligned, damaged, problems } = parseMessages<Message>(id, await storage.readMessages(id))
    markMended(aligned, damaged)
    // Counting on from its revision keeps a tab that read it too from taking the new record for the damaged one.
    const fresh = { ...emptyBase<Message>(), revision: Math.max(revision ?? 0, 0), messages: aligned }
    return { base: fresh, interrupted: null, readOnly: false, problems: [...parsed.problems, ...problems] }
  }
  const { record, kind } = parsed
  const known = record.createdAt === base.createdAt && record.messagesRevision === base.messagesRevision
  // After the record, never before it: a transcript newer than its record meets a conflict at the next write, an older one would not.
  const { aligned, damaged, problems } = known
    ? { aligned: base.messages, damaged: [], problems: [] }
    : parseMessages<Message>(id, await storage.readMessages(id))
  const messages = share(base.messages, aligned)
  markMended(messages, damaged)
  return {
    ...takeRecord(record, working, messages),
    readOnly: kind === 'newer',
    problems: [...parsed.problems, ...problems],
  }
}

function takeRecord<Message extends UIMessage>(
  record: SessionRecord,
  working: Working<Message>,
  messages: readonly (Message | undefined)[],
): Pick<Found<Message>, 'base' | 'interrupted'> {
  const { list, guard, mode, modeChange, title, run: stored, version: _, id: __, ...facts } = record
  const run = takeRun(stored, working.data.run)
  const data = deepFreeze(share(working.data, { list, guard, mode, modeChange, title, run }))
  return {
    base: { ...facts, expected: record.revision, data, messages },
    interrupted: run === stored ? null : { stored, shown: data.run },
  }
}

function takeRun(stored: RunView, own: RunView): RunView {
  if (stored.status !== 'running') return stored
  const isOwn = own.status === 'running' && own.startedAt === stored.startedAt
  return isOwn ? stored : { ...stored, status: 'interrupted' }
}
