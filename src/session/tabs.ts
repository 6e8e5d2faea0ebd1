import { TodoAgentError } from '../core/errors.ts'
import type { DriverRole } from '../core/todo.ts'

// TYPES

/** The browser's parts that tabs meet through. Each may be missing: then this tab is alone. */
export interface TabPlatform {
  readonly locks: LockManager | undefined
  channel(name: string): BroadcastChannel | undefined
}

/** What one tab tells the others of a session. */
type TabMessage = { readonly type: 'changed' | 'driving' | 'rests' | 'stop' }

/** The right to run a session, held by one tab at a time. */
export interface DriverClaim {
  /** Aborted when the run is to stop: by its caller, by `stop`, or since another tab has taken over. */
  readonly signal: AbortSignal
  release(): void
}

export interface TabOptions {
  readonly id: string
  /** Names the storage that tabs share; `null`: nothing is shared, this tab is alone. */
  readonly scope: string | null
  readonly platform?: TabPlatform
  /** Which tab drives has changed. */
  onRole(role: DriverRole): void
  /** Another tab has stored something. */
  onChanged(): void
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
   * when it wakes up, its run ends without having changed anything more.
   */
  takeOver(): Promise<void>
  /** Tells the other tabs that something was stored. */
  announce(): void
  /** What tabs need and this browser lacks, in words; `null` when it has everything. */
  missing(): string | null
}

interface LocalRun {
  readonly controller: AbortController
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
  get locks() {
    return typeof navigator === 'undefined' ? undefined : navigator.locks
  },
  channel(name) {
    if (typeof BroadcastChannel === 'undefined' || typeof document === 'undefined') return undefined
    try {
      return new BroadcastChannel(name)
    } catch {
      return undefined
    }
  },
}

// TABS

export function createTabs({ id, scope, platform = browserTabs, onRole, onChanged }: TabOptions): Tabs {
  const name = `use-todo-agent:${scope ?? ''}:${id}`
  let local: LocalRun | null = null
  let channel: BroadcastChannel | undefined
  let watchers = 0
  let waiting: AbortController | null = null
  let role: DriverRole = 'none'
  let lacks: string | null = null

  function setRole(next: DriverRole): void {
    if (role === next) return
    role = next
    onRole(next)
  }

  function locks(): LockManager | undefined {
    return scope === null ? undefined : platform.locks
  }

  function post(message: TabMessage): void {
    channel?.postMessage(message)
  }

  function hear({ data }: MessageEvent<TabMessage>): void {
    if (data.type === 'changed') onChanged()
    else if (data.type === 'driving' || data.type === 'rests') void look()
    else if (data.type === 'stop') void stop()
  }

  /** Finds out whether another tab drives, and if so waits until it no longer does: a tab that is closed or killed tells nobody. */
  async function look(): Promise<void> {
    const manager = locks()
    if (!manager || local || waiting || watchers === 0) return
    const controller = new AbortController()
    waiting = controller
    try {
      const { held = [] } = await manager.query()
      if (controller.signal.aborted || local) return
      if (!held.some((lock) => lock.name === name)) {
        setRole('none')
        return
      }
      setRole('other')
      await manager.request(name, { mode: 'shared', signal: controller.signal }, () => {})
      if (!local) {
        setRole('none')
        onChanged()
      }
    } catch (error) {
      if (!controller.signal.aborted) lacks = lackOf(error)
    } finally {
      if (waiting === controller) waiting = null
    }
  }

  async function claim(signal?: AbortSignal): Promise<DriverClaim> {
    for (let run = local; run; run = local) {
      if (!run.controller.signal.aborted)
        throw busy('A run is under way. Wait until it has ended, or stop it first.')
      await run.ended
    }
    const run = createRun()
    local = run
    const stopWithCaller = () => run.controller.abort(signal?.reason)
    if (signal?.aborted) stopWithCaller()
    signal?.addEventListener('abort', stopWithCaller, { once: true })
    let release = () => {}
    try {
      release = await lock(run)
    } catch (error) {
      finish()
      throw error
    }
    setRole('self')
    post({ type: 'driving' })
    return { signal: run.controller.signal, release: finish }

    function finish(): void {
      if (local !== run) return
      signal?.removeEventListener('abort', stopWithCaller)
      local = null
      release()
      setRole('none')
      post({ type: 'rests' })
      run.end()
      void look()
    }
  }

  /** Holds the lock until the returned function is called. Without locks there is nothing to hold. */
  async function lock(run: LocalRun): Promise<() => void> {
    const manager = locks()
    if (!manager) {
      if (scope !== null) lacks = 'Web Locks'
      return () => {}
    }
    waiting?.abort()
    waiting = null
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), HAND_ON)
    let granted = false
    return new Promise<() => void>((resolve, reject) => {
      manager
        .request(name, { mode: 'exclusive', signal: limit.signal }, () => {
          clearTimeout(timer)
          granted = true
          resolve(release)
          return held
        })
        .catch((error: unknown) => {
          clearTimeout(timer)
          if (granted) {
            // Another tab has taken it.
            run.controller.abort(error)
          } else if (limit.signal.aborted) {
            setRole('other')
            reject(busy('Another tab runs it. Take over from here, or wait until its run has ended.'))
          } else {
            lacks = lackOf(error)
            resolve(release)
          }
        })
    })
  }

  async function stop(): Promise<void> {
    local?.controller.abort()
    await local?.ended
  }

  async function takeOver(): Promise<void> {
    const manager = locks()
    if (!manager || local) return
    waiting?.abort()
    waiting = null
    post({ type: 'stop' })
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), ANSWER_WITHIN)
    try {
      await manager.request(name, { signal: limit.signal }, () => {})
    } catch {
      await manager.request(name, { steal: true }, () => {})
    } finally {
      clearTimeout(timer)
    }
    setRole('none')
    onChanged()
  }

  function busy(what: string): TodoAgentError {
    return new TodoAgentError('session_busy', `Session "${id}" is busy. ${what}`)
  }

  return {
    watch() {
      watchers += 1
      if (watchers === 1 && scope !== null) {
        channel = platform.channel(name)
        channel?.addEventListener('message', hear)
        if (!channel) lacks = 'BroadcastChannel'
        void look()
      }
      let over = false
      return () => {
        if (over) return
        over = true
        watchers -= 1
        if (watchers > 0) return
        channel?.close()
        channel = undefined
        waiting?.abort()
        waiting = null
      }
    },
    claim,
    stop,
    takeOver,
    announce: () => post({ type: 'changed' }),
    missing: () => lacks,
  }
}

// HELPERS

function createRun(): LocalRun {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { controller: new AbortController(), ended, end }
}

function lackOf(error: unknown): string {
  return `Web Locks (${error instanceof Error ? error.message : String(error)})`
}
