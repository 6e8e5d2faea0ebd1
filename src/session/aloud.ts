/** Runs code of the host. What it throws is thrown, but not into the middle of our work. */
export function aloud(run: () => void): void {
  try {
    run()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
