import type { RunOutcome } from '../../core/todo.ts'
import { type PartProps, part } from './part.ts'
import { TodoPanelNotice } from './TodoPanelNotice.tsx'

/** What {@link TodoPanelOutcome} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelOutcomeState {
  readonly outcome: RunOutcome | null
}

/** Props of {@link TodoPanelOutcome}. */
export type TodoPanelOutcomeProps = Omit<PartProps<'div', TodoPanelOutcomeState>, 'children'>

/**
 * How the last run ended and what it left open. Nothing while one runs, and when all is done. Renders a
 * `<div>`.
 */
export const TodoPanelOutcome = /* @__PURE__ */ part<'div', TodoPanelOutcomeState>(
  'Outcome',
  'div',
  ({ state: { end, run } }, props) =>
    end && [{ outcome: run.outcome }, props, <TodoPanelNotice key="end" notice={end} />],
)
