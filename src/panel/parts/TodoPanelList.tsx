import { Fragment, type ReactElement, useMemo, useRef } from 'react'
import type { ListedRow } from '../panelState.ts'
import { chain, type PartProps, part } from './part.ts'
import { roving } from './roving.ts'
import { TodoPanelItem } from './TodoPanelItem.tsx'
import { useFollow } from './useFollow.ts'
import { useMergedRef } from './useMergedRef.ts'
import { idOf } from './useRequests.ts'

/** What {@link TodoPanelList} takes besides the props of its element. */
export interface TodoPanelListOptions {
  /** Renders one row. Keep the function stable between renders. @default a {@link TodoPanelItem} */
  children?: ((row: ListedRow) => ReactElement) | undefined
}

/** Props of {@link TodoPanelList}. */
export type TodoPanelListProps = Omit<PartProps<'ol', object>, 'children'> & TodoPanelListOptions

/**
 * The list, which scrolls in itself when it is long and keeps the current item in view unless the person
 * scrolled away from it. Items that are still being written stand after the committed ones. The list is one
 * stop of the Tab key; in it the arrow keys, Home and End go from row to row, and Enter opens what a row
 * holds. Nothing while the panel is closed or empty. Renders an `<ol>`.
 */
export const TodoPanelList = /* @__PURE__ */ part<'ol', object, TodoPanelListOptions>(
  'List',
  'ol',
  function List(
    { state, labels, open, still, visible, expanded, waiting, ask, contentId },
    { children = defaultRow, onFocus, onBlur, onKeyDown, ...props },
    ref,
  ) {
    const { todos, tentative, running, progress, reasons } = state
    const { current } = progress
    const from = expanded ? 0 : visible.from
    const to = expanded ? Infinity : visible.to
    // Drafts come many times a second: they are no reason to look at the committed rows again.
    const committed = useMemo(
      () =>
        todos.slice(from, to).map((todo) => {
          const paused = todo.status === 'in_progress' && !running && !still
          const reason = todo.status === 'completed' ? reasons[todo.id] : undefined
          return keyed(children, {
            todo,
            asked: waiting.find((request) => idOf(request) === todo.id),
            ask,
            current: todo === current,
            paused,
            draft: null,
            still,
            reason,
            labels,
          })
        }),
      [todos, from, to, current, running, still, reasons, waiting, ask, labels, children],
    )
    const list = useRef<HTMLOListElement>(null)
    const merged = useMergedRef(list, ref)
    const shown = open && !state.empty
    const drafts = tentative.slice(Math.max(0, from - todos.length), Math.max(0, to - todos.length))
    useFollow(list, shown ? `${current?.id} ${todos.length} ${tentative.length}` : '')
    return shown
      ? [
          {},
          {
            ref: merged,
            id: contentId,
            // Safari takes a list without markers for no list.
            role: 'list',
            'aria-label': state.title,
            // A transcript holds many lists, and none of them needs the keyboard.
            tabIndex: still ? undefined : 0,
            ...props,
            onFocus: chain(onFocus, roving.onFocus),
            onBlur: chain(onBlur, roving.onBlur),
            onKeyDown: chain(onKeyDown, roving.onKeyDown),
          },
          [...committed, ...drafts.map((row) => keyed(children, { ...row, labels }))],
        ]
      : null
  },
)

function keyed(render: (row: ListedRow) => ReactElement, row: ListedRow): ReactElement {
  return <Fragment key={row.todo.id}>{render(row)}</Fragment>
}

function defaultRow(row: ListedRow): ReactElement {
  return <TodoPanelItem {...row} />
}
