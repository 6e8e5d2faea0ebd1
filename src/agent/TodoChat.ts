import {
  AbstractChat,
  type ChatState,
  type ChatStatus,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { requireText, TodoAgentError } from '../core/errors.ts'
import type { RunOutcome, TodoControls } from '../core/todo.ts'
import type { TodoSession } from '../session/createTodoSession.ts'
import { readOptions, type TodoAgentOptions } from './options.ts'
import { setMode } from './setMode.ts'
import { type GoesOn, TodoChatTransport } from './TodoChatTransport.ts'

// TYPES

/** What a chat is doing. */
export interface TodoChatStatus {
  /** The AI SDK's word: `submitted` until the first chunk, `streaming`, `ready`, `error`. */
  readonly status: ChatStatus
  /** What went wrong last, `undefined` when nothing did. */
  readonly error: Error | undefined
  /** Messages that were sent while a run was under way. They are sent one after the other once it has ended. */
  readonly queued: readonly UIMessage[]
}

/** Outcomes after which the person can let the agent go on from what is saved. */
const RESUMABLE: ReadonlySet<RunOutcome | null> = new Set([
  'stopped',
  'failed',
  'max_steps',
  'max_iterations',
])

/** How often an answer that is streaming is shown anew, in ms: about a frame. */
const SHOW_EVERY = 16

// CHAT

/**
 * The AI SDK's chat over a session: its messages are the session's, so they are saved, restored and shared by everything that shows the
 * session. `useChat({ chat })` takes one; `useTodoAgent` makes its own.
 */
export class TodoChat extends AbstractChat<UIMessage> {
  readonly session: TodoSession
  /** Status, error and queue, to subscribe to. */
  readonly store: StoreApi<TodoChatStatus>
  #options: TodoAgentOptions
  #stopping: Promise<void> = Promise.resolve()
  #controls = ''
  readonly #allControls = {
    resume: () => void this.resume(),
    stop: () => void this.halt(),
    takeOver: () => void this.session.takeOver(),
    approvePlan: () => void this.approvePlan(),
  } satisfies TodoControls

  /** @throws TypeError naming the option, when one is missing or makes no sense */
  constructor({ session, ...options }: TodoAgentOptions & { readonly session: TodoSession }) {
    const store = createStore<TodoChatStatus>(() => ({ status: 'ready', error: undefined, queued: [] }))
    const live = createLiveMessages(session)
    readOptions(options)
    super({
      id: session.id,
      ...(options.generateId ? { generateId: options.generateId } : {}),
      transport: new TodoChatTransport(() => ({ ...this.#options, session: () => session, show: false })),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      experimental_queue: true,
      state: chatState(store, live),
    })
    this.session = session
    this.store = store
    this.#options = options
    session.store.subscribe(() => this.#updateControls())
    this.#updateControls()
  }

  /** Changes the agent: model, tools, rules. The next run uses them, the one under way goes on as it is. */
  configure(options: TodoAgentOptions): void {
    this.#options = options
  }

  /**
   * Sends the person's message and resolves when its run has ended. While a run is under way the message waits in the queue.
   *
   * @throws TypeError for a blank message, `TodoAgentError` with `session_busy` while another tab runs the session
   */
  async send(message: string | Parameters<AbstractChat<UIMessage>['sendMessage']>[0]): Promise<void> {
    if (typeof message === 'string') requireText('message', message)
    await this.session.ready()
    // A stop that is not over yet must not take the new message with it.
    await this.#stopping
    this.#refuseElsewhere()
    await this.sendMessage(typeof message === 'string' ? { text: message } : message)
  }

  /** Stops the run and resolves when it has ended. What was saved stays, and so does what waits in the queue. */
  halt(): Promise<void> {
    this.#stopping = this.stop()
    return this.#stopping
  }

  /** Goes on with a run that was interrupted, stopped or failed, from what is saved. Does nothing while one is under way. */
  resume(): Promise<void> {
    return this.#goOn('interrupted')
  }

  /**
   * Sets the mode. The model is told at the next request.
   *
   * @throws TypeError when the agent has no such mode
   */
  async setMode(mode: string): Promise<void> {
    await setMode(this.session, readOptions(this.#options).activeModes, mode)
  }

  /** Approves the plan: sets the mode after `plan`, and the work starts. */
  async approvePlan(): Promise<void> {
    const { activeModes: modes } = readOptions(this.#options)
    const next = modes?.names[modes.names.indexOf('plan') + 1]
    if (next === undefined) return
    await this.setMode(next)
    await this.#goOn('approved')
  }

  /** Stops the run and empties the session: messages, list, mode. Ids start anew. */
  async clear(): Promise<void> {
    await this.halt()
    this.clearError()
    await this.session.delete()
  }

  // Before the message is shown, so that a refused one is still the sender's to keep.
  #refuseElsewhere(): void {
    if (this.session.store.getState().driver !== 'other') return
    throw new TodoAgentError(
      'session_busy',
      `Session "${this.session.id}" runs in another tab. Take it over first, or wait until its run has ended.`,
    )
  }

  async #goOn(goesOn: GoesOn): Promise<void> {
    await this.session.ready()
    await this.#stopping
    this.#refuseElsewhere()
    if (this.status === 'submitted' || this.status === 'streaming') return
    if (this.messages.length === 0) {
      throw new TodoAgentError(
        'session_closed',
        `Session "${this.session.id}" has no messages, so there is nothing to go on with. Send one.`,
      )
    }
    await this.sendMessage(undefined, { metadata: { goesOn } })
  }

  #updateControls(): void {
    const { run, mode, todos, driver, messages } = this.session.store.getState()
    const { resume, stop, takeOver, approvePlan } = this.#allControls
    const elsewhere = driver === 'other'
    const cutShort = run.status === 'interrupted' || (run.status === 'idle' && RESUMABLE.has(run.outcome))
    const controls: TodoControls = {
      ...(elsewhere ? { takeOver } : {}),
      ...(cutShort && messages.length > 0 && !elsewhere ? { resume } : {}),
      ...(run.status === 'running' && !elsewhere ? { stop } : {}),
      ...(run.status === 'idle' && mode === 'plan' && todos.length > 0 ? { approvePlan } : {}),
    }
    const key = Object.keys(controls).join(' ')
    if (key === this.#controls) return
    this.#controls = key
    this.session.setControls(controls)
  }
}

const chats = new WeakMap<TodoSession, TodoChat>()

/** The chat of a session. There is one per session, whoever asks: the first options make it, later ones `configure` it. */
export function todoChatOf(session: TodoSession, options: TodoAgentOptions): TodoChat {
  let chat = chats.get(session)
  if (!chat) {
    chat = new TodoChat({ ...options, session })
    chats.set(session, chat)
  }
  return chat
}

// STATE

interface LiveMessages {
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
function createLiveMessages(session: TodoSession): LiveMessages {
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

function chatState(store: StoreApi<TodoChatStatus>, live: LiveMessages): ChatState<UIMessage> {
  return {
    get status() {
      return store.getState().status
    },
    set status(status) {
      if (status === 'ready' || status === 'error') live.show()
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
