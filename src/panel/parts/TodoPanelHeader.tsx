import { Icon } from './Icon.tsx'
import { type PartProps, part } from './part.ts'

/** What {@link TodoPanelHeader} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelHeaderState {
  readonly open: boolean
}

/** What {@link TodoPanelHeader} takes besides the props of its element. */
export interface TodoPanelHeaderOptions {
  /** Whether the person can close the list. @default true */
  collapsible?: boolean | undefined
}

/** Props of {@link TodoPanelHeader}. */
export type TodoPanelHeaderProps = PartProps<'header', TodoPanelHeaderState> & TodoPanelHeaderOptions

/**
 * Title, mode, how far the list is, and the button that opens and closes it. While the list is closed the
 * current item stands here. Renders a `<header>`.
 */
export const TodoPanelHeader = /* @__PURE__ */ part<'header', TodoPanelHeaderState, TodoPanelHeaderOptions>(
  'Header',
  'header',
  ({ state, labels, open, setOpen, contentId }, { collapsible = true, ...props }) => {
    const { title, mode, count, progress } = state
    const canClose = collapsible && !state.empty
    return [
      { open },
      props,
      <>
        <span className="todo-panel-title">{title}</span>
        {mode !== null && mode !== 'execute' && (
          <span className="todo-panel-mode">{labels.modes[mode] ?? mode}</span>
        )}
        {!open && progress.current && (
          <span className="todo-panel-now" dir="auto">
            {progress.current.content}
          </span>
        )}
        {count !== null && <span className="todo-panel-count">{count}</span>}
        {canClose && (
          <button
            type="button"
            className="todo-panel-toggle"
            aria-label={title}
            aria-expanded={open}
            aria-controls={open ? contentId : undefined}
            onClick={() => setOpen(!open)}
          >
            <Icon name="chevron" of="chevron" />
          </button>
        )}
      </>,
    ]
  },
)
