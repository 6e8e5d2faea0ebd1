import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { wireKeys } from '../stories/wires/wireModel.ts'
import { expect, expectOutcome, openStory, type Page, panelOf, send, test } from './fixtures.ts'
import { anthropicMessages } from './wire/anthropicMessages.ts'
import { llamaCpp, ollama, openAIChat } from './wire/chatCompletions.ts'
import { failures, find, write } from './wire/failures.ts'
import { openAIResponses } from './wire/responses.ts'
import { type Dialect, startWireServer, type WireServer } from './wire/wireServer.ts'

const dialects = [openAIChat, openAIResponses, anthropicMessages, ollama, llamaCpp]

const servers: WireServer[] = []
test.afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

let conversations = 0

/** Opens a new conversation in the page, with a server that plays the script. */
async function converse(
  page: Page,
  dialect: Dialect,
  script: Parameters<typeof startWireServer>[1],
  patience: { stepTimeout?: number; maxRetries?: number } = {},
) {
  const server = await startWireServer(dialect, script)
  servers.push(server)
  conversations += 1
  const wire = {
    dialect: dialect.name,
    baseURL: server.baseURL,
    sessionId: `wire-${conversations}`,
    ...patience,
  }
  await openWire(page, wire)
  return { server, wire, panel: panelOf(page), log: page.getByRole('log') }
}

async function openWire(
  page: Page,
  wire: Parameters<NonNullable<typeof globalThis.openWire>>[0],
): Promise<void> {
  await page.waitForFunction(() => globalThis.openWire !== undefined)
  await page.evaluate((chosen) => globalThis.openWire?.(chosen), wire)
  await page.waitForFunction(
    (id) => globalThis.wired?.session.id === id && globalThis.wired.status !== 'loading',
    wire.sessionId,
  )
}

/** What the chat says of the run. The panel says it too, to those who listen. */
const statusOf = (page: Page, words: string | RegExp) => page.locator('.pg-status').filter({ hasText: words })

// Every failure in every format is told in Node too. Here, but for the long run, the formats that are like another one get each second.
const isLong = Boolean(process.env.LONG)
const likeAnother = [openAIResponses, ollama, llamaCpp]

function failuresFor(dialect: Dialect): typeof failures {
  return isLong || !likeAnother.includes(dialect) ? failures : failures.filter((_, index) => index % 2 === 0)
}

for (const dialect of dialects) {
  test.describe(dialect.name, () => {
    test('works through a list, however the answers come, and goes on after a reload', async ({ page }) => {
      const [one, two] = ['Zürich ✓ 你好 👍🏽', 'Genève']
      let goOn = () => {}
      const until = new Promise<void>((resolve) => {
        goOn = resolve
      })
      await openStory(page, 'wires--wired')
      const { server, wire, panel, log } = await converse(page, dialect, [
        { reasoning: 'First a list. ', calls: [write([one, 'in_progress'], [two, 'pending'])], bytes: 1 },
        { text: 'Both at once. ', calls: [find('A ✓'), find('B')], noise: ': keep-alive\n\n', bytes: 16 },
        { reasoning: 'One is done. ', calls: [write([one, 'completed'], [two, 'in_progress'])], bytes: 7 },
        {
          calls: [
            find('C', { id: '' }),
            find('D', { id: '' }),
            find('E', { id: 'same' }),
            find('F', { id: 'same' }),
          ],
        },
        { text: 'Not read any more', until },
        { reasoning: 'On. ', calls: [write([one, 'completed'], [two, 'completed'])] },
        { reasoning: 'That is all. ', text: 'All is done: 你好.', bytes: 1 },
        'Nothing more.',
      ])
      await send(page, 'Find both')
      await expect(panel.getByText('1 of 2', { exact: true })).toBeVisible()
      await expect.poll(() => server.requests.length).toBe(5)

      await page.reload()
      goOn()
      await openWire(page, wire)
      await expect(panel.getByText('Interrupted')).toBeVisible()
      await panel.getByRole('button', { name: 'Resume' }).click()
      await expectOutcome(panel, 'completed')
      await expect(panel.getByRole('listitem')).toHaveText([new RegExp(one, 'u'), new RegExp(two, 'u')])
      await expect(log.getByText('All is done: 你好.')).toBeVisible()
      await send(page, 'And now?')
      await expect(log.getByText('Nothing more.')).toBeVisible()
      await expect(page.getByRole('article', { name: 'You' })).toHaveCount(2)
      expect(server.faults).toEqual([])
      for (const { headers } of server.requests) {
        const key = /^OpenAI/u.test(dialect.name) ? `Bearer ${wireKeys.openAI}` : undefined
        expect(headers.authorization).toBe(key)
        expect(headers['x-api-key']).toBe(dialect === anthropicMessages ? wireKeys.anthropic : undefined)
      }
    })

    test('says what happened and what to do, and Retry goes on', async ({ page }) => {
      await openStory(page, 'wires--wired')
      for (const [name, answer, , words] of failuresFor(dialect)) {
        await test.step(name, async () => {
          const { server, panel } = await converse(
            page,
            dialect,
            [
              { calls: [write(['A', 'in_progress'])] },
              answer,
              { calls: [write(['A', 'completed'])] },
              'All done.',
            ],
            { stepTimeout: 900 },
          )
          await send(page, 'Do A')
          const status = statusOf(page, words)
          await expect(status).toContainText('list is as it was')
          await expect(panel.locator('[aria-current="step"]')).toContainText('A')
          await expect(panel.getByRole('listitem')).toHaveCount(1)
          await status.getByRole('button', { name: 'Retry' }).click()
          await expectOutcome(panel, 'completed')
          await expect(panel.getByText('1 of 1', { exact: true })).toBeVisible()
          await expect(page.getByRole('article', { name: 'You' })).toHaveCount(1)
          expect(server.faults).toEqual([])
        })
      }
    })

    test('waits as it is asked to, and tries again within the step', async ({ page }) => {
      await openStory(page, 'wires--wired')
      const expose = { 'access-control-expose-headers': 'retry-after' }
      const { server, panel } = await converse(
        page,
        dialect,
        [
          { calls: [write(['A', 'in_progress'])] },
          { status: 500, message: 'Oops', headers: { ...expose, 'retry-after': '0' } },
          { calls: [find('A')] },
          { status: 429, message: 'Slow down', headers: { ...expose, 'retry-after': '1' } },
          { calls: [write(['A', 'completed'])] },
          () => ({ status: 429, message: 'Slow down', headers: { ...expose, 'retry-after': inSeconds(2) } }),
          'All done.',
        ],
        { maxRetries: 2 },
      )
      await send(page, 'Do A')
      await expectOutcome(panel, 'completed')
      const waited = (index: number) =>
        (server.requests[index]?.at ?? 0) - (server.requests[index - 1]?.at ?? 0)
      expect(waited(4)).toBeGreaterThanOrEqual(980)
      // A date has no parts of a second.
      expect(waited(6)).toBeGreaterThanOrEqual(900)
      expect(server.requests[6]?.body).toEqual(server.requests[5]?.body)
      expect(server.requests).toHaveLength(7)
      expect(server.faults).toEqual([])
    })
  })
}

test('a server that does not allow the page is named with what to check', async ({ page }) => {
  const closed = createServer((_, response) => void response.writeHead(200).end('{}'))
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`
  try {
    await openStory(page, 'wires--wired')
    await openWire(page, { dialect: 'Ollama', baseURL: `${origin}/v1`, sessionId: 'closed' })
    await send(page, 'Hello')
    const status = statusOf(page, `Could not reach ${origin}`)
    await expect(status).toContainText(/allows requests from this page, http:\/\/127\.0\.0\.1:\d+ \(CORS\)/u)
  } finally {
    closed.close()
  }
})

function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toUTCString()
}
