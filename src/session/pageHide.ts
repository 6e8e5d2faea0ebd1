const listeners = new Set<() => void>()
let listening = false

/**
 * Functions to call when the page is hidden or about to go away. The page's events are listened to once, and for good: adding and removing
 * such a listener with each commit costs more than the commit.
 */
export const hurryOnHide = {
  add(listener: () => void): void {
    listeners.add(listener)
    if (listening || typeof document === 'undefined') return
    listening = true
    addEventListener('pagehide', hurry)
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') hurry()
    })
  },
  delete(listener: () => void): void {
    listeners.delete(listener)
  },
}

function hurry(): void {
  for (const listener of [...listeners]) listener()
}
