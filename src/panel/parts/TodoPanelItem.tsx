import { type ForwardedRef, forwardRef, memo, type ReactElement } from 'react'
import type { TodoStatus } from '../../core/todo.ts'
import { enLabels, type TodoPanelLabels } from '../labels.ts'
import { type PanelRow, rowAside, rowDetail, rowState } from '../panelState.ts'
import { Elapsed } from './Elapsed.tsx'
import { Icon } from './Icon.tsx'
import { type PartProps, renderPart } from './part.ts'

export interface TodoPanelItemState {
  readonly status: TodoStatus
  readonly current: boolean
  readonly paused: boolean
  readonly draft: PanelRow['draft']
}

export type TodoPanelItemProps = PartProps<'li', TodoPanelItemState> &
  Pick<PanelRow, 'todo'> &
  Partial<PanelRow> & {
    /** @default enLabels */
    labels?: TodoPanelLabels | undefined
  }

/** From here on a text may be cut, and its whole is offered as a tooltip. */
const LONG_TEXT = 160

/**
 * One row: icon, status as text, content, detail, and the time it took. Renders again only when its todo or
 * its place in the run changes. Renders an `<li>`.
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
      labels = enLabels,
      ...props
    }: TodoPanelItemProps,
    ref: ForwardedRef<HTMLLIElement>,
  ): ReactElement {
    const { content, status, startedAt } = todo
    const state = rowState({ todo, paused, draft })
    const word = labels.status[state]
    const detail = rowDetail(todo)
    const aside =
      state === 'in_progress' && !still
        ? startedAt !== undefined && <Elapsed since={startedAt} labels={labels} />
        : rowAside(state, todo, labels)
    return renderPart(
      'li',
      'item',
      ref,
      { status, current, paused, draft },
      { 'aria-current': current ? 'step' : undefined, ...props },
      <>
        <span className="todo-panel-status">
          <Icon of={state} />
          {aside !== word && <span className="todo-panel-sr">{word}: </span>}
        </span>
        <span
          className="todo-panel-content"
          dir="auto"
          title={content.length > LONG_TEXT ? content : undefined}
        >
          {content}
        </span>
        {aside && <span className="todo-panel-aside">{aside}</span>}
        {detail && (
          <span className="todo-panel-detail" dir="auto">
            {detail}
          </span>
        )}
        {reason && (
          <details className="todo-panel-reason">
            <summary>{labels.reason}</summary>
            <span dir="auto">{reason}</span>
          </details>
        )}
      </>,
    )
  }),
)
