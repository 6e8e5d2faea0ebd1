import { type PartProps, part } from './part.ts'

/** Props of {@link TodoPanelEmpty}. */
export type TodoPanelEmptyProps = PartProps<'p', object>

/** What stands where the list will be, as long as there is none. Renders a `<p>`. */
export const TodoPanelEmpty = /* @__PURE__ */ part<'p', object>(
  'Empty',
  'p',
  ({ state, labels }, { children = `${labels.empty} ${labels.emptyHint}`, ...props }) =>
    state.empty ? [{}, { dir: 'auto', ...props }, children] : null,
)
