import { type ReactElement, useCallback, useRef } from 'react'
import { usePanel } from '../context.ts'
import type { PanelActionName } from '../panelState.ts'
import { activeIn } from './activeIn.ts'
import { classOf } from './part.ts'

/**
 * The button of a control, when there is that control. Hands its focus to the panel when what it did makes it
 * disappear.
 */
export function Action({ name, of: action }: { name: string; of: PanelActionName }): ReactElement | null {
  const { controls, labels } = usePanel('Actions')
  const button = useRef<HTMLButtonElement | null>(null)
  const keepFocus = useCallback((element: HTMLButtonElement | null) => {
    const gone = button.current
    button.current = element
    // React detaches a ref before it removes the element, which still has its place and the focus then.
    if (gone && gone === activeIn(gone)) gone.closest<HTMLElement>('[data-variant]')?.focus()
  }, [])
  const run = controls[action]
  return run ? (
    <button type="button" ref={keepFocus} className={classOf(name)} onClick={() => run()}>
      {labels[action]}
    </button>
  ) : null
}
