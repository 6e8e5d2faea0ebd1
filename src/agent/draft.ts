import { parsePartialJson } from 'ai'
import { type DraftTodo, TODO_STATUSES, type TodoStatus } from '../core/todo.ts'
import { repairArguments } from './repairArguments.ts'

/**
 * The items that a streaming `write_todos` call holds so far. An item counts once its text is there; the last one is `partial` while
 * its text may still grow. Returns `null` where there is nothing to show yet. Never throws: what can't be read is left out.
 */
export async function readDraft(argumentsText: string): Promise<readonly DraftTodo[] | null> {
  const { value, state } = await parsePartialJson(argumentsText)
  const items = repairArguments('write_todos', value)['todos']
  if (!Array.isArray(items)) return null
  const growing = state === 'repaired-parse'
  const draft = items.flatMap((item: unknown, index): DraftTodo[] => {
    if (typeof item !== 'object' || item === null) return []
    const { content, status } = item as { content?: unknown; status?: unknown }
    if (typeof content !== 'string' || content.trim() === '') return []
    const partial = growing && index === items.length - 1 && !isStatus(status)
    return [
      Object.freeze({
        content,
        status: isStatus(status) ? status : 'pending',
        ...(partial ? { partial } : {}),
      }),
    ]
  })
  return draft.length === 0 ? null : Object.freeze(draft)
}

function isStatus(value: unknown): value is TodoStatus {
  return (TODO_STATUSES as readonly unknown[]).includes(value)
}
