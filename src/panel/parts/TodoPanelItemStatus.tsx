import type { RowState } from '../labels.ts'
import { rowAside, rowState } from '../panelState.ts'
import { Icon } from './Icon.tsx'
import { type PartProps, rowPart } from './part.ts'

/** What {@link TodoPanelItemStatus} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelItemStatusState {
  readonly status: RowState
}

/** Props of {@link TodoPanelItemStatus}. */
export type TodoPanelItemStatusProps = PartProps<'span', TodoPanelItemStatusState>

/**
 * The state of a row, as a sign and as a word. Where {@link TodoPanelItemDetails} show the word, it is not
 * said twice. Renders a `<span>`.
 */
export const TodoPanelItemStatus = /* @__PURE__ */ rowPart<'span', TodoPanelItemStatusState>(
  'ItemStatus',
  'span',
  (row, { children, ...props }) => {
    const status = rowState(row)
    const word = row.labels.status[status]
    return [
      { status },
      props,
      children ?? (
        <>
          <Icon of={status} />
          {rowAside(row) !== word && <span className="todo-panel-sr">{word}: </span>}
        </>
      ),
    ]
  },
)
