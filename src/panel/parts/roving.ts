import type { FocusEvent, KeyboardEvent } from 'react'

/**
 * What makes a list one stop of the Tab key. Its first stop is the current row, or else the first. On the DOM
 * and not by state, so that no row renders for it.
 */
export const roving = {
  onFocus({ target, currentTarget: list }: FocusEvent<HTMLElement>): void {
    // While a row has the focus, Shift+Tab must pass the list by.
    list.tabIndex = -1
    if (target !== list) return
    const row = list.querySelector<HTMLElement>('[aria-current]') ?? list.firstElementChild
    ;(row as HTMLElement | null)?.focus()
  },

  onBlur({ relatedTarget, currentTarget: list }: FocusEvent<HTMLElement>): void {
    if (!list.contains(relatedTarget)) list.tabIndex = 0
  },

  onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const target = event.target as HTMLElement
    if (event.altKey || event.ctrlKey || event.metaKey || target.matches('input, textarea, select')) return
    const rows = [...event.currentTarget.children] as HTMLElement[]
    const index = rows.findIndex((row) => row.contains(target))
    if (event.key === 'Enter' && target === rows[index]) {
      target.querySelector<HTMLElement>('summary, button')?.click()
      event.preventDefault()
      return
    }
    const last = rows.length - 1
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: last }[event.key]
    if (next === undefined || index < 0) return
    rows[Math.max(0, Math.min(next, last))]?.focus()
    event.preventDefault()
  },
}
