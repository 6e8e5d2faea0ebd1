import { Fragment, type ReactElement, useMemo, useRef } from 'react'
import type { ListedRow } from '../panelState.ts'
import { type PartProps, part } from './part.ts'
import { TodoPanelItem } from './TodoPanelItem.tsx'
import { useFollow } from './useFollow.ts'
import { useMergedRef } from './useMergedRef.ts'

export interface TodoPanelListOptions {
  /** Renders one row. Keep the function stable between renders. @default a {@link TodoPanelItem} */
  children?: ((row: ListedRow) => ReactElement) | undefined
}

export type TodoPanelListProps = Omit<PartProps<'ol', object>, 'children'> & TodoPanelListOptions

/**
 * The list, which scrolls in itself when it is long and keeps the current item in view unless the person
 * scrolled away from it. Items that are still being written stand after the committed ones. Nothing while the
 * panel is closed or empty. Renders an `<ol>`.
 */
export const TodoPanelList = /* @__PURE__ */ part<'ol', object, TodoPanelListOptions>(
  'List',
  'ol',
  function List(
    { state, labels, open, still, visible, expanded, contentId },
    { children = defaultRow, ...props },
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
            current: todo === current,
            paused,
            draft: null,
            still,
            reason,
            labels,
          })
        }),
      [todos, from, to, current, running, still, reasons, labels, children],
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
            ...props,
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
