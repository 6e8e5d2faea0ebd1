import { type ForwardedRef, forwardRef, type KeyboardEvent, type ReactElement, useId, useState } from 'react'
import type { TodoView } from '../../core/todo.ts'
import { type Panel, PanelContext } from '../context.ts'
import { enLabels, type TodoPanelLabels } from '../labels.ts'
import { type PanelControls, standing, toPanelState } from '../panelState.ts'
import { type TodoPanelSource, useTodoView } from '../useTodoView.ts'
import { Announcer } from './Announcer.tsx'
import { type PartProps, renderPart } from './part.ts'

export type TodoPanelVariant = 'card' | 'bar' | 'inline'

export interface TodoPanelRootState {
  readonly variant: TodoPanelVariant
  readonly open: boolean
  readonly empty: boolean
  readonly plan: boolean
  readonly mode: string | null
  readonly run: TodoView['run']['status'] | null
  readonly outcome: TodoView['run']['outcome']
  readonly persistence: TodoView['persistence']
  readonly driver: TodoView['driver']
}

export interface TodoPanelOptions {
  /** What the person can do. Each member goes before that of the session; `undefined` takes it away. */
  controls?: PanelControls | undefined
  /** Every word. @default enLabels */
  labels?: TodoPanelLabels | undefined
  /** Name of the list. @default `labels.title`, in plan mode `labels.planTitle` */
  title?: string | undefined
  /**
   * `card`; `bar`: one line that opens the card over the content; or `inline`: the list as it was at one
   * message, small, without anything that moves, speaks or acts.
   * @default 'card'
   */
  variant?: TodoPanelVariant | undefined
  /** Whether the list is shown, when the host decides it. */
  open?: boolean | undefined
  /** Whether the list is shown at first. @default false for the bar, true otherwise */
  defaultOpen?: boolean | undefined
  /** The person opened or closed the list. */
  onOpenChange?: ((open: boolean) => void) | undefined
}

export type TodoPanelRootProps = Omit<PartProps<'section', TodoPanelRootState>, 'title'> &
  TodoPanelSource &
  TodoPanelOptions

/**
 * The frame of a panel: gives its parts the view, the labels and the open state, and speaks for all of them
 * to screen readers. Renders a `<section>`.
 */
export const TodoPanelRoot = /* @__PURE__ */ forwardRef(function TodoPanelRoot(
  {
    controls,
    labels = enLabels,
    title,
    variant = 'card',
    open: givenOpen,
    defaultOpen = variant !== 'bar',
    onOpenChange,
    onKeyDown,
    children,
    ...given
  }: TodoPanelRootProps,
  ref: ForwardedRef<HTMLElement>,
): ReactElement {
  const { session, todos, draft, mode, run, persistence, persistenceDetail, driver, reasons, ...props } =
    given
  const state = toPanelState(useTodoView(given), labels, title)
  const [ownOpen, setOwnOpen] = useState(defaultOpen)
  const open = givenOpen ?? ownOpen
  function setOpen(next: boolean) {
    setOwnOpen(next)
    onOpenChange?.(next)
  }
  const still = variant === 'inline'
  const panel: Panel = {
    state,
    labels,
    still,
    controls: { ...state.controls, ...controls },
    open,
    setOpen,
    contentId: useId(),
  }

  function closeOnEscape(event: KeyboardEvent<HTMLElement>) {
    onKeyDown?.(event)
    if (variant !== 'bar' || !open || event.key !== 'Escape' || event.defaultPrevented) return
    // Focus first: once the sheet is gone it would be nowhere.
    event.currentTarget.querySelector<HTMLElement>('[aria-expanded]')?.focus()
    setOpen(false)
  }

  const { empty, plan } = state
  const shown: TodoPanelRootState = {
    variant,
    open,
    empty,
    plan,
    mode: state.mode,
    run: still ? null : state.run.status,
    outcome: state.run.outcome,
    persistence: state.persistence,
    driver: state.driver,
  }
  return (
    <PanelContext.Provider value={panel}>
      {renderPart(
        'section',
        'root',
        ref,
        shown,
        {
          // A transcript holds many lists, which are no landmarks of the page.
          role: still ? 'group' : undefined,
          'aria-label': state.title,
          tabIndex: -1,
          ...props,
          onKeyDown: closeOnEscape,
        },
        <>
          {children}
          {!still && (
            <Announcer
              key={session?.id}
              standing={standing(state, labels)}
              saving={shown.persistence === 'failed' ? labels.notSaved : ''}
              loading={shown.persistence === 'loading'}
            />
          )}
        </>,
      )}
    </PanelContext.Provider>
  )
})
