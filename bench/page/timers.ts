/** How often the page was woken up by a timer or a frame so far. Imported first, so that nothing has kept the originals. */
export const wakeUps = { timers: 0, intervals: 0 }

const { setTimeout: later, setInterval: often, requestAnimationFrame: frame } = window

window.setTimeout = ((run: (...values: unknown[]) => void, ...rest: [number?, ...unknown[]]) =>
  later(counted('timers', run), ...rest)) as typeof later
window.setInterval = ((run: (...values: unknown[]) => void, ...rest: [number?, ...unknown[]]) =>
  often(counted('intervals', run), ...rest)) as typeof often
window.requestAnimationFrame = (run) => frame(counted('timers', run))

/** Waits without being counted. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => later(resolve, ms))
}

function counted<Values extends unknown[]>(
  kind: keyof typeof wakeUps,
  run: (...values: Values) => void,
): (...values: Values) => void {
  return (...values) => {
    wakeUps[kind] += 1
    run(...values)
  }
}
