'use client'

export type { RunResult, RunTodoAgentOptions, TodoAgentOptions, TodoOptions } from './agent/options.ts'
export { runTodoAgent } from './agent/runTodoAgent.ts'
export { TodoChat, type TodoChatStatus, todoChatOf } from './agent/TodoChat.ts'
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
export { type TodosView, useTodos } from './react/useTodos.ts'
export { createTodoSession, type TodoSession, type TodoSessionOptions } from './session/createTodoSession.ts'
export { indexedDbStorage } from './session/indexedDb.ts'
export { deleteSession, getTodoSession, listSessions } from './session/registry.ts'
export { memoryStorage, type SessionStorage } from './session/storage.ts'
