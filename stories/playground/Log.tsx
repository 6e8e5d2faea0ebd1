import { type ReactElement, type ReactNode, useRef } from 'react'
import { useStickToEnd } from './useStickToEnd.ts'

/** Where a conversation stands, its end in view. It speaks no word of its own to screen readers: the panel announces what matters. */
export function Log({
  label,
  children,
}: {
  readonly label: string
  readonly children: ReactNode
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null)
  useStickToEnd(scroller)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must get there.
    <div className="pg-log" role="log" aria-live="off" aria-label={label} tabIndex={0} ref={scroller}>
      <div className="pg-log-content">{children}</div>
    </div>
  )
}
