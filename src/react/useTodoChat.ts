import type { ChatStatus, UIMessage } from 'ai'
import { useEffect, useRef } from 'react'
import { isAtWork } from '../agent/chatState.ts'
import { offerControls } from '../agent/controls.ts'
import type { GoesOn, TodoChatTransport } from '../agent/TodoChatTransport.ts'
import type { RunOutcome } from '../core/todo.ts'
import type { SessionState, TodoSession } from '../session/createTodoSession.ts'
import { useSession } from './useSession.ts'

/** What {@link useTodoChat} needs of a chat: part of what the AI SDK's `useChat` returns. */
export interface ChatHelpers<Message extends UIMessage = UIMessage> {
  readonly id: string
  readonly status: ChatStatus
  readonly messages: readonly Message[]
  readonly setMessages: (messages: Message[]) => void
  readonly sendMessage: (message?: undefined, options?: { readonly metadata?: unknown }) => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Ties a chat of the AI SDK's `useChat`, or of a UI that is built on it, to the session of its {@link TodoChatTransport}. What is saved is
 * shown in the chat: after a reload, and while another tab runs it. What the person can do about a run (resume, stop, take over, approve
 * the plan) is offered by the panel. Returns the session, for the panel.
 *
 * @example
 * ```tsx
 * const chat = useChat({ id, transport })
 * const session = useTodoChat(chat, transport)
 * return <TodoPanel session={session} />
 * ```
 */
export function useTodoChat<Message extends UIMessage>(
  chat: ChatHelpers<Message>,
  transport: TodoChatTransport<Message>,
): TodoSession {
  if (!transport?.sessionOf) {
    throw new TypeError(
      '`transport` of useTodoChat must be the TodoChatTransport that the chat was made with.',
    )
  }
  const session = useSession(transport.sessionOf(chat.id), {})
  const latest = useRef(chat)
  // `setMessages` stands for the chat: `useChat` makes both anew for each id.
  const shown = useRef<{ readonly by: unknown; readonly messages: SessionState['messages'] }>(null)
  const ownRun = useRef<unknown>(null)
  const { status, setMessages } = chat

  useEffect(function keepLatest() {
    latest.current = chat
  })

  useEffect(
    function showWhatIsSaved() {
      if (isAtWork(status)) {
        ownRun.current = setMessages
        return
      }
      function show(): void {
        const state = session.store.getState()
        const before = shown.current?.by === setMessages ? shown.current : session.store.getInitialState()
        if (isRunHere(state) || before.messages === state.messages) return
        shown.current = { by: setMessages, messages: state.messages }
        // The chat has read it all itself, and the person may have answered an approval in it by now.
        const isRead = ownRun.current === setMessages && !CUT_SHORT.has(state.run.outcome)
        ownRun.current = null
        if (isRead) return
        setMessages([...state.messages, ...unsent(latest.current, state)] as Message[])
      }
      show()
      return session.store.subscribe(show)
    },
    [session, status, setMessages],
  )

  useEffect(
    function emptyWhenDeleted() {
      return session.store.subscribe((state, before) => {
        if (before.createdAt === null || state.createdAt !== null) return
        const { status, stop, setMessages } = latest.current
        // What is still on its way must not show in the empty one.
        if (isAtWork(status)) void stop().then(() => setMessages([]))
        else setMessages([])
      })
    },
    [session],
  )

  useEffect(
    function offerWhatCanBeDone() {
      const goOn = (goesOn: GoesOn) => void latest.current.sendMessage(undefined, { metadata: { goesOn } })
      return offerControls(session, {
        resume: () => goOn('interrupted'),
        stop: () => {
          void latest.current.stop()
          // The chat may have let go of its run: it keeps one request, and that may have been refused since.
          void session.stopRun()
        },
        takeOver: () => void session.takeOver(),
        approvePlan: () =>
          void transport.approvePlan(latest.current.id).then((left) => left && goOn('approved')),
      })
    },
    [session, transport],
  )

  return session
}

/** Outcomes after which a chat may show less than is saved. */
const CUT_SHORT: ReadonlySet<RunOutcome | null> = new Set(['stopped', 'failed'])

function isRunHere({ run, driver }: SessionState): boolean {
  return run.status === 'running' && driver !== 'other'
}

// A message that was refused is not saved. It stays, so that what the person typed is not lost.
function unsent(
  { status, messages }: Pick<ChatHelpers, 'status' | 'messages'>,
  { messages: saved }: SessionState,
): readonly UIMessage[] {
  const last = messages.at(-1)
  const isRefused = status === 'error' && last?.role === 'user' && saved.every(({ id }) => id !== last.id)
  return isRefused ? [last] : []
}
