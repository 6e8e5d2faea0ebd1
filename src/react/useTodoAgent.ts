import type { ChatStatus, UIMessage } from 'ai'
import { useCallback, useEffect, useMemo } from 'react'
import { useStore } from 'zustand'
import { checkOptions, type TodoAgentOptions } from '../agent/options.ts'
import { errorOf } from '../agent/runError.ts'
import { type TodoChat, todoChatOf } from '../agent/TodoChat.ts'
import type { RunOutcome } from '../core/todo.ts'
import type { TodoSession } from '../session/createTodoSession.ts'
import { useWithDefaults } from './TodoAgentProvider.tsx'
import type { SessionOptions } from './useSession.ts'
import { useSession } from './useSession.ts'
import { type TodosView, useTodos } from './useTodos.ts'

/** Options of {@link useTodoAgent}. `model` may come from a `TodoAgentProvider`; all else has a default. */
export interface UseTodoAgentOptions extends Partial<TodoAgentOptions>, SessionOptions {
  /** Names the conversation. Hooks with the same id share one list, one transcript and one run. */
  readonly sessionId: string
}

/** An agent and its session, live. */
export interface TodoAgent extends TodosView {
  /** `loading` until the session was read; then the chat's word: `ready`, `submitted`, `streaming`, `error`. */
  readonly status: 'loading' | ChatStatus
  /** The transcript. Parts of the type `data-synthetic` and `data-todos` are the kit's own; a chat shows them or not. */
  readonly messages: readonly UIMessage[]
  /** What the last run failed with, `undefined` when it did not. Its `cause` is there in the page where it happened, and gone after a reload. */
  readonly error: Error | undefined
  /** How the last run ended, `null` before the first end and while one is under way. */
  readonly outcome: RunOutcome | null
  /** Messages that wait: for the end of the run, or for its next step. */
  readonly queued: readonly UIMessage[]
  /** Ids of those among `queued` that wait for the next step of this run. */
  readonly steering: readonly string[]
  /**
   * Sends the person's message and resolves when its run has ended. What becomes of it while another is under way says `whileRunning`, here or
   * as an option of the agent: it waits in the queue, it steers the run, or it is refused.
   */
  readonly send: TodoChat['send']
  /** Takes a message out of `queued` and returns it, so that it can be edited and sent again. */
  readonly withdraw: TodoChat['withdraw']
  /** Asks the model for a change of the list, in the person's name, at its next step or in a new run. */
  readonly request: TodoChat['request']
  /** Stops the run and resolves when it has ended. */
  readonly stop: () => Promise<void>
  /** Goes on with a run that was interrupted, stopped or failed. */
  readonly resume: () => Promise<void>
  /** Answers again, from the last message of the person or the given one; the list goes back to what it was there. */
  readonly regenerate: TodoChat['regenerate']
  /** Sets the mode; the model is told at its next request. */
  readonly setMode: (mode: string) => Promise<void>
  /** Empties the session: transcript, list, mode. */
  readonly clear: () => Promise<void>
  /** Answers a tool that asks for approval. */
  readonly approve: TodoChat['addToolApprovalResponse']
  /** The chat behind it: the AI SDK's, for what the hook has no word for. */
  readonly chat: TodoChat
  readonly session: TodoSession
}

/**
 * Runs an agent in the page: its list is saved with the session, put before the model at each request, and watched by the guard.
 *
 * @throws TypeError for a blank `sessionId`, a missing `model`, a tool named like one of the kit's, a limit that makes no sense
 *
 * @example
 * ```tsx
 * function Chat() {
 *   const agent = useTodoAgent({ sessionId: 'chat-1', model, tools })
 *   return (
 *     <>
 *       <TodoPanel session={agent.session} />
 *       <button onClick={() => agent.send('Compare the three offers')}>Go</button>
 *     </>
 *   )
 * }
 * ```
 */
export function useTodoAgent(options: UseTodoAgentOptions): TodoAgent {
  const { sessionId, ...agentOptions } = useWithDefaults(options)
  if (agentOptions.model === undefined) {
    throw new TypeError(
      'useTodoAgent found no `model`. Pass one, or wrap the tree in <TodoAgentProvider model={...}>.',
    )
  }
  checkOptions(agentOptions)
  const config = agentOptions as TodoAgentOptions & SessionOptions
  const session = useSession(sessionId, config)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a session has one chat; newer options reach it below
  const chat = useMemo(() => todoChatOf(session, config), [session])
  useEffect(function useNewestOptions() {
    chat.configure(config)
  })

  const view = useTodos(session)
  const messages = useStore(session.store, (state) => state.messages)
  const hydrated = useStore(session.store, (state) => state.hydrated)
  const { status, error, queued, steering } = useStore(chat.store)
  const { run } = view
  const failure = useMemo(() => errorOf(run.error), [run.error])

  return {
    ...view,
    status: hydrated ? status : 'loading',
    messages,
    error: failure ?? error,
    outcome: run.outcome,
    queued,
    steering,
    send: useCallback((message, sendOptions) => chat.send(message, sendOptions), [chat]),
    withdraw: useCallback((id) => chat.withdraw(id), [chat]),
    request: useCallback((request) => chat.request(request), [chat]),
    stop: useCallback(() => chat.halt(), [chat]),
    resume: useCallback(() => chat.resume(), [chat]),
    regenerate: chat.regenerate,
    setMode: useCallback((mode) => chat.setMode(mode), [chat]),
    clear: useCallback(() => chat.clear(), [chat]),
    approve: chat.addToolApprovalResponse,
    chat,
    session,
  }
}
