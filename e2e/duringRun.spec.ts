import { bodyOf, calls, personsWords, reached, slow, withServer, write } from './chatUis.ts'
import { expect, expectOutcome, openStory, type Page, panelOf, send, test } from './fixtures.ts'

async function openPlayground(page: Page, baseURL: string, whileRunning: 'queue' | 'steer'): Promise<void> {
  await openStory(page, 'playground--playground')
  await page.getByRole('button', { name: /^Settings/u }).click()
  await page.getByRole('radio', { name: 'OpenAI-compatible server' }).check()
  await page.getByLabel('Base URL').fill(baseURL)
  await page.getByLabel('Model name').fill('loopback')
  await page.getByLabel('During a run').selectOption(whileRunning)
  await page.keyboard.press('Escape')
}

test('what waits is in sight, is withdrawn into the field, and outlives Stop', async ({ page }) => {
  const script = [
    calls(write('[>] Count')),
    slow('I count and count and count'),
    calls(write('[x] Count')),
    'Counted.',
    'Reported in French.',
  ]
  await withServer(script, async (server) => {
    await openPlayground(page, server.baseURL, 'queue')
    await send(page, 'Count')
    await reached(server, 2)
    await send(page, 'Then report')
    await send(page, 'In French')
    const waiting = page
      .getByRole('article', { name: 'You' })
      .filter({ hasText: 'Waits until this run has ended' })
    await expect(waiting).toHaveCount(2)
    await waiting.first().getByRole('button', { name: 'Withdraw' }).click()
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Then report')
    await page.getByRole('button', { name: 'Stop' }).click()
    await expectOutcome(panelOf(page), 'stopped')
    await expect(waiting).toHaveCount(1)
    await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Then report')

    await panelOf(page).getByRole('button', { name: 'Resume' }).click()
    await reached(server, 5)
    await expect(page.getByText('Reported in French.')).toBeVisible()
    await expect(waiting).toHaveCount(0)
    expect(bodyOf(server, 3)).not.toContain('In French')
    expect(bodyOf(server, 4)).toContain('In French')
    expect(bodyOf(server, 4)).not.toContain('Then report')
    expect(await personsWords(page)).toHaveLength(2)
  })
})

test('what steers stands where it came in, as the words of the person', async ({ page }) => {
  let goOn = () => {}
  const until = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const script = [
    calls(write('[>] Find a train', '[ ] Find a hotel')),
    { ...(calls({ name: 'text_stats', input: { text: 'one' } }) as object), until },
    calls(write('[x] Find a train')),
    'The night train; no hotel then.',
  ]
  await withServer(script, async (server) => {
    await openPlayground(page, server.baseURL, 'steer')
    await send(page, 'Find a train and a hotel')
    await reached(server, 2)
    await send(page, 'Only night trains')
    await expect(page.getByText('Waits for the next step')).toBeVisible()
    goOn()
    await expectOutcome(panelOf(page), 'completed')
    await expect(page.getByRole('region', { name: 'You, in between' })).toHaveText('Only night trains')
    expect(bodyOf(server, 1)).not.toContain('Only night trains')
    expect(bodyOf(server, 2)).toContain('Only night trains')
    await page.reload()
    await expect(page.getByRole('region', { name: 'You, in between' })).toHaveText('Only night trains')
  })
})

test('what is asked for in the panel reaches the model at its next step, as one message of the person', async ({
  page,
}) => {
  let goOn = () => {}
  const until = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const script = [
    calls(write('[>] Find a train', '[ ] Find a hotel', '[ ] Find a museum')),
    { ...(calls({ name: 'text_stats', input: { text: 'one' } }) as object), until },
    calls(write('[x] Find a train', '[x] Find a gallery')),
    'The night train, and no hotel.',
    calls(write('[x] Find a train', '[x] Find a gallery', '[>] Find a lamp')),
    calls(write('[x] Find a train', '[x] Find a gallery', '[x] Find a lamp')),
    'A lamp as well.',
  ]
  await withServer(script, async (server) => {
    await openPlayground(page, server.baseURL, 'queue')
    const panel = panelOf(page)
    await send(page, 'Find a train, a hotel and a museum')
    await reached(server, 2)
    const row = (name: string) => panel.getByRole('listitem').filter({ hasText: name })
    await row('hotel')
      .getByRole('button', { name: /^Change/u })
      .click()
    await row('hotel').getByRole('button', { name: 'Not this one' }).click()
    await row('museum')
      .getByRole('button', { name: /^Change/u })
      .click()
    await row('museum').getByRole('textbox').fill('Find a gallery')
    await row('museum').getByRole('textbox').press('Enter')
    const asked = /skip 2 "Find a hotel".*rename 3 "Find a museum" to "Find a gallery"/u
    const waiting = page.getByRole('article', { name: 'You' }).filter({ hasText: asked })
    await expect(waiting).toContainText('Waits for the next step')
    await expect(panel.getByRole('listitem')).toHaveCount(3)
    goOn()
    await expectOutcome(panel, 'completed')
    await expect(page.getByRole('region', { name: 'You, in between' })).toHaveText(asked)
    await expect(panel.getByRole('listitem')).toHaveText([/Find a train/, /Find a gallery/])
    expect(bodyOf(server, 2)).toContain('skip 2')

    await panel.getByRole('button', { name: 'Add an item' }).click()
    await panel.getByRole('textbox').fill('Find a lamp')
    await panel.getByRole('textbox').press('Enter')
    await expect(page.getByText('A lamp as well.')).toBeVisible()
    await expect(page.getByRole('article', { name: 'You' }).last()).toHaveText(/add "Find a lamp"/)
    await expect(panel.getByRole('listitem')).toHaveCount(3)
  })
})
