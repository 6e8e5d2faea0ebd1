import type { DraftTodo, TodoStatus } from '../core/todo.ts'
import type { ProviderMetadata } from './modelTypes.ts'

/** A tool call of a scripted response. */
export interface ScriptedToolCall {
  readonly name: string
  /** The arguments; a string is sent as it is, so that it may also be broken JSON. @default {} */
  readonly input?: unknown
  /** @default 'call-1', 'call-2' and so on, counted over all requests to the model */
  readonly id?: string
  readonly providerMetadata?: ProviderMetadata
}

/** An item of {@link call.write}: a line with a mark, or the item itself. */
export type WrittenTodo =
  | string
  | { readonly content: string; readonly status: TodoStatus; readonly reason?: string }

/** An item of {@link call.complete}. */
export type CompletedTodo =
  | readonly [id: number, reason: string]
  | {
      readonly id: number
      readonly reason?: string
      readonly outcome?: 'completed' | 'cancelled' | 'blocked'
    }

/** Options of a {@link call}. */
export type CallOptions = Pick<ScriptedToolCall, 'id' | 'providerMetadata'>

const marks: Readonly<Record<string, DraftTodo['status']>> = {
  ' ': 'pending',
  '>': 'in_progress',
  x: 'completed',
  '-': 'cancelled',
  '!': 'blocked',
}

function callTool(name: string, input: unknown = {}, options: CallOptions = {}): ScriptedToolCall {
  return { name, input, ...options }
}

/**
 * Builds tool calls for a script. `call(name, input)` calls any tool; the rest are the todo and mode tools.
 *
 * @example
 * ```ts
 * call('search', { query: 'price' })
 * call('search', '{"query":"pri', { id: 'cut' })      // broken JSON, on purpose
 * call.write('[x] Load', '[>] Count', '[ ] Report')   // write_todos; no mark means pending
 * call.add('Load', { title: 'Count', description: 'without the header' })
 * call.complete([1, 'loaded'], [2, 'counted'])
 * call.remove(3)
 * call.setMode('execute')
 * ```
 */
export const call = Object.assign(callTool, {
  /**
   * `write_todos` with the whole list. A line may start with a mark: `[ ]` pending, `[>]` in progress, `[x]` completed,
   * `[-]` cancelled, `[!]` blocked.
   */
  write: (...items: readonly WrittenTodo[]): ScriptedToolCall =>
    callTool('write_todos', { todos: items.map(writtenTodo) }),
  /** `todos_add`. */
  add: (
    ...items: readonly (string | { readonly title: string; readonly description?: string })[]
  ): ScriptedToolCall =>
    callTool('todos_add', {
      todos: items.map((item) => (typeof item === 'string' ? { title: item } : item)),
    }),
  /** `todos_complete`: pairs of id and reason, or the items themselves. */
  complete: (...items: readonly CompletedTodo[]): ScriptedToolCall =>
    callTool('todos_complete', {
      items: items.map((item) => ('id' in item ? item : { id: item[0], reason: item[1] })),
    }),
  /** `todos_remove`. */
  remove: (...ids: readonly number[]): ScriptedToolCall => callTool('todos_remove', { ids }),
  /** `todos_get_remaining`. */
  remaining: (): ScriptedToolCall => callTool('todos_get_remaining'),
  /** `todos_get_all`. */
  all: (): ScriptedToolCall => callTool('todos_get_all'),
  /** `mode_set`. */
  setMode: (mode: string): ScriptedToolCall => callTool('mode_set', { mode }),
  /** `mode_get`. */
  getMode: (): ScriptedToolCall => callTool('mode_get'),
})

function writtenTodo(item: WrittenTodo): Exclude<WrittenTodo, string> {
  if (typeof item !== 'string') return item
  const [, mark, text] = /^\[([ >x!-])\] (.*)$/su.exec(item) ?? []
  const status = mark === undefined ? undefined : marks[mark]
  return status && text !== undefined ? { content: text, status } : { content: item, status: 'pending' }
}
