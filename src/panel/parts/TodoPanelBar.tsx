import { type RowState, sayDuration } from '../labels.ts'
import { summarize } from '../panelState.ts'
import { Icon } from './Icon.tsx'
import { chain, type PartProps, part } from './part.ts'

/** What {@link TodoPanelBar} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelBarState {
  readonly open: boolean
  readonly status: RowState
}

/** Props of {@link TodoPanelBar}. */
export type TodoPanelBarProps = Omit<PartProps<'button', TodoPanelBarState>, 'children'>

/**
 * The list in one line: what is being done, else how it stands, and how far it is. Opens and closes the
 * sheet. Renders a `<button>`.
 */
export const TodoPanelBar = /* @__PURE__ */ part<'button', TodoPanelBarState>(
  'Bar',
  'button',
  ({ state, labels, open, setOpen, contentId }, { onClick, ...props }) => {
    const { state: status, text } = summarize(state, labels)
    const notice = state.end ?? state.notices.find(({ tone }) => tone !== 'quiet')
    const { startedAt, endedAt } = state.run
    const took = status === 'completed' && startedAt !== null && endedAt !== null
    return [
      { open, status },
      {
        type: 'button',
        'aria-expanded': open,
        'aria-controls': open ? `${contentId}s` : undefined,
        onClick: chain(onClick, () => setOpen(!open)),
        ...props,
      },
      <>
        <Icon of={status} />
        <span className="todo-panel-sr">{`${state.title}, ${labels.status[status]}: `}</span>
        <span className="todo-panel-line">
          {notice && `${notice.title} · `}
          <bdi>{text}</bdi>
        </span>
        <span className="todo-panel-count">
          {took ? sayDuration(labels, endedAt - startedAt) : state.count}
        </span>
        <Icon name="chevron" of="chevron" />
      </>,
    ]
  },
)
