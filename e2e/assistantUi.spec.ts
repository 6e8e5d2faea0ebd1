import { calls, personsWords, reached, slow, withServer, write } from './chatUis.ts'
import { expect, expectOutcome, openStory, type Page, panelOf, send, test } from './fixtures.ts'

const open = (page: Page, port: number) => openStory(page, 'chat-uis--assistant-ui', { port })
const beside = (page: Page) => panelOf(page.getByRole('complementary', { name: 'Progress' }))
const answers = (page: Page) => page.getByRole('article', { name: 'Agent' })
const inTranscript = (page: Page) => page.getByRole('log').locator('[data-variant="inline"]')

test('plans, works, is stopped, reloaded and resumed, and once more in the middle of a run', async ({
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
    await open(page, server.port)
    const panel = beside(page)
    await send(page, 'Add up and report')
    await reached(server, 2)
    await expect(answers(page)).toContainText('Let me think')
    await page.getByRole('log').locator('..').getByRole('button', { name: 'Stop' }).click()
    await expectOutcome(panel, 'stopped')

    await page.reload()
    await expect(panel.getByRole('listitem')).toHaveCount(2)
    await expect(inTranscript(page).getByRole('listitem')).toHaveCount(2)
    await panel.getByRole('button', { name: 'Resume' }).click()
    await reached(server, 4)
    await page.reload()
    await expect(panel.getByText('Interrupted')).toBeVisible()
    await panel.getByRole('button', { name: 'Resume' }).click()
    await expectOutcome(panel, 'completed')
    await expect(answers(page)).toContainText('Both are done.')

    // Each list as it was then, and what the kit said as quiet lines.
    await expect(inTranscript(page)).toHaveCount(2)
    await expect(inTranscript(page).first().locator('[data-status="completed"]')).toHaveCount(0)
    await expect(inTranscript(page).last().locator('li[data-status="completed"]')).toHaveCount(2)
    await expect(page.locator('[data-source="todo_guard"]')).toHaveCount(1)
    expect(await personsWords(page)).toEqual(['Add up and report'])
  })
})

test('a new thread begins empty, and going back brings list and transcript back', async ({ page }) => {
  const script = [
    calls(write('[>] Sort the letters', '[ ] Answer them')),
    calls(write('[x] Sort the letters', '[x] Answer them')),
    'Sorted and answered.',
    calls(write('[>] Water the plants')),
    slow('Watering all of the plants'),
    calls(write('[x] Water the plants')),
    'Watered.',
  ]
  await withServer(script, async (server) => {
    await open(page, server.port)
    const panel = beside(page)
    const threads = page.getByRole('navigation', { name: 'Threads' })
    await send(page, 'Sort the letters')
    await expectOutcome(panel, 'completed')
    await threads.getByRole('button', { name: 'New thread' }).click()
    await expect(page.getByRole('article')).toHaveCount(0)
    await expect(panel.getByRole('listitem')).toHaveCount(0)
    await send(page, 'Water the plants')
    await reached(server, 5)

    await threads.getByRole('button', { name: 'Sort the letters' }).click()
    await expect(answers(page)).toContainText('Sorted and answered.')
    await expect(panel.getByRole('listitem')).toHaveCount(2)
    await expect(page.getByRole('log')).not.toContainText('plants')

    await threads.getByRole('button', { name: 'Water the plants' }).click()
    await expectOutcome(panel, 'stopped')
    await page.reload()
    await panel.getByRole('button', { name: 'Resume' }).click()
    await expectOutcome(panel, 'completed')
    await expect(answers(page)).toContainText('Watered.')
    await expect(panel.getByRole('listitem')).toHaveText([/Water the plants/])
  })
})

test('answering again takes the list back', async ({ page }) => {
  const script = [calls(write('[>] Pack')), calls(write('[x] Pack')), 'Packed.', 'I have nothing to pack.']
  await withServer(script, async (server) => {
    await open(page, server.port)
    await send(page, 'Pack')
    await expectOutcome(beside(page), 'completed')
    await page.getByRole('button', { name: 'Answer again' }).click()
    await expect(answers(page)).toContainText('I have nothing to pack.')
    await expect(answers(page)).not.toContainText('Packed.')
    await expect(beside(page).getByRole('listitem')).toHaveCount(0)
  })
})
