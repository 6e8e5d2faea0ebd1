import { Fragment, type ReactElement } from 'react'
import type { PanelNotice } from '../panelState.ts'
import { type PartProps, part } from './part.ts'
import { TodoPanelNotice } from './TodoPanelNotice.tsx'

/** Options of {@link TodoPanelNotices}. */
export interface TodoPanelNoticesOptions {
  /** Renders one notice. @default a {@link TodoPanelNotice} */
  children?: ((notice: PanelNotice) => ReactElement) | undefined
}

/** Props of {@link TodoPanelNotices}. */
export type TodoPanelNoticesProps = Omit<PartProps<'div', object>, 'children'> & TodoPanelNoticesOptions

/**
 * What the person should know right now: the guard asked the model to continue, the run was interrupted or
 * goes on in another tab, the list is not saved. Nothing when all is well. Renders a `<div>`.
 */
export const TodoPanelNotices = /* @__PURE__ */ part<'div', object, TodoPanelNoticesOptions>(
  'Notices',
  'div',
  ({ state: { notices } }, { children = defaultNotice, ...props }) =>
    notices.length > 0
      ? [{}, props, notices.map((notice) => <Fragment key={notice.kind}>{children(notice)}</Fragment>)]
      : null,
)

function defaultNotice(notice: PanelNotice): ReactElement {
  return <TodoPanelNotice notice={notice} />
}
