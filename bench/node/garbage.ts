/** What was made before must not be collected while something is timed or weighed. */
export function collectGarbage(): void {
  const { gc } = globalThis
  if (!gc) throw new Error('Run it with --expose-gc: npm run bench.')
  gc()
}
