import type { SessionStorage } from 'use-todo-agent'
import { createTodoSession, exportSession, memoryStorage } from 'use-todo-agent'
import { idleRun, type RunView } from 'use-todo-agent/core'

const HOUR = 3_600_000

/** A session to be saved: its first message, its items (the first `done` of them completed), and how its run stands. */
export interface Seed {
  readonly id: string
  readonly title: string | null
  readonly items: readonly string[]
  readonly done: number
  /** How long ago it changed last, in ms. */
  readonly age: number
  readonly run?: Partial<RunView>
}

export const fewSeeds: readonly Seed[] = [
  {
    id: 'offers',
    title: 'Compare the three offers and say which one is the best for a team of five',
    items: ['Read the offers', 'Make a table', 'Compare the prices', 'Recommend one'],
    done: 2,
    age: HOUR / 4,
    run: { status: 'interrupted' },
  },
  {
    id: 'orders',
    title: 'Sum up the orders of March',
    items: ['Read the 200 orders', 'Mean and median', 'Write a summary'],
    done: 3,
    age: 3 * HOUR,
    run: { outcome: 'completed' },
  },
  { id: 'lyon', title: 'Trip to Lyon', items: ['Find trains', 'Book a hotel'], done: 1, age: 26 * HOUR },
  { id: 'greeting', title: 'Hello', items: [], done: 0, age: 80 * HOUR },
  { id: 'untitled', title: null, items: ['Only begun'], done: 0, age: 24 * 40 * HOUR },
]

const topics = ['Orders of', 'Trip to', 'Notes on', 'Invoices of', 'Plan for', 'Questions about', 'Report on']
const subjects = ['March', 'Lyon', 'the garden', 'the second quarter', 'Room 4', 'the new shelf', 'Tuesday']

/** As many sessions as you like, each with a list of its own. */
export function manySeeds(count: number): readonly Seed[] {
  return Array.from({ length: count }, (_, index) => {
    const total = 3 + (index % 6)
    return {
      id: `session-${index}`,
      title: `${topics[index % 7]} ${subjects[(index * 3) % 7]}, ${index + 1}`,
      items: Array.from({ length: total }, (__, item) => `Step ${item + 1} of what was asked for`),
      done: (index * 5) % (total + 1),
      age: (index + 1) * 7 * HOUR,
    }
  })
}

export async function saveSeeds(storage: SessionStorage, seeds: readonly Seed[]): Promise<void> {
  await Promise.all(seeds.map((seed) => saveSeed(storage, seed)))
}

async function saveSeed(storage: SessionStorage, { id, title, items, done, age, run }: Seed): Promise<void> {
  const at = Date.now() - age
  const todos = items.map((content, index) => ({
    id: index + 1,
    content,
    status: index < done ? ('completed' as const) : ('pending' as const),
    createdAt: at,
    ...(index < done ? { startedAt: at - 1000 * (4 + index * 7), completedAt: at } : {}),
  }))
  const session = createTodoSession({ id, storage, now: () => at })
  await session.commit(
    (data) => ({
      ...data,
      title,
      list: { todos, nextId: items.length + 1 },
      run: { ...idleRun, ...run },
    }),
    { messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: title ?? 'Begin' }] }] },
  )
  session.close()
}

/** A storage that holds them, as long as the page lives. */
export async function memoryWith(seeds: readonly Seed[]): Promise<SessionStorage> {
  const storage = memoryStorage()
  await saveSeeds(storage, seeds)
  return storage
}

/** The text of a file, as an export writes it. */
export async function exportedText(seed: Seed): Promise<string> {
  const storage = await memoryWith([seed])
  return JSON.stringify(await exportSession(seed.id, storage))
}
