import * as z from 'zod/mini'
import { TodoAgentError } from './errors.ts'
import { addTodos, completeTodos, type ListUpdate, removeTodos } from './list.ts'
import { englishTexts, type TodoTexts } from './texts.ts'
import { deepFreeze, defined, remaining, type Todo, type TodoList } from './todo.ts'
import { invalidInput, parseInput } from './toolInput.ts'
import type { ToolOutcome } from './writeTodos.ts'

// TYPES

/** The tools of the toolset `'todos'`. */
export type TodosToolName =
  | 'todos_add'
  | 'todos_complete'
  | 'todos_remove'
  | 'todos_get_remaining'
  | 'todos_get_all'

/** An item as the model sees it. */
export interface WireTodo {
  readonly id: number
  readonly title: string
  readonly description?: string
  readonly isComplete: boolean
  /** Only where `exits` are on: how an item ended that was not completed, and why. */
  readonly outcome?: 'cancelled' | 'blocked'
  readonly reason?: string
}

/** What a call by id answers with, beside its count. */
export interface WireEffect {
  /** The items it named, as they are now or, where removed, were before. */
  readonly items: readonly WireTodo[]
  /** How many items are unfinished after it. */
  readonly remaining: number
  /** Ids that came more than once: they counted once. */
  readonly countedOnce?: readonly number[]
  /** Ids that are not in the list: they changed nothing. `note` says so, with the ids and titles that are in it. */
  readonly unknownIds?: readonly number[]
  readonly note?: string
}

/** What each tool answers with. */
export interface TodosOutputs {
  todos_add: readonly WireTodo[]
  todos_complete: WireEffect & { readonly completed: number }
  todos_remove: WireEffect & { readonly removed: number }
  todos_get_remaining: readonly WireTodo[]
  todos_get_all: readonly WireTodo[]
}

/** What one of the five tools answers with. */
export type TodosOutput = TodosOutputs[TodosToolName]

/** What each tool takes. */
export interface TodosInputs {
  todos_add: { todos: { title: string; description?: string | undefined }[] }
  todos_complete: {
    items: { id: number; reason: string; outcome?: 'completed' | 'cancelled' | 'blocked' | undefined }[]
  }
  todos_remove: { ids: number[] }
  todos_get_remaining: Record<string, never>
  todos_get_all: Record<string, never>
}

/** What the model is told of each tool. */
export type TodosToolSchemas = {
  readonly [Name in TodosToolName]: {
    readonly description: string
    readonly inputSchema: z.ZodMiniType<TodosInputs[Name]>
  }
}

/** Options of {@link todosToolSchemas} and {@link runTodosTool}. */
export interface TodosToolsOptions {
  /**
   * Offers `outcome` in the items of `todos_complete`: `completed`, or `cancelled` or `blocked` with a reason. @default false
   */
  readonly exits?: boolean
  readonly texts?: TodoTexts
}

// TOOLS

/** The five tools by name, in the order they are offered, and whether they write. */
export const TODOS_TOOLS: Readonly<Record<TodosToolName, 'write' | 'read'>> = {
  todos_add: 'write',
  todos_complete: 'write',
  todos_remove: 'write',
  todos_get_remaining: 'read',
  todos_get_all: 'read',
}

/** Whether a tool is one of the five. */
export function isTodosTool(name: string): name is TodosToolName {
  return Object.hasOwn(TODOS_TOOLS, name)
}

/** What the model is offered: per tool its description and input. */
export function todosToolSchemas(options: TodosToolsOptions = {}): TodosToolSchemas {
  const { exits = false, texts = englishTexts } = options
  const { add, complete, remove, getRemaining, getAll } = texts.todos
  const text = z.string()
  const inputs = exits
    ? inputSchemas(text, z.optional(text), { outcome: z.optional(z.enum(OUTCOMES)) })
    : inputSchemas(text, z.optional(text), {})
  return {
    todos_add: { description: add, inputSchema: inputs.todos_add },
    todos_complete: {
      description: exits ? `${complete} ${texts.writeTodos.exits}` : complete,
      inputSchema: inputs.todos_complete,
    },
    todos_remove: { description: remove, inputSchema: inputs.todos_remove },
    todos_get_remaining: { description: getRemaining, inputSchema: inputs.todos_get_remaining },
    todos_get_all: { description: getAll, inputSchema: inputs.todos_get_all },
  }
}

/**
 * Runs one of the five tools on a list. Calls of one step run one after the other, each on the list that the one before left.
 *
 * Bad input is refused as a whole and nothing changes: `invalid_payload` with the path of the fault, `empty_content` for a title
 * that is blank or null. An empty batch, an unknown id and an item that is complete already are no faults; they change nothing.
 */
export function runTodosTool<Name extends TodosToolName>(
  name: Name,
  list: TodoList,
  input: unknown,
  options: TodosToolsOptions & { readonly now: number },
): ToolOutcome<TodosOutputs[Name]>
export function runTodosTool(
  name: TodosToolName,
  list: TodoList,
  input: unknown,
  options: TodosToolsOptions & { readonly now: number },
): ToolOutcome<TodosOutput> {
  try {
    const { output, ...update } = run(name, list, input, options)
    return { ok: true, update, output: deepFreeze(output) }
  } catch (error) {
    if (error instanceof TodoAgentError) return { ok: false, error }
    throw error
  }
}

/** An item in the names of the wire. */
export function toWire(todo: Todo): WireTodo {
  const { id, content, description, status, reason } = todo
  return defined<WireTodo>({
    id,
    title: content,
    description,
    isComplete: status === 'completed',
    outcome: status === 'cancelled' || status === 'blocked' ? status : undefined,
    reason,
  })
}

// HELPERS

function run(
  name: TodosToolName,
  list: TodoList,
  input: unknown,
  { exits = false, texts = englishTexts, now }: TodosToolsOptions & { readonly now: number },
): ListUpdate & { readonly output: TodosOutput } {
  const inputs = exits ? lenientWithExits : lenient
  switch (name) {
    case 'todos_add': {
      const { todos } = parseInput(inputs.todos_add, input, texts)
      const items = todos.map(({ title, description = null }, index) => {
        if (title?.trim()) return { title, description }
        throw invalidInput(input, ['todos', index, 'title'], 'string, not blank', texts, 'empty_content')
      })
      const { added, ...update } = addTodos(list, items, now)
      return { ...update, output: added.map(toWire) }
    }
    case 'todos_complete': {
      const { items } = parseInput(inputs.todos_complete, input, texts)
      const mute = items.findIndex(
        ({ outcome, reason }) => outcome && outcome !== 'completed' && !reason?.trim(),
      )
      if (mute !== -1) throw invalidInput(input, ['items', mute, 'reason'], 'string, not blank', texts)
      const ends = items.map(({ outcome, ...item }) => ({ ...item, status: outcome ?? undefined }))
      const { completed, unknownIds, ...update } = completeTodos(list, ends, now)
      const ids = items.map(({ id }) => id)
      return { ...update, output: { completed, ...effect(ids, unknownIds, update.list, update, texts) } }
    }
    case 'todos_remove': {
      const { ids } = parseInput(inputs.todos_remove, input, texts)
      const { removed, unknownIds, ...update } = removeTodos(list, ids)
      return { ...update, output: { removed, ...effect(ids, unknownIds, list, update, texts) } }
    }
    default: {
      const todos = name === 'todos_get_all' ? list.todos : remaining(list.todos)
      return { list, changes: [], output: todos.map(toWire) }
    }
  }
}

function effect(
  ids: readonly number[],
  unknownIds: readonly number[],
  source: TodoList,
  update: ListUpdate,
  texts: TodoTexts,
): WireEffect {
  const named = new Set<number>()
  const twice = new Set(ids.filter((id) => named.size === named.add(id).size))
  const { todos } = update.list
  return defined<WireEffect>({
    items: source.todos.filter(({ id }) => named.has(id)).map(toWire),
    remaining: remaining(todos).length,
    countedOnce: twice.size ? [...twice] : undefined,
    unknownIds: unknownIds.length ? unknownIds : undefined,
    note: unknownIds.length ? texts.todos.unknownIds({ ids: unknownIds, todos }) : undefined,
  })
}

const OUTCOMES = ['completed', 'cancelled', 'blocked'] as const

/** A model is shown titles and reasons as required texts; null for what is optional, or no reason at all, still counts. */
function inputSchemas<
  Text extends z.ZodMiniType,
  Optional extends z.ZodMiniType,
  Outcome extends z.core.$ZodLooseShape,
>(text: Text, optional: Optional, outcome: Outcome) {
  return {
    todos_add: z.object({ todos: z.array(z.object({ title: text, description: optional })) }),
    todos_complete: z.object({ items: z.array(z.object({ id: z.int(), reason: text, ...outcome })) }),
    todos_remove: z.object({ ids: z.array(z.int()) }),
    todos_get_remaining: z.object({}),
    todos_get_all: z.object({}),
  }
}

const lenient = lenientSchemas([OUTCOMES[0]])
const lenientWithExits = lenientSchemas(OUTCOMES)

/** Where exits are off another outcome is refused: dropped as an unknown key, it would make the item complete. */
function lenientSchemas(outcomes: typeof OUTCOMES | [(typeof OUTCOMES)[0]]) {
  const text = z.nullish(z.string())
  return inputSchemas(text, text, { outcome: z.nullish(z.enum(outcomes)) })
}
