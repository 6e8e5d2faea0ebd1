import * as z from 'zod/mini'
import { type GuardState, guardStateSchema } from './guard.ts'
import { liftNextId, reconcile, type WriteItem } from './list.ts'
import { englishTexts } from './texts.ts'
import {
  deepFreeze,
  emptyList,
  remaining,
  type Todo,
  type TodoList,
  todoSchema,
  todoStatusSchema,
} from './todo.ts'

// TYPES

/**
 * An item as other implementations read it: `content` and `status`. The other keys are ours; they pass through, or get lost, unharmed.
 * For others a cancelled item is `completed` and a blocked one is `pending`; `exit` says what it is here.
 */
export interface ExtraTodo extends Omit<Todo, 'status'> {
  readonly status: 'pending' | 'in_progress' | 'completed'
  readonly exit?: 'cancelled' | 'blocked'
}

/** The state of a session under the six names that server-side implementations persist too. Plain JSON. */
export interface ExtraState {
  readonly todos: readonly ExtraTodo[]
  readonly todo_guard_retries: Readonly<Record<string, number>>
  /** `message` is for an implementation that tells it to the model; we make it anew. */
  readonly todo_guard_blocked: { readonly guard_type: string; readonly message: string } | null
  readonly todo_guard_suppressed: boolean
  readonly todo_stale_iterations: number
  readonly todo_finalization_correction: boolean
}

// SCHEMAS

const EXITS = { cancelled: 'completed', blocked: 'pending' } as const

/** Above it an id is not taken over, so that there is always room for the next one. */
const MAX_ID = 2 ** 31
const NO_ID = 0

const object = z.catch(z.record(z.string(), z.unknown()), {})
const blocked = z.object({ guard_type: z.string() })

// IN AND OUT

/** Writes a session's list and guard as exactly six keys. What {@link importExtra} makes of them is equal to what went in. */
export function exportExtra({
  todos: list,
  guard,
}: {
  readonly todos: TodoList
  readonly guard: GuardState
}): ExtraState {
  return {
    todos: list.todos.map(toExtra),
    todo_guard_retries: { ...guard.retries },
    todo_guard_blocked:
      guard.blocked === null
        ? null
        : { guard_type: guard.blocked, message: englishTexts.blocked({ open: remaining(list.todos) }) },
    todo_guard_suppressed: guard.suppressed,
    todo_stale_iterations: guard.staleSteps,
    todo_finalization_correction: guard.correction,
  }
}

/**
 * Reads the six keys, from this kit or another implementation. It never throws: null counters count as 0, unknown keys are left out,
 * an item without text is dropped, one without a known status is pending, and of one that is odd otherwise text and status are kept.
 * Items without ids are matched to `previous` by their text, and ids that `previous` has used up are not given again.
 * `now` is in ms since 1970.
 */
export function importExtra(
  extra: unknown,
  { now, previous = emptyList }: { readonly now: number; readonly previous?: TodoList },
): { readonly list: TodoList; readonly guard: GuardState } {
  const keys = object.parse(extra)
  const block = blocked.safeParse(keys.todo_guard_blocked)
  const guard = guardStateSchema.parse({
    retries: keys.todo_guard_retries,
    blocked: block.success ? block.data.guard_type : null,
    suppressed: keys.todo_guard_suppressed,
    staleSteps: keys.todo_stale_iterations,
    correction: keys.todo_finalization_correction,
  })
  return deepFreeze({ list: readList(keys.todos, now, previous), guard })
}

// HELPERS

function toExtra(todo: Todo): ExtraTodo {
  const { status, ...rest } = todo
  return status === 'cancelled' || status === 'blocked'
    ? { ...rest, status: EXITS[status], exit: status }
    : { ...rest, status }
}

function readList(todos: unknown, now: number, previous: TodoList): TodoList {
  const items = (Array.isArray(todos) ? todos : []).flatMap((item) => readItem(object.parse(item), now))
  const ids = new Set(items.map(({ id }) => id))
  // All items have an id of their own, or none of the ids is believed.
  return ids.has(NO_ID) || ids.size < items.length
    ? reconcile(previous, items as readonly WriteItem[], now).list
    : liftNextId({ todos: items, nextId: previous.nextId })
}

/** An item as we wrote it, or what can be had of it: its text and its status. */
function readItem({ exit, ...item }: Readonly<Record<string, unknown>>, now: number): readonly Todo[] {
  const { content, status } = item
  if (typeof content !== 'string' || !content.trim()) return []
  const ended = exit === 'cancelled' || exit === 'blocked' ? exit : null
  const whole = { createdAt: now, ...item, status: ended && EXITS[ended] === status ? ended : status }
  const { success, data } = todoSchema.safeParse(whole)
  if (success && data.id < MAX_ID) return [data]
  const known = todoStatusSchema.safeParse(status)
  return [{ id: NO_ID, content, status: known.success ? known.data : 'pending', createdAt: now }]
}
