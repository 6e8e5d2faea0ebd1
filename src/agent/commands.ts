import { generateId as defaultGenerateId, type UIMessage, type UIMessageChunk } from 'ai'
import type { Modes } from '../core/mode.ts'
import { progress, type TodoStatus } from '../core/todo.ts'
import type { TodoSession } from '../session/createTodoSession.ts'
import { createMessageBuilder } from './messageBuilder.ts'
import { setMode } from './setMode.ts'
import { syncTranscript } from './syncTranscript.ts'
import { textOf } from './transcript.ts'

// TYPES

/** What a command works on. */
export interface CommandContext {
  readonly session: TodoSession
  /** What stood after the name, trimmed. */
  readonly args: string
  /** `null` where the agent has no modes. */
  readonly modes: Modes | null
}

/** Answers `/name args` without asking the model. What it returns is shown as the answer. */
export type Command = (context: CommandContext) => string | PromiseLike<string>

/** Commands by name, without the slash. */
export type Commands = Readonly<Record<string, Command>>

// COMMANDS

const WORDS: Readonly<Record<TodoStatus, string>> = {
  pending: 'pending',
  in_progress: 'in progress',
  completed: 'completed',
  cancelled: 'cancelled',
  blocked: 'blocked',
}

/** The commands that are there unless the host turns them off: `/todos` shows the list, `/mode` shows or sets the mode. */
export const defaultCommands = {
  todos({ session }) {
    const todos = session.getAllTodos()
    if (todos.length === 0) return 'There are no todos.'
    const { done, total } = progress(todos)
    return [
      `${done} of ${total} done`,
      ...todos.map((todo) => `${todo.id}. ${todo.content} (${WORDS[todo.status]})`),
    ].join('\n')
  },
  async mode({ session, modes, args }) {
    if (!modes) return 'This agent has no modes.'
    const current = () => modes.restore(session.store.getState().mode).mode
    if (args === '') return `The mode is ${current()}. There is ${modes.names.join(', ')}.`
    if (!modes.names.includes(args)) return `There is no mode "${args}". There is ${modes.names.join(', ')}.`
    await setMode(session, modes, args)
    return `The mode is ${current()} now.`
  },
} satisfies Commands

/** The command that a transcript ends with, `null` when it ends with anything else: an unknown `/word` is text for the model. */
export function commandOf(
  messages: readonly UIMessage[],
  commands: Commands,
): { readonly name: string; readonly args: string } | null {
  const last = messages.at(-1)
  if (last?.role !== 'user' || last.parts.some((part) => part.type !== 'text')) return null
  const [, name, args = ''] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(textOf(last).trim()) ?? []
  return name !== undefined && Object.hasOwn(commands, name) ? { name, args: args.trim() } : null
}

/** Runs a command and answers it in the transcript. Both are saved, and neither is sent to the model. What it throws is the answer too. */
export async function* runCommand(
  command: Command,
  name: string,
  context: CommandContext,
  messages: readonly UIMessage[],
  options: { readonly generateId?: (() => string) | undefined; readonly show?: boolean | undefined },
): AsyncGenerator<UIMessageChunk, void> {
  const { session } = context
  await session.ready()
  await syncTranscript(session, messages)
  const builder = createMessageBuilder({
    id: (options.generateId ?? defaultGenerateId)(),
    parts: [],
    metadata: undefined,
  })
  const answer = await attempt(command, context)
  const chunks: UIMessageChunk[] = [
    { type: 'start', messageId: builder.id },
    { type: 'data-command', data: { name } } as UIMessageChunk,
    { type: 'text-start', id: 'answer' },
    { type: 'text-delta', id: 'answer', delta: answer },
    { type: 'text-end', id: 'answer' },
    { type: 'finish', finishReason: 'stop' },
  ]
  for (const chunk of chunks) builder.apply(chunk)
  await session.saveMessages([...messages, builder.snapshot()], { show: options.show ?? true })
  yield* chunks
}

async function attempt(command: Command, context: CommandContext): Promise<string> {
  try {
    return await command(context)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
