import * as z from 'zod/mini'
import { TodoAgentError, type TodoAgentErrorCode } from './errors.ts'
import { fold, type ListUpdate, reconcile, type WriteItem } from './list.ts'
import { englishTexts, type TodoTexts } from './texts.ts'
import {
  deepFreeze,
  type InProgressPolicy,
  isExit,
  isUnfinished,
  isWorthCheck,
  remaining,
  TODO_STATUSES,
  type Todo,
  type TodoList,
  type TodoStatus,
} from './todo.ts'
import { invalidInput, parseInput } from './toolInput.ts'

// TYPES

/** The rules of the list. */
export interface WriteTodosOptions {
  /**
   * How many items may be in progress while the list is not finished.
   * @default 'exactly-one'
   */
  readonly inProgress?: InProgressPolicy
  /**
   * Offers the statuses `cancelled` and `blocked`, each with a reason, as honest ways to stop.
   * @default false
   */
  readonly exits?: boolean
}

/** What a call of a todo tool came to. A refused one has left the list as it was. */
export type ToolOutcome<Output> =
  | { readonly ok: true; readonly update: ListUpdate; readonly output: Output }
  | { readonly ok: false; readonly error: TodoAgentError }

/** What a write came to. Keys without news are left out. An agent whose requests end with the list tells the model all but `todos`. */
export interface WriteTodosOutput {
  readonly message: string
  readonly todos: readonly Pick<Todo, 'id' | 'content' | 'status'>[]
  /** Unfinished items that were on the list and are not any more. */
  readonly dropped?: readonly Pick<Todo, 'id' | 'content'>[]
  /** Items that kept their place and got another text. */
  readonly renamed?: readonly string[]
  /** Three or more items, and all are completed: check the work. */
  readonly reminder?: string
}

// TOOL

/**
 * `write_todos`: replaces the list by the one in `input`. Refused, with the first fault that is found in this order:
 * `invalid_payload`, `empty_content`, `not_exactly_one_in_progress`, `empty_list_over_unfinished`.
 * A list that is sent again as it is succeeds and changes nothing.
 */
export function writeTodos(
  list: TodoList,
  input: unknown,
  options: WriteTodosOptions & { readonly now: number; readonly texts?: TodoTexts },
): ToolOutcome<WriteTodosOutput> {
  const { now, texts = englishTexts } = options
  try {
    const items = read(list, input, options, texts)
    const update = reconcile(list, items, now)
    return { ok: true, update, output: report(list, update, texts) }
  } catch (error) {
    if (error instanceof TodoAgentError) return { ok: false, error }
    throw error
  }
}

/** What the model is asked for. It names no ids: a write is matched to the list before it by text. */
export function writeTodosInputSchema({
  exits,
}: {
  readonly exits?: boolean | undefined
} = {}): WriteTodosInputSchema {
  return exits ? schemaWithExits : schema
}

// SCHEMAS

type WriteTodosInputSchema = z.ZodMiniType<{
  todos: { content: string; status: TodoStatus; reason?: string | undefined }[]
}>

const schema = inputSchema(false)
const schemaWithExits = inputSchema(true)

function inputSchema(exits: boolean): WriteTodosInputSchema {
  const item = { content: z.string(), status: z.enum(statuses(exits)) }
  return z.object({ todos: z.array(z.object(exits ? { ...item, reason: z.optional(z.string()) } : item)) })
}

function statuses(exits: boolean): readonly TodoStatus[] {
  return exits ? TODO_STATUSES : TODO_STATUSES.slice(0, 3)
}

// HELPERS

function read(
  list: TodoList,
  input: unknown,
  { inProgress = 'exactly-one', exits }: WriteTodosOptions,
  texts: TodoTexts,
): readonly WriteItem[] {
  const words = texts.writeTodos
  const { todos } = parseInput(writeTodosInputSchema({ exits }), input, texts)
  const items = exits
    ? todos.map(({ content, status, reason }) => ({ content, status, reason: reason?.trim() || undefined }))
    : todos
  const text = (index: number, key: string, code?: TodoAgentErrorCode) => {
    if (index !== -1) throw invalidInput(input, ['todos', index, key], 'string, not blank', texts, code)
  }
  text(
    items.findIndex(({ status, reason }) => isExit(status) && !reason),
    'reason',
  )
  text(
    items.findIndex(({ content }) => !content.trim()),
    'content',
    'empty_content',
  )

  const count = items.filter(({ status }) => status === 'in_progress').length
  const least = inProgress === 'exactly-one' && items.some(isUnfinished) ? 1 : 0
  if (count < least || (count > 1 && inProgress !== 'any')) {
    const message = words.notExactlyOne({ policy: inProgress, count })
    throw new TodoAgentError('not_exactly_one_in_progress', message, { path: 'todos' })
  }
  const open = items.length ? [] : remaining(list.todos)
  if (open.length) {
    throw new TodoAgentError('empty_list_over_unfinished', words.emptyList({ open }), { path: 'todos' })
  }
  return items
}

function report(list: TodoList, update: ListUpdate, texts: TodoTexts): WriteTodosOutput {
  const { todos } = update.list
  const words = texts.writeTodos
  const dropped: Pick<Todo, 'id' | 'content'>[] = []
  const renamed: string[] = []
  for (const change of update.changes) {
    if (change.type === 'removed' && isUnfinished(change))
      dropped.push({ id: change.id, content: change.content })
    if (change.type === 'renamed' && fold(change.from) !== fold(change.to))
      renamed.push(words.renamed(change))
  }
  const items = todos.map(({ id, content, status }) => Object.freeze({ id, content, status }))
  return deepFreeze({
    message: update.list === list ? words.unchanged : words.updated,
    todos: Object.freeze(items),
    ...(dropped.length > 0 && { dropped }),
    ...(renamed.length > 0 && { renamed }),
    ...(isWorthCheck(todos) && { reminder: texts.checkWork }),
  })
}
