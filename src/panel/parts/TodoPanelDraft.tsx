import type { PanelRow } from '../panelState.ts'
import { type PartProps, rowPart } from './part.ts'

/** What {@link TodoPanelDraft} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelDraftState {
  readonly draft: PanelRow['draft']
}

/** Props of {@link TodoPanelDraft}. */
export type TodoPanelDraftProps = PartProps<'span', TodoPanelDraftState>

/**
 * The mark of a row that is not committed: a caret after its text while that is arriving. A part of the row
 * and no row of its own, so that the row keeps its element as it becomes firm. Nothing in a committed row.
 * Renders a `<span>`.
 */
export const TodoPanelDraft = /* @__PURE__ */ rowPart<'span', TodoPanelDraftState>(
  'Draft',
  'span',
  ({ draft }, props) => draft && [{ draft }, { 'aria-hidden': true, ...props }, props.children],
)
