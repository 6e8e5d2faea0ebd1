'use client'

export type { TodoChatStatus } from './agent/chatState.ts'
export type { RunResult, RunTodoAgentOptions, TodoAgentOptions, TodoOptions } from './agent/options.ts'
export { runTodoAgent } from './agent/runTodoAgent.ts'
export { TodoChat, todoChatOf } from './agent/TodoChat.ts'
export { TodoChatTransport, type TodoChatTransportOptions } from './agent/TodoChatTransport.ts'
export type { TodoDataParts, TodoUIMessage } from './agent/transcript.ts'
export { isTodoAgentError, TodoAgentError, type TodoAgentErrorCode } from './core/errors.ts'
export type {
  DraftTodo,
  Persistence,
  RunOutcome,
  RunView,
  SyntheticMessage,
  Todo,
  TodoChange,
  TodoProgress,
  TodoRequest,
  TodoStatus,
  Toolset,
} from './core/todo.ts'
export { enLabels, type TodoPanelLabels, zhLabels } from './panel/labels.ts'
export { TodoPanel, type TodoPanelProps } from './panel/TodoPanel.tsx'
export {
  type TodoAgentDefaults,
  TodoAgentProvider,
  type TodoAgentProviderProps,
} from './react/TodoAgentProvider.tsx'
export { type SessionOptions, useSession as useTodoSession } from './react/useSession.ts'
export { type TodoAgent, type UseTodoAgentOptions, useTodoAgent } from './react/useTodoAgent.ts'
export { type ChatHelpers, useTodoChat } from './react/useTodoChat.ts'
export { type TodoSessions, type UseTodoSessionsOptions, useTodoSessions } from './react/useTodoSessions.ts'
export { type TodosView, useTodos } from './react/useTodos.ts'
export { createTodoSession, type TodoSession, type TodoSessionOptions } from './session/createTodoSession.ts'
export { indexedDbStorage } from './session/indexedDb.ts'
export {
  deleteAllSessions,
  deleteSession,
  getTodoSession,
  listSessions,
  renameSession,
} from './session/registry.ts'
export { pruneSessions } from './session/retention.ts'
export type { SavedSession } from './session/sessionList.ts'
export { memoryStorage, type Retention, type SessionStorage } from './session/storage.ts'
export {
  duplicateSession,
  type ExportedSession,
  exportSession,
  type ImportedSession,
  importSession,
} from './session/transfer.ts'
