import { englishTexts, inline, quote, type TodoTexts } from './texts.ts'
import { type InProgressPolicy, isUnfinished, isWorthCheck, type Todo, type Toolset } from './todo.ts'

// TYPES

/** What the model is shown besides the conversation. */
export interface ContextOptions {
  readonly toolset: Toolset
  /** @default `englishTexts` */
  readonly texts?: TodoTexts
  /** Appended to the system prompt in place of the toolset's own instructions. Blank: nothing is appended. */
  readonly instructions?: string
  /** What the model reads about `write_todos` in the tool list, in place of the kit's. */
  readonly toolDescription?: string
  /**
   * Leaves the list out of the requests. Not advised: it is what keeps the model on track.
   * @default false
   */
  readonly suppressListMessage?: boolean
  /** Your own text of the list, a table, say. The items are frozen, and their texts are for you to encode. Blank: nothing is sent. */
  readonly listMessage?: (todos: readonly Todo[]) => string
  /** The policy that `write_todos` has, see `WriteTodosOptions`. */
  readonly inProgress?: InProgressPolicy
  /** As `write_todos` has it. */
  readonly exits?: boolean
}

// CONTEXT

/** What is appended to the system prompt; empty where there is nothing to say. */
export function contextInstructions({ toolset, texts = englishTexts, instructions }: ContextOptions): string {
  return (instructions ?? words(texts, toolset).instructions).trim()
}

/** What the tool list says about `write_todos`: the description, then the rules that are on. */
export function writeTodosDescription({
  texts = englishTexts,
  toolDescription,
  inProgress = 'exactly-one',
  exits = false,
}: Omit<ContextOptions, 'toolset'> = {}): string {
  const { description, inProgress: rules, exits: exit } = texts.writeTodos
  return toolDescription ?? [description, rules[inProgress], exits && exit].filter(Boolean).join(' ')
}

/**
 * The list as the model reads it at the end of each request, `null` for none. It belongs in a message of its own.
 *
 * For `todos`: a heading, then a line per item, `- {id} [open|done] {title}: {description}`. For `write_todos`: a heading and the list
 * as JSON, with a reminder to check the work where three or more items are all completed; nothing for an empty list.
 * What stands in an item is data: it can't add a line to the list, nor open or close a tag around it.
 */
export function listMessage(todos: readonly Todo[], options: ContextOptions): string | null {
  const { toolset, texts = englishTexts, suppressListMessage = false, listMessage: write } = options
  if (suppressListMessage) return null
  if (write) return write(todos) || null
  if (toolset === 'todos') {
    return [texts.listHeading, ...(todos.length ? todos.map(line) : [texts.noneYet])].join('\n').trimEnd()
  }
  if (!todos.length) return null
  return [texts.listHeading, quote(todos.map(data)), ...(isWorthCheck(todos) ? [texts.checkWork] : [])].join(
    '\n',
  )
}

// HELPERS

function words(texts: TodoTexts, toolset: Toolset): { readonly instructions: string } {
  return toolset === 'todos' ? texts.todos : texts.writeTodos
}

function line({ id, content, description, status, reason }: Todo): string {
  const detail = description?.trim() ? `: ${inline(description)}` : ''
  const why = reason ? ` (${inline(reason)})` : ''
  return `- ${id} [${isUnfinished({ status }) ? 'open' : status === 'completed' ? 'done' : status}] ${inline(content)}${detail}${why}`
}

function data({ id, content, description, status, reason }: Todo) {
  return { id, content, description, status, reason }
}
