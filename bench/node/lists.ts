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
