import type { TodoSession } from './createTodoSession.ts'
import { requireStorage, type SessionStorage } from './storage.ts'

/** A session that is live in this page, and who holds it. */
export interface LiveSession {
  readonly session: TodoSession
  holders: number
  /** The longest that any of its holders asked for; `undefined`: none did. */
  keepAlive: number | undefined
  /** Every holder has gone. False while nobody has held it yet: then it is its maker's to end. */
  left: boolean
  /** Looks whether it can be let go of. */
  lingers?: ReturnType<typeof setTimeout> | undefined
  /** Stops its run. */
  expires?: ReturnType<typeof setTimeout> | undefined
  /** Takes back what the other tabs were told of it. */
  unmark?: (() => void) | undefined
}

const live = new WeakMap<SessionStorage, Map<string, LiveSession>>()

/** The live sessions of a storage by their id. The registry changes it, others read it. */
export function liveSessions(storage: SessionStorage): Map<string, LiveSession> {
  let sessions = live.get(storage)
  if (!sessions) {
    requireStorage(storage)
    sessions = new Map()
    live.set(storage, sessions)
  }
  return sessions
}
