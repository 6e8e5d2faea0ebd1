import { useSyncExternalStore } from 'react'
import { sayDuration, type TodoPanelLabels } from '../labels.ts'

/**
 * The time since `since` (ms since 1970) in words, ticking once a second while the page is visible. It alone
 * renders for that.
 */
export function Elapsed({ since, labels }: { since: number; labels: TodoPanelLabels }): string | null {
  const seconds = useSyncExternalStore(
    everySecond,
    () => Math.max(0, Math.floor((Date.now() - since) / 1000)),
    // A server's clock is not the client's: nothing until the first client render is over.
    () => -1,
  )
  return seconds < 0 ? null : sayDuration(labels, seconds * 1000)
}

function everySecond(tick: () => void): () => void {
  let timer: ReturnType<typeof setInterval> | undefined
  function follow() {
    clearInterval(timer)
    if (document.hidden) return
    timer = setInterval(tick, 1000)
    tick()
  }
  follow()
  document.addEventListener('visibilitychange', follow)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', follow)
  }
}
