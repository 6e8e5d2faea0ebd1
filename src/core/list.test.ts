import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addTodos,
  completeTodos,
  type ListUpdate,
  liftNextId,
  reconcile,
  removeTodos,
  type WriteItem,
} from './list.ts'
import { emptyList, type Todo, type TodoChange, type TodoList, type TodoStatus } from './todo.ts'

const NOW = 1_000
const LATER = 2_000

describe('reconcile', () => {
  test('new items get ids from 1 in the order of the list', () => {
    const { list, changes } = reconcile(emptyList, [item('A', 'in_progress'), item('B')], NOW)
    expect(list.todos).toEqual([
      { id: 1, content: 'A', status: 'in_progress', createdAt: NOW, startedAt: NOW },
      { id: 2, content: 'B', status: 'pending', createdAt: NOW },
    ])
    expect(list.nextId).toBe(3)
    expect(changes).toEqual([
      { type: 'added', id: 1, content: 'A', status: 'in_progress', index: 0 },
      { type: 'added', id: 2, content: 'B', status: 'pending', index: 1 },
    ])
  })

  test('an identical write gives the same list and no changes', () => {
    const list = listOf('A in_progress', 'B')
    expect(reconcile(list, [item('A', 'in_progress'), item('B')], LATER)).toEqual({ list, changes: [] })
    expect(reconcile(list, [item('A', 'in_progress'), item('B')], LATER).list).toBe(list)
  })

  test('an unchanged item stays the same object', () => {
    const list = listOf('A in_progress', 'B')
    const { todos } = reconcile(list, [item('A', 'completed'), item('B')], LATER).list
    expect(todos[0]).not.toBe(list.todos[0])
    expect(todos[1]).toBe(list.todos[1])
  })

  test('an item put into the middle leaves the ids of the others with their texts', () => {
    const list = listOf('A in_progress', 'B', 'C')
    const { list: next, changes } = reconcile(
      list,
      [item('A', 'in_progress'), item('NEW'), item('B'), item('C')],
      LATER,
    )
    expect(texts(next)).toEqual(['1 A', '4 NEW', '2 B', '3 C'])
    expect(changes).toEqual([{ type: 'added', id: 4, content: 'NEW', status: 'pending', index: 1 }])
  })

  test('another text in the place of one open item is the same item renamed', () => {
    const list = listOf('A in_progress', 'B', 'C')
    const { list: next, changes } = reconcile(list, [item('A', 'in_progress'), item('NEW'), item('C')], LATER)
    expect(texts(next)).toEqual(['1 A', '2 NEW', '3 C'])
    expect(changes).toEqual([{ type: 'renamed', id: 2, from: 'B', to: 'NEW' }])
  })

  test('two other texts in the place of two items are new items', () => {
    const { list } = reconcile(listOf('A', 'B', 'C'), [item('A'), item('X'), item('Y')], LATER)
    expect(texts(list)).toEqual(['1 A', '4 X', '5 Y'])
  })

  test('another text at the same index behind another item is a new item', () => {
    const { list } = reconcile(listOf('A', 'B', 'C'), [item('C'), item('X'), item('A')], LATER)
    expect(texts(list)).toEqual(['3 C', '4 X', '1 A'])
  })

  test('a finished item never passes its id to another text', () => {
    for (const status of ['completed', 'cancelled', 'blocked'] as const) {
      const list = listOf(`A ${status}`, 'B in_progress')
      const { list: next, changes } = reconcile(list, [item('X'), item('B', 'in_progress')], LATER)
      expect(texts(next)).toEqual(['3 X', '2 B'])
      expect(changes.map(({ type }) => type)).toEqual(['removed', 'added'])
    }
  })

  test('a finished item left out beside it does not hide a renamed one', () => {
    const { list } = reconcile(listOf('A completed', 'B in_progress'), [item('B2', 'in_progress')], LATER)
    expect(texts(list)).toEqual(['2 B2'])
  })

  test('white space around it, Unicode form and case do not make a text another task', () => {
    const list = listOf('Über uns', ' Write report ')
    const { list: next, changes } = reconcile(list, [item('write REPORT'), item('u\u0308BER UNS')], LATER)
    expect(texts(next)).toEqual(['2 write REPORT', '1 u\u0308BER UNS'])
    expect(changes.filter(({ type }) => type === 'renamed')).toHaveLength(2)
  })

  test('an exact text is matched before a similar one', () => {
    const { list } = reconcile(listOf('test', 'Test'), [item('Test')], LATER)
    expect(texts(list)).toEqual(['2 Test'])
  })

  test('equal texts keep their ids in order', () => {
    const list = listOf('A completed', 'A', 'A')
    const { list: next } = reconcile(list, [item('A', 'completed'), item('A'), item('B'), item('A')], LATER)
    expect(texts(next)).toEqual(['1 A', '2 A', '4 B', '3 A'])
    expect(next.todos[1]).toBe(list.todos[1])
    const shorter = listOf('B', 'A', 'A', 'A')
    const without = reconcile(shorter, [item('A'), item('A'), item('A')], LATER).list
    expect(texts(without)).toEqual(['2 A', '3 A', '4 A'])
  })

  test('a description that is given takes the place of the old one', () => {
    const described = reconcile(listOf('A'), [{ ...item('A'), description: 'why' }], LATER).list
    const { list } = reconcile(described, [{ ...item('A'), description: 'since' }], LATER)
    expect(list.todos[0]?.description).toBe('since')
  })

  test('one item put first is one move', () => {
    const { list, changes } = reconcile(
      listOf('A', 'B', 'C', 'D'),
      [item('D'), item('A'), item('B'), item('C')],
      LATER,
    )
    expect(texts(list)).toEqual(['4 D', '1 A', '2 B', '3 C'])
    expect(changes).toEqual([{ type: 'moved', id: 4, content: 'D', from: 3, to: 0 }])
  })

  test('items that slide up after a removal have not moved', () => {
    const { changes } = reconcile(listOf('A', 'B', 'C'), [item('B'), item('C')], LATER)
    expect(changes).toEqual([{ type: 'removed', id: 1, content: 'A', status: 'pending' }])
  })

  test('a renamed item keeps its description and the times it has', () => {
    const { list } = addTodos(emptyList, [{ title: 'A', description: 'how' }], NOW)
    const started = reconcile(list, [item('A', 'in_progress')], 1_500).list
    const { todos } = reconcile(started, [item('A, again', 'in_progress')], LATER).list
    expect(todos).toEqual([
      {
        id: 1,
        content: 'A, again',
        description: 'how',
        status: 'in_progress',
        createdAt: NOW,
        startedAt: 1_500,
      },
    ])
  })

  test('an item that is opened again loses its end and keeps its start', () => {
    const done = reconcile(listOf('A in_progress'), [item('A', 'completed')], 1_500).list
    expect(done.todos[0]).toMatchObject({ startedAt: NOW, completedAt: 1_500 })
    const open = reconcile(done, [item('A', 'in_progress')], LATER).list
    expect(open.todos[0]).toEqual({
      id: 1,
      content: 'A',
      status: 'in_progress',
      createdAt: NOW,
      startedAt: NOW,
    })
  })

  test('the reason of an exit stays in the item until it is opened again', () => {
    const write = (status: TodoStatus, reason?: string): WriteItem => ({ content: 'A', status, reason })
    const blocked = reconcile(listOf('A'), [write('blocked', 'no key')], NOW)
    expect(blocked.list.todos[0]?.reason).toBe('no key')
    expect(blocked.changes).toEqual([
      { type: 'restated', id: 1, content: 'A', from: 'pending', to: 'blocked', reason: 'no key' },
    ])
    const other = reconcile(blocked.list, [write('blocked', 'no network')], NOW)
    expect(other.changes).toMatchObject([{ from: 'blocked', to: 'blocked', reason: 'no network' }])
    expect(reconcile(other.list, [write('pending')], NOW).list.todos[0]).not.toHaveProperty('reason')
  })

  test('an id is not given again after the list was emptied', () => {
    const cleared = reconcile(listOf('A completed', 'B completed'), [], LATER).list
    expect(cleared).toEqual({ todos: [], nextId: 3 })
    expect(texts(reconcile(cleared, [item('A')], LATER).list)).toEqual(['3 A'])
  })

  test('a restored list with too low a next id gives out no id twice', () => {
    const restored: TodoList = { ...listOf('A', 'B', 'C'), nextId: 1 }
    expect(texts(reconcile(restored, [item('A'), item('B'), item('C'), item('D')], LATER).list)).toEqual([
      '1 A',
      '2 B',
      '3 C',
      '4 D',
    ])
  })
})

describe('addTodos', () => {
  test('new items are pending at the end, trimmed', () => {
    const { list, added, changes } = addTodos(
      listOf('A'),
      [
        { title: ' B\n', description: ' d ' },
        { title: 'C', description: null },
      ],
      LATER,
    )
    expect(added).toEqual([
      { id: 2, content: 'B', description: 'd', status: 'pending', createdAt: LATER },
      { id: 3, content: 'C', status: 'pending', createdAt: LATER },
    ])
    expect(list.todos.slice(1)).toEqual(added)
    expect(changes).toMatchObject([
      { type: 'added', index: 1 },
      { type: 'added', index: 2 },
    ])
  })

  test('an empty batch gives the same list', () => {
    const list = listOf('A')
    expect(addTodos(list, [], LATER)).toEqual({ list, changes: [], added: [] })
    expect(addTodos(list, [], LATER).list).toBe(list)
  })
})

describe('completeTodos', () => {
  test('the reason goes into the change and not into the item', () => {
    const { list, changes, completed } = completeTodos(listOf('A', 'B'), [{ id: 2, reason: ' done ' }], LATER)
    expect(completed).toBe(1)
    expect(list.todos[1]).toEqual({
      id: 2,
      content: 'B',
      status: 'completed',
      createdAt: NOW,
      completedAt: LATER,
    })
    expect(changes).toEqual([
      { type: 'restated', id: 2, content: 'B', from: 'pending', to: 'completed', reason: 'done' },
    ])
  })

  test('unknown ids, ids that come twice and completed items change nothing', () => {
    const list = listOf('A completed')
    const update = completeTodos(list, [{ id: 1 }, { id: 9 }, { id: 1 }, { id: 9, reason: null }], LATER)
    expect(update).toEqual({ list, changes: [], completed: 0, unknownIds: [9] })
    expect(update.list).toBe(list)
  })

  test('of an id that comes twice the first counts', () => {
    const twice = [
      { id: 1, reason: 'first' },
      { id: 1, reason: 'second' },
    ]
    expect(completeTodos(listOf('A'), twice, LATER).changes).toMatchObject([{ reason: 'first' }])
  })

  test('an item that is ended otherwise keeps the reason and counts as not completed', () => {
    const { list, completed } = completeTodos(
      listOf('A'),
      [{ id: 1, reason: 'not wanted', status: 'cancelled' }],
      LATER,
    )
    expect(list.todos[0]).toMatchObject({ status: 'cancelled', reason: 'not wanted' })
    expect(completed).toBe(0)
  })
})

describe('removeTodos', () => {
  test('items go and their ids do not come back', () => {
    const { list, removed, unknownIds } = removeTodos(listOf('A', 'B'), [2, 7, 2])
    expect(texts(list)).toEqual(['1 A'])
    expect({ removed, unknownIds }).toEqual({ removed: 1, unknownIds: [7] })
    expect(addTodos(list, [{ title: 'C' }], LATER).added[0]?.id).toBe(3)
  })

  test('unknown ids give the same list', () => {
    const list = listOf('A')
    expect(removeTodos(list, [7]).list).toBe(list)
  })
})

test('liftNextId puts the next id above every id', () => {
  const list = listOf('A', 'B')
  expect(liftNextId(list)).toBe(list)
  expect(liftNextId({ ...list, nextId: 1 })).toEqual(list)
})

describe('for any sequence of operations', () => {
  test('ids are unique and never given again', () => {
    fc.assert(
      fc.property(operations, (sequence) => {
        const seen = new Set<number>()
        play(sequence, ({ before, update: { list } }) => {
          const old = new Set(before.todos.map(({ id }) => id))
          expect(new Set(list.todos.map(({ id }) => id)).size).toBe(list.todos.length)
          for (const { id } of list.todos) {
            if (old.has(id)) continue
            expect(seen.has(id)).toBe(false)
            seen.add(id)
          }
        })
      }),
    )
  })

  test('the changes played over the old list give the new one', () => {
    fc.assert(
      fc.property(operations, (sequence) => {
        play(sequence, ({ before, update: { list, changes } }) => {
          expect(replay(before.todos, changes)).toEqual(list.todos.map(essence))
        })
      }),
    )
  })

  test('a kept item is the same object or has changed, and nothing changed gives the same list', () => {
    fc.assert(
      fc.property(operations, (sequence) => {
        play(sequence, ({ before, update: { list, changes } }) => {
          const old = new Map(before.todos.map((todo) => [todo.id, todo]))
          for (const todo of list.todos) {
            const kept = old.get(todo.id)
            if (!kept) continue
            expect(todo.createdAt).toBe(kept.createdAt)
            if (todo !== kept) expect(todo).not.toEqual(kept)
          }
          expect(list === before).toBe(changes.length === 0)
        })
      }),
    )
  })

  test('everything that comes back is frozen', () => {
    fc.assert(
      fc.property(operations, (sequence) => {
        play(sequence, ({ update: { list, changes } }) => {
          for (const part of [list, list.todos, ...list.todos, changes, ...changes]) {
            expect(Object.isFrozen(part)).toBe(true)
          }
        })
      }),
    )
  })

  test('the moves are the fewest that there can be', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 6 }).chain(permutation), (order) => {
        const list = listOf(...order.map((_, index) => `T${index}`))
        const { changes } = reconcile(
          list,
          order.map((index) => item(`T${index}`)),
          LATER,
        )
        expect(changes.length).toBe(order.length - longestRun(order))
      }),
    )
  })
})

test('writing to a list throws', () => {
  const list = listOf('A')
  const todo = list.todos[0] as { content: string }
  expect(() => {
    todo.content = 'B'
  }).toThrow(TypeError)
  expect(() => (list.todos as Todo[]).push(list.todos[0]!)).toThrow(TypeError)
})

test('a list is read as often per item when it is ten times as long', () => {
  const readsPerItem = (size: number) => {
    let reads = 0
    const counted = Array.from({ length: size }, (_, index) => ({
      get content() {
        reads += 1
        // A third stays, a third is new, a third is reworded.
        return index % 3 === 0 ? `T${index}` : index % 3 === 1 ? `new ${index}` : `t${index}`
      },
      status: 'pending' as const,
    }))
    const list = listOf(...Array.from({ length: size }, (_, index) => `T${index}`))
    reconcile(list, counted.reverse(), LATER)
    return reads / size
  }
  expect(readsPerItem(10_000)).toBeCloseTo(readsPerItem(1_000), 1)
})

// HELPERS

function item(content: string, status: TodoStatus = 'pending'): WriteItem {
  return { content, status }
}

/** A list made at NOW of `A`, `A completed` and the like. */
function listOf(...items: string[]): TodoList {
  const written = items.map((text): WriteItem => {
    const [, content = text, status = 'pending'] = /^(.*) (\w+)$/.exec(text) ?? []
    const known = ['in_progress', 'completed', 'cancelled', 'blocked'].includes(status)
    return known ? { content, status: status as TodoStatus, reason: 'why' } : item(text)
  })
  return reconcile(emptyList, written, NOW).list
}

function texts({ todos }: TodoList): string[] {
  return todos.map(({ id, content }) => `${id} ${content}`)
}

type Operation = (list: TodoList, now: number) => ListUpdate

const content = fc.constantFrom('A', 'a ', 'B', 'b', 'C', 'D', 'É', 'e\u0301')
const ids = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 })
const status = fc.constantFrom<TodoStatus>('pending', 'in_progress', 'completed', 'cancelled', 'blocked')

const operations = fc.array(
  fc.oneof(
    fc.array(fc.record({ content, status, reason: fc.constantFrom('x', 'y') }), { maxLength: 8 }).map(
      (items): Operation =>
        (list, now) =>
          reconcile(list, items, now),
    ),
    // The list as it is, with one item changed, moved or left out.
    fc.tuple(fc.nat(), fc.nat(), fc.option(fc.record({ content, status }))).map(
      ([from, to, changed]): Operation =>
        (list, now) => {
          const items: WriteItem[] = list.todos.map(({ content, status, reason }) => ({
            content,
            status,
            reason,
          }))
          items.splice(from % (items.length + 1), 1)
          if (changed) items.splice(to % (items.length + 1), 0, changed)
          return reconcile(list, items, now)
        },
    ),
    fc.array(fc.record({ title: content }), { maxLength: 3 }).map(
      (items): Operation =>
        (list, now) =>
          addTodos(list, items, now),
    ),
    ids.map(
      (chosen): Operation =>
        (list, now) =>
          completeTodos(
            list,
            chosen.map((id) => ({ id, reason: 'done' })),
            now,
          ),
    ),
    ids.map(
      (chosen): Operation =>
        (list) =>
          removeTodos(list, chosen),
    ),
  ),
  { maxLength: 12 },
)

function play(sequence: Operation[], check: (step: { before: TodoList; update: ListUpdate }) => void) {
  let list = emptyList
  for (const [index, operation] of sequence.entries()) {
    const update = operation(list, NOW + index)
    check({ before: list, update })
    list = update.list
  }
}

function essence({ id, content, status }: Todo) {
  return { id, content, status }
}

function replay(todos: readonly Todo[], changes: readonly TodoChange[]) {
  const items = new Map(todos.map((todo) => [todo.id, essence(todo)]))
  const out = new Set<number>()
  const placed: { index: number; id: number }[] = []
  for (const change of changes) {
    const old = items.get(change.id)
    if (change.type === 'removed' || change.type === 'moved') out.add(change.id)
    if (change.type === 'added') items.set(change.id, essence(change as unknown as Todo))
    if (change.type === 'renamed' && old) old.content = change.to
    if (change.type === 'restated' && old) old.status = change.to
    if (change.type === 'added') placed.push({ index: change.index, id: change.id })
    if (change.type === 'moved') placed.push({ index: change.to, id: change.id })
  }
  const order = todos.map(({ id }) => id).filter((id) => !out.has(id))
  for (const { index, id } of placed.sort((a, b) => a.index - b.index)) order.splice(index, 0, id)
  return order.map((id) => items.get(id))
}

function permutation(size: number) {
  const order = Array.from({ length: size }, (_, index) => index)
  return fc.shuffledSubarray(order, { minLength: size })
}

function longestRun(order: readonly number[]): number {
  const best = order.map(() => 1)
  for (const [at, value] of order.entries()) {
    for (let before = 0; before < at; before += 1) {
      if (order[before]! < value) best[at] = Math.max(best[at]!, best[before]! + 1)
    }
  }
  return Math.max(0, ...best)
}
