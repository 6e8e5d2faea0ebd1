import { afterEach, describe, expect, test, vi } from 'vitest'
import { addTodos, completeTodos } from '../core/list.ts'
import { createTodoSession } from './createTodoSession.ts'
import { indexedDbStorage } from './indexedDb.ts'
import type { SessionData } from './record.ts'

// Two sessions of one database are two tabs to locks and channels: both tell objects apart, not pages.
const databases: string[] = []

function openTabs(count = 2, databaseName = `tabs-${databases.length}-${Math.random()}`) {
  if (!databases.includes(databaseName)) databases.push(databaseName)
  return Array.from({ length: count }, () => {
    const session = createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName }) })
    const unwatch = session.watchTabs()
    const state = () => session.store.getState()
    const contents = () => session.getAllTodos().map(({ content, status }) => `${content} ${status}`)
    const codes = () => state().problems.map(({ code }) => code)
    return { session, unwatch, state, contents, codes, databaseName }
  }) as [Tab, Tab, ...Tab[]]
}

interface Tab {
  readonly session: ReturnType<typeof createTodoSession>
  readonly unwatch: () => void
  readonly state: () => ReturnType<Tab['session']['store']['getState']>
  readonly contents: () => string[]
  readonly codes: () => string[]
  readonly databaseName: string
}

const lockOf = ({ databaseName }: Tab) => `use-todo-agent:${databaseName}:s`

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})
const complete = (id: number) => (data: SessionData) => ({
  ...data,
  list: completeTodos(data.list, [{ id }], 2).list,
})
const running = (data: SessionData): SessionData => ({
  ...data,
  run: { ...data.run, status: 'running', outcome: null, startedAt: 1 },
})

const ended = (data: SessionData): SessionData => ({
  ...data,
  run: { ...data.run, status: 'idle', outcome: 'completed', endedAt: 2 },
})

afterEach(async () => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  for (const name of databases.splice(0)) indexedDB.deleteDatabase(name)
})

describe('two tabs over IndexedDB', () => {
  test('the one that watches shows the list of the one that drives, live (e40)', async () => {
    const [a, b] = openTabs()
    await Promise.all([a.session.ready(), b.session.ready()])
    const claim = await a.session.claim()
    await a.session.commit((data) => running(add('One')(data)))
    await vi.waitFor(() => {
      expect(b.contents()).toEqual(['One pending'])
      expect(b.state().run.status).toBe('running')
    })
    expect([a.state().driver, b.state().driver]).toEqual(['self', 'other'])
    await a.session.commit(complete(1))
    await vi.waitFor(() => expect(b.contents()).toEqual(['One completed']))
    expect(b.session.getAllTodos()).toEqual(a.session.getAllTodos())
    claim.release()
    await vi.waitFor(() => expect(b.state().driver).toBe('none'))
    expect([a.codes(), b.codes()]).toEqual([[], []])
  })

  test('the end of its own run is never taken for a run of another tab', async () => {
    const [{ session, state }] = openTabs(1)
    const seen = new Set<string>()
    session.store.subscribe(({ driver }) => seen.add(driver))
    for (let run = 0; run < 10; run += 1) {
      const claim = await session.claim()
      await session.commit(add(`Item ${run}`))
      claim.release()
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(state().driver).toBe('none')
    }
    expect([...seen].sort()).toEqual(['none', 'self'])
  })

  test('the one that watches never shows a run as interrupted, or as over, while it is neither', async () => {
    const [a, b] = openTabs()
    await Promise.all([a.session.ready(), b.session.ready()])
    const seen = new Set<string>()
    b.session.store.subscribe(({ driver, run }) => seen.add(`${driver} ${run.status} ${run.outcome}`))
    for (let run = 0; run < 10; run += 1) {
      const claim = await a.session.claim()
      await vi.waitFor(() => expect(b.state().driver).toBe('other'))
      await a.session.commit((data) => running(add(`Item ${run}`)(data)))
      await vi.waitFor(() => expect(b.contents()).toHaveLength(run + 1))
      await a.session.commit(ended)
      claim.release()
      await vi.waitFor(() => expect(b.state().driver).toBe('none'))
    }
    expect([...seen].sort()).toEqual(['none idle completed', 'other running null'])
  })

  test('a take-over is never shown as a run of either tab that goes on, nor as an interrupted one', async () => {
    const [a, b] = openTabs()
    await Promise.all([a.session.ready(), b.session.ready()])
    const seen = { a: new Set<string>(), b: new Set<string>() }
    a.session.store.subscribe(({ driver, run }) => seen.a.add(`${driver} ${run.status}`))
    b.session.store.subscribe(({ driver, run }) => seen.b.add(`${driver} ${run.status}`))
    for (let run = 0; run < 10; run += 1) {
      const claim = await a.session.claim()
      claim.signal.addEventListener('abort', () => void a.session.commit(ended).then(claim.release))
      await a.session.commit(running)
      await vi.waitFor(() => expect(b.state().driver).toBe('other'))
      await b.session.takeOver()
      expect(b.state()).toMatchObject({ driver: 'none', run: { status: 'idle', outcome: 'completed' } })
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    expect([...seen.a].filter((shown) => /other|interrupted/u.test(shown))).toEqual([])
    expect([...seen.b].sort()).toEqual(['none idle', 'other running'])
  })

  test('a claim beside a run is refused in words (e42)', async () => {
    const [a, b] = openTabs()
    await a.session.claim()
    await expect(b.session.claim()).rejects.toMatchObject({
      code: 'session_busy',
      message: expect.stringContaining('Another tab runs it.'),
    })
    expect(b.state().driver).toBe('other')
  })

  test('a claim knows what another tab stored last, also when it was not told', async () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    const [a, b] = openTabs()
    await b.session.ready()
    const claim = await a.session.claim()
    await a.session.commit(add('One'))
    claim.release()
    expect(b.contents()).toEqual([])
    await b.session.claim()
    expect(b.contents()).toEqual(['One pending'])
    expect([a.codes(), b.codes()]).toEqual([['tabs_not_shared'], ['tabs_not_shared']])
  })

  test('a driver that is gone without a word frees the session at once, and its run is interrupted (d39)', async () => {
    const [a, b] = openTabs()
    let close = () => {}
    // The lock of a tab that is closed is given back by the browser.
    void navigator.locks.request(lockOf(a), () => {
      return new Promise<void>((resolve) => {
        close = resolve
      })
    })
    await a.session.commit((data) => running(add('One')(data)))
    a.session.close()
    a.unwatch()
    const [late] = openTabs(1, a.databaseName)
    await Promise.all([b, late].map(({ session }) => session.ready()))
    await vi.waitFor(() => expect([b.state().driver, late.state().driver]).toEqual(['other', 'other']))
    await vi.waitFor(() =>
      expect([b.state().run.status, late.state().run.status]).toEqual(['running', 'running']),
    )
    close()
    await vi.waitFor(() =>
      expect([b.state().run.status, late.state().run.status]).toEqual(['interrupted', 'interrupted']),
    )
    expect(b.state().driver).toBe('none')
  })

  test('a take-over of a tab that never answers ends its run after a limit', async () => {
    const [a, b] = openTabs()
    let lost: unknown
    navigator.locks
      .request(lockOf(a), () => new Promise(() => {}))
      .catch((error: unknown) => {
        lost = error
      })
    await a.session.commit((data) => running(add('One')(data)))
    await vi.waitFor(() => expect(b.state().driver).toBe('other'))
    const started = performance.now()
    const seen = new Set<string>()
    b.session.store.subscribe(({ run }) => seen.add(run.status))
    await b.session.takeOver()
    expect(seen).not.toContain('interrupted')
    expect(performance.now() - started).toBeGreaterThan(1500)
    expect(lost).toMatchObject({ name: 'AbortError' })
    expect(b.state()).toMatchObject({ driver: 'none', run: { status: 'idle', outcome: 'stopped' } })
    await vi.waitFor(() => expect(a.state().run.status).toBe('idle'))
  })

  test('a take-over leaves a run of the own tab alone', async () => {
    const [a] = openTabs()
    const claim = await a.session.claim()
    await a.session.commit(running)
    await a.session.takeOver()
    expect(claim.signal.aborted).toBe(false)
    expect(a.state().run.status).toBe('running')
  })

  test('what one tab deletes is gone in the other, which goes on with what comes after', async () => {
    const [a, b] = openTabs()
    await a.session.commit(add('One'), {
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    })
    await vi.waitFor(() => expect(b.state().messages).toHaveLength(1))
    await a.session.delete()
    await vi.waitFor(() => expect(b.contents()).toEqual([]))
    expect(b.state()).toMatchObject({ messages: [], createdAt: null, persistence: 'saved' })
    await a.session.commit(add('New'))
    await vi.waitFor(() => expect(b.contents()).toEqual(['New pending']))
    expect((await b.session.commit(complete(1))).saved).toBe(true)
    await vi.waitFor(() => expect(a.contents()).toEqual(['New completed']))
    expect(b.codes()).toEqual([])
  })

  test('a page that comes out of the back-forward cache looks anew', async () => {
    const [a, b] = openTabs()
    await b.session.ready()
    // What is said to it meanwhile is lost.
    const hear = vi.spyOn(BroadcastChannel.prototype, 'postMessage').mockReturnValue(undefined)
    await a.session.commit(add('One'))
    await a.session.claim()
    hear.mockRestore()
    expect([b.contents(), b.state().driver]).toEqual([[], 'none'])
    const read = vi.spyOn(b.session.storage, 'read')
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }))
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(read).not.toHaveBeenCalled()
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    await vi.waitFor(() => expect([b.contents(), b.state().driver]).toEqual([['One pending'], 'other']))
    b.unwatch()
    expect(b.codes()).toEqual([])
  })

  test('many changes in a row are read together', async () => {
    const [a, b] = openTabs()
    await b.session.ready()
    const read = vi.spyOn(b.session.storage, 'read')
    await Promise.all(Array.from({ length: 5 }, (_, index) => a.session.commit(add(`Item ${index}`))))
    for (let index = 0; index < 20; index += 1) void a.session.commit(add(`More ${index}`))
    await vi.waitFor(() => expect(b.contents()).toHaveLength(25))
    expect(read.mock.calls.length).toBeLessThan(10)
  })
})

describe('where the browser lacks what tabs need', () => {
  test.each([
    ['locks', () => vi.stubGlobal('navigator', { locks: undefined }), 'Web Locks'],
    ['channels', () => vi.stubGlobal('BroadcastChannel', undefined), 'BroadcastChannel'],
    [
      'both',
      () => {
        vi.stubGlobal('navigator', {})
        vi.stubGlobal('BroadcastChannel', undefined)
      },
      'Web Locks and BroadcastChannel',
    ],
  ])('(%s) a session works in one tab and says so once', async (_, take, what) => {
    take()
    const [a] = openTabs(1)
    const claim = await a.session.claim()
    expect(a.state().driver).toBe('self')
    expect((await a.session.commit(add('One'))).saved).toBe(true)
    claim.release()
    a.unwatch()
    a.session.watchTabs()
    expect(a.state().problems).toEqual([
      {
        code: 'tabs_not_shared',
        message: `Tabs do not share session "s", since ${what} can't be used here. Keep it open in one tab at a time.`,
      },
    ])
  })

  test('(a frame that must not use locks) it does so too', async () => {
    const refused = new DOMException('Access to the Locks API is denied in this context.', 'SecurityError')
    vi.spyOn(navigator.locks, 'request').mockRejectedValue(refused)
    vi.spyOn(navigator.locks, 'query').mockRejectedValue(refused)
    const [a] = openTabs(1)
    await a.session.claim()
    expect(a.state().driver).toBe('self')
    expect(a.state().problems).toMatchObject([{ code: 'tabs_not_shared', cause: refused }])
  })
})
