import { Fragment } from 'react'
import type { NoticeKind, NoticeTone, PanelNotice } from '../panelState.ts'
import { Action } from './Action.tsx'
import { Icon } from './Icon.tsx'
import { type PartProps, part } from './part.ts'

/** What {@link TodoPanelNotice} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelNoticeState {
  readonly kind: NoticeKind
  readonly tone: NoticeTone
}

/** What {@link TodoPanelNotice} takes besides the props of its element. */
export interface TodoPanelNoticeOptions {
  notice: PanelNotice
}

/** Props of {@link TodoPanelNotice}. */
export type TodoPanelNoticeProps = PartProps<'div', TodoPanelNoticeState> & TodoPanelNoticeOptions

/** One notice: plain words, and at most one thing to do about it. Renders a `<div>`. */
export const TodoPanelNotice = /* @__PURE__ */ part<'div', TodoPanelNoticeState, TodoPanelNoticeOptions>(
  'Notice',
  'div',
  (_, { notice: { kind, tone, title, details, action }, children, ...props }) => [
    { kind, tone },
    props,
    children ?? (
      <>
        {kind === 'correction' && <Icon name="again" of="again" />}
        <span dir="auto">
          <strong>{title}</strong>
          {details.map((detail) => (
            <Fragment key={detail}>
              {' · '}
              <bdi>{detail}</bdi>
            </Fragment>
          ))}
        </span>
        {action && <Action name="action" of={action} />}
      </>
    ),
  ],
)
