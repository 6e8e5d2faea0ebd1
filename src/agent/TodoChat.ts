import {
  AbstractChat,
  type ChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { isTodoAgentError, requireText, TodoAgentError } from '../core/errors.ts'
import type { RunOutcome, TodoControls, TodoRequest } from '../core/todo.ts'
import type { TodoSession } from '../session/createTodoSession.ts'
import type { DriverClaim } from '../session/tabs.ts'
import { type AskedMessage, addRequest } from './askedMessage.ts'
import {
  chatState,
  createLiveMessages,
  isAtWork,
  type LiveMessages,
  type TodoChatStatus,
} from './chatState.ts'
import { commandOf } from './commands.ts'
import { offerControls } from './controls.ts'
import { readOptions, requireWhileRunning, type TodoAgentOptions, type WhileRunning } from './options.ts'
import { leavePlan, setMode } from './setMode.ts'
import { answerTo, type GoesOn, toStream } from './TodoChatTransport.ts'

// TYPES

/** How a message is sent. */
export interface SendOptions {
  /** @default that of the agent */
  readonly whileRunning?: WhileRunning
}

type Sendable = Parameters<AbstractChat<UIMessage>['sendMessage']>[0]

/** Outcomes after which what waits in the queue goes on waiting: for the person. */
const WAITING: ReadonlySet<RunOutcome | null> = new Set(['stopped', 'failed', 'awaiting_approval'])

// CHAT

/**
 * The AI SDK's chat over a session: its messages are the session's, so they are saved, restored and shared by everything that shows the
 * session. `useTodoAgent` makes its own.
 *
 * What changes the transcript (`sendMessage`, `regenerate`, answers to tools) rejects with `session_busy` while another tab runs the
 * session, before anything of it is shown.
 */
export class TodoChat extends AbstractChat<UIMessage> {
  readonly session: TodoSession
  /** Status, error and queue, to subscribe to. */
  readonly store: StoreApi<TodoChatStatus>
  #options: TodoAgentOptions
  readonly #live: LiveMessages
  readonly #send: AbstractChat<UIMessage>['sendMessage']
  #stopping: Promise<unknown> = Promise.resolve()
  #entering: Promise<unknown> = Promise.resolve()
  // Claimed for the request that is about to begin.
  #claim: DriverClaim | null = null
  #requests = 0
  // Ids of the messages that were saved when the run under way began.
  #savedBefore: ReadonlySet<string> = new Set()
  // The run has ended, but the chat still reads what came of it.
  #runEnded = false
  #wasStopped = false
  // What the person asked for in the panel, in the message that waits with it.
  #asked: AskedMessage | null = null
  // What another tab is quicker with is refused here, and shows as what that tab does.
  readonly #allControls = {
    resume: () => void this.resume().catch(ignoreBusy),
    stop: () => void this.halt(),
    takeOver: () => void this.session.takeOver(),
    approvePlan: () => void this.approvePlan().catch(ignoreBusy),
    request: (request) => void this.request(request).catch(ignoreBusy),
  } satisfies TodoControls

  /** @throws TypeError naming the option, when one is missing or makes no sense */
  constructor({ session, ...options }: TodoAgentOptions & { readonly session: TodoSession }) {
    const store = createStore<TodoChatStatus>(() => ({
      status: 'ready',
      error: undefined,
      queued: [],
      steering: [],
    }))
    const live = createLiveMessages(session)
    readOptions(options)
    super({
      id: session.id,
      ...(options.generateId ? { generateId: options.generateId } : {}),
      transport: {
        sendMessages: (request) => this.#answer(request),
        reconnectToStream: async () => null,
      },
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      experimental_queue: true,
      onFinish: () => this.#pauseQueue(),
      state: chatState(store, live, () => this.#onRest()),
    })
    this.session = session
    this.store = store
    this.#options = options
    this.#live = live
    this.#send = this.sendMessage
    this.#enterFirst()
    session.store.subscribe(({ run, createdAt }, before) => {
      if (before.run.status === 'running' && run.outcome === 'stopped') this.#wasStopped = true
      // It was deleted: what is still on its way must not show in the empty one.
      if (before.createdAt !== null && createdAt === null) {
        void this.stop()
        this.#forget()
        live.set([])
      }
    })
    const { request, ...others } = this.#allControls
    offerControls(session, options.todo === false ? others : { ...others, request })
  }

  /** Changes the agent: model, tools, rules. The next run uses them, the one under way goes on as it is. */
  configure(options: TodoAgentOptions): void {
    this.#options = options
  }

  /**
   * Sends the person's message and resolves when its run has ended. While a run is under way `whileRunning` says what becomes of it; where it
   * waits, it is among `queued`, and this resolves at once.
   *
   * @throws TypeError for a blank message, `TodoAgentError` with `session_busy` while another tab runs the session, or this one with
   *   `whileRunning: 'reject'`
   */
  async send(message: string | Sendable, options: SendOptions = {}): Promise<void> {
    if (typeof message === 'string') requireText('message', message)
    const { whileRunning = this.#options.whileRunning ?? 'queue' } = options
    requireWhileRunning(whileRunning)
    const sent: Sendable =
      typeof message === 'string' ? { role: 'user', parts: [{ type: 'text', text: message }] } : message
    if (sent?.messageId !== undefined) return this.sendMessage(sent)
    await this.#enter((isActive) => {
      if (whileRunning === 'reject' && isActive) throw this.#busy()
      return whileRunning === 'steer' && !this.#isCommand(sent) ? this.#steer(sent) : this.#send(sent)
    })
  }

  /**
   * Takes a message out of the queue, so that it is not sent. Returns it, so that it can be edited and sent again; `undefined`: it is not
   * there any more.
   */
  withdraw(id: string): UIMessage | undefined {
    const message = this.store.getState().queued.find((queued) => queued.id === id)
    this.#mark((steering) => steering.filter((other) => other !== id))
    this.experimental_removeQueuedMessage(id)
    return message
  }

  /**
   * Asks the model for a change of the list, in the person's name. All that is asked for until the model reads it is one message: it reads it
   * before its next step, else in a run that begins with it. Until then the message is among `queued`. The list changes when the model changes
   * it. Nothing is asked for about an item that is not there any more.
   *
   * @throws TypeError for a blank `content`, `TodoAgentError` with `session_busy` while another tab runs the session
   */
  async request(request: TodoRequest): Promise<void> {
    if ('content' in request) requireText('content', request.content)
    const current = 'id' in request ? this.#textOfItem(request.id) : undefined
    if ('id' in request && current === undefined) return
    const waiting = this.#askedInQueue()
    const asked = addRequest(
      waiting,
      { ...request, ...(current === undefined ? {} : { current }) },
      this.generateId,
    )
    this.#asked = asked
    const message = this.#askedMessage(asked)
    this.store.setState(({ queued }) => ({
      queued: waiting
        ? queued.map((other) => (other.id === asked.id ? message : other))
        : [...queued, message],
    }))
    if (waiting) return
    this.#mark((steering) => [...steering, asked.id])
    await this.#enter(async (isActive) => {
      if (isActive || this.session.store.getState().run.outcome === 'awaiting_approval') return
      const unread = this.withdraw(asked.id)
      if (unread) await this.#send(unread)
    })
  }

  /** Stops the run and resolves when it has ended. What was saved stays, and so does what waits in the queue. */
  async halt(): Promise<void> {
    // What is about to begin is stopped too, once it has.
    const stopped = this.#entering.then(() => this.stop())
    this.#stopping = stopped
    await stopped
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
    if (await leavePlan(this.session, readOptions(this.#options).activeModes)) await this.#goOn('approved')
  }

  /** Stops the run, in another tab too, and empties the session: messages, queue, list, mode. Ids start anew. */
  async clear(): Promise<void> {
    await this.halt()
    this.#forget()
    if (this.session.store.getState().driver === 'other') await this.session.takeOver()
    await this.session.delete()
  }

  // What waits in the queue, and the error, are of the conversation that goes.
  #forget(): void {
    this.clearError()
    this.store.setState({ queued: [], steering: [] })
  }

  // A run that the session stopped, since another tab took over or nobody is left to see it, looks to the AI SDK like one that ended.
  #pauseQueue(): void {
    if (this.#wasStopped) void this.stop()
    this.#wasStopped = false
  }

  // QUEUE

  // The model is never told of a command, so it can't steer: it is answered once the run has ended.
  #isCommand(sent: Sendable): boolean {
    const { parts, text = '', files } = sent as { parts?: UIMessage['parts']; text?: string; files?: unknown }
    const said = parts ?? (files ? [] : [{ type: 'text' as const, text }])
    return (
      commandOf([{ id: '', role: 'user', parts: said }], readOptions(this.#options).activeCommands) !== null
    )
  }

  async #steer(message: Sendable): Promise<void> {
    const before = new Set(this.store.getState().queued.map(({ id }) => id))
    const mark = () => {
      const added = this.store.getState().queued.find(({ id }) => !before.has(id))
      if (added) this.#mark((steering) => [...steering, added.id])
      return added !== undefined
    }
    const sent = this.#send(message)
    const isMarked = mark()
    await sent
    // Files are read before it stands in the queue.
    if (!isMarked) mark()
  }

  #takeSteering(): readonly UIMessage[] {
    const { queued, steering } = this.store.getState()
    return queued.flatMap(({ id }) => (steering.includes(id) ? (this.withdraw(id) ?? []) : []))
  }

  #mark(change: (steering: readonly string[]) => readonly string[]): void {
    this.store.setState(({ steering }) => ({ steering: change(steering) }))
  }

  #askedInQueue(): AskedMessage | null {
    const { queued } = this.store.getState()
    return queued.some(({ id }) => id === this.#asked?.id) ? this.#asked : null
  }

  #askedMessage({ id, requests }: AskedMessage): UIMessage {
    const { texts, todo } = readOptions(this.#options)
    const text = texts.requests({ requests, exits: todo !== false && todo?.exits === true })
    return { id, role: 'user', parts: [{ type: 'text', text }] }
  }

  #textOfItem(id: number): string | undefined {
    return this.session.getAllTodos().find((todo) => todo.id === id)?.content
  }

  // The AI SDK leaves the queue as a stop or a failure left it, also when the run was resumed since and has ended.
  #sendQueued(): void {
    const [next] = this.store.getState().queued
    if (!next || this.#isActive() || WAITING.has(this.session.store.getState().run.outcome)) return
    void this.experimental_sendQueuedMessageNow(next.id)
  }

  #busy(): TodoAgentError {
    return new TodoAgentError(
      'session_busy',
      `Session "${this.session.id}" has a run under way. Wait until it has ended, or stop it first.`,
    )
  }

  // ENTER

  // The AI SDK's chat has these as fields.
  #enterFirst(): void {
    const { regenerate, addToolApprovalResponse, addToolOutput } = this
    this.sendMessage = (message, options) =>
      this.#enter(() => this.#send(message, options), message?.messageId !== undefined)
    this.regenerate = (options) => this.#enter(() => regenerate(options), true)
    this.addToolApprovalResponse = (answer) => this.#enterAnswer(async () => addToolApprovalResponse(answer))
    this.addToolOutput = (output) => this.#enterAnswer(async () => addToolOutput(output))
    this.addToolResult = this.addToolOutput
  }

  // An answer that no request follows yet, since others are missing, is saved for itself.
  #enterAnswer(answer: () => Promise<void>): Promise<void> {
    return this.#enter(async (isActive) => {
      await answer()
      const isLeft = !isActive && !isAtWork(this.status)
      if (isLeft) await this.session.saveMessages(this.messages, { show: false })
    })
  }

  /**
   * Claims the session before the transcript changes, so that what is refused was never shown, and what another tab did is known. During
   * a run of this chat there is nothing to claim: `start` waits in the queue, or, when it `cuts` the transcript, the run is stopped.
   */
  async #enter(start: (isActive: boolean) => Promise<void>, cuts = false): Promise<void> {
    await this.session.ready()
    // A stop that is not over yet must not take what is new with it.
    await this.#stopping
    if (cuts && this.#isActive()) await this.halt()
    const entered = this.#entering.then(async () => {
      const claim = this.#isActive() ? null : await this.session.claim()
      this.#claim ??= claim
      return { claim, done: start(claim === null) }
    })
    this.#entering = entered.catch(() => {})
    const { claim, done } = await entered
    try {
      await done
    } finally {
      // It has begun no request.
      if (claim && this.#claim === claim) {
        this.#claim = null
        claim.release()
      }
    }
  }

  #isActive(): boolean {
    return this.#claim !== null || isAtWork(this.status)
  }

  // ANSWER

  async #answer({
    abortSignal,
    metadata,
  }: Parameters<ChatTransport<UIMessage>['sendMessages']>[0]): Promise<ReadableStream<UIMessageChunk>> {
    this.#requests += 1
    const request = this.#requests
    const given = this.#claim
    this.#claim = null
    const held = given ?? (await this.#claimForQueue())
    const { messages } = this
    // An earlier run, or one of another tab.
    this.#wasStopped = false
    this.#savedBefore = this.#savedIds()
    let isOver = false
    const claim: DriverClaim = {
      ...held,
      release: () => {
        if (isOver) return
        isOver = true
        this.#onRunEnd(request)
        held.release()
      },
    }
    const signal = abortSignal ? { signal: abortSignal } : {}
    try {
      const takeMessages = () => this.#takeSteering()
      const own = { session: this.session, messages, show: false, claim, takeMessages }
      const options = { ...this.#options, ...signal, ...own }
      return await toStream(releasing(answerTo(options, metadata), claim))
    } catch (error) {
      claim.release()
      throw error
    }
  }

  // A message of the queue is shown before it is sent. When another tab was quicker, it goes back to the queue.
  async #claimForQueue(): Promise<DriverClaim> {
    try {
      return await this.session.claim()
    } catch (error) {
      const refused = this.messages.at(-1)
      if (refused?.role === 'user' && !this.#savedIds().has(refused.id)) {
        this.messages = this.messages.slice(0, -1)
        this.store.setState(({ queued }) => ({ queued: [refused, ...queued] }))
      }
      throw error
    }
  }

  // A chat that was stopped shows less than its run has saved, and one that was taken over from shows what never came to be.
  #onRunEnd(request: number): void {
    const isReading = request === this.#requests && isAtWork(this.status)
    if (isReading) this.#runEnded = true
    else this.#showSaved()
  }

  #onRest(): void {
    if (this.#runEnded) this.#showSaved()
    else this.#live.show()
    this.#runEnded = false
  }

  #showSaved(): void {
    const saved = this.#savedIds()
    const isNew = ({ id, role }: UIMessage) => role === 'user' && !saved.has(id) && !this.#savedBefore.has(id)
    this.#live.set([...this.session.savedMessages(), ...this.messages.filter(isNew)])
  }

  #savedIds(): ReadonlySet<string> {
    return new Set(this.session.savedMessages().map(({ id }) => id))
  }

  async #goOn(goesOn: GoesOn): Promise<void> {
    await this.session.ready()
    await this.#stopping
    if (this.#isActive()) return
    if (this.messages.length === 0) {
      throw new TodoAgentError(
        'session_closed',
        `Session "${this.session.id}" has no messages, so there is nothing to go on with. Send one.`,
      )
    }
    const { startedAt } = this.session.store.getState().run
    await this.#enter(async () => {
      // Another tab was quicker.
      if (this.session.store.getState().run.startedAt !== startedAt) return
      await this.#send(undefined, { metadata: { goesOn } })
    })
    this.#sendQueued()
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

// HELPERS

async function* releasing(
  answer: AsyncGenerator<UIMessageChunk, unknown>,
  claim: DriverClaim,
): AsyncGenerator<UIMessageChunk, void> {
  try {
    yield* answer
  } finally {
    claim.release()
  }
}

function ignoreBusy(error: unknown): void {
  if (!isTodoAgentError(error) || error.code !== 'session_busy') throw error
}
