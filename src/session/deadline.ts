/** A time after which something is late. */
export interface Deadline {
  /** In ms. */
  readonly limit: number
  /** Calls `late` once the limit has passed, unless the returned function is called before. */
  after(late: () => void): () => void
  /** Nothing new will come: the timer goes once nothing waits. */
  close(): void
}

interface Waiting {
  readonly since: number
  late(): void
}

/**
 * A deadline of `limit` ms for any number of things. They share a timer, which runs out in vain when nothing waits any more: setting and
 * clearing one for each commit takes a tenth of the commit's time.
 */
export function createDeadline(limit: number): Deadline {
  // Oldest first.
  const waiting = new Set<Waiting>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false

  function rest(): void {
    if (closed && waiting.size === 0) clearTimeout(timer)
  }

  function sleep(): void {
    const [oldest] = waiting
    if (timer !== undefined || !oldest) return
    timer = setTimeout(wake, Math.max(0, oldest.since + limit - performance.now()), oldest)
  }

  function wake(awaited: Waiting): void {
    timer = undefined
    const now = performance.now()
    for (const entry of waiting) {
      // A timer may be a little early.
      if (entry !== awaited && now - entry.since < limit) break
      waiting.delete(entry)
      entry.late()
    }
    sleep()
  }

  return {
    limit,
    after(late) {
      const entry: Waiting = { since: performance.now(), late }
      waiting.add(entry)
      sleep()
      return () => {
        waiting.delete(entry)
        rest()
      }
    },
    close() {
      closed = true
      rest()
    },
  }
}
