import { isDeepStrictEqual } from 'node:util'
import type { BrowserContext } from '@playwright/test'
import type { ScriptedStep } from '../src/testing/scriptedModel.ts'
import type {} from '../stories/driven/DrivenPage.tsx'
import { type DrivenServer, type Prompt, randomOf, resultsIn, startDrivenServer } from './drivenServer.ts'
import { expect, expectOutcome, openStory, type Page, panelOf, send, sendSample, test } from './fixtures.ts'

const isLong = Boolean(process.env.LONG)
const STEPS = isLong ? 200 : 40
const SEED = Number(process.env.SEED ?? 11)

// PLAYGROUND

test.describe('two tabs of the playground', () => {
  const open = (page: Page) => openStory(page, 'playground--playground', { speed: 3 })

  async function openTwo(context: BrowserContext): Promise<[Page, Page]> {
    const [one, two] = [await context.newPage(), await context.newPage()]
    await open(one)
    await open(two)
    await sendSample(one)
    await expect(panelOf(one).getByRole('listitem')).toHaveCount(5)
    return [one, two]
  }

  test('the second shows the list live while the first works', async ({ context }) => {
    const [one, two] = await openTwo(context)
    const panel = panelOf(two)
    await expect(panel.getByText('Running in another tab')).toBeVisible()
    await expect(panel.getByText(/^[1-4] of 5$/u)).toBeVisible()
    await expect(panel.locator('[aria-current="step"]')).toHaveCount(1)
    await expect(two.getByRole('button', { name: 'Stop' })).toHaveCount(0)
    await expectOutcome(panelOf(one), 'completed')
    await expectOutcome(panel, 'completed')
    await expect(panel.getByText('Running in another tab')).toHaveCount(0)
    await expect(two.getByRole('log')).toHaveText((await one.getByRole('log').textContent()) ?? '')
  })

  test('the second takes over, and goes on where the first was', async ({ context }) => {
    const [one, two] = await openTwo(context)
    await expect(panelOf(two).getByText(/^[1-4] of 5$/u)).toBeVisible()
    await panelOf(two).getByRole('button', { name: 'Take over' }).click()
    await expectOutcome(panelOf(one), 'stopped')
    await expectOutcome(panelOf(two), 'stopped')
    await panelOf(two).getByRole('button', { name: 'Resume' }).click()
    await expect(panelOf(one).getByText('Running in another tab')).toBeVisible()
    await expectOutcome(panelOf(two), 'completed')
    await expectOutcome(panelOf(one), 'completed')
    await expect(one.getByRole('article', { name: 'You' })).toHaveCount(1)
  })

  test('closing the first frees the session at once, and the second resumes it', async ({ context }) => {
    const [one, two] = await openTwo(context)
    await expect(panelOf(two).getByText(/^[1-4] of 5$/u)).toBeVisible()
    await one.close()
    const panel = panelOf(two)
    await expect(panel.getByText('Interrupted')).toBeVisible()
    await expect(panel.locator('[aria-current="step"]')).toContainText('paused')
    await panel.getByRole('button', { name: 'Resume' }).click()
    await expectOutcome(panel, 'completed')
  })

  test('what a new chat empties in one is empty in the other', async ({ context }) => {
    const [one, two] = await openTwo(context)
    await expect(panelOf(two).getByRole('listitem')).toHaveCount(5)
    await two.getByRole('button', { name: 'New chat' }).click()
    for (const page of [one, two]) {
      await expect(page.getByRole('article')).toHaveCount(0)
      await expect(panelOf(page).getByRole('listitem')).toHaveCount(0)
    }
    await send(one, 'Please do these: 1. calculate 6 * 7, 2. calculate 144 / 12')
    await expectOutcome(panelOf(two), 'completed')
    await expect(two.getByRole('log')).toContainText('42')
  })
})

// DRIVEN

declare global {
  /** How many calls of the test are not answered yet. */
  var acting: number | undefined
}

async function openDriven(page: Page, port: number, sessionId: string): Promise<void> {
  await page.goto(`/iframe.html?id=killtest--driven&viewMode=story&args=port:${port};sessionId:${sessionId}`)
  await page.waitForFunction(() => globalThis.driven && globalThis.driven.status !== 'loading')
}

/** Works through four items, with a tool call for each, at the pace that the test sets. */
function answerTo(prompt: Prompt, newId: () => string): ScriptedStep {
  // Each message of the person begins a list of its own.
  const from = prompt.findLastIndex(
    ({ role, content }) => role === 'user' && JSON.stringify(content).includes('Do these'),
  )
  const results = resultsIn(prompt.slice(from)).filter(({ failed }) => !failed)
  const done = results.filter(({ tool }) => tool === 'work').length
  const written = results.filter(({ tool }) => tool === 'write_todos').length
  const ask = JSON.stringify(prompt[from]?.content ?? '').replace(/[^\w ]/gu, '')
  const todos = [0, 1, 2, 3].map((item) => ({
    content: `Part ${item} of ${ask.slice(-12)}`,
    status: item < done ? 'completed' : item === done ? 'in_progress' : 'pending',
  }))
  if (written <= done) return { toolCalls: [{ name: 'write_todos', input: { todos }, id: newId() }] }
  if (done < 4) return { text: 'Next.', toolCalls: [{ name: 'work', input: { n: done }, id: newId() }] }
  return { text: 'All four are done.' }
}

async function startWork(pace: () => number): Promise<DrivenServer> {
  let nextId = 0
  return startDrivenServer(async (prompt) => {
    await new Promise((resolve) => setTimeout(resolve, pace()))
    return answerTo(prompt, () => `call-${nextId++}`)
  })
}

/** What a tab shows and holds, once nothing is under way in it. */
async function atRest(page: Page) {
  await page.waitForFunction(() => {
    const { chat, session } = globalThis.driven ?? {}
    const { driver, data, persistence } = session?.store.getState() ?? {}
    const isQuiet = (chat?.status === 'ready' || chat?.status === 'error') && !globalThis.acting
    return isQuiet && driver === 'none' && data?.run.status !== 'running' && persistence === 'saved'
  })
  return page.evaluate(() => {
    const { data, messages, revision } = globalThis.driven?.session.store.getState() ?? {}
    return { revision, data, messages, shown: globalThis.driven?.chat.messages }
  })
}

/** What there is to know of a tab that does not come to rest. Runs in the page. */
function describeTab(): string {
  const { chat, session } = globalThis.driven ?? {}
  const state = session?.store.getState()
  const { driver, persistence, revision, problems, data } = state ?? {}
  const facts = { driver, persistence, revision, problems, run: data?.run, acting: globalThis.acting }
  return JSON.stringify({
    ...facts,
    status: chat?.status,
    error: chat?.error?.message,
    last: chat?.lastMessage,
  })
}

/** Waits until both tabs rest and show the same. One hears of the other a little later. */
async function expectSame([one, two]: readonly Page[], note: string): Promise<void> {
  await expect(async () => {
    const states = [await atRest(one as Page), await atRest(two as Page)]
    const [first, second] = states.map(({ shown, ...state }) => {
      expect(isDeepStrictEqual(shown, state.messages), `the chat shows the session, ${note}`).toBe(true)
      return state
    })
    // Something short to look at first.
    const brief = (state: typeof first) => ({
      revision: state?.revision,
      run: state?.data?.run,
      messages: state?.messages?.map(({ id, parts }) => `${id} ${parts.length}`),
    })
    expect(brief(second), note).toEqual(brief(first))
    expect(isDeepStrictEqual(second, first), note).toBe(true)
  }).toPass({ timeout: 30_000 })
}

test('a tab that is frozen is taken over from, and changes nothing when it wakes up', async ({ context }) => {
  const server = await startWork(() => 60)
  try {
    const [one, two] = [await context.newPage(), await context.newPage()]
    await openDriven(one, server.port, 'frozen')
    await openDriven(two, server.port, 'frozen')
    await one.evaluate(() => void globalThis.driven?.send('Do these: freeze'))
    await server.reached(4)
    const woken = one.evaluate(() => {
      const until = performance.now() + 6000
      while (performance.now() < until);
    })
    await two.waitForFunction(() => globalThis.driven?.session.store.getState().driver === 'other')
    await two.evaluate(async () => {
      await globalThis.driven?.session.takeOver()
      await globalThis.driven?.resume()
    })
    const { data } = await atRest(two)
    expect(data?.run.outcome).toBe('completed')
    expect(data?.list.todos.map(({ status }) => status)).toEqual(Array(4).fill('completed'))
    await woken
    await expectSame([one, two], 'after it woke up')
    expect((await atRest(two)).data).toEqual(data)
    expect(server.problems).toEqual([])
  } finally {
    await server.close()
  }
})

test(`two tabs agree, whatever is done in either (${STEPS} steps)`, async ({ context }) => {
  test.setTimeout(60_000 + STEPS * 10_000)
  const random = randomOf(SEED)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const server = await startWork(() => random() * 40)
  const done: string[] = []
  const pages = [await context.newPage(), await context.newPage()]
  const open = (page: Page) => openDriven(page, server.port, 'random')

  // What another tab is quicker with is refused, and that is all right. A call that waits for its run is not waited for.
  const act = (page: Page, name: string) =>
    page.evaluate(
      ([action = '', text = '']) => {
        const { chat, session } = globalThis.driven ?? {}
        if (!chat || !session) throw new Error('The page is not ready.')
        const last = chat.messages.findLast(({ role }) => role === 'user')
        const actions: Record<string, () => unknown> = {
          send: () => chat.send(`Do these: ${text}`),
          stop: () => chat.halt(),
          takeOver: () => session.takeOver(),
          resume: () => session.store.getState().controls.resume && chat.resume(),
          regenerate: () => (last ? chat.regenerate() : undefined),
          edit: () => last && chat.sendMessage({ text: `Do these: ${text} instead`, messageId: last.id }),
          clear: () => chat.clear(),
        }
        globalThis.acting = (globalThis.acting ?? 0) + 1
        Promise.resolve(actions[action]?.())
          .catch((error: unknown) => {
            const { code, message } = error as { code?: string; message?: string }
            const isLate = code === 'session_busy' || /not found/u.test(message ?? '')
            if (!isLate) throw error
          })
          .finally(() => {
            globalThis.acting = (globalThis.acting ?? 0) - 1
          })
      },
      [name, `task ${done.length}`],
    )

  const weights = {
    send: 6,
    sendBoth: 2,
    stop: 3,
    takeOver: 4,
    resume: 4,
    regenerate: 2,
    edit: 2,
    clear: 1,
    reload: 2,
    reopen: 2,
  }
  const names = Object.entries(weights).flatMap(([name, weight]) => Array<string>(weight).fill(name))

  async function compare(): Promise<void> {
    await expectSame(pages, `after ${done.slice(-12).join(', ')} (seed ${SEED})`)
    expect(server.problems).toEqual([])
  }

  try {
    await Promise.all(pages.map(open))
    for (let step = 1; step <= STEPS; step += 1) {
      const name = pick(names)
      const tab = Math.floor(random() * 2)
      const page = pages[tab] as Page
      done.push(`${name} in ${tab}`)
      if (name === 'reload') await open(page)
      else if (name === 'reopen') {
        await page.close()
        const again = await context.newPage()
        pages[tab] = again
        await open(again)
      } else if (name === 'sendBoth') await Promise.all(pages.map((each) => act(each, 'send')))
      else await act(page, name)
      await new Promise((resolve) => setTimeout(resolve, random() * 250))
      if (step % 10 === 0) await compare()
    }
    await compare()
  } catch (error) {
    console.log(done.slice(-14).join(', '))
    for (const page of pages) console.log(await page.evaluate(describeTab).catch(String))
    throw error
  } finally {
    console.log(
      `${done.length} steps, ${server.events.length} requests and calls, ${server.problems.length} problems`,
    )
    await server.close()
  }
})
