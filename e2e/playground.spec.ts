import { expectAnswers } from './answers.ts'
import {
  answerIn,
  expect,
  expectOutcome,
  openStory,
  type Page,
  panelOf,
  recordShown,
  send,
  sendSample,
  test,
} from './fixtures.ts'

test('the example is answered right and its list ends complete', async ({ page }) => {
  await openStory(page, 'playground--playground', { speed: 8 })
  await sendSample(page)
  const panel = panelOf(page)
  await expect(panel.getByRole('listitem')).toHaveCount(5)
  await expectOutcome(panel, 'completed')
  await expect(panel.getByText('5 of 5', { exact: true })).toBeVisible()
  await expect(
    panel.locator('[role="listitem"][data-status="completed"], li[data-status="completed"]'),
  ).toHaveCount(5)

  const log = page.getByRole('log')
  expectAnswers(await answerIn(page))
  await expect(log.getByText('200 lines of CSV')).toBeVisible()
  await expect(log.locator('[data-source]')).toHaveCount(0)
  await expect(log.locator('.pg-tool[data-sign="error"]')).toHaveCount(0)
})

test('a reload in the middle brings list and transcript back, and Resume finishes the work', async ({
  page,
}) => {
  await openStory(page, 'playground--playground', { speed: 6 })
  await sendSample(page)
  await expect(panelOf(page).getByText(/^[2-4] of 5$/u)).toBeVisible()
  await page.reload()

  const panel = panelOf(page)
  await expect(panel.getByText('Interrupted')).toBeVisible()
  await expect(panel.getByRole('listitem')).toHaveCount(5)
  await expect(panel.locator('[aria-current="step"]')).toContainText('paused')
  await expect(panel.locator('[data-status="completed"]').first()).toBeVisible()
  const log = page.getByRole('log')
  await expect(log.getByText('200 lines of CSV')).toBeVisible()
  await expect(log.getByText('write_todos').first()).toBeVisible()

  await panel.getByRole('button', { name: 'Resume' }).click()
  await expectOutcome(panel, 'completed')
  await expect(panel.getByText('5 of 5', { exact: true })).toBeVisible()
  await expect(panel.getByText('Interrupted')).toHaveCount(0)
  await expect(page.getByRole('article', { name: 'You' })).toHaveCount(1)
  expectAnswers(await answerIn(page))
})

test('a model that forgets its list is asked to continue once and finishes', async ({ page }) => {
  await openStory(page, 'playground--forgetful', { speed: 8 })
  const panel = panelOf(page)
  const shown = await recordShown(panel)
  await sendSample(page)
  await expectOutcome(panel, 'completed')
  const corrected = (await shown()).filter((text) => text.includes('Asked to continue'))
  expect(corrected.some((text) => text.includes('1 of 3'))).toBe(true)
  expect(corrected.some((text) => text.includes('2 of 3'))).toBe(false)
  await expect(panel.getByText('5 of 5', { exact: true })).toBeVisible()

  const log = page.getByRole('log')
  await expect(log.locator('[data-source="todo_guard"]')).toHaveCount(1)
  await expect(log.getByText('The kit asked the model to continue')).toBeVisible()
  await expect(page.getByRole('article', { name: 'You' })).toHaveCount(1)
  expectAnswers(await answerIn(page))
})

test('a stopped run keeps what is done and goes on from there', async ({ page }) => {
  await openStory(page, 'playground--playground', { speed: 6 })
  await sendSample(page)
  const panel = panelOf(page)
  await expect(panel.getByText(/^[1-4] of 5$/u)).toBeVisible()
  await page.getByRole('button', { name: 'Stop' }).click()
  await expectOutcome(panel, 'stopped')
  await expect(panel.locator('[data-status="completed"]').first()).toBeVisible()

  await panel.getByRole('button', { name: 'Resume' }).click()
  await expectOutcome(panel, 'completed')
  expectAnswers(await answerIn(page))
})

test('a plan waits for approval before any work is done, also over a reload', async ({ page }) => {
  await openStory(page, 'playground--playground', { speed: 8 })
  await page.getByRole('button', { name: /^Settings/u }).click()
  await page.getByLabel('Mode', { exact: true }).selectOption('plan')
  await page.keyboard.press('Escape')
  await sendSample(page)

  const plan = panelOf(page, 'Plan')
  await expect(plan.getByRole('button', { name: 'Approve plan' })).toBeVisible()
  await expect(plan.getByRole('listitem')).toHaveCount(5)
  await expect(plan.locator('[data-status="completed"]')).toHaveCount(0)
  await expect(page.getByRole('log').getByText('summarise_csv')).toHaveCount(0)

  await page.reload()
  await expect(plan.getByRole('listitem')).toHaveCount(5)
  await plan.getByRole('button', { name: 'Approve plan' }).click()
  const panel = panelOf(page)
  // Planning had ended as completed too.
  await expect(panel.getByText('5 of 5', { exact: true })).toBeVisible()
  await expectOutcome(panel, 'completed')
  expectAnswers(await answerIn(page))
})

async function openInLoop(page: Page, behaviour: string) {
  await openStory(page, 'playground--playground', { speed: 100, behaviour })
  await page.getByRole('button', { name: /^Settings/u }).click()
  await page.getByLabel('Loop', { exact: true }).selectOption('done')
  await page.keyboard.press('Escape')
}

test('a model that stops after each item is run again until its list is done', async ({ page }) => {
  await openInLoop(page, 'lazy')
  await sendSample(page)
  const panel = panelOf(page)
  await expectOutcome(panel, 'completed')
  await expect(panel.getByText('5 of 5', { exact: true })).toBeVisible()
  // Five items in five runs.
  await expect(page.getByRole('log').locator('[data-source="loop_feedback"]')).toHaveCount(4)
  expectAnswers(await answerIn(page))
})

test('a model that never closes an item is run ten times at most, and what is open is shown', async ({
  page,
}) => {
  await openInLoop(page, 'hopeless')
  await send(page, '1. what is 2 + 2\n2. what is 3 * 7')
  const panel = panelOf(page)
  await expectOutcome(panel, 'blocked')
  await expect(page.getByRole('log').locator('[data-source="loop_feedback"]')).toHaveCount(9)
  await expect(panel.locator('li[data-status="completed"]')).toHaveCount(0)
  await expect(panel.getByText(/2 .*open/u).first()).toBeVisible()
})

test('a tool that asks first runs when the person approves', async ({ page }) => {
  await openStory(page, 'playground--playground', { speed: 8 })
  await page.getByRole('button', { name: /^Settings/u }).click()
  await page.getByLabel('Calculator').selectOption('ask')
  await page.keyboard.press('Escape')
  await sendSample(page)

  const panel = panelOf(page)
  const question = page.getByRole('group', { name: 'Run calculate?' })
  await expectOutcome(panel, 'awaiting_approval')
  await question.getByRole('button', { name: 'Approve' }).click()
  await expectOutcome(panel, 'completed')
  await expect(question).toHaveCount(0)
  expectAnswers(await answerIn(page))
})

test('the id-based tools do the same work on the same list', async ({ page }) => {
  await openStory(page, 'playground--playground', { speed: 8 })
  await page.getByRole('button', { name: /^Settings/u }).click()
  await page.getByLabel('Tools for the list').selectOption('todos')
  await page.keyboard.press('Escape')
  await sendSample(page)

  const panel = panelOf(page)
  await expectOutcome(panel, 'completed')
  await expect(panel.getByText('5 of 5', { exact: true })).toBeVisible()
  const log = page.getByRole('log')
  await expect(log.getByText('todos_add').first()).toBeVisible()
  await expect(log.getByText('write_todos')).toHaveCount(0)
  expectAnswers(await answerIn(page))
})

test('New chat empties the list and the transcript, also after a reload', async ({ page }) => {
  await openStory(page, 'playground--playground', { speed: 100 })
  await sendSample(page)
  await expectOutcome(panelOf(page), 'completed')
  await page.getByRole('button', { name: 'New chat' }).click()
  await expect(page.getByRole('article')).toHaveCount(0)
  await expect(panelOf(page).getByRole('listitem')).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('button', { name: /^Try this/u })).toBeVisible()
  await expect(panelOf(page).getByRole('listitem')).toHaveCount(0)
})

test('two sessions side by side never mix', async ({ page }) => {
  await openStory(page, 'playground--two-sessions', { speed: 8 })
  const a = page.getByRole('region', { name: 'Session A' })
  const b = page.getByRole('region', { name: 'Session B' })
  const listOf = async (half: typeof a, name: string) => {
    const panel = half.getByRole('region', { name: `Todos ${name}` })
    // It may be open already: that is kept over a reload.
    const bar = panel.getByRole('button').first()
    if ((await bar.getAttribute('aria-expanded')) === 'false') await bar.click()
    return panel
  }

  await sendSample(a)
  await send(
    b,
    'Please do these: 1. calculate 6 * 7, 2. calculate 144 / 12, 3. how many days from 2025-01-01 to 2025-03-01',
  )
  const listA = await listOf(a, 'A')
  const listB = await listOf(b, 'B')
  await expectOutcome(listA, 'completed')
  await expectOutcome(listB, 'completed')
  await expect(listA.getByRole('listitem')).toHaveCount(5)
  await expect(listB.getByRole('listitem')).toHaveCount(3)

  const textA = await answerIn(a)
  const textB = await answerIn(b)
  expectAnswers(textA)
  expect(textB).toContain('42')
  expect(textB).toContain('59')
  await expect(b.getByRole('log')).not.toContainText('CSV')
  await expect(a.getByRole('log')).not.toContainText('6 * 7')
  await expect(listA).not.toContainText('144')
  await expect(listB).not.toContainText('17%')

  await page.reload()
  await expect((await listOf(a, 'A')).getByRole('listitem')).toHaveCount(5)
  await expect((await listOf(b, 'B')).getByRole('listitem')).toHaveCount(3)
})

test('a second tab follows a run live and can take it over', async ({ page, context }) => {
  await openStory(page, 'playground--playground', { speed: 0.5 })
  await sendSample(page)
  await expect(panelOf(page).getByText(/^[1-4] of 5$/u)).toBeVisible()

  const other = await context.newPage()
  await openStory(other, 'playground--playground', { speed: 8 })
  const panel = panelOf(other)
  await expect(panel.getByText('Running in another tab')).toBeVisible()
  const count = panel.locator('.todo-panel-count')
  const before = (await count.textContent()) ?? ''
  await expect(count).not.toHaveText(before)
  await expect(count).toHaveText(/^[1-4] of 5$/u)
  await expect(other.getByRole('log').getByText('write_todos').first()).toBeVisible()

  await panel.getByRole('button', { name: 'Take over' }).click()
  await expect(panel.getByText('Running in another tab')).toHaveCount(0)
  await expect(panelOf(page)).not.toHaveAttribute('data-run', 'running')
  await panel.getByRole('button', { name: 'Resume' }).click()
  await expectOutcome(panel, 'completed')
  expectAnswers(await answerIn(other))
  await expect(panelOf(page).getByText('5 of 5', { exact: true })).toBeVisible()
})

test('on a narrow screen nothing is wider than the screen and the list is one line', async ({ page }) => {
  await page.setViewportSize({ width: 380, height: 720 })
  await openStory(page, 'playground--playground', { speed: 8 })
  await sendSample(page)
  const panel = panelOf(page)
  await expect(panel).toHaveAttribute('data-variant', 'bar')
  await expectOutcome(panel, 'completed')
  await panel.getByRole('button').first().click()
  await expect(panel.getByRole('listitem')).toHaveCount(5)
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(await overflow()).toBe(0)
  await page.getByRole('button', { name: /^Settings/u }).click()
  expect(await overflow()).toBe(0)
})
