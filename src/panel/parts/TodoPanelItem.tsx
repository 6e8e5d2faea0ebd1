import { type ForwardedRef, forwardRef, memo, type ReactElement } from 'react'
import type { TodoStatus } from '../../core/todo.ts'
import { RowContext } from '../context.ts'
import { enLabels, type TodoPanelLabels } from '../labels.ts'
import type { ListedRow, PanelRow } from '../panelState.ts'
import { type PartProps, renderPart } from './part.ts'
import { TodoPanelItemContent } from './TodoPanelItemContent.tsx'
import { TodoPanelItemDetails } from './TodoPanelItemDetails.tsx'
import { TodoPanelItemEdit } from './TodoPanelItemEdit.tsx'
import { TodoPanelItemStatus } from './TodoPanelItemStatus.tsx'

/** What {@link TodoPanelItem} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelItemState {
  readonly status: TodoStatus
  readonly current: boolean
  readonly paused: boolean
  readonly draft: PanelRow['draft']
}

/** Props of {@link TodoPanelItem}. */
export type TodoPanelItemProps = PartProps<'li', TodoPanelItemState> &
  Pick<PanelRow, 'todo'> &
  Partial<PanelRow> &
  Pick<ListedRow, 'ask'> & {
    /** @default enLabels */
    labels?: TodoPanelLabels | undefined
  }

/**
 * One row, of {@link TodoPanelItemStatus}, {@link TodoPanelItemContent} and {@link TodoPanelItemDetails}
 * unless it is given other children. Renders again only when its todo or its place in the run changes.
 * Renders an `<li>`.
 */
export const TodoPanelItem = /* @__PURE__ */ memo(
  /* @__PURE__ */ forwardRef(function TodoPanelItem(
    {
      todo,
      current = false,
      paused = false,
      draft = null,
      still = false,
      reason,
      asked,
      ask,
      labels = enLabels,
      children = content,
      ...props
    }: TodoPanelItemProps,
    ref: ForwardedRef<HTMLLIElement>,
  ): ReactElement {
    const { status } = todo
    return (
      <RowContext.Provider value={{ todo, current, paused, draft, still, reason, asked, ask, labels }}>
        {renderPart(
          'li',
          'item',
          ref,
          { status, current, paused, draft },
          { 'aria-current': current ? 'step' : undefined, tabIndex: still ? undefined : -1, ...props },
          children,
        )}
      </RowContext.Provider>
    )
  }),
)

const content = (
  <>
    <TodoPanelItemStatus />
    <TodoPanelItemContent />
    <TodoPanelItemDetails />
    <TodoPanelItemEdit />
  </>
)
