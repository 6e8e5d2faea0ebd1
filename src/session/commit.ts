import type { UIMessage } from 'ai'
import type { Deadline } from './deadline.ts'
import type { Operation } from './pending.ts'

/** What a commit came to. */
export interface CommitResult {
  /** The revision of the session after it. */
  readonly revision: number
  /** Whether it changed anything. */
  readonly changed: boolean
  /** Whether the storage has it. False: it failed or is slow; the newest state is written at the next success. */
  readonly saved: boolean
}

/** A commit on its way to the storage. It can be answered before it is there: it is then still pending, but nobody waits for it. */
export interface PendingCommit<Message extends UIMessage> {
  operation: Operation<Message>
  revision: number
  /** A write that holds it was tried. */
  attempted: boolean
  settled: boolean
  /** Commits that changed nothing, and wait for the state that they saw. */
  readonly followers: PendingCommit<Message>[]
  settle(saved: boolean, changed?: boolean): void
  refuse(error: unknown): void
}

interface Waiting {
  /** How long the caller waits. */
  readonly soon: Deadline
  onLate(): void
  resolve(result: CommitResult): void
  reject(error: unknown): void
}

/** Answers its caller once: when it is settled or refused, or when that took too long. */
export function createPendingCommit<Message extends UIMessage>(
  operation: Operation<Message>,
  revision: number,
  { soon, onLate, resolve, reject }: Waiting,
): PendingCommit<Message> {
  const cancel = soon.after(() => {
    onLate()
    commit.settle(false)
  })

  const commit: PendingCommit<Message> = {
    operation,
    revision,
    attempted: false,
    settled: false,
    followers: [],
    settle(saved, changed = true) {
      answer(saved, () => resolve({ revision: commit.revision, changed, saved }))
    },
    refuse(error) {
      answer(false, () => reject(error))
    },
  }
  return commit

  function answer(saved: boolean, tell: () => void): void {
    if (commit.settled) return
    commit.settled = true
    cancel()
    tell()
    for (const follower of commit.followers) follower.settle(saved, false)
  }
}
