import { useEffect, useRef } from 'react'
import { dataAttributes, type PartProps, part } from './part.ts'
import { useMergedRef } from './useMergedRef.ts'

/** Beyond this many items segments would be too thin to tell apart. */
const MAX_SEGMENTS = 24

/** What {@link TodoPanelProgress} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelProgressState {
  readonly continuous: boolean
  readonly complete: boolean
}

/** Props of {@link TodoPanelProgress}. */
export type TodoPanelProgressProps = PartProps<'div', TodoPanelProgressState>

/**
 * The progress bar: one segment for each item in list order, or one piece beyond 24 items. `--todo-progress`
 * is the part that is done, from 0 to 1. Nothing while there is no list and while it is a plan. Renders a
 * `<div>`.
 */
export const TodoPanelProgress = /* @__PURE__ */ part<'div', TodoPanelProgressState>(
  'Progress',
  'div',
  function Progress({ state: { todos, progress, plan, running, title, count } }, props, ref) {
    const { done, total, current } = progress
    const element = useRef<HTMLDivElement>(null)
    const merged = useMergedRef(element, ref)
    // By script, since a strict content security policy refuses the style attribute of a server's HTML.
    useEffect(() => element.current?.style.setProperty('--todo-progress', `${done / total}`))
    if (total === 0 || plan) return null
    const continuous = todos.length > MAX_SEGMENTS
    const pieces = continuous ? (
      <span className="todo-panel-fill" />
    ) : (
      todos.map((todo) => (
        <span
          key={todo.id}
          className="todo-panel-segment"
          {...dataAttributes({
            status: todo.status,
            current: todo === current,
            paused: todo.status === 'in_progress' && !running,
          })}
        />
      ))
    )
    return [
      { continuous, complete: done === total },
      {
        role: 'progressbar',
        'aria-label': title,
        'aria-valuemin': 0,
        'aria-valuemax': total,
        'aria-valuenow': done,
        'aria-valuetext': count,
        ...props,
        ref: merged,
      },
      pieces,
    ]
  },
)
