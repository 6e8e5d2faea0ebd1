/** What a write of `count` items asks for, `done` of them completed and the next one in progress. */
export function writeOf(
  count: number,
  done: number,
): { todos: { content: string; status: 'pending' | 'in_progress' | 'completed' }[] } {
  return {
    todos: Array.from({ length: count }, (_, index) => ({
      content: `Item ${index}: look at what came in and note what is missing`,
      status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
    })),
  }
}

/** The same items in an order that has nothing to do with that before. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  let seed = 7
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31
  }
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}
