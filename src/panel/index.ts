'use client'

export { enLabels, type LabelText, type RowState, type TodoPanelLabels, zhLabels } from './labels.ts'
export type {
  NoticeKind,
  NoticeTone,
  PanelControls,
  PanelRow,
  PanelTodo,
  TodoPanelData,
} from './panelState.ts'
export { TodoPanelActions, type TodoPanelActionsProps } from './parts/TodoPanelActions.tsx'
export { TodoPanelBar, type TodoPanelBarProps, type TodoPanelBarState } from './parts/TodoPanelBar.tsx'
export { TodoPanelEmpty, type TodoPanelEmptyProps } from './parts/TodoPanelEmpty.tsx'
export {
  TodoPanelHeader,
  type TodoPanelHeaderOptions,
  type TodoPanelHeaderProps,
  type TodoPanelHeaderState,
} from './parts/TodoPanelHeader.tsx'
export { TodoPanelItem, type TodoPanelItemProps, type TodoPanelItemState } from './parts/TodoPanelItem.tsx'
export {
  type ListedRow,
  TodoPanelList,
  type TodoPanelListOptions,
  type TodoPanelListProps,
} from './parts/TodoPanelList.tsx'
export { TodoPanelNotices, type TodoPanelNoticesProps } from './parts/TodoPanelNotices.tsx'
export {
  TodoPanelOutcome,
  type TodoPanelOutcomeProps,
  type TodoPanelOutcomeState,
} from './parts/TodoPanelOutcome.tsx'
export {
  TodoPanelProgress,
  type TodoPanelProgressProps,
  type TodoPanelProgressState,
} from './parts/TodoPanelProgress.tsx'
export {
  type TodoPanelOptions,
  TodoPanelRoot,
  type TodoPanelRootProps,
  type TodoPanelRootState,
  type TodoPanelVariant,
} from './parts/TodoPanelRoot.tsx'
export { TodoPanelSheet, type TodoPanelSheetProps } from './parts/TodoPanelSheet.tsx'
export { TodoPanel, type TodoPanelProps } from './TodoPanel.tsx'
export type { TodoPanelSource } from './useTodoView.ts'
