export {
  type CallOptions,
  type CompletedTodo,
  call,
  type ScriptedToolCall,
  type WrittenTodo,
} from './calls.ts'
export { type CollectedRun, collectRun } from './collectRun.ts'
export {
  type FaultPlan,
  type FaultyStorage,
  faultsInOrder,
  faultyStorage,
  type PlannedFault,
  type StorageCall,
} from './faultyStorage.ts'
export type { ModelRequest, ModelRequestMessage, ModelV4 } from './modelTypes.ts'
export {
  createRequestValidator,
  type RequestValidator,
  type RequestValidatorOptions,
  type SentReasoning,
  validateRequest,
  validateRequests,
} from './requestValidator.ts'
export {
  offeredTools,
  requestText,
  type ScriptEntry,
  type ScriptedAnswer,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  scriptedModel,
} from './scriptedModel.ts'
export { type StorageContractCase, type StorageFactory, storageContract } from './storageContract.ts'
