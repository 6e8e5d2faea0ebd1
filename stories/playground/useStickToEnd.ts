import { type RefObject, useEffect } from 'react'

/** How near to the end still counts as being there, in px. */
const NEAR = 48

/** Keeps the end of a scroller in view while it grows, unless the person has scrolled up to read. */
export function useStickToEnd(scroller: RefObject<HTMLElement | null>): void {
  useEffect(
    function followTheEnd() {
      const element = scroller.current
      const content = element?.firstElementChild
      if (!element || !content) return
      let isAtEnd = true
      const onScroll = () => {
        isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
      }
      const observer = new ResizeObserver(() => {
        if (isAtEnd) element.scrollTop = element.scrollHeight
      })
      observer.observe(content)
      observer.observe(element)
      element.addEventListener('scroll', onScroll, { passive: true })
      return () => {
        observer.disconnect()
        element.removeEventListener('scroll', onScroll)
      }
    },
    [scroller],
  )
}
