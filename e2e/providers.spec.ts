import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fencedCall, installPromptApi } from '../stories/browserModels/promptApi.ts'
import { expect, expectOutcome, openStory, type Page, panelOf, send, test } from './fixtures.ts'
import { type Answer, type ChatMessage, type ChatRequest, startModelServer, textOf } from './modelServer.ts'

const csv = ['city,price', 'Zürich,1.50', 'Zürich,2.50', 'Genève,4.00'].join('\n')
const key = 'sk-only-in-memory-1234'

async function chooseServer(page: Page, baseURL: string): Promise<void> {
  await page.getByRole('button', { name: /^Settings/u }).click()
  await page.getByRole('radio', { name: 'OpenAI-compatible server' }).check()
  await page.getByLabel('Base URL').fill(baseURL)
  await page.getByLabel('Model name').fill('loopback')
  await page.getByLabel('Key (optional)').fill(key)
  await page.keyboard.press('Escape')
}

const write = (...todos: readonly [string, string][]): Answer => [
  { name: 'write_todos', input: { todos: todos.map(([content, status]) => ({ content, status })) } },
]

test('a list kept by a model behind HTTP is live, whole and complete', async ({ page }) => {
  const [one, two] = ['Count the rows of Zürich and Genève', 'Work out the total ✓']
  const answers: readonly ((request: ChatRequest) => Answer)[] = [
    () => write([one, 'in_progress'], [two, 'pending']),
    () => [{ name: 'summarise_csv', input: { columns: ['price'] } }],
    () => write([one, 'completed'], [two, 'in_progress']),
    () => [{ name: 'calculate', input: { expression: '1.5 + 2.5 + 4' } }],
    () => write([one, 'completed'], [two, 'completed']),
    ({ messages }) =>
      `There are ${resultOf(messages, 'summarise_csv').rows} rows, the total is ${resultOf(messages, 'calculate').result}.`,
  ]
  const server = await startModelServer((request, index) => answers[index]?.(request) ?? 'No more.')
  try {
    await openStory(page, 'playground--playground')
    await chooseServer(page, server.baseURL)
    await send(page, `How many rows, and the total?\n\n${csv}`)

    const panel = panelOf(page)
    await expectOutcome(panel, 'completed')
    await expect(panel.getByText('2 of 2', { exact: true })).toBeVisible()
    await expect(panel.getByRole('listitem').filter({ hasText: one })).toBeVisible()
    await expect(page.getByText('There are 3 rows, the total is 8.')).toBeVisible()
    expect(server.problems).toEqual([])
    expect(server.requests).toHaveLength(6)
    expect(server.requests.map(({ model }) => model)).toEqual(Array(6).fill('loopback'))
    // The list stands at the tail of each request, and only there.
    expect(textOf(server.requests[2]?.messages.at(-1) as ChatMessage)).toContain(one)
  } finally {
    await server.close()
  }
})

test('a server that is down is named with what to check, and Retry works once it is up', async ({ page }) => {
  const todo = 'Greet the person'
  let server = await startModelServer(
    (_, index) => [write([todo, 'in_progress']), write([todo, 'completed']), 'Done.'][index] ?? 'Done.',
  )
  const { port, baseURL } = server
  try {
    await openStory(page, 'playground--playground')
    await chooseServer(page, baseURL)
    await send(page, 'Please greet me, in steps')
    const panel = panelOf(page)
    await expectOutcome(panel, 'completed')

    await server.close()
    await send(page, 'And again')
    const status = page.getByRole('status').filter({ hasText: 'Could not reach' })
    await expect(status).toContainText(`http://127.0.0.1:${port}`, { timeout: 20_000 })
    await expect(status).toContainText('Check that the server is running')
    await expectOutcome(panel, 'failed')
    await expect(panel.getByRole('listitem')).toHaveCount(1)
    await expect(panel.getByRole('listitem')).toContainText(todo)

    server = await startModelServer(() => 'Hello again.', port)
    await status.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByText('Hello again.')).toBeVisible()
    await expect(status).toHaveCount(0)
    await expect(page.getByRole('article', { name: 'You' })).toHaveCount(2)
    expect(server.problems).toEqual([])
  } finally {
    await server.close()
  }
})

test('markup in todos and answers stays text and calls nowhere', async ({ page }) => {
  const calls: string[] = []
  const trap = createServer((request, response) => {
    calls.push(request.url ?? '')
    response.end()
  })
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`
  const image = `<img src=x onerror="fetch('${address}/image')">`
  const script = `</script><script>fetch('${address}/script')</script>`
  const link = `[click](javascript:fetch('${address}/link')) ![](${address}/markdown)`
  const server = await startModelServer(
    (_, index) =>
      [
        write([image, 'in_progress'], [script, 'pending'], [link, 'pending']),
        write([image, 'completed'], [script, 'completed'], [link, 'completed']),
      ][index] ?? `${image} ${link}`,
  )
  try {
    await openStory(page, 'playground--playground')
    await chooseServer(page, server.baseURL)
    await send(page, image)
    const panel = panelOf(page)
    await expectOutcome(panel, 'completed')
    await expect(panel.getByRole('listitem').filter({ hasText: image })).toBeVisible()
    await expect(panel.getByRole('listitem').filter({ hasText: script })).toBeVisible()
    await expect(panel.getByRole('listitem').filter({ hasText: link })).toBeVisible()
    await expect(page.getByRole('log').getByText(image).first()).toBeVisible()
    await expect(page.locator('.pg :is(img, script, a, iframe)')).toHaveCount(0)
    expect(calls).toEqual([])
  } finally {
    await server.close()
    trap.close()
  }
})

test('a key is nowhere but in memory', async ({ page }) => {
  const server = await startModelServer(() => 'Hello.')
  try {
    await openStory(page, 'playground--playground')
    await chooseServer(page, server.baseURL)
    await send(page, 'Hello there, model')
    await expect(page.getByText('Hello.', { exact: true })).toBeVisible()
    await expect(panelOf(page)).toHaveAttribute('data-persistence', 'saved')
    const stored = await page.evaluate(async () => {
      const texts = [
        location.href,
        document.cookie,
        JSON.stringify({ ...localStorage }),
        JSON.stringify({ ...sessionStorage }),
      ]
      for (const { name = '' } of await indexedDB.databases()) {
        const database = await new Promise<IDBDatabase>((resolve) => {
          const request = indexedDB.open(name)
          request.onsuccess = () => resolve(request.result)
        })
        for (const storeName of database.objectStoreNames) {
          const records = await new Promise((resolve) => {
            const request = database.transaction(storeName).objectStore(storeName).getAll()
            request.onsuccess = () => resolve(request.result)
          })
          texts.push(JSON.stringify(records))
        }
        database.close()
      }
      return texts.join('\n')
    })
    expect(stored).toContain('Hello there, model')
    expect(stored).not.toContain(key)
    await page.reload()
    await page.getByRole('button', { name: /^Settings/u }).click()
    await page.getByRole('radio', { name: 'OpenAI-compatible server' }).check()
    await expect(page.getByLabel('Key (optional)')).toHaveValue('')
  } finally {
    await server.close()
  }
})

test('the code of a provider is loaded when it is chosen and not before', async ({ page }) => {
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  await openStory(page, 'playground--playground')
  await expect(page.getByRole('button', { name: /^Try this/u })).toBeVisible()
  const before = scripts.length
  await page.getByRole('button', { name: /^Settings/u }).click()
  await page.getByRole('radio', { name: 'Anthropic' }).check()
  await expect(page.getByText('Enter your Anthropic key.')).toBeVisible()
  expect(scripts).toHaveLength(before)
  await page.getByLabel('Key', { exact: true }).fill(key)
  await expect(page.getByText('Enter sends, Shift+Enter makes a new line')).toBeVisible()
  expect(scripts.length).toBeGreaterThan(before)
})

/** The result of the last call of a tool. */
function resultOf(messages: readonly ChatMessage[], name: string): Record<string, unknown> {
  const call = messages
    .flatMap((message) => message.tool_calls ?? [])
    .findLast((one) => one.function.name === name)
  const result = messages.find((message) => message.tool_call_id === call?.id)
  return result ? (JSON.parse(textOf(result)) as Record<string, unknown>) : {}
}

test("the browser's built-in model works through a list, and is loaded when it is chosen", async ({
  page,
}) => {
  const list = (status: string) =>
    fencedCall('write_todos', { todos: [{ content: 'Greet the person', status }] })
  await page.addInitScript(installPromptApi, [list('in_progress'), list('completed'), 'Good morning.'])
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  await openStory(page, 'playground--playground')
  await page.getByRole('button', { name: /^Settings/u }).click()
  const before = scripts.length
  await page.getByRole('radio', { name: "Chrome's built-in model" }).check()
  await expect.poll(() => scripts.length).toBeGreaterThan(before)
  await page.keyboard.press('Escape')
  await send(page, 'Please greet me, in steps')
  const panel = panelOf(page)
  await expectOutcome(panel, 'completed')
  await expect(panel.getByText('1 of 1', { exact: true })).toBeVisible()
  await expect(page.getByRole('log').getByText('Good morning.')).toBeVisible()
  expect(await page.evaluate(() => globalThis.promptApi?.open)).toBe(0)
})
