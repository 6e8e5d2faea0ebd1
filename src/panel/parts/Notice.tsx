import { Fragment, type ReactElement, useCallback, useRef } from 'react'
import { usePanel } from '../context.ts'
import type { PanelActionName, PanelNotice } from '../panelState.ts'
import { Icon } from './Icon.tsx'
import { classOf, dataAttributes } from './part.ts'

/** One notice: words, and at most one action. */
export function Notice({ notice }: { notice: PanelNotice }): ReactElement {
  const { kind, tone, title, details, action } = notice
  return (
    <div className="todo-panel-notice" {...dataAttributes({ kind, tone })}>
      {kind === 'correction' && <Icon name="again" of="again" />}
      <span>
        <strong>{title}</strong>
        {details.map((detail) => (
          <Fragment key={detail}>
            {' · '}
            <bdi>{detail}</bdi>
          </Fragment>
        ))}
      </span>
      {action && <Action name="action" of={action} />}
    </div>
  )
}

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
    if (gone && gone === document.activeElement) gone.closest<HTMLElement>('[data-variant]')?.focus()
  }, [])
  const run = controls[action]
  return run ? (
    <button type="button" ref={keepFocus} className={classOf(name)} onClick={() => run()}>
      {labels[action]}
    </button>
  ) : null
}
