import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { serve } from '../scripts/serve.mjs'
import { start } from './process.mjs'

/** @typedef {import('playwright').Browser} Browser */
/** @typedef {import('playwright').Page} Page */

/** Nothing inline, nothing evaluated, nothing from elsewhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** What the app sends as its own: scripts by nonce, styles from files, no exception from either. */
const strict =
  /^(?!.*unsafe)default-src 'none'; script-src 'nonce-[^']+' 'strict-dynamic'; style-src 'self';.* require-trusted-types-for 'script'$/

/**
 * Runs the built app of `folder` under the policy.
 *
 * @param {Browser} browser
 * @param {string} folder
 */
export async function openStrictly(browser, folder) {
  const { url, close } = await serve(folder, { headers: { 'content-security-policy': policy } })
  try {
    await watched(browser, url, async (page) => {
      await runToTheEnd(page)
      await page.reload()
      await expectSaved(page)
    })
  } finally {
    close()
  }
}

/**
 * Starts the production server of `folder`, looks at what it sends, and runs the agent in it.
 *
 * @param {Browser} browser
 * @param {string} folder
 */
export async function openWithNext(browser, folder) {
  const next = createRequire(join(folder, 'package.json')).resolve('next/dist/bin/next')
  const server = start(folder, process.execPath, [next, 'start', '--hostname', '127.0.0.1', '--port', '0'])
  try {
    const url = await addressOf(server)
    const answer = await fetch(url)
    assert.match(answer.headers.get('content-security-policy') ?? '', strict)
    const html = await answer.text()
    assert.match(html, /<section id="server"><section [^>]*todo-panel.*Read on the server/s)
    assert.match(html, /<section id="browser">.*todo-panel/s)
    assert.match(html, /<link rel="stylesheet"/)
    await watched(browser, url, async (page) => {
      await runToTheEnd(page)
      await page.reload()
      await expectSaved(page)
    })
  } finally {
    server.kill()
  }
}

/**
 * Opens a page, and fails on whatever it says on the console or the policy refused it.
 *
 * @param {Browser} browser
 * @param {string} url
 * @param {(page: Page) => Promise<void>} visit
 */
async function watched(browser, url, visit) {
  const page = await browser.newPage()
  /** @type {string[]} */
  const complaints = []
  await page.exposeFunction('complain', (/** @type {string} */ text) => complaints.push(text))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { violatedDirective, blockedURI, sourceFile, lineNumber, sample } = event
      Reflect.get(
        window,
        'complain',
      )(`${violatedDirective} refused ${blockedURI} ${sample} in ${sourceFile}:${lineNumber}`)
    })
  })
  page.on('pageerror', (error) => complaints.push(`uncaught ${error}`))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`)
  })
  try {
    await page.goto(url)
    await visit(page)
    assert.deepEqual(complaints, [])
  } catch (error) {
    throw new Error(`${error}\nThe page says: ${complaints.join('\n') || 'nothing'}`)
  } finally {
    await page.close()
  }
}

/** @param {Page} page */
async function runToTheEnd(page) {
  await page.locator('output[data-status=ready]').waitFor()
  await page.getByRole('button', { name: 'Go' }).click()
  await page.locator('output[data-outcome=completed][data-saved="1"]').waitFor()
  await page.getByText('All done: 3 rows.').waitFor()
  await expectDone(page)
}

/** @param {Page} page */
async function expectSaved(page) {
  await page.locator('output[data-saved="1"]').waitFor()
  await page.getByText('All done: 3 rows.').waitFor()
  await expectDone(page)
}

/** @param {Page} page */
async function expectDone(page) {
  const panel = page.locator('.todo-panel').last()
  await panel.and(page.locator('[data-persistence=saved]')).waitFor()
  assert.equal(await page.locator('output').textContent(), '0 of 2 open')
  assert.deepEqual(await panel.locator('li[data-status=completed]').count(), 2)
  const radius = await panel.evaluate((element) => getComputedStyle(element).borderTopLeftRadius)
  assert.equal(radius, '14px', 'the stylesheet is not applied')
}

/**
 * @param {import('node:child_process').ChildProcess} server
 * @returns {Promise<string>}
 */
function addressOf(server) {
  return new Promise((resolve, reject) => {
    let output = ''
    for (const stream of [server.stdout, server.stderr]) {
      stream?.on('data', (data) => {
        output += data
        const [url] = /http:\/\/(127\.0\.0\.1|localhost):[1-9]\d*/.exec(output) ?? []
        if (url) resolve(url)
      })
    }
    server.on('error', reject)
    server.on('close', () => reject(new Error(`next start ended:\n${output}`)))
  })
}
