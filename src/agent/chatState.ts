import type { ChatState, ChatStatus, UIMessage } from 'ai'
import type { StoreApi } from 'zustand/vanilla'
import type { TodoSession } from '../session/createTodoSession.ts'

// TYPES

/** What a chat is doing. */
export interface TodoChatStatus {
  /** The AI SDK's word: `submitted` until the first chunk, `streaming`, `ready`, `error`. */
  readonly status: ChatStatus
  /** What went wrong last, `undefined` when nothing did. */
  readonly error: Error | undefined
  /**
   * Messages that were sent while a run was under way, oldest first. Those that steer become part of it at its next step; the others are sent
   * one after the other once it has ended. After a stop or a failure they wait until something is sent, or the run is resumed.
   */
  readonly queued: readonly UIMessage[]
  /** Ids of those among `queued` that steer: they are for the run under way. */
  readonly steering: readonly string[]
}

/** How often an answer that is streaming is shown anew, in ms: about a frame. */
const SHOW_EVERY = 16

// STATE

/** The messages as the chat works on them. */
export interface LiveMessages {
  get(): UIMessage[]
  set(messages: UIMessage[]): void
  /** Replaces a message that is still changing: shown within about a frame. */
  replaceSoon(index: number, message: UIMessage): void
  show(): void
}

/**
 * The messages as the chat works on them. The AI SDK changes the message it streams in place and says so at each delta; the session gets
 * a copy of it at most once a frame.
 */
export function createLiveMessages(session: TodoSession): LiveMessages {
  let shown: readonly UIMessage[] = session.store.getState().messages
  let live: UIMessage[] = [...shown]
  let changing: UIMessage | null = null
  let copied: UIMessage | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  function get(): UIMessage[] {
    const { messages } = session.store.getState()
    // Something else than this chat changed them: the first read, another tab, a rewind.
    if (messages !== shown && timer === undefined) {
      shown = messages
      live = [...messages]
    }
    return live
  }

  function show(): void {
    clearTimeout(timer)
    timer = undefined
    copied = changing ? copy(changing, copied) : null
    shown = live.map((message) => (message === changing && copied ? copied : message))
    session.setMessages(shown)
  }

  return {
    get,
    set(messages) {
      live = [...messages]
      changing = null
      show()
    },
    replaceSoon(index, message) {
      live = get()
      live[index] = message
      changing = message
      timer ??= setTimeout(show, SHOW_EVERY)
    },
    show: () => {
      if (timer !== undefined) show()
    },
  }
}

/** The state of the AI SDK's chat, kept in stores. */
export function chatState(
  store: StoreApi<TodoChatStatus>,
  live: LiveMessages,
  onRest: () => void,
): ChatState<UIMessage> {
  return {
    get status() {
      return store.getState().status
    },
    set status(status) {
      if (status === 'ready' || status === 'error') onRest()
      store.setState({ status })
    },
    get error() {
      return store.getState().error
    },
    set error(error) {
      store.setState({ error })
    },
    get experimental_queuedMessages() {
      return store.getState().queued as UIMessage[]
    },
    set experimental_queuedMessages(queued) {
      store.setState({ queued })
    },
    get messages() {
      return live.get()
    },
    set messages(messages) {
      live.set(messages)
    },
    pushMessage: (message) => live.set([...live.get(), message]),
    popMessage: () => live.set(live.get().slice(0, -1)),
    replaceMessage: (index, message) => live.replaceSoon(index, message),
    snapshot: (value) => structuredClone(value),
  }
}

// Parts are changed in place too, so each is copied; one that is as it was keeps its copy, so that a memoised view of it rests.
function copy(message: UIMessage, before: UIMessage | null): UIMessage {
  const known = before?.id === message.id ? before.parts : []
  return {
    ...message,
    parts: message.parts.map(
      (part, index) => (isSame(known[index], part) ? known[index] : { ...part }) as typeof part,
    ),
  }
}

function isSame(one: object | undefined, two: object): boolean {
  const keys = Object.keys(two)
  return (
    one !== undefined &&
    keys.length === Object.keys(one).length &&
    keys.every((key) => Object.is(one[key as never], two[key as never]))
  )
}

/** Whether a chat waits for an answer or reads one. */
export function isAtWork(status: ChatStatus): boolean {
  return status === 'submitted' || status === 'streaming'
}
