import {
  type ForwardedRef,
  forwardRef,
  type KeyboardEvent,
  type ReactElement,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { TodoView } from '../../core/todo.ts'
import { type Panel, PanelContext } from '../context.ts'
import { enLabels, type TodoPanelLabels } from '../labels.ts'
import {
  type PanelControls,
  standing,
  type TodoPanelVerbosity,
  toPanelState,
  visibleRows,
} from '../panelState.ts'
import { type TodoPanelSource, useTodoView } from '../useTodoView.ts'
import { Announcer } from './Announcer.tsx'
import { Continuity } from './Continuity.ts'
import { chain, type PartProps, renderPart } from './part.ts'
import { useMergedRef } from './useMergedRef.ts'
import { useRequests } from './useRequests.ts'
import { useShortcut } from './useShortcut.ts'
import { type TodoPanelVisibility, useVisibility } from './useVisibility.ts'

/** A form of the panel: a card, one line above a chat input, or the list inside a transcript. */
export type TodoPanelVariant = 'card' | 'bar' | 'inline'

/** What {@link TodoPanelRoot} shows of the panel, as `data-*` and to `render`. */
export interface TodoPanelRootState {
  readonly variant: TodoPanelVariant
  readonly open: boolean
  readonly hidden: boolean
  readonly editable: boolean
  readonly empty: boolean
  readonly plan: boolean
  readonly mode: string | null
  readonly run: TodoView['run']['status'] | null
  readonly outcome: TodoView['run']['outcome']
  readonly persistence: TodoView['persistence']
  readonly driver: TodoView['driver']
}

/** What a panel takes besides its source. */
export interface TodoPanelOptions extends TodoPanelVisibility {
  /** What the person can do. Each member goes before that of the session; `undefined` takes it away. */
  controls?: PanelControls | undefined
  /** Every word. Keep the object the same between renders. @default enLabels */
  labels?: TodoPanelLabels | undefined
  /** Name of the list. @default `labels.title`, in plan mode `labels.planTitle` */
  title?: string | undefined
  /**
   * `card`; `bar`: one line that opens the card over the content; or `inline`: the list as it was at one
   * message, small, without anything that moves, speaks or acts.
   * @default 'card'
   */
  variant?: TodoPanelVariant | undefined
  /**
   * The most rows that are shown before the person asks for more, from 1. The current item is always one of
   * them.
   * @default all
   */
  maxVisible?: number | undefined
  /**
   * What screen readers are told: `milestones` (work began, each third, an item is blocked, the end), all
   * `changes` of the list, or nothing: `off`.
   * @default 'milestones'
   */
  verbosity?: TodoPanelVerbosity | undefined
  /**
   * Whether the person can ask for changes of the list: add, rename, remove an item, or leave it out. They go to
   * `controls.request`; the list changes when the model changes it, and until then the row says what was asked.
   * @default false
   */
  editable?: boolean | undefined
  /**
   * The keys that take the focus to the panel and back, as in `aria-keyshortcuts`: modifiers (`Alt`,
   * `Control`, `Meta`, `Shift`) and one key. `false`: none. With several panels in a page, one of them answers.
   * @default 'Alt+Shift+L', none for `inline`
   */
  shortcut?: string | false | undefined
}

/** Props of {@link TodoPanelRoot}: a session or plain values, the options of a panel, and those of a `<section>`. */
export type TodoPanelRootProps = Omit<PartProps<'section', TodoPanelRootState>, 'title'> &
  TodoPanelSource &
  TodoPanelOptions

/**
 * The frame of a panel: gives its parts the view, the labels and the open state, and speaks for all of them
 * to screen readers. Renders a `<section>`.
 */
export const TodoPanelRoot = /* @__PURE__ */ forwardRef(function TodoPanelRoot(
  props: TodoPanelRootProps,
  ref: ForwardedRef<HTMLElement>,
): ReactElement {
  // Another session is another panel: what was opened, typed or asked for in one must not act on the other.
  return <Frame key={props.session?.id} given={props} outerRef={ref} />
})

function Frame({
  given: {
    controls,
    labels: givenLabels,
    title,
    variant = 'card',
    open: givenOpen,
    defaultOpen = variant !== 'bar',
    onOpenChange,
    whenDone,
    whenEmpty,
    maxVisible = Infinity,
    verbosity = 'milestones',
    editable = false,
    shortcut = variant === 'inline' ? false : 'Alt+Shift+L',
    onKeyDown,
    children,
    ...given
  },
  outerRef,
}: {
  given: TodoPanelRootProps
  outerRef: ForwardedRef<HTMLElement>
}): ReactElement {
  const { session, todos, draft, mode, run, persistence, persistenceDetail, driver, reasons, ...props } =
    given
  if (!(maxVisible >= 1))
    throw new TypeError(`\`maxVisible\` of a panel is ${maxVisible}. Let it be 1 or more.`)
  // A translation that nothing type-checked may lack some, or those that a newer version has brought.
  const labels = useMemo(() => ({ ...enLabels, ...givenLabels }), [givenLabels])
  const state = toPanelState(useTodoView(given), labels, title)
  const root = useRef<HTMLElement>(null)
  const { open, hidden, setOpen } = useVisibility(
    { open: givenOpen, defaultOpen, onOpenChange, whenDone, whenEmpty },
    state,
    root,
    session && `todo-panel ${variant} ${session.id}`,
  )
  const [expanded, setExpanded] = useState(false)
  const still = variant === 'inline'
  const allControls = { ...state.controls, ...controls }
  const { waiting, ask } = useRequests(state.todos, state.running, allControls.request)
  const panel: Panel = {
    state,
    labels,
    still,
    controls: allControls,
    waiting,
    ask: editable && !still && allControls.request ? ask : undefined,
    open,
    setOpen,
    visible: visibleRows(state, Math.floor(maxVisible)),
    expanded,
    setExpanded,
    contentId: useId(),
  }

  useShortcut(root, shortcut)
  useEffect(function goLive() {
    // Reading the layout makes the browser style what is there, which is new no more after that.
    root.current?.getBoundingClientRect()
    root.current?.setAttribute('data-live', '')
  }, [])

  function closeOnEscape(event: KeyboardEvent<HTMLElement>) {
    if (variant !== 'bar' || !open || event.key !== 'Escape' || event.nativeEvent.isComposing) return
    // A dialog around the panel stays open.
    event.preventDefault()
    // Focus first: once the sheet is gone it would be nowhere.
    event.currentTarget.querySelector<HTMLElement>('[aria-expanded]')?.focus()
    setOpen(false)
  }

  const { empty, plan } = state
  const shown: TodoPanelRootState = {
    variant,
    open: open && !hidden,
    hidden,
    editable: panel.ask !== undefined,
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
        useMergedRef(root, outerRef),
        shown,
        {
          // A transcript holds many lists, which are no landmarks of the page.
          role: still ? 'group' : undefined,
          'aria-label': state.title,
          tabIndex: -1,
          'aria-keyshortcuts': shortcut || undefined,
          ...props,
          onKeyDown: chain(onKeyDown, closeOnEscape),
        },
        <>
          <Continuity root={root} state={state} still={still}>
            {!hidden && children}
          </Continuity>
          {!still && verbosity !== 'off' && (
            <Announcer
              standing={standing(state, labels)}
              labels={labels}
              verbosity={verbosity}
              loading={state.persistence === 'loading'}
            />
          )}
        </>,
      )}
    </PanelContext.Provider>
  )
}
