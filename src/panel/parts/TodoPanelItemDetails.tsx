import { say } from '../labels.ts'
import { rowAside, rowDetail, rowState } from '../panelState.ts'
import { Elapsed } from './Elapsed.tsx'
import { type PartProps, rowPart } from './part.ts'

/** Props of {@link TodoPanelItemDetails}. */
export type TodoPanelItemDetailsProps = PartProps<'div', object>

/**
 * What there is to know beside the text: the time it took, or the word for its state; the description while it
 * is of use; what the person asked for; why it was cancelled, blocked or completed. Nothing where there is nothing to know. Renders a
 * `<div>`.
 */
export const TodoPanelItemDetails = /* @__PURE__ */ rowPart<'div', object>(
  'ItemDetails',
  'div',
  (row, { children, ...props }) => {
    const { todo, reason, asked, labels, still } = row
    const detail = rowDetail(todo)
    const ticks = rowState(row) === 'in_progress' && !still && todo.startedAt != null
    const aside = ticks ? <Elapsed since={todo.startedAt ?? 0} labels={labels} /> : rowAside(row)
    if (!children && !aside && !detail && !reason && !asked) return null
    return [
      {},
      props,
      children ?? (
        <>
          {aside && <span className="todo-panel-aside">{aside}</span>}
          {detail && (
            <span className="todo-panel-detail" dir="auto">
              {detail}
            </span>
          )}
          {asked && (
            <span className="todo-panel-asked" dir="auto">
              {say(labels, labels.askedFor[asked.type], { ...asked })}
            </span>
          )}
          {reason && (
            <details className="todo-panel-reason">
              {/* Opened by Enter on its row, so that a list of many reasons is still one stop of the Tab key. */}
              <summary tabIndex={still ? undefined : -1}>{labels.reason}</summary>
              <span dir="auto">{reason}</span>
            </details>
          )}
        </>
      ),
    ]
  },
)
