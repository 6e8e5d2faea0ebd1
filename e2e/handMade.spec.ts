import { bodyOf, calls, personsWords, reached, slow, withServer, write } from './chatUis.ts'
import { expect, expectOutcome, openStory, panelOf, send, test } from './fixtures.ts'

test('sixty lines of React plan, work, are stopped, reloaded and resumed, and show nothing of the kit (a12)', async ({
  page,
}) => {
  const script = [
    calls(write('[>] Add up', '[ ] Report')),
    slow('Let me think about it for a while'),
    'All done.',
    slow('I go on with what is open'),
    calls(write('[x] Add up', '[x] Report')),
    'Both are done.',
  ]
  await withServer(script, async (server) => {
    await openStory(page, 'chat-uis--hand-made', { port: server.port })
    const panel = panelOf(page)
    await send(page, 'Add up and report')
    await reached(server, 2)
    await page.locator('form').getByRole('button', { name: 'Stop' }).click()
    await expectOutcome(panel, 'stopped')
    await page.reload()
    await expect(panel.getByRole('listitem')).toHaveCount(2)
    await panel.getByRole('button', { name: 'Resume' }).click()
    await reached(server, 4)
    await page.reload()
    await expect(panel.getByText('Interrupted')).toBeVisible()
    await panel.getByRole('button', { name: 'Resume' }).click()
    await expectOutcome(panel, 'completed')
    await expect(page.getByText('Both are done.')).toBeVisible()
    // Twice told to go on, once corrected: none of it is shown as what the person said.
    expect(bodyOf(server, 5)).toContain('unfinished items')
    expect(await personsWords(page)).toEqual(['Add up and report'])
  })
})

test('what is said during a run waits in sight, steers the next step, or is withdrawn', async ({ page }) => {
  let goOn = () => {}
  const until = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const script = [
    { ...(calls(write('[>] Find a train')) as object), until },
    calls(write('[x] Find a train')),
    'The night train, as you asked.',
  ]
  await withServer(script, async (server) => {
    await openStory(page, 'chat-uis--hand-made', { port: server.port })
    await send(page, 'Find a train')
    await reached(server, 1)
    await send(page, 'By day, please')
    await send(page, 'No, a night train')
    await page.getByRole('button', { name: 'Withdraw' }).first().click()
    await expect(page.getByRole('button', { name: 'Withdraw' })).toHaveCount(1)
    goOn()
    await expectOutcome(panelOf(page), 'completed')
    expect(bodyOf(server, 1)).toContain('No, a night train')
    expect(bodyOf(server, 2)).not.toContain('By day')
    await page.reload()
    await expect(page.getByText('The night train, as you asked.')).toBeVisible()
    const words = page.getByRole('article', { name: 'You' })
    await expect(words).toHaveText(['Find a train', 'No, a night train'])
  })
})
