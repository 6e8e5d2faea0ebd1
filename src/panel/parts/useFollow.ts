import { type RefObject, useEffect, useRef } from 'react'
import { scaleOf } from './motion.ts'

/**
 * Keeps the current row of a scrolling list in view, or else the newest draft, until the person scrolls it
 * out of view; once they bring it back the list follows again. Scrolls nothing but the list, and marks it
 * while it holds more than it shows.
 *
 * @param target names what the list holds and follows; another value is another look at it, none is no list
 */
export function useFollow(ref: RefObject<HTMLElement | null>, target: string): void {
  // `null` until the row was in view once: how the list opens is no movement.
  const following = useRef<boolean | null>(null)

  useEffect(
    function follow() {
      const list = ref.current
      // Where sizes can't be observed (no browser, say), there is nothing to scroll.
      if (!list || !target || typeof ResizeObserver !== 'function') {
        following.current = null
        return
      }
      const row = list.querySelector('[aria-current]') ?? list.querySelector('[data-draft]:last-child')
      // Once in view, the row leaves it by the person's hand alone. Before that a scroll event is our own, on
      // its way.
      let seen = false

      function look(): number {
        const away = distance(list as HTMLElement, row)
        if (away === 0) following.current = seen = true
        return away
      }
      function show() {
        if (!list || following.current === false) return
        const top = look()
        // `scrollIntoView` would move the page as well.
        if (top !== 0) list.scrollBy({ top, behavior: following.current ? 'auto' : 'instant' })
      }
      function scrolled() {
        if (look() !== 0 && seen) following.current = false
      }
      const sizes = new ResizeObserver(() => {
        list.toggleAttribute('data-scrollable', list.scrollHeight > list.clientHeight + 1)
        show()
      })
      sizes.observe(list)
      list.addEventListener('scroll', scrolled, { passive: true })
      // Rows that were never rendered have a guessed height: the place of a far row is known once those
      // around it are.
      list.addEventListener('contentvisibilityautostatechange', show)
      return () => {
        sizes.disconnect()
        list.removeEventListener('scroll', scrolled)
        list.removeEventListener('contentvisibilityautostatechange', show)
      }
    },
    [ref, target],
  )
}

/**
 * How far to scroll until the row stands in the middle; 0 while it is in view. Its start counts: it may be
 * taller than the list.
 */
function distance(list: HTMLElement, row: Element | null): number {
  if (!row) return 0
  const room = list.getBoundingClientRect()
  const { top, height } = row.getBoundingClientRect()
  // Scrolled is in pixels of the list, which a zoomed canvas around it shows larger or smaller.
  const scale = scaleOf(list)
  const from = (top - room.top) / scale
  const spare = Math.max(0, (room.height - height) / scale)
  return from >= -1 && from <= spare + 1 ? 0 : from - spare / 2
}
