import { TodoAgentError } from '../core/errors.ts'
import type { DriverRole } from '../core/todo.ts'

// TYPES

/** The browser's parts that tabs meet through. Each may be missing: then this tab is alone. */
export interface TabPlatform {
  readonly locks: LockManager | undefined
  channel(name: string): BroadcastChannel | undefined
  /** There are no tabs here, and so nothing is missing. @default false */
  readonly server?: boolean
}

/** What one tab tells the others of a session. */
interface TabMessage {
  readonly type: 'changed' | 'deleted' | 'driving' | 'stop'
}

/** The right to run a session, held by one tab at a time. */
export interface DriverClaim {
  /**
   * Aborted when the run is to stop: by a signal that it follows, by `stopRun`, or since another tab wants to take over, or has.
   */
  readonly signal: AbortSignal
  /** Stops the run when `signal` is aborted. */
  follow(signal: AbortSignal): void
  /** Lets go of the session. Calling it again does nothing. */
  release(): void
}

export interface TabOptions {
  readonly id: string
  /** Names the storage that tabs share; `null`: nothing is shared, this tab is alone. */
  readonly scope: string | null
  readonly platform?: TabPlatform
  /** Which tab drives has changed. */
  onRole(role: DriverRole): void
  /** Another tab has stored something, or `deleted` the session. Resolves, in time, when it was read. Never rejects. */
  onChanged(deleted: boolean): Promise<void>
  /** Tabs can't be told apart or told of changes, since the browser lacks or refuses `what`. Said once. */
  onMissing(what: string, cause: unknown): void
}

/** One session as several tabs share it: one of them drives, the others watch. */
export interface Tabs {
  /** Starts to watch the other tabs. The returned function ends it. Calls nest. */
  watch(): () => void
  /** Claims the session for one run of this tab. Rejects with `session_busy`. */
  claim(signal?: AbortSignal): Promise<DriverClaim>
  /** Stops the run of this tab, and resolves when it has ended. */
  stop(): Promise<void>
  /**
   * Stops the run of another tab, and resolves when it has let go. A tab that does not answer in time, since it is frozen, loses its claim:
   * when it wakes up, its run ends without having changed anything more. `catchUp` is called in between, to read what that tab stored last:
   * until it has resolved, that tab counts as the driver.
   */
  takeOver(catchUp?: () => Promise<void>): Promise<void>
  /** Tells the other tabs that something was stored, or that the session was `deleted`. */
  announce(what: 'changed' | 'deleted'): void
}

interface LocalRun {
  readonly controller: AbortController
  /** Settles when it is known whether it may drive. */
  asked: Promise<unknown>
  readonly ended: Promise<void>
  readonly end: () => void
}

// VALUES

/** How long a claim waits for a lock that is being handed on, in ms. */
const HAND_ON = 400

/** How long a tab may take to answer a take-over before its claim is taken from it, in ms. */
const ANSWER_WITHIN = 2000

/** The browser itself. Nothing is touched before it is asked. */
export const browserTabs: TabPlatform = {
  get server() {
    return typeof document === 'undefined' && !('WorkerGlobalScope' in globalThis)
  },
  // A server may have both, but no tabs: what goes on at the same time there has nothing to do with each other.
  get locks() {
    return this.server || typeof navigator === 'undefined' ? undefined : navigator.locks
  },
  channel(name) {
    if (this.server || typeof BroadcastChannel === 'undefined') return undefined
    try {
      return new BroadcastChannel(name)
    } catch {
      return undefined
    }
  },
}

// TABS

export function createTabs(options: TabOptions): Tabs {
  const { id, scope, platform = browserTabs, onRole, onChanged, onMissing } = options
  const shared = scope !== null && !platform.server
  const name = driverLock(scope ?? '', id)
  let role: DriverRole = 'none'
  let local: LocalRun | null = null
  let taking: Promise<void> | null = null
  let watchers = 0
  let looking: AbortController | null = null
  // Settles when the lock of the last claim is free: until then the browser still lists it, and it is nobody else's.
  let freed: Promise<unknown> = Promise.resolve()
  // Something was told since the look began.
  let outdated = false
  let channel: BroadcastChannel | undefined
  let listeners = 0
  let reported = false

  return { watch, claim, stop, takeOver, announce }

  function setRole(next: DriverRole): void {
    if (role === next) return
    role = next
    onRole(next)
  }

  function locks(): LockManager | undefined {
    return shared ? platform.locks : undefined
  }

  function report(what: string, cause?: unknown): void {
    if (reported) return
    reported = true
    onMissing(what, cause)
  }

  // CHANNEL

  /** Keeps the channel open until the returned function is called. Calls nest. */
  function listen(): () => void {
    listeners += 1
    if (listeners === 1 && shared) {
      channel = platform.channel(name)
      channel?.addEventListener('message', hear)
      const missing = [platform.locks ? '' : 'Web Locks', channel ? '' : 'BroadcastChannel'].filter(Boolean)
      if (missing.length > 0) report(missing.join(' and '))
    }
    return once(() => {
      listeners -= 1
      if (listeners > 0) return
      channel?.close()
      channel = undefined
    })
  }

  function post(type: TabMessage['type']): void {
    channel?.postMessage({ type } satisfies TabMessage)
  }

  function announce(what: 'changed' | 'deleted'): void {
    // A deletion is told by a tab that has the session open nowhere, too. Changes come in runs, which listen.
    const unlisten = what === 'deleted' ? listen() : null
    post(what)
    unlisten?.()
  }

  function hear({ data }: MessageEvent<TabMessage | null>): void {
    switch (data?.type) {
      case 'changed':
      case 'deleted':
        void onChanged(data.type === 'deleted')
        void look()
        return
      case 'driving':
        void look()
        return
      case 'stop':
        void stop()
    }
  }

  // WATCH

  function watch(): () => void {
    watchers += 1
    const unlisten = listen()
    if (watchers === 1) {
      void look()
      globalThis.addEventListener?.('pageshow', onPageShow)
    }
    return once(() => {
      watchers -= 1
      unlisten()
      if (watchers > 0) return
      stopLooking()
      globalThis.removeEventListener?.('pageshow', onPageShow)
      // Who drives is not known any more. Not at once: a component that is mounted anew asks for it again in the same turn.
      queueMicrotask(() => {
        if (watchers === 0 && !local) setRole('none')
      })
    })
  }

  /** A page that comes out of the back-forward cache has heard nothing meanwhile. */
  function onPageShow({ persisted }: PageTransitionEvent): void {
    if (!persisted) return
    stopLooking()
    void onChanged(false)
    void look()
  }

  /** Finds out whether another tab drives, and if so waits until none does: a tab that is closed or killed tells nobody. */
  async function look(): Promise<void> {
    outdated = true
    const manager = locks()
    if (!manager || looking || local || watchers === 0) return
    const current = new AbortController()
    const { signal } = current
    looking = current
    try {
      while (outdated) {
        outdated = false
        await freed
        const taken = await isTaken(manager)
        if (signal.aborted) return
        if (taken) {
          setRole('other')
          await manager.request(name, { mode: 'shared', signal }, () => {})
          if (signal.aborted) return
          outdated = true
        } else if (role === 'other') {
          // How the run ended comes first: without it, a run that nobody drives would look interrupted.
          await onChanged(false)
          if (signal.aborted) return
          if (!outdated) setRole('none')
        }
      }
    } catch (cause) {
      if (!signal.aborted) report('Web Locks', cause)
    } finally {
      if (looking === current) looking = null
    }
  }

  async function isTaken(manager: LockManager): Promise<boolean> {
    const { held = [] } = await manager.query()
    return held.some((lock) => lock.name === name && lock.mode === 'exclusive')
  }

  function stopLooking(): void {
    looking?.abort()
    looking = null
  }

  // DRIVE

  async function claim(signal?: AbortSignal): Promise<DriverClaim> {
    await taking
    for (let run = local; run; run = local) {
      if (!run.controller.signal.aborted)
        throw busy('A run is under way. Wait until it has ended, or stop it first.')
      await run.ended
    }
    const run = createRun()
    const over = new AbortController()
    const unlisten = listen()
    let release = () => {}
    local = run
    stopLooking()
    if (signal) follow(signal)
    try {
      const asked = lock(run)
      run.asked = asked.catch(() => {})
      release = await asked
    } catch (error) {
      end()
      if (watchers > 0) setRole('other')
      void look()
      throw error
    }
    setRole('self')
    post('driving')
    return {
      signal: run.controller.signal,
      follow,
      release: once(() => {
        end()
        setRole('none')
        void look()
      }),
    }

    function follow(signal: AbortSignal): void {
      const abort = () => run.controller.abort(signal.reason)
      if (signal.aborted) abort()
      signal.addEventListener('abort', abort, { signal: over.signal })
    }

    function end(): void {
      over.abort()
      local = null
      release()
      unlisten()
      run.end()
    }
  }

  /** Holds the lock until the returned function is called. Without locks there is nothing to hold. */
  function lock(run: LocalRun): Promise<() => void> {
    const manager = locks()
    if (!manager) return Promise.resolve(() => {})
    const limit = new AbortController()
    let state: 'asked' | 'granted' | 'refused' = 'asked'
    let timer = setTimeout(check, HAND_ON)

    // A lock that is free comes late too, where the machine is busy.
    async function check(): Promise<void> {
      const taken = await isTaken(manager as LockManager).catch(() => true)
      if (state !== 'asked') return
      if (taken) limit.abort()
      else timer = setTimeout(check, HAND_ON)
    }

    return new Promise((resolve, reject) => {
      const hold = () => {
        state = 'granted'
        clearTimeout(timer)
        return new Promise<void>((release) => resolve(release))
      }
      // A browser that refuses may also throw.
      const ask = async () => manager.request(name, { mode: 'exclusive', signal: limit.signal }, hold)
      freed = ask().catch((error: unknown) => {
        if (state === 'granted') {
          run.controller.abort(new DOMException('Another tab has taken over.', 'AbortError'))
          return
        }
        state = 'refused'
        clearTimeout(timer)
        if (limit.signal.aborted) {
          reject(busy('Another tab runs it. Take over from here, or wait until its run has ended.'))
        } else {
          report('Web Locks', error)
          resolve(() => {})
        }
      })
    })
  }

  async function stop(): Promise<void> {
    local?.controller.abort()
    await local?.ended
  }

  function takeOver(catchUp = async () => {}): Promise<void> {
    taking ??= take(catchUp).finally(() => {
      taking = null
    })
    return taking
  }

  async function take(catchUp: () => Promise<void>): Promise<void> {
    await local?.asked
    if (local) return
    stopLooking()
    const manager = locks()
    if (manager) await takeLock(manager)
    await catchUp()
    setRole('none')
    void look()
  }

  async function takeLock(manager: LockManager): Promise<void> {
    const unlisten = listen()
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), ANSWER_WITHIN)
    try {
      if (channel) post('stop')
      else limit.abort()
      // Shared, so that it is not taken for a run by those who look just now.
      await manager
        .request(name, { mode: 'shared', signal: limit.signal }, () => {})
        .catch(async (error: unknown) => {
          if (!limit.signal.aborted) throw error
          await manager.request(name, { mode: 'exclusive', steal: true }, () => {})
        })
    } catch (cause) {
      report('Web Locks', cause)
    }
    clearTimeout(timer)
    unlisten()
  }

  function busy(what: string): TodoAgentError {
    return new TodoAgentError('session_busy', `Session "${id}" is busy. ${what}`)
  }
}

// HELPERS

/** The name of the lock that a run of a session holds. */
export function driverLock(scope: string, id: string): string {
  return `use-todo-agent:${scope}:${id}`
}

function createRun(): LocalRun {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { controller: new AbortController(), asked: Promise.resolve(), ended, end }
}

function once(run: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    run()
  }
}
