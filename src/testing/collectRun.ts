import type { UIMessageChunk } from 'ai'

/** Everything that came of a run. */
export interface CollectedRun<Result> {
  readonly chunks: readonly UIMessageChunk[]
  readonly result: Result
}

/**
 * Reads a run of `runTodoAgent` to its end. Rejects when the run does.
 *
 * @param onChunk Called with each chunk before the next one is read.
 */
export async function collectRun<Result>(
  run: AsyncGenerator<UIMessageChunk, Result>,
  onChunk: (chunk: UIMessageChunk) => void | PromiseLike<void> = () => {},
): Promise<CollectedRun<Result>> {
  const chunks: UIMessageChunk[] = []
  for (;;) {
    const next = await run.next()
    if (next.done) return { chunks, result: next.value }
    chunks.push(next.value)
    await onChunk(next.value)
  }
}
