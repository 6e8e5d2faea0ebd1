import { emptyList, type TodoList, writeTodos } from 'use-todo-agent/core'
import { interleave, type Row, ratioRow, timed } from '../measure.ts'
import { seeded, shuffled } from '../shuffle.ts'
import { collectGarbage } from './garbage.ts'
import { writeOf } from './lists.ts'

const sizes = [10, 100, 1_000, 10_000] as const
const TOGETHER = 20_000

/** `write_todos` with lists of growing length: the next item done, and all of them in another order. */
export async function writeRows(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [kind, inOrder] of [
    ['next item done', true],
    ['all in another order', false],
  ] as const) {
    const sides = Object.fromEntries(sizes.map((size) => [String(size), () => write(size, inOrder)]))
    const samples = await interleave(sides, { rounds: 21, warmUp: 3 })
    for (const [size, smaller] of [
      [100, 10],
      [1_000, 100],
      [10_000, 1_000],
    ] as const) {
      rows.push(
        ratioRow(samples, [String(size), String(smaller)], {
          id: `write-${inOrder ? 'next' : 'shuffled'}-${size}`,
          group: 'write',
          what: `write_todos of ${size.toLocaleString('en')} items against ${smaller.toLocaleString('en')}, ${kind}`,
          bound: size === 10_000 ? 12 : null,
        }),
      )
    }
  }
  const samples = await interleave(
    { write: () => write(10_000, true), structuredClone: () => clone(10_000) },
    { rounds: 15, warmUp: 2 },
  )
  rows.push(
    ratioRow(samples, ['write', 'structuredClone'], {
      id: 'write-clone',
      group: 'write',
      what: 'write_todos of 10,000 items against structuredClone of the list',
      bound: null,
    }),
  )
  return rows
}

/**
 * The time of one write. All sides write as many items in all, so that each bears its share of the garbage collector's work, and each write is
 * made on a list that was not written before.
 */
async function write(size: number, inOrder: boolean): Promise<number> {
  const repeats = TOGETHER / size
  const { todos } = writeOf(size, 1)
  const input = { todos: inOrder ? todos : shuffled(todos, seeded(7)) }
  const lists = Array.from({ length: repeats }, () => listOf(size))
  collectGarbage()
  const time = await timed(() => {
    for (const list of lists) {
      const { ok } = writeTodos(list, input, { now: 2, inProgress: 'any' })
      if (!ok) throw new Error('The write was refused.')
    }
  })
  return time / repeats
}

async function clone(size: number): Promise<number> {
  const list = listOf(size)
  collectGarbage()
  return timed(() => structuredClone(list))
}

function listOf(size: number): TodoList {
  const written = writeTodos(emptyList, writeOf(size, 0), { now: 1 })
  if (!written.ok) throw written.error
  return written.update.list
}
