import { tool, type UIMessage } from 'ai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createTodoSession } from '../session/createTodoSession.ts'
import { indexedDbStorage } from '../session/indexedDb.ts'
import { call } from '../testing/calls.ts'
import { type ScriptEntry, scriptedModel } from '../testing/scriptedModel.ts'
import type { TodoAgentOptions } from './options.ts'
import { runTodoAgent } from './runTodoAgent.ts'
import { TodoChat } from './TodoChat.ts'

// Two sessions of one database are two tabs to locks and channels: both tell objects apart, not pages.
const databases: string[] = []

function newDatabase(): string {
  const databaseName = `chats-${Math.random()}`
  databases.push(databaseName)
  return databaseName
}

function openTab(
  databaseName: string,
  script: readonly ScriptEntry[],
  options: Partial<TodoAgentOptions> = {},
) {
  const session = createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName }) })
  const unwatch = session.watchTabs()
  const model = scriptedModel(script, { delay: 2, validate: { prefix: false } })
  const chat = new TodoChat({ session, model, settings: { maxRetries: 0 }, ...options })
  const state = () => session.store.getState()
  return {
    databaseName,
    session,
    unwatch,
    model,
    chat,
    state,
    driver: () => state().driver,
    outcome: () => state().run.outcome,
    todos: () => session.getAllTodos().map(({ content, status }) => `${content} ${status}`),
    texts: () => textsOf(chat.messages),
    queued: () => textsOf(chat.store.getState().queued),
    codes: () => state().problems.map(({ code }) => code),
  }
}

function textsOf(messages: readonly UIMessage[]): string[] {
  return messages.map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

async function expectEqual(...tabs: readonly ReturnType<typeof openTab>[]): Promise<void> {
  const databaseName = tabs[0]?.databaseName ?? ''
  const fresh = createTodoSession({ id: 's', storage: indexedDbStorage({ databaseName }) })
  await fresh.ready()
  const { messages, data } = fresh.store.getState()
  for (const tab of tabs) {
    await vi.waitFor(() => {
      expect(plain(tab.state().messages)).toEqual(plain(messages))
      expect(plain(tab.chat.messages)).toEqual(plain(messages))
      expect(tab.state().data).toEqual(data)
    })
  }
  fresh.close()
}

/** A promise and the call that settles it. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  for (const name of databases.splice(0)) indexedDB.deleteDatabase(name)
})

const list = call.write('[>] A', '[ ] B')

describe('two tabs with a chat each', () => {
  test('a message sent beside a run is refused, and nothing of it is shown or lost', async () => {
    const database = newDatabase()
    const { open, opened } = gate()
    const a = openTab(database, [list, { text: 'Working', until: opened }], { guard: false })
    const b = openTab(database, ['Never'])
    const sent = a.chat.send('Do A and B')
    await vi.waitFor(() => expect(b.todos()).toEqual(['A in_progress', 'B pending']))
    expect(b.state().run.status).toBe('running')
    expect(Object.keys(b.state().controls)).toEqual(['takeOver'])
    for (const refused of [
      () => b.chat.send('And C'),
      () => b.chat.resume(),
      () => b.chat.regenerate(),
      () => b.chat.sendMessage({ text: 'And D' }),
    ]) {
      await expect(refused()).rejects.toMatchObject({
        code: 'session_busy',
        message:
          'Session "s" is busy. Another tab runs it. Take over from here, or wait until its run has ended.',
      })
    }
    expect(b.texts()).toEqual(['Do A and B', ''])
    expect([b.queued(), b.chat.status, b.chat.error]).toEqual([[], 'ready', undefined])
    open()
    await sent
    await vi.waitFor(() => expect(b.driver()).toBe('none'))
    await expectEqual(a, b)
    expect(b.model.calls).toBe(0)
  })

  test('a message that two tabs send at once is answered in one, and refused in the other', async () => {
    const database = newDatabase()
    const answer: ScriptEntry = { text: 'A slow answer', delay: 80, chunkSize: 2 }
    const a = openTab(database, [answer])
    const b = openTab(database, [answer])
    const results = await Promise.allSettled([a.chat.send('From A'), b.chat.send('From B')])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(a.model.calls + b.model.calls).toBe(1)
    await expectEqual(a, b)
    expect(a.texts()).toHaveLength(2)
  })

  test('a tab that was told nothing still answers to what the other one has done', async () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    const database = newDatabase()
    const a = openTab(database, ['First answer'])
    const b = openTab(database, ['Second answer'])
    await b.session.ready()
    await a.chat.send('First')
    expect(b.texts()).toEqual([])
    await b.chat.send('Second')
    expect(b.texts()).toEqual(['First', 'First answer', 'Second', 'Second answer'])
    await a.session.refresh()
    await expectEqual(a, b)
  })

  test('what the one makes of the answer of the other is what both show', async () => {
    const database = newDatabase()
    const { opened } = gate()
    const a = openTab(database, [
      list,
      { text: 'Half an answer', until: opened, untilAfter: 1, chunkSize: 4 },
    ])
    const b = openTab(database, [call.write('[x] A', '[x] B'), 'The rest'])
    const sent = a.chat.send('Do A and B')
    await vi.waitFor(() => expect(a.model.calls).toBe(2))
    await vi.waitFor(() => expect(a.texts()[1]).toBe('Half'))
    b.state().controls.takeOver?.()
    await vi.waitFor(() => expect(Object.keys(b.state().controls)).toEqual(['resume', 'request']))
    await sent
    expect([a.outcome(), b.outcome(), a.driver()]).toEqual(['stopped', 'stopped', 'none'])
    await expectEqual(a, b)
    expect(a.texts()).toEqual(['Do A and B', 'Half'])

    b.state().controls.resume?.()
    await vi.waitFor(() => expect(b.outcome()).toBe('completed'))
    await vi.waitFor(() => expect(b.driver()).toBe('none'))
    await expectEqual(a, b)
    expect(a.texts()).toEqual(['Do A and B', 'HalfThe rest'])
    expect([a.model.calls, b.model.calls, b.model.problems]).toEqual([2, 2, []])
    expect(a.todos()).toEqual(['A completed', 'B completed'])
  })

  test('after a take-over the other tab goes on, and no call is run twice', async () => {
    const database = newDatabase()
    const ran: string[] = []
    const { open, opened } = gate()
    const work = (tab: string) => ({
      work: tool({
        inputSchema: z.object({ n: z.number() }),
        execute: async ({ n }, { toolCallId }) => {
          ran.push(`${tab} ${toolCallId}`)
          if (tab === 'a' && n === 2) await opened
          return `did ${n}`
        },
      }),
    })
    const a = openTab(
      database,
      [list, call('work', { n: 1 }, { id: 'w1' }), call('work', { n: 2 }, { id: 'w2' }), 'Never'],
      { tools: work('a') },
    )
    const b = openTab(
      database,
      [call('work', { n: 2 }, { id: 'w3' }), call.write('[x] A', '[x] B'), 'Both are done.'],
      { tools: work('b') },
    )
    const sent = a.chat.send('Do A and B')
    await vi.waitFor(() => expect(ran).toEqual(['a w1', 'a w2']))
    await b.session.takeOver()
    await sent
    await b.chat.resume()
    open()
    expect(b.outcome()).toBe('completed')
    expect(ran).toEqual(['a w1', 'a w2', 'b w3'])
    expect(b.model.problems).toEqual([])
    await expectEqual(a, b)
  })

  test('what waits in the queue of a tab that is taken over is kept, and not sent', async () => {
    const database = newDatabase()
    const { opened } = gate()
    const a = openTab(database, [{ text: 'Long', until: opened }, 'Later', 'At last'])
    const b = openTab(database, ['From B'])
    const sent = a.chat.send('One')
    await vi.waitFor(() => expect(a.model.calls).toBe(1))
    void a.chat.send('Two')
    await vi.waitFor(() => expect(a.queued()).toEqual(['Two']))
    await b.session.takeOver()
    await sent
    await b.chat.send('Three')
    expect([a.queued(), a.model.calls]).toEqual([['Two'], 1])
    await expectEqual(a, b)
    await a.chat.send('Four')
    expect(a.texts().slice(-4)).toEqual(['Two', 'Later', 'Four', 'At last'])
    expect(a.queued()).toEqual([])
  })

  test('a queued message that another tab was quicker than goes back to the queue', async () => {
    const database = newDatabase()
    const { open, opened } = gate()
    const a = openTab(database, [{ text: 'One', until: opened }, 'Two'])
    const b = openTab(database, [{ text: 'From B, slowly', delay: 80, chunkSize: 1 }])
    const sent = a.chat.send('First')
    await vi.waitFor(() => expect(a.model.calls).toBe(1))
    const queued = a.chat.send('Second')
    await vi.waitFor(() => expect(a.queued()).toEqual(['Second']))
    // It asks for the lock while the first one holds it, and so before the queue does.
    const claim = b.session.claim()
    open()
    await sent
    await queued
    const held = await claim
    expect([a.queued(), a.chat.status, a.model.calls]).toEqual([['Second'], 'error', 1])
    expect(a.chat.error).toMatchObject({ code: 'session_busy' })
    expect(a.texts()).toEqual(['First', 'One'])
    held.release()
    await expectEqual(a, b)
  })

  test('an approval that both show is acted on in one', async () => {
    const database = newDatabase()
    const ran: string[] = []
    const tools = (tab: string) => ({
      pay: tool({
        inputSchema: z.object({}),
        needsApproval: true,
        execute: async (_, { toolCallId }) => {
          ran.push(`${tab} ${toolCallId}`)
          return 'paid'
        },
      }),
    })
    const a = openTab(database, [call('pay', {}, { id: 'p1' }), 'Paid.'], { tools: tools('a') })
    const b = openTab(database, ['Paid.'], { tools: tools('b') })
    await a.chat.send('Pay')
    const approvalIn = (messages: readonly UIMessage[]) =>
      messages.flatMap(({ parts }) =>
        parts.flatMap((part) =>
          'approval' in part && part.state === 'approval-requested' ? [part.approval.id] : [],
        ),
      )
    await vi.waitFor(() => expect(approvalIn(b.chat.messages)).toHaveLength(1))
    const [id = ''] = approvalIn(b.chat.messages)
    await Promise.allSettled([a, b].map((tab) => tab.chat.addToolApprovalResponse({ id, approved: true })))
    await vi.waitFor(() => expect([a.outcome(), b.outcome()]).toEqual(['completed', 'completed']))
    await vi.waitFor(() => expect([a.chat.status, b.chat.status]).toEqual(['ready', 'ready']))
    expect(ran).toHaveLength(1)
    await expectEqual(a, b)
  })

  test('an approved tool that was running when its tab died is not run again', async () => {
    const database = newDatabase()
    const ran: string[] = []
    const tools = (tab: string) => ({
      pay: tool({
        inputSchema: z.object({}),
        needsApproval: true,
        execute: (_, { toolCallId }) => {
          ran.push(`${tab} ${toolCallId}`)
          return new Promise<string>(() => {})
        },
      }),
    })
    const a = openTab(database, [call('pay', {}, { id: 'p1' }), 'Never'], { tools: tools('a') })
    const b = openTab(database, ['I do not know whether it was paid.'], { tools: tools('b') })
    await a.chat.send('Pay')
    const part = a.chat.messages.at(-1)?.parts.find((candidate) => 'approval' in candidate)
    const id = part && 'approval' in part ? (part.approval?.id ?? '') : ''
    await a.chat.addToolApprovalResponse({ id, approved: true })
    await vi.waitFor(() => expect(ran).toEqual(['a p1']))
    await b.session.takeOver()
    await b.chat.resume()
    expect(ran).toEqual(['a p1'])
    expect(b.outcome()).toBe('completed')
    expect(b.model.problems).toEqual([])
    expect(JSON.stringify(b.model.requests[0]?.prompt)).toContain('Interrupted before a result came.')
  })

  test('a tab that wakes up after it was taken over changes nothing more', async () => {
    const database = newDatabase()
    const { open, opened } = gate()
    // It neither hears of the take-over nor that its lock is gone, as a frozen one.
    const request = navigator.locks.request.bind(navigator.locks) as (...args: unknown[]) => Promise<unknown>
    const frozen = vi.spyOn(navigator.locks, 'request').mockImplementation(((...args: unknown[]) => {
      request(...args).catch(() => {})
      return new Promise(() => {})
    }) as never)
    vi.stubGlobal('BroadcastChannel', undefined)
    const a = openTab(database, [
      list,
      { text: 'Half of it', chunkSize: 4, untilAfter: 1, until: opened, delay: 5 },
      call.write('[x] A', '[x] B'),
    ])
    const sent = a.chat.send('Do A and B')
    await vi.waitFor(() => expect(a.texts()[1]).toBe('Half'))
    frozen.mockRestore()
    vi.unstubAllGlobals()

    const b = openTab(
      database,
      [call.write('[x] A', '[>] B'), { text: 'Going on', delay: 10, chunkSize: 1 }],
      { guard: false },
    )
    await vi.waitFor(() => expect(b.driver()).toBe('other'))
    await b.session.takeOver()
    const resumed = b.chat.resume()
    await vi.waitFor(() => expect(b.todos()).toEqual(['A completed', 'B in_progress']))
    open()
    await sent
    expect(a.outcome()).not.toBe('completed')
    expect([a.chat.status, a.model.calls]).toEqual(['ready', 2])
    await resumed
    expect(b.outcome()).toBe('finished_with_open_todos')
    expect(b.todos()).toEqual(['A completed', 'B in_progress'])
    await a.session.refresh()
    await expectEqual(a, b)
    expect(b.texts()[1]).toContain('Going on')
    expect(b.texts()[1]).not.toContain('of it')
  })

  test('New chat in a tab that watches stops the run and empties both', async () => {
    const database = newDatabase()
    const { opened } = gate()
    const a = openTab(database, [list, { text: 'Long', until: opened }])
    const b = openTab(database, ['Hello.'])
    const sent = a.chat.send('Do A and B')
    await vi.waitFor(() => expect(b.todos()).toHaveLength(2))
    await b.chat.clear()
    await sent
    await vi.waitFor(() => expect([a.todos(), a.texts()]).toEqual([[], []]))
    await b.chat.send('Hi')
    await expectEqual(a, b)
    expect(a.texts()).toEqual(['Hi', 'Hello.'])
    expect([a.codes(), b.codes()]).toEqual([[], []])
  })

  test('New chat in one and a message in the other at once never lose the session', async () => {
    const database = newDatabase()
    const a = openTab(database, [call.write('[x] A'), 'Done.'])
    await a.chat.send('Do A')
    for (let round = 0; round < 5; round += 1) {
      const b = openTab(database, [call.write('[x] B'), 'Done too.'])
      await b.session.ready()
      const [cleared] = await Promise.allSettled([a.chat.clear(), b.chat.send('Do B')])
      expect(cleared.status).toBe('fulfilled')
      await vi.waitFor(() => expect([a.driver(), b.driver()]).toEqual(['none', 'none']))
      await vi.waitFor(() => expect(b.state().persistence).toBe('saved'))
      await expectEqual(a, b)
      expect([a.codes(), b.codes()]).toEqual([[], []])
      b.unwatch()
      b.session.close()
    }
  })

  test('regenerating what the other tab said takes the list back in both', async () => {
    const database = newDatabase()
    const a = openTab(database, [call.write('[x] A'), 'One.'])
    const b = openTab(database, [call.write('[x] B'), 'Two.'])
    await a.chat.send('Do it')
    await b.chat.regenerate()
    expect([b.todos(), b.texts()]).toEqual([['B completed'], ['Do it', 'Two.']])
    await expectEqual(a, b)
  })
})

describe('one tab', () => {
  test('shows what is saved after a stop, also what its chat had not read yet', async () => {
    const database = newDatabase()
    const { open, opened } = gate()
    const slow = tool({
      inputSchema: z.object({}),
      execute: async () => {
        await opened
        return 'slow'
      },
    })
    const a = openTab(database, [list, [call('slow'), call.write('[x] A', '[x] B')], 'Never'], {
      tools: { slow },
    })
    const sent = a.chat.send('Do A and B')
    await vi.waitFor(() => expect(a.model.calls).toBe(2))
    const stopped = a.chat.halt()
    open()
    await stopped
    await sent
    await vi.waitFor(() => expect(a.driver()).toBe('none'))
    await expectEqual(a)
  })

  test('sends what waits in the queue, whatever was stopped before, here or in another tab', async () => {
    const database = newDatabase()
    const { opened } = gate()
    const a = openTab(database, [{ text: 'Long', until: opened }, { text: 'Two', delay: 300 }, 'Three'])
    const b = openTab(database, [{ text: 'Four', delay: 300 }, 'Five'])
    const sent = a.chat.send('One')
    await vi.waitFor(() => expect(a.model.calls).toBe(1))
    await vi.waitFor(() => expect(b.state().run.status).toBe('running'))
    await a.chat.halt()
    await sent
    await vi.waitFor(() => expect(b.outcome()).toBe('stopped'))
    for (const tab of [a, b]) {
      const first = tab.chat.send('First')
      await vi.waitFor(() => expect(tab.state().run.status).toBe('running'))
      await Promise.all([first, tab.chat.send('Second')])
      await vi.waitFor(() => expect(tab.texts().at(-1)).toBe(tab === a ? 'Three' : 'Five'))
    }
    await vi.waitFor(() =>
      expect(a.texts().slice(-8)).toEqual([
        'First',
        'Two',
        'Second',
        'Three',
        'First',
        'Four',
        'Second',
        'Five',
      ]),
    )
  })

  test('stops what is about to begin', async () => {
    const a = openTab(newDatabase(), [{ text: 'Long', delay: 50, chunkSize: 1 }])
    const sent = a.chat.send('Hi')
    await a.session.ready()
    await Promise.resolve()
    await a.chat.halt()
    await sent
    await vi.waitFor(() => expect(a.outcome()).toBe('stopped'))
    expect(a.texts()[0]).toBe('Hi')
  })

  test('runs without locks, channels and crypto.randomUUID, as on an insecure origin (e42)', async () => {
    vi.stubGlobal('navigator', {})
    vi.stubGlobal('BroadcastChannel', undefined)
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    const a = openTab(newDatabase(), [list, call.write('[x] A', '[x] B'), 'Done.', 'Hello.'])
    await a.chat.send('Do A and B')
    a.model.newConversation()
    await a.chat.send('Hi')
    expect(a.texts()).toEqual(['Do A and B', 'Done.', 'Hi', 'Hello.'])
    expect(new Set(a.chat.messages.map(({ id }) => id)).size).toBe(4)
    expect(a.codes()).toEqual(['tabs_not_shared'])
  })

  test('without locks is stopped by a run that begins later in another tab', async () => {
    vi.stubGlobal('navigator', {})
    const database = newDatabase()
    const { open, opened } = gate()
    const a = openTab(database, [list, { toolCalls: [call.write('[x] A', '[x] B')], until: opened }, 'Never'])
    const b = openTab(database, [call.write('[x] C'), 'Done.'])
    const sent = a.chat.send('Do A and B')
    await vi.waitFor(() => expect(a.model.calls).toBe(2))
    await vi.waitFor(() => expect(b.todos()).toHaveLength(2))
    await b.chat.send('Do C instead')
    open()
    await sent
    expect(a.model.calls).toBe(2)
    expect(b.todos()).toEqual(['C completed'])
    await expectEqual(a, b)
    expect(a.codes()).toContain('tabs_not_shared')
  })

  test('a run that was claimed before lets go of the session when it ends', async () => {
    const a = openTab(newDatabase(), ['Hello.'])
    const claim = await a.session.claim()
    const messages: UIMessage[] = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]
    for await (const _ of runTodoAgent({ session: a.session, model: a.model, messages, claim }));
    expect([a.outcome(), a.driver()]).toEqual(['completed', 'none'])
  })
})
