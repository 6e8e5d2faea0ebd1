import { TodoAgentError } from '../core/errors.ts'

/** The right to run a session. */
export interface RunClaim {
  /** Aborted when the run is to stop, by its caller or by {@link stopRun}. */
  readonly signal: AbortSignal
  release(): void
}

interface ActiveRun {
  readonly controller: AbortController
  readonly ended: Promise<void>
}

const activeRuns = new WeakMap<object, ActiveRun>()

/**
 * Claims a session for one run. One that is stopping already is waited for; any other makes it throw `session_busy`.
 * The caller's signal is read now: a later run with another one is not stopped by it.
 */
export async function claimRun(
  session: { readonly id: string },
  signal: AbortSignal | undefined,
): Promise<RunClaim> {
  for (let active = activeRuns.get(session); active; active = activeRuns.get(session)) {
    if (!active.controller.signal.aborted) {
      throw new TodoAgentError(
        'session_busy',
        `A run of session "${session.id}" is under way. Wait until it has ended, or stop it first.`,
      )
    }
    await active.ended
  }
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  activeRuns.set(session, { controller, ended })
  return {
    signal: controller.signal,
    release() {
      signal?.removeEventListener('abort', stop)
      activeRuns.delete(session)
      end()
    },
  }
}

/** Stops the run of a session, if there is one, and waits until it has ended. */
export async function stopRun(session: object): Promise<void> {
  const active = activeRuns.get(session)
  active?.controller.abort()
  await active?.ended
}
