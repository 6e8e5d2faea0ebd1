import { Notice } from './Notice.tsx'
import { type PartProps, part } from './part.ts'

export type TodoPanelNoticesProps = Omit<PartProps<'div', object>, 'children'>

/**
 * What the person should know right now: the guard asked the model to continue, the run was interrupted or
 * goes on in another tab, the list is not saved. Nothing when all is well. Renders a `<div>`.
 */
export const TodoPanelNotices = /* @__PURE__ */ part<'div', object>(
  'Notices',
  'div',
  ({ state: { notices } }, props) =>
    notices.length > 0
      ? [{}, props, notices.map((notice) => <Notice key={notice.kind} notice={notice} />)]
      : null,
)
