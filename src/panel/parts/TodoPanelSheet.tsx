import { type PartProps, part } from './part.ts'

/** Props of {@link TodoPanelSheet}. */
export type TodoPanelSheetProps = PartProps<'div', object>

/** The card that the bar opens over the content. Nothing while it is closed. Renders a `<div>`. */
export const TodoPanelSheet = /* @__PURE__ */ part<'div', object>(
  'Sheet',
  'div',
  ({ open, contentId }, { children, ...props }) =>
    open ? [{}, { id: `${contentId}s`, ...props }, children] : null,
)
