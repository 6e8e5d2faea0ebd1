import { type RefObject, useEffect, useRef } from 'react'
import { activeIn } from './activeIn.ts'

/**
 * Takes the focus to the panel at a key combination such as `Alt+Shift+L`, and at the next press back to
 * where it was. What the page has already handled is left alone.
 */
export function useShortcut(root: RefObject<HTMLElement | null>, shortcut: string | false): void {
  const from = useRef<Element | null>(null)
  useEffect(
    function listen() {
      // A portal may have put the panel into another window.
      const page = root.current?.ownerDocument.defaultView
      if (!shortcut) return
      function reach(event: KeyboardEvent) {
        const panel = root.current
        if (!panel || panel.dataset.hidden === '' || event.defaultPrevented) return
        // A panel in a part of the page that is not shown leaves the key to another one.
        if (!matches(event, shortcut as string) || panel.getClientRects().length === 0) return
        event.preventDefault()
        let active = activeIn(panel)
        if (panel.contains(active)) {
          ;(from.current as HTMLElement | null)?.focus()
          return
        }
        active ??= panel.ownerDocument.activeElement
        // A host stands for what has the focus in its shadow root.
        while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
        from.current = active
        const target =
          panel.querySelector<HTMLElement>('[role=list][tabindex]') ??
          panel.querySelector<HTMLElement>('[aria-expanded]')
        ;(target ?? panel).focus()
      }
      page?.addEventListener('keydown', reach)
      return () => page?.removeEventListener('keydown', reach)
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
