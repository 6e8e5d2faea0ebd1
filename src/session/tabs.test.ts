import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { DriverRole } from '../core/todo.ts'
import { browserTabs, createTabs, type DriverClaim, type TabPlatform } from './tabs.ts'

// PLATFORM

interface Tab {
  state: 'live' | 'frozen' | 'dead'
  /** What comes in while it is frozen. */
  readonly inbox: (() => void)[]
  readonly channels: Set<EventTarget>
}

interface LockRequest {
  readonly tab: Tab
  readonly mode: LockMode
  readonly grant: () => void
  readonly lose: (error: unknown) => void
}

const denied = (name: string) => new DOMException('Refused by the test.', name)

/** A browser with one origin: locks and channels as the platform has them, and tabs that can be frozen and killed. */
function createBrowser() {
  const tabs: Tab[] = []
  let held: LockRequest[] = []
  let queue: LockRequest[] = []

  function deliver(tab: Tab, task: () => void): void {
    queueMicrotask(() => {
      if (tab.state === 'live') task()
      else if (tab.state === 'frozen') tab.inbox.push(task)
    })
  }

  function settleQueue(): void {
    for (const next of queue) {
      const isFree = held.every((lock) => lock.mode === 'shared' && next.mode === 'shared')
      if (!isFree) break
      queue = queue.filter((request) => request !== next)
      held.push(next)
      next.grant()
    }
  }

  function drop(request: LockRequest): void {
    held = held.filter((other) => other !== request)
    queue = queue.filter((other) => other !== request)
    settleQueue()
  }

  function locksOf(tab: Tab): LockManager {
    return {
      query: async () => ({
        held: held.map(({ mode }) => ({ name: NAME, mode, clientId: '' })),
        pending: [],
      }),
      request(
        _name: string,
        { mode = 'exclusive', signal, steal }: LockOptions,
        callback: (lock: Lock) => unknown,
      ) {
        return new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason)
          const waits = new AbortController()
          const request: LockRequest = {
            tab,
            mode,
            grant() {
              waits.abort()
              deliver(tab, async () => {
                const result = await callback({ name: NAME, mode })
                drop(request)
                resolve(result)
              })
            },
            lose: (error) => deliver(tab, () => reject(error)),
          }
          const giveUp = () => {
            drop(request)
            reject(signal?.reason)
          }
          signal?.addEventListener('abort', giveUp, { signal: waits.signal })
          if (steal) {
            for (const lock of held) lock.lose(denied('AbortError'))
            held = []
            queue.unshift(request)
          } else {
            queue.push(request)
          }
          settleQueue()
        })
      },
    } as unknown as LockManager
  }

  function channelOf(tab: Tab): BroadcastChannel {
    const channel = Object.assign(new EventTarget(), {
      postMessage(data: unknown) {
        if (!tab.channels.has(channel)) throw denied('InvalidStateError')
        for (const other of tabs) {
          for (const target of other.channels) {
            if (target !== channel)
              deliver(other, () => target.dispatchEvent(new MessageEvent('message', { data })))
          }
        }
      },
      close: () => tab.channels.delete(channel),
    })
    tab.channels.add(channel)
    return channel as unknown as BroadcastChannel
  }

  return {
    held: () => held.length,
    waiting: () => queue.length,
    open(changes: Partial<TabPlatform> = {}, scope: string | null = 'db') {
      const tab: Tab = { state: 'live', inbox: [], channels: new Set() }
      tabs.push(tab)
      const roles: DriverRole[] = []
      const changed: boolean[] = []
      let reading = Promise.resolve()
      const missing: unknown[][] = []
      const made = createTabs({
        id: 's',
        scope,
        platform: { locks: locksOf(tab), channel: () => channelOf(tab), ...changes },
        onRole: (role) => roles.push(role),
        onChanged(deleted) {
          changed.push(deleted)
          return reading
        },
        onMissing: (...what) => missing.push(what),
      })
      return {
        ...made,
        roles,
        changed,
        missing,
        role: () => roles.at(-1) ?? 'none',
        channels: tab.channels,
        locks: locksOf(tab),
        /** Reading what changed takes until the returned function is called. */
        holdReading() {
          let read = () => {}
          reading = new Promise((resolve) => {
            read = resolve
          })
          return () => read()
        },
        freeze() {
          tab.state = 'frozen'
        },
        thaw() {
          tab.state = 'live'
          for (const task of tab.inbox.splice(0)) deliver(tab, task)
        },
        kill() {
          tab.state = 'dead'
          tab.channels.clear()
          for (const request of [...held, ...queue]) if (request.tab === tab) drop(request)
        },
      }
    },
  }
}

const NAME = 'use-todo-agent:db:s'

beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

const settle = () => vi.advanceTimersByTimeAsync(0)

/** Ends its run as soon as it is to stop, as a run does. */
function endWhenStopped(claim: DriverClaim): void {
  claim.signal.addEventListener('abort', () => setTimeout(claim.release, 10))
}

/** A promise that is looked at later. */
function later<Value>(promise: Promise<Value>) {
  const seen = { done: false, promise }
  promise.then(
    () => {
      seen.done = true
    },
    () => {
      seen.done = true
    },
  )
  return seen
}

// TESTS

describe('a claim', () => {
  test('while another tab runs the session is refused in words, and shows who drives', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    a.watch()
    b.watch()
    await a.claim()
    const claimed = later(b.claim())
    await vi.advanceTimersByTimeAsync(500)
    await expect(claimed.promise).rejects.toMatchObject({
      code: 'session_busy',
      message:
        'Session "s" is busy. Another tab runs it. Take over from here, or wait until its run has ended.',
    })
    expect([a.role(), b.role()]).toEqual(['self', 'other'])
    expect(a.roles).toEqual(['self'])
  })

  test('that is refused to a tab which does not watch leaves it knowing nothing', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    await a.claim()
    const claimed = later(b.claim())
    await vi.advanceTimersByTimeAsync(500)
    await expect(claimed.promise).rejects.toMatchObject({ code: 'session_busy' })
    expect(b.roles).toEqual([])
  })

  test('stays the own one, whatever other tabs tell', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    a.watch()
    b.watch()
    await a.claim()
    b.announce('changed')
    await settle()
    expect(a.roles).toEqual(['self'])
  })

  test('waits a moment for a run that is just ending', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    const first = await a.claim()
    const second = later(b.claim())
    await vi.advanceTimersByTimeAsync(100)
    expect(second.done).toBe(false)
    first.release()
    await settle()
    expect(second.done).toBe(true)
    expect([a.role(), b.role()]).toEqual(['none', 'self'])
  })

  test('is not refused since the machine is slow', async () => {
    const browser = createBrowser()
    const a = browser.open()
    let late = () => {}
    const slow = new Promise<void>((resolve) => {
      late = resolve
    })
    const locks = {
      query: () => a.locks.query(),
      request: async (...args: Parameters<LockManager['request']>) => {
        await slow
        return a.locks.request(...args)
      },
    } as LockManager
    const claimed = later(browser.open({ locks }).claim())
    await vi.advanceTimersByTimeAsync(3000)
    expect(claimed.done).toBe(false)
    late()
    await settle()
    await expect(claimed.promise).resolves.toMatchObject({ signal: { aborted: false } })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('beside a run of the same tab is refused, and waits when that one is stopping', async () => {
    const a = createBrowser().open()
    const first = await a.claim()
    await expect(a.claim()).rejects.toMatchObject({
      code: 'session_busy',
      message: expect.stringContaining('Wait until it has ended, or stop it first.'),
    })
    const stopped = later(a.stop())
    const second = later(a.claim())
    const third = later(a.claim())
    await settle()
    expect([stopped.done, second.done, first.signal.aborted]).toEqual([false, false, true])
    first.release()
    await settle()
    expect([stopped.done, second.done]).toEqual([true, true])
    await expect(third.promise).rejects.toMatchObject({ code: 'session_busy' })
  })

  test('follows the signals that it is told to, until it is released', async () => {
    const a = createBrowser().open()
    const [caller, other] = [new AbortController(), new AbortController()]
    const claim = await a.claim(caller.signal)
    claim.follow(other.signal)
    expect(claim.signal.aborted).toBe(false)
    other.abort('why')
    expect(claim.signal.reason).toBe('why')
    claim.release()
    claim.release()
    const next = await a.claim()
    caller.abort()
    expect(next.signal.aborted).toBe(false)
    next.follow(caller.signal)
    expect(next.signal.aborted).toBe(true)
  })

  test('of another session, or another storage, is another one', async () => {
    const browser = createBrowser()
    await browser.open().claim()
    const alone = browser.open({}, null)
    await expect(alone.claim()).resolves.toBeDefined()
  })
})

describe('a watching tab', () => {
  test('knows at once that another tab drives, also when it is opened later, and hears of changes', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    b.watch()
    await settle()
    const claim = await a.claim()
    await settle()
    const c = browser.open()
    c.watch()
    await settle()
    expect([b.role(), c.role()]).toEqual(['other', 'other'])
    a.announce('changed')
    await settle()
    expect([b.changed, c.changed]).toEqual([[false], [false]])
    claim.release()
    await settle()
    expect([b.role(), c.role()]).toEqual(['none', 'none'])
    // What the run left is read once more.
    expect([b.changed, c.changed]).toEqual([
      [false, false],
      [false, false],
    ])
  })

  test('that is mounted anew in the same turn goes on showing who drives', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    const unwatch = b.watch()
    await a.claim()
    await settle()
    unwatch()
    b.watch()
    await settle()
    expect(b.roles).toEqual(['other'])
  })

  test('takes a run for over when it has read how it ended', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    b.watch()
    const claim = await a.claim()
    await settle()
    const read = b.holdReading()
    claim.release()
    await settle()
    expect([b.role(), b.changed]).toEqual(['other', [false]])
    read()
    await settle()
    expect(b.role()).toBe('none')
  })

  test('goes on watching when the next run begins while it reads how one ended', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    b.watch()
    const first = await a.claim()
    await settle()
    const read = b.holdReading()
    first.release()
    await settle()
    const second = await a.claim()
    await settle()
    read()
    await settle()
    expect(b.roles).toEqual(['other'])
    second.release()
    await settle()
    expect(b.roles).toEqual(['other', 'none'])
  })

  test('that runs itself while it reads how a run ended, drives', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    b.watch()
    const claim = await a.claim()
    await settle()
    const read = b.holdReading()
    claim.release()
    await settle()
    await b.claim()
    read()
    await settle()
    expect(b.roles).toEqual(['other', 'self'])
  })

  test('sees at once that a driver was closed or killed', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    b.watch()
    await a.claim()
    await settle()
    expect(b.role()).toBe('other')
    a.kill()
    await settle()
    expect(b.role()).toBe('none')
    expect(b.changed).toEqual([false])
    await expect(b.claim()).resolves.toBeDefined()
  })

  test('misses no run, however quickly one follows the other', async () => {
    const browser = createBrowser()
    const [a, b, c] = [browser.open(), browser.open(), browser.open()]
    b.watch()
    c.watch()
    for (let round = 0; round < 20; round += 1) {
      const claim = await a.claim()
      for (let turn = 0; turn < round; turn += 1) await Promise.resolve()
      claim.release()
    }
    await a.claim()
    await settle()
    expect([b.role(), c.role()]).toEqual(['other', 'other'])
  })

  test('takes other watchers for no driver', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    void a.locks.request(NAME, { mode: 'shared' }, () => new Promise(() => {}))
    b.watch()
    await settle()
    expect([browser.held(), b.roles]).toEqual([1, []])
  })

  test('that stops watching leaves no timer, no channel and no lock behind', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    const claim = await a.claim()
    const unwatch = [b.watch(), b.watch()]
    await settle()
    expect([b.role(), b.channels.size, browser.waiting()]).toEqual(['other', 1, 1])
    unwatch[0]?.()
    unwatch[0]?.()
    await settle()
    expect([b.role(), b.channels.size, browser.waiting()]).toEqual(['other', 1, 1])
    unwatch[1]?.()
    await settle()
    expect([b.role(), b.channels.size, browser.waiting()]).toEqual(['none', 0, 0])
    claim.release()
    await settle()
    expect([a.channels.size, browser.held(), vi.getTimerCount()]).toEqual([0, 0, 0])
    b.announce('changed')
  })

  test('that is mounted anew at once never loses sight of the driver', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    await a.claim()
    b.watch()()
    b.watch()
    await settle()
    expect(b.roles).toEqual(['other'])
  })

  test('hears of a deletion, also by a tab that does not watch', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    b.watch()
    a.announce('deleted')
    await settle()
    expect(b.changed).toEqual([true])
    expect(a.channels.size).toBe(0)
  })

  test('does not mind messages of others', async () => {
    const browser = createBrowser()
    const a = browser.open()
    a.watch()
    const [channel] = a.channels
    for (const data of [null, 7, {}, { type: 'later version' }])
      channel?.dispatchEvent(new MessageEvent('message', { data }))
    await settle()
    expect([a.changed, a.roles]).toEqual([[], []])
  })
})

describe('a take-over', () => {
  test('stops the run of the other tab and waits until it has let go', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    b.watch()
    const claim = await a.claim()
    endWhenStopped(claim)
    await settle()
    const taken = later(b.takeOver())
    await vi.advanceTimersByTimeAsync(5)
    expect([claim.signal.aborted, taken.done]).toEqual([true, false])
    await vi.advanceTimersByTimeAsync(10)
    expect(taken.done).toBe(true)
    expect([a.role(), b.role(), browser.held()]).toEqual(['none', 'none', 0])
    await expect(b.claim()).resolves.toMatchObject({ signal: { aborted: false } })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('reaches a run whose component is gone', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    const unwatch = a.watch()
    const claim = await a.claim()
    endWhenStopped(claim)
    unwatch()
    await settle()
    expect(a.role()).toBe('self')
    const taken = later(b.takeOver())
    await vi.advanceTimersByTimeAsync(20)
    expect([claim.signal.aborted, taken.done]).toEqual([true, true])
  })

  test('takes the claim of a frozen tab after a limit, and that tab learns of it when it wakes up', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    b.watch()
    const frozen = await a.claim()
    endWhenStopped(frozen)
    await settle()
    a.freeze()
    const taken = later(b.takeOver())
    await vi.advanceTimersByTimeAsync(1900)
    expect([taken.done, b.role()]).toEqual([false, 'other'])
    await vi.advanceTimersByTimeAsync(200)
    expect([taken.done, b.role()]).toEqual([true, 'none'])
    const claim = await b.claim()
    expect(frozen.signal.aborted).toBe(false)
    a.thaw()
    await vi.advanceTimersByTimeAsync(50)
    expect(frozen.signal.reason).toMatchObject({ name: 'AbortError' })
    // Letting go of what it had lost frees nothing.
    expect([a.role(), b.role(), claim.signal.aborted, browser.held()]).toEqual(['none', 'self', false, 1])
    const refused = later(a.claim())
    await vi.advanceTimersByTimeAsync(500)
    await expect(refused.promise).rejects.toMatchObject({ code: 'session_busy' })
  })

  test('takes at once where the other tab cannot be asked', async () => {
    const browser = createBrowser()
    const alone = { channel: () => undefined }
    const [a, b] = [browser.open(alone), browser.open(alone)]
    const claim = await a.claim()
    endWhenStopped(claim)
    await b.takeOver()
    await vi.advanceTimersByTimeAsync(20)
    expect([claim.signal.aborted, a.role(), browser.held()]).toEqual([true, 'none', 0])
  })

  test('by two tabs at once is one for both', async () => {
    const browser = createBrowser()
    const [a, b, c] = [browser.open(), browser.open(), browser.open()]
    endWhenStopped(await a.claim())
    const taken = later(Promise.all([b.takeOver(), b.takeOver(), c.takeOver()]))
    await vi.advanceTimersByTimeAsync(50)
    expect([taken.done, browser.held()]).toEqual([true, 0])
  })

  test('never takes from its own tab', async () => {
    const browser = createBrowser()
    const a = browser.open()
    const claiming = a.claim()
    await a.takeOver()
    const claim = await claiming
    await vi.advanceTimersByTimeAsync(3000)
    expect([claim.signal.aborted, a.role()]).toEqual([false, 'self'])
  })

  test('of a frozen tab is known to that one when it wakes up and its run has ended', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    a.watch()
    endWhenStopped(await a.claim())
    a.freeze()
    const taken = later(b.takeOver())
    await vi.advanceTimersByTimeAsync(2100)
    expect(taken.done).toBe(true)
    await b.claim()
    a.thaw()
    await vi.advanceTimersByTimeAsync(100)
    expect([a.role(), b.role()]).toEqual(['other', 'self'])
  })

  test('comes before a claim that was made meanwhile', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(), browser.open()]
    await a.claim()
    a.freeze()
    const taken = later(b.takeOver())
    const claimed = later(b.claim())
    await vi.advanceTimersByTimeAsync(1000)
    expect([taken.done, claimed.done]).toEqual([false, false])
    await vi.advanceTimersByTimeAsync(1100)
    expect((await claimed.promise).signal.aborted).toBe(false)
    expect(b.role()).toBe('self')
  })
})

describe('where something is missing', () => {
  const noChannel: Partial<TabPlatform> = { channel: () => undefined }

  test.each<[string, Partial<TabPlatform>]>([
    ['Web Locks', { locks: undefined }],
    ['BroadcastChannel', noChannel],
    ['Web Locks and BroadcastChannel', { locks: undefined, ...noChannel }],
  ])('%s: the tab works alone, and says so once', async (what, changes) => {
    const a = createBrowser().open(changes)
    const unwatch = a.watch()
    const claim = await a.claim()
    expect(a.role()).toBe('self')
    a.announce('changed')
    claim.release()
    await a.takeOver()
    unwatch()
    a.watch()
    await settle()
    expect(a.missing).toEqual([[what, undefined]])
    expect(a.role()).toBe('none')
  })

  test.each([
    ['rejects', () => Promise.reject(denied('SecurityError'))],
    [
      'throws',
      () => {
        throw denied('SecurityError')
      },
    ],
  ])('a page that must not use locks works alone (it %s)', async (_, refuse) => {
    const a = createBrowser().open({ locks: { request: refuse, query: refuse } as unknown as LockManager })
    a.watch()
    const claim = await a.claim()
    await settle()
    expect([a.role(), claim.signal.aborted]).toEqual(['self', false])
    await a.takeOver()
    claim.release()
    await a.takeOver()
    expect(a.missing).toEqual([['Web Locks', expect.objectContaining({ name: 'SecurityError' })]])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('without a channel two tabs still never run at once', async () => {
    const browser = createBrowser()
    const [a, b] = [browser.open(noChannel), browser.open(noChannel)]
    b.watch()
    const claim = await a.claim()
    const refused = later(b.claim())
    await vi.advanceTimersByTimeAsync(500)
    await expect(refused.promise).rejects.toMatchObject({ code: 'session_busy' })
    expect(b.role()).toBe('other')
    claim.release()
    await settle()
    expect(b.role()).toBe('none')
  })

  test('nothing is asked for, and nothing missing, where nothing is shared', async () => {
    const refuse = () => {
      throw new Error('asked')
    }
    const platform = { locks: new Proxy({} as LockManager, { get: refuse }), channel: refuse }
    for (const [changes, scope] of [
      [platform, null],
      [{ ...platform, locks: undefined, server: true }, 'db'],
    ] as const) {
      const a = createBrowser().open(changes, scope)
      a.watch()
      const claim = await a.claim()
      a.announce('changed')
      claim.release()
      await a.takeOver()
      expect([a.missing, a.role()]).toEqual([[], 'none'])
    }
  })
})

describe('the browser', () => {
  afterEach(() => vi.unstubAllGlobals())

  test('is not asked on a server, which may have locks and channels too', () => {
    vi.stubGlobal('navigator', { locks: {} })
    expect([browserTabs.server, browserTabs.locks, browserTabs.channel('c')]).toEqual([
      true,
      undefined,
      undefined,
    ])
  })

  test('that refuses channels has none', () => {
    vi.stubGlobal('document', {})
    vi.stubGlobal('navigator', {})
    vi.stubGlobal(
      'BroadcastChannel',
      class {
        constructor() {
          throw denied('SecurityError')
        }
      },
    )
    expect([browserTabs.server, browserTabs.locks, browserTabs.channel('c')]).toEqual([
      false,
      undefined,
      undefined,
    ])
  })
})
