import { useCallback, useState } from 'react'

/**
 * How many of many rows are rendered: a screenful at first, and more whenever the end of them comes near. `end` is the ref of an element
 * after the last row.
 */
export function useGrowing(
  first: number,
  more: number,
): { shown: number; end: (element: Element | null) => void } {
  const [shown, setShown] = useState(first)
  const end = useCallback(
    (element: Element | null) => {
      if (!element) return undefined
      const observer = new IntersectionObserver(
        (entries) => {
          // On a busy page several come at once: the last says how it is.
          if (entries.at(-1)?.isIntersecting) setShown((count) => count + more)
        },
        { root: element.parentElement, rootMargin: '0px 0px 300px' },
      )
      observer.observe(element)
      return () => observer.disconnect()
    },
    [more],
  )
  return { shown, end }
}
