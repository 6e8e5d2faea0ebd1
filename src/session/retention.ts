import { describe } from '../core/errors.ts'
import { liveSessions } from './live.ts'
import { readPresence } from './presence.ts'
import { sessionListOf } from './sessionList.ts'
import type { Retention, SessionStorage } from './storage.ts'

/** How long a new session may wait for the old ones to go, in ms: so that a hundred new ones are one round. */
const PRUNE_AFTER = 1000

const waiting = new WeakSet<SessionStorage>()

/**
 * Deletes the saved sessions that `retention` no longer wants and resolves with their ids. Sessions that are open, in this tab or another
 * one, stay, and so do those that this version of the kit can't read. Rejects when the storage fails.
 *
 * @throws TypeError that names the option
 *
 * @example
 * // Keeps the newest 200, and of these what was changed in the last 90 days.
 * await pruneSessions(storage, { keep: 200, maxAge: 90 * 24 * 60 * 60 * 1000 })
 */
export async function pruneSessions(
  storage: SessionStorage,
  retention: Retention = storage.retention ?? {},
  now: number = Date.now(),
): Promise<readonly string[]> {
  checkRetention(retention)
  const { keep = Number.POSITIVE_INFINITY, maxAge = Number.POSITIVE_INFINITY } = retention
  const summaries = (await storage.list()).filter(({ readable }) => readable)
  const outdated = summaries
    .sort((a, b) => b.updatedAt - a.updatedAt)
    .filter(({ updatedAt }, index) => index >= keep || now - updatedAt > maxAge)
  if (outdated.length === 0) return []
  const { open, driven } = await readPresence(storage.scope)
  const live = liveSessions(storage)
  const ids = outdated.map(({ id }) => id).filter((id) => !live.has(id) && !open.has(id) && !driven.has(id))
  await Promise.all(ids.map((id) => storage.delete(id)))
  if (ids.length > 0) sessionListOf(storage).announce(null)
  return ids
}

/** Does so shortly after a session was stored for the first time, where the storage has a rule. A failure can wait for the next one. */
export function pruneSoon(storage: SessionStorage): void {
  if (!storage.retention || waiting.has(storage)) return
  waiting.add(storage)
  setTimeout(() => {
    waiting.delete(storage)
    pruneSessions(storage).catch(() => {})
  }, PRUNE_AFTER)
}

/** @throws TypeError that names the option */
export function checkRetention({ keep, maxAge }: Retention): void {
  const isCount = keep === undefined || keep === Number.POSITIVE_INFINITY || Number.isInteger(keep)
  if (!isCount || (keep ?? 0) < 0) {
    throw new TypeError(`\`keep\` must be a whole number of at least 0, or Infinity, got ${describe(keep)}.`)
  }
  if (maxAge !== undefined && !(maxAge >= 0)) {
    throw new TypeError(`\`maxAge\` must be a number of ms of at least 0, got ${describe(maxAge)}.`)
  }
}
