import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'
import type { TodoSession, TodoSessionOptions } from '../session/createTodoSession.ts'
import { getTodoSession } from '../session/registry.ts'
import { commandOf, runCommand } from './commands.ts'
import { type RunTodoAgentOptions, readOptions, type TodoAgentOptions } from './options.ts'
import { runTodoAgent } from './runTodoAgent.ts'
import { leavePlan } from './setMode.ts'

/** Why a run goes on from the agent's own last message instead of a new one of the person. */
export type GoesOn = NonNullable<RunTodoAgentOptions['goesOn']>

/** Options of {@link TodoChatTransport}: an agent, and where its sessions are kept. */
export interface TodoChatTransportOptions extends TodoAgentOptions, Omit<TodoSessionOptions, 'id'> {
  /** The session of a chat. @default the one with the chat's id */
  readonly session?: (chatId: string) => TodoSession
  /** See `RunTodoAgentOptions`. @default true */
  readonly show?: boolean
}

/**
 * The agent as a transport of the AI SDK: `useChat`, and every chat UI that is built on it, gets the list, the guard and the loop with one
 * line. The session of a chat bears the chat's id. No server is involved: the run happens in the page.
 *
 * @throws TypeError naming the option, when one is missing or makes no sense
 *
 * @example
 * ```tsx
 * const [transport] = useState(() => new TodoChatTransport({ model, tools }))
 * const chat = useChat({ id: 'chat-1', transport })
 * ```
 */
export class TodoChatTransport<Message extends UIMessage = UIMessage> implements ChatTransport<Message> {
  readonly #options: () => TodoChatTransportOptions

  /** @param options Or, where model or tools change, a function that returns the newest: `() => latest.current` with a ref, say. */
  constructor(options: TodoChatTransportOptions | (() => TodoChatTransportOptions)) {
    if (typeof options !== 'function') readOptions(options ?? {})
    this.#options = typeof options === 'function' ? options : () => options
  }

  /** The session of a chat. */
  sessionOf(chatId: string): TodoSession {
    const { session: find, ...options } = this.#options()
    return find?.(chatId) ?? getTodoSession(chatId, options)
  }

  /** Approves the plan of a chat: sets the mode after `plan`, or none where the agent has no modes. False where no mode follows. */
  approvePlan(chatId: string): Promise<boolean> {
    return leavePlan(this.sessionOf(chatId), readOptions(this.#options()).activeModes)
  }

  async sendMessages({
    chatId,
    messages,
    abortSignal,
    metadata,
  }: Parameters<ChatTransport<Message>['sendMessages']>[0]): Promise<ReadableStream<UIMessageChunk>> {
    const { session: _, ...options } = this.#options()
    const signal = abortSignal ? { signal: abortSignal } : {}
    return toStream(answerTo({ ...options, ...signal, session: this.sessionOf(chatId), messages }, metadata))
  }

  /** Always `null`: a run lives in the page, so there is no stream elsewhere to go back to. An interrupted one is resumed instead. */
  async reconnectToStream(): Promise<null> {
    return null
  }
}

/** The answer to the last message of a chat: by a command, or by a run. `metadata` is that of the chat's request. */
export function answerTo(
  options: RunTodoAgentOptions & { readonly messages: readonly UIMessage[] },
  metadata: unknown,
): AsyncGenerator<UIMessageChunk, unknown> {
  const { session, messages } = options
  const goesOn = goesOnOf(metadata)
  const { activeCommands, activeModes } = readOptions(options)
  const command = goesOn ? null : commandOf(messages, activeCommands)
  const run = command && activeCommands[command.name]
  if (!run) return runTodoAgent({ ...options, ...(goesOn ? { goesOn } : {}) })
  return runCommand(run, command.name, { session, args: command.args, modes: activeModes }, messages, options)
}

/** A run as a stream. Cancelling it stops the run. The first chunk is awaited, so that a run that cannot start rejects. */
export async function toStream(
  run: AsyncGenerator<UIMessageChunk, unknown>,
): Promise<ReadableStream<UIMessageChunk>> {
  let first: IteratorResult<UIMessageChunk, unknown> | null = await run.next()
  return new ReadableStream<UIMessageChunk>({
    async pull(controller) {
      const next = first ?? (await run.next())
      first = null
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    cancel() {
      // Not awaited: a run that waits for a slow tool ends when that does.
      void run.return(undefined)
    },
  })
}

function goesOnOf(metadata: unknown): GoesOn | null {
  const word = (metadata as { goesOn?: unknown } | null | undefined)?.goesOn
  return word === 'interrupted' || word === 'approved' ? word : null
}
