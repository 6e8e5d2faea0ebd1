'use client'

export { enLabels, type LabelText, type RowState, type TodoPanelLabels, zhLabels } from './labels.ts'
export type {
  ListedRow,
  NoticeKind,
  NoticeTone,
  PanelControls,
  PanelNotice,
  PanelRow,
  PanelTodo,
  TodoPanelData,
  TodoPanelVerbosity,
} from './panelState.ts'
export type { TodoPanelActionsProps } from './parts/TodoPanelActions.tsx'
export type { TodoPanelAddProps, TodoPanelAddState } from './parts/TodoPanelAdd.tsx'
export type { TodoPanelBarProps, TodoPanelBarState } from './parts/TodoPanelBar.tsx'
export type { TodoPanelDraftProps, TodoPanelDraftState } from './parts/TodoPanelDraft.tsx'
export type { TodoPanelEmptyProps } from './parts/TodoPanelEmpty.tsx'
export type {
  TodoPanelHeaderOptions,
  TodoPanelHeaderProps,
  TodoPanelHeaderState,
} from './parts/TodoPanelHeader.tsx'
export type { TodoPanelItemProps, TodoPanelItemState } from './parts/TodoPanelItem.tsx'
export type { TodoPanelItemContentProps } from './parts/TodoPanelItemContent.tsx'
export type { TodoPanelItemDetailsProps } from './parts/TodoPanelItemDetails.tsx'
export type { TodoPanelItemEditProps, TodoPanelItemEditState } from './parts/TodoPanelItemEdit.tsx'
export type { TodoPanelItemStatusProps, TodoPanelItemStatusState } from './parts/TodoPanelItemStatus.tsx'
export type { TodoPanelListOptions, TodoPanelListProps } from './parts/TodoPanelList.tsx'
export type { TodoPanelMoreProps, TodoPanelMoreState } from './parts/TodoPanelMore.tsx'
export type {
  TodoPanelNoticeOptions,
  TodoPanelNoticeProps,
  TodoPanelNoticeState,
} from './parts/TodoPanelNotice.tsx'
export type { TodoPanelNoticesOptions, TodoPanelNoticesProps } from './parts/TodoPanelNotices.tsx'
export type { TodoPanelOutcomeProps, TodoPanelOutcomeState } from './parts/TodoPanelOutcome.tsx'
export type { TodoPanelProgressProps, TodoPanelProgressState } from './parts/TodoPanelProgress.tsx'
export type {
  TodoPanelOptions,
  TodoPanelRootProps,
  TodoPanelRootState,
  TodoPanelVariant,
} from './parts/TodoPanelRoot.tsx'
export type { TodoPanelSheetProps } from './parts/TodoPanelSheet.tsx'
export type { TodoPanelVisibility } from './parts/useVisibility.ts'
export { TodoPanel, type TodoPanelProps } from './TodoPanel.tsx'
export type { TodoPanelSource } from './useTodoView.ts'
