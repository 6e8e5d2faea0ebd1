import {
  deepFreeze,
  isExit,
  isUnfinished,
  type Todo,
  type TodoChange,
  type TodoList,
  type TodoStatus,
} from './todo.ts'

// TYPES

/** One item of a list as a write asks for it. A write names no ids: see {@link reconcile}. */
export interface WriteItem {
  readonly content: string
  readonly status: TodoStatus
  /** Kept for `cancelled` and `blocked` only. */
  readonly reason?: string | undefined
  /** Left out: a kept item keeps its own. */
  readonly description?: string | undefined
}

/**
 * A list after an operation and what that did. Where nothing changed, it is the same list and no changes.
 *
 * `changes` hold all that is needed to get from the old list to the new one: take out what was removed or moved,
 * then put what was added or moved at its index, lowest first.
 */
export interface ListUpdate {
  readonly list: TodoList
  readonly changes: readonly TodoChange[]
}

/** What `addTodos` takes. */
export interface NewTodo {
  readonly title: string
  readonly description?: string | null | undefined
}

// OPERATIONS

/**
 * Replaces the whole list and keeps the identity of what stays. Each item is matched to an old one
 * 1. by its exact text, equal texts in their order,
 * 2. by its text trimmed, in Unicode NFC and without regard to case,
 * 3. by its place: when one unfinished old item and one new item are left over behind the same kept item. What is finished is
 *    never matched so: it stays with its own text.
 *
 * A kept item keeps `id`, `createdAt` and `description`, and is the same object where nothing in it changed.
 */
export function reconcile(list: TodoList, items: readonly WriteItem[], now: number): ListUpdate {
  const { from, taken } = match(list.todos, items)
  const still = unmoved(from)
  let { nextId } = liftNextId(list)

  const changes = list.todos.filter((_, index) => !taken[index]).map(removal)
  const todos = items.map((item, to) => {
    const index = from[to] ?? NEW
    const todo = list.todos[index]
    if (!todo) {
      const added = edit({ id: nextId++, createdAt: now }, item, now)
      changes.push(addition(added, to))
      return added
    }
    if (!still[to]) changes.push({ type: 'moved', id: todo.id, content: item.content, from: index, to })
    return revise(todo, item, now, changes)
  })
  return changed(list, todos, nextId, changes)
}

/** Puts new items at the end, pending, with title and description trimmed. The caller sees to it that titles are not blank. */
export function addTodos(
  list: TodoList,
  items: readonly NewTodo[],
  now: number,
): ListUpdate & { readonly added: readonly Todo[] } {
  let { nextId } = liftNextId(list)
  const added = items.map(({ title, description }) =>
    edit(
      { id: nextId++, createdAt: now },
      { content: title.trim(), description: description?.trim(), status: 'pending' },
      now,
    ),
  )
  const changes = added.map((todo, index) => addition(todo, list.todos.length + index))
  return { ...changed(list, [...list.todos, ...added], nextId, changes), added: deepFreeze(added) }
}

/**
 * Completes items by id, or ends them with another status where one is given; what is completed stays so.
 * `completed` counts those that became it now. The reason of a completion goes into the changes and is not kept in the item.
 * Ids that are not in the list change nothing and come back in `unknownIds`, each once. Of items with the same id the first counts.
 */
export function completeTodos(
  list: TodoList,
  items: readonly {
    readonly id: number
    readonly reason?: string | null | undefined
    readonly status?: TodoStatus | undefined
  }[],
  now: number,
): ListUpdate & { readonly completed: number; readonly unknownIds: readonly number[] } {
  // Last to first, so that the first of an id stays.
  const ends = new Map([...items].reverse().map((item) => [item.id, item]))

  const changes: TodoChange[] = []
  const todos = list.todos.map((todo) => {
    const end = ends.get(todo.id)
    if (!end || todo.status === 'completed') return todo
    const { status = 'completed', reason } = end
    return revise(todo, { content: todo.content, status, reason: reason?.trim() || undefined }, now, changes)
  })
  const completed = changes.filter((change) => change.type === 'restated' && change.to === 'completed').length
  return {
    ...changed(list, todos, list.nextId, changes),
    completed,
    unknownIds: unknown(
      list,
      items.map(({ id }) => id),
    ),
  }
}

/** Removes items by id. Ids that are not in the list come back in `unknownIds`, each once. No id is ever given again. */
export function removeTodos(
  list: TodoList,
  ids: readonly number[],
): ListUpdate & { readonly removed: number; readonly unknownIds: readonly number[] } {
  const gone = new Set(ids)
  const todos = list.todos.filter((todo) => !gone.has(todo.id))
  const changes = list.todos.filter((todo) => gone.has(todo.id)).map(removal)
  const update = changed(list, todos, liftNextId(list).nextId, changes)
  return { ...update, removed: changes.length, unknownIds: unknown(list, ids) }
}

/** The list with `nextId` above every id in it. The same list where it is so already. */
export function liftNextId(list: TodoList): TodoList {
  const nextId = list.todos.reduce((next, { id }) => Math.max(next, id + 1), list.nextId)
  return nextId === list.nextId ? list : deepFreeze({ todos: list.todos, nextId })
}

// ITEMS

/** An item with a new text and status, and the times and the reason that go with the status. */
function edit(
  old: Pick<Todo, 'id' | 'createdAt'> & Partial<Todo>,
  { content, status, reason, description = old.description }: WriteItem,
  now: number,
): Todo {
  const { id, createdAt, startedAt = status === 'in_progress' ? now : undefined, completedAt = now } = old
  const todo: { -readonly [Key in keyof Todo]: Todo[Key] } = { id, content, status, createdAt }
  if (description !== undefined) todo.description = description
  if (reason && isExit(status)) todo.reason = reason
  if (startedAt !== undefined) todo.startedAt = startedAt
  if (status === 'completed') todo.completedAt = completedAt
  return Object.freeze(todo)
}

/** {@link edit} for an item that stays, with its changes noted; the same object where there are none. */
function revise(todo: Todo, item: WriteItem, now: number, changes: TodoChange[]): Todo {
  const { id, content: from, status } = todo
  const { content, status: to, reason, description = todo.description } = item
  const restated = status !== to || (isExit(to) && todo.reason !== reason)
  if (from !== content) changes.push({ type: 'renamed', id, from, to: content })
  if (restated) changes.push({ type: 'restated', id, content, from: status, to, ...(reason && { reason }) })
  return restated || from !== content || todo.description !== description ? edit(todo, item, now) : todo
}

function addition({ id, content, status }: Todo, index: number): TodoChange {
  return { type: 'added', id, content, status, index }
}

function removal({ id, content, status }: Todo): TodoChange {
  return { type: 'removed', id, content, status }
}

// LISTS

function changed(list: TodoList, todos: readonly Todo[], nextId: number, changes: TodoChange[]): ListUpdate {
  const same = todos.length === list.todos.length && todos.every((todo, index) => todo === list.todos[index])
  // All items are frozen, and changes are flat: `deepFreeze` would look into each.
  for (const change of changes) Object.freeze(change)
  Object.freeze(changes)
  return Object.freeze({
    list: same ? list : Object.freeze({ todos: Object.freeze(todos), nextId }),
    changes,
  })
}

function unknown(list: TodoList, ids: readonly number[]): readonly number[] {
  const known = new Set(list.todos.map((todo) => todo.id))
  return deepFreeze([...new Set(ids)].filter((id) => !known.has(id)))
}

// MATCHING

/** Stands for an item without an old one, and for the place before the first. */
const NEW = -1

/** For each new item the index of the old one that it is, or {@link NEW}; for each old one whether it stays. */
function match(old: readonly Todo[], items: readonly WriteItem[]) {
  const from = items.map(() => NEW)
  const taken = old.map(() => false)
  const take = (to: number, index: number) => {
    from[to] = index
    taken[index] = true
  }

  // Most writes change little: what stands as before is found without a table, up to the first difference.
  for (let same = 0; same < old.length && old[same]?.content === items[same]?.content; same += 1)
    take(same, same)
  for (const key of [String, fold]) {
    if (!from.includes(NEW)) return { from, taken }
    // The first of the old items with a text that are still free, and behind each the next one.
    const first = textTable()
    const next = old.map(() => NEW)
    for (let index = old.length - 1; index >= 0; index -= 1) {
      if (taken[index]) continue
      const text = key(old[index]?.content)
      const firstOf = first(text)
      next[index] = firstOf.get(text) ?? NEW
      firstOf.set(text, index)
    }
    for (let to = 0; to < items.length; to += 1) {
      if (from[to] !== NEW) continue
      const text = key(items[to]?.content)
      const index = first(text).get(text) ?? NEW
      if (index === NEW) continue
      take(to, index)
      first(text).set(text, next[index] ?? NEW)
    }
  }

  const lone = loneBehind(old.map((todo, index) => (taken[index] ? index : isUnfinished(todo) ? NEW : null)))
  for (const [before, to] of loneBehind(from)) {
    const index = lone.get(before) ?? NEW
    if (to !== NEW && index !== NEW) take(to, index)
  }
  return { from, taken }
}

/**
 * A map by text, cut into small ones: gives the one that a text belongs to. V8 keeps a map of more than 4,096 entries among its
 * large objects, at several times the cost per entry, and a long list would take more than its share of time.
 */
function textTable(): (text: string) => Map<string, number> {
  const maps: Map<string, number>[] = []
  return (text) => {
    const { length } = text
    const sum =
      length + text.charCodeAt(length >> 1) + 7 * text.charCodeAt(length - 1) + text.charCodeAt(length - 2)
    const part = sum & 31
    maps[part] ??= new Map()
    return maps[part]
  }
}

/**
 * For each kept item that left over ones follow: the one, or {@link NEW} where there are several. `places` hold the old index of
 * a kept item, {@link NEW} for one that is left over, and null for one to pass over.
 */
function loneBehind(places: readonly (number | null)[]): ReadonlyMap<number, number> {
  const lone = new Map<number, number>()
  let before = NEW
  for (const [at, place] of places.entries()) {
    if (place === NEW) lone.set(before, lone.has(before) ? NEW : at)
    else before = place ?? before
  }
  return lone
}

/** A text without what does not tell two tasks apart: white space around it, its form in Unicode, its case. */
export function fold(text: string | undefined = ''): string {
  return text.trim().normalize('NFC').toLowerCase()
}

/** For each new item whether it needs no move: those of a longest run of kept ones in their old order. */
function unmoved(from: readonly number[]): readonly boolean[] {
  // `ends[n]` is where the growing run of n + 1 with the lowest end ends, `previous` what comes before a place in its run.
  const ends: number[] = []
  const previous = from.map(() => NEW)
  const old = (place: number | undefined) => from[place ?? NEW] ?? NEW
  for (const [to, index] of from.entries()) {
    if (index === NEW) continue
    let low = 0
    let high = ends.length
    // In the old order, as most are, each comes behind the last one.
    if (old(ends[high - 1]) < index) low = high
    while (low < high) {
      const middle = (low + high) >> 1
      if (old(ends[middle]) < index) low = middle + 1
      else high = middle
    }
    previous[to] = ends[low - 1] ?? NEW
    ends[low] = to
  }
  const still = from.map(() => false)
  for (let to = ends.at(-1) ?? NEW; to !== NEW; to = previous[to] ?? NEW) still[to] = true
  return still
}
