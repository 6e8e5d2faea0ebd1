import { type RefObject, useEffect, useRef } from 'react'

/**
 * Takes the focus to the panel at a key combination such as `Alt+Shift+L`, and at the next press back to
 * where it was. What the page has already handled is left alone.
 */
export function useShortcut(root: RefObject<HTMLElement | null>, shortcut: string | false): void {
  const from = useRef<Element | null>(null)
  useEffect(
    function listen() {
      if (!shortcut) return
      function reach(event: KeyboardEvent) {
        const panel = root.current
        if (!panel || panel.dataset.hidden === '' || event.defaultPrevented) return
        if (!matches(event, shortcut as string)) return
        event.preventDefault()
        if (panel.contains(document.activeElement)) {
          ;(from.current as HTMLElement | null)?.focus()
          return
        }
        from.current = document.activeElement
        const target =
          panel.querySelector<HTMLElement>('[role=list][tabindex]') ??
          panel.querySelector<HTMLElement>('[aria-expanded]')
        ;(target ?? panel).focus()
      }
      window.addEventListener('keydown', reach)
      return () => window.removeEventListener('keydown', reach)
    },
    [root, shortcut],
  )
}

/** Whether these are the keys: modifiers as `aria-keyshortcuts` names them, then one key. */
function matches(event: KeyboardEvent, shortcut: string): boolean {
  const keys = shortcut.toLowerCase().split('+')
  const key = keys.pop()
  return (
    // With Alt some systems give another letter: the place of the key counts then.
    (event.key.toLowerCase() === key || event.code.toLowerCase() === `key${key}`) &&
    (['alt', 'control', 'meta', 'shift'] as const).every(
      (name) => keys.includes(name) === event[name === 'control' ? 'ctrlKey' : (`${name}Key` as const)],
    )
  )
}
