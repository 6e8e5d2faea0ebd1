import { say } from '../labels.ts'
import { chain, type PartProps, part } from './part.ts'

/** What {@link TodoPanelMore} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelMoreState {
  readonly expanded: boolean
}

/** Props of {@link TodoPanelMore}. */
export type TodoPanelMoreProps = PartProps<'button', TodoPanelMoreState>

/**
 * Says how many rows `maxVisible` leaves out, and shows them all. Nothing where none is left out. Renders a
 * `<button>`.
 */
export const TodoPanelMore = /* @__PURE__ */ part<'button', TodoPanelMoreState>(
  'More',
  'button',
  ({ labels, open, visible, expanded, setExpanded }, { onClick, children, ...props }) => {
    if (!open || visible.left === 0) return null
    return [
      { expanded },
      {
        type: 'button',
        'aria-expanded': expanded,
        onClick: chain(onClick, () => setExpanded(!expanded)),
        ...props,
      },
      children ?? (expanded ? labels.fewer : say(labels, labels.more, { count: visible.left })),
    ]
  },
)
