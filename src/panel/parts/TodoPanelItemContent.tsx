import { type PartProps, rowPart } from './part.ts'
import { TodoPanelDraft } from './TodoPanelDraft.tsx'

/** Props of {@link TodoPanelItemContent}. */
export type TodoPanelItemContentProps = PartProps<'span', object>

/** From here on a text may be cut, and its whole is offered as a tooltip. */
const LONG_TEXT = 160

/** What is to be done, in its own direction. Renders a `<span>`. */
export const TodoPanelItemContent = /* @__PURE__ */ rowPart<'span', object>(
  'ItemContent',
  'span',
  ({ todo: { content } }, { children, ...props }) => [
    {},
    { dir: 'auto', title: content.length > LONG_TEXT ? content : undefined, ...props },
    children ?? (
      <>
        {content}
        <TodoPanelDraft />
      </>
    ),
  ],
)
