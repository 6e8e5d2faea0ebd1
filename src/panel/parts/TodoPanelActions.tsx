import { Action } from './Action.tsx'
import { type PartProps, part } from './part.ts'

/** Props of {@link TodoPanelActions}. */
export type TodoPanelActionsProps = Omit<PartProps<'div', object>, 'children'>

/**
 * What the person decides about a plan: approve it, or, where the host handles that, ask for changes. Nothing
 * when there is no plan to decide about. Renders a `<div>`.
 */
export const TodoPanelActions = /* @__PURE__ */ part<'div', object>(
  'Actions',
  'div',
  ({ state: { plan, todos }, controls: { approvePlan, askForChanges }, open }, props) =>
    open && plan && todos.length > 0 && (approvePlan || askForChanges)
      ? [
          {},
          props,
          <>
            <Action name="primary" of="approvePlan" />
            <Action name="secondary" of="askForChanges" />
          </>,
        ]
      : null,
)
