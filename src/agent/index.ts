export type { LoopOptions } from '../core/loop.ts'
export type { CommitResult } from '../session/commit.ts'
export {
  type CommitOptions,
  createTodoSession,
  type SessionSnapshot,
  type SessionState,
  type TodoSession,
  type TodoSessionOptions,
} from '../session/createTodoSession.ts'
export type { CommitCause, HistoryEntry, Revision } from '../session/history.ts'
export { defaultStorage, indexedDbStorage } from '../session/indexedDb.ts'
export {
  mayReplace,
  revisionOf,
  type SessionData,
  type SessionProblem,
  type SessionRecord,
  type SessionSummary,
  summarize,
} from '../session/record.ts'
export {
  deleteAllSessions,
  deleteSession,
  getTodoSession,
  listSessions,
  type RetainOptions,
  renameSession,
  retainTodoSession,
} from '../session/registry.ts'
export { pruneSessions } from '../session/retention.ts'
export type { SavedSession } from '../session/sessionList.ts'
export {
  type MessagePut,
  memoryStorage,
  type Retention,
  type SessionStorage,
  type SessionWrites,
  type WriteResult,
} from '../session/storage.ts'
export type { DriverClaim } from '../session/tabs.ts'
export {
  duplicateSession,
  type ExportedSession,
  exportSession,
  type ImportedSession,
  importSession,
} from '../session/transfer.ts'
export type { TodoChatStatus } from './chatState.ts'
export { type Command, type CommandContext, type Commands, defaultCommands } from './commands.ts'
export { connectionLost, explainModelError } from './modelError.ts'
export {
  DEFAULT_MAX_STEPS,
  type RunResult,
  type RunTodoAgentOptions,
  type TodoAgentOptions,
  type TodoOptions,
  type WhileRunning,
} from './options.ts'
export { repairArguments } from './repairArguments.ts'
export { runTodoAgent } from './runTodoAgent.ts'
export type { ModelSettings } from './step.ts'
export { type SendOptions, TodoChat, todoChatOf } from './TodoChat.ts'
export { TodoChatTransport, type TodoChatTransportOptions } from './TodoChatTransport.ts'
export { type TodoDataParts, type TodoUIMessage, toModelMessages } from './transcript.ts'
