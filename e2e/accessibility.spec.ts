import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import { expect, expectOutcome, openStory, type Page, panelOf, send, sendSample, test } from './fixtures.ts'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

async function expectNoViolations(page: Page): Promise<void> {
  await page.addScriptTag({ path: axe })
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<AxeResults> } }
    const results = await axe.run()
    return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)
  })
  expect(violations).toEqual([])
}

for (const scheme of ['light', 'dark']) {
  test(`axe finds nothing at the start, in the settings and after a correction (${scheme})`, async ({
    page,
  }) => {
    await openStory(page, 'playground--forgetful', { speed: 100 }, scheme)
    await expect(page.getByRole('button', { name: /^Try this/u })).toBeVisible()
    await expectNoViolations(page)
    await page.getByRole('button', { name: /^Settings/u }).click()
    await page.getByRole('radio', { name: 'OpenAI-compatible server' }).check()
    await expectNoViolations(page)
    await page.getByRole('radio', { name: 'Offline rules' }).check()
    await page.keyboard.press('Escape')
    await sendSample(page)
    await expectOutcome(panelOf(page), 'completed')
    for (const summary of await page.getByRole('log').locator('summary').all()) await summary.click()
    await expectNoViolations(page)
  })
}

test('axe finds nothing on a narrow screen with the list open', async ({ page }) => {
  await page.setViewportSize({ width: 380, height: 720 })
  await openStory(page, 'playground--playground', { behaviour: 'hopeless', speed: 100 })
  await sendSample(page)
  await expectOutcome(panelOf(page), 'blocked')
  await panelOf(page).getByRole('button').first().click()
  await expectNoViolations(page)
})

test('axe finds nothing with two sessions side by side', async ({ page }) => {
  await openStory(page, 'playground--two-sessions', { speed: 100 })
  await send(
    page.getByRole('region', { name: 'Session B' }),
    'Please do these: 1. calculate 6 * 7, 2. calculate 144 / 12',
  )
  await expectOutcome(page.getByRole('region', { name: 'Todos B' }), 'completed')
  await expectNoViolations(page)
})

test('the keyboard alone sends, reads, stops and goes on', async ({ page }) => {
  await openStory(page, 'playground--playground', { speed: 4 })
  const field = page.getByRole('textbox', { name: 'Message' })
  await page.getByRole('button', { name: /^Try this/u }).press('Enter')
  await expect(field).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue('')
  await expect(field).toBeFocused()
  const stop = page.getByRole('button', { name: 'Stop' })
  await expect(stop).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(stop).toBeFocused()
  await page.keyboard.press('Enter')
  await expectOutcome(panelOf(page), 'stopped')
  await panelOf(page).getByRole('button', { name: 'Resume' }).press('Enter')
  await expect(stop).toBeVisible()
  await field.fill('first line')
  await field.press('Shift+Enter')
  await field.pressSequentially('second line')
  await expect(field).toHaveValue('first line\nsecond line')
})
