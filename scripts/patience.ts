import { inject, vi } from 'vitest'

// Unlike `expect.poll` and `expect.element`, it has no setting.
const waitFor = vi.waitFor
vi.waitFor = (callback, options) => {
  const given = typeof options === 'number' ? { timeout: options } : options
  return waitFor(callback, { timeout: inject('patience'), ...given })
}

declare module 'vitest' {
  interface ProvidedContext {
    patience: number
  }
}
