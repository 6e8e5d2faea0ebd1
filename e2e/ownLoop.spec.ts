import { calls, personsWords, reached, withServer, write } from './chatUis.ts'
import { expect, expectOutcome, openStory, panelOf, send, test } from './fixtures.ts'
import { openAIChatWhole } from './wire/chatCompletions.ts'

const never = { text: 'Never said', until: new Promise(() => {}) }

test("a host's own loop plans, works, is stopped, reloaded and resumed", async ({ page }) => {
  const script = [
    calls(write('[>] Add up', '[ ] Report')),
    calls({ name: 'calculate', input: { expression: '6 * 7' } }),
    never,
    calls(write('[x] Add up', '[>] Report')),
    'It is 42.',
    never,
    calls(write('[x] Add up', '[x] Report')),
    'Reported as well.',
  ]
  await withServer(
    script,
    async (server) => {
      await openStory(page, 'chat-uis--own-loop', { port: server.port })
      const panel = panelOf(page)
      await send(page, 'Add up and report')
      await reached(server, 3)
      await page.locator('form').getByRole('button', { name: 'Stop' }).click()
      await expectOutcome(panel, 'stopped')
      await page.reload()
      await expect(panel.getByRole('listitem')).toHaveCount(2)
      await panel.getByRole('button', { name: 'Resume' }).click()
      await reached(server, 6)
      await expect(panel.getByText('Asked to continue')).toBeVisible()

      await page.reload()
      await expect(panel.getByText('Interrupted')).toBeVisible()
      await panel.getByRole('button', { name: 'Resume' }).click()
      await expectOutcome(panel, 'completed')
      await expect(page.getByText('Reported as well.')).toBeVisible()
      await expect(page.getByText('The kit wrote to the model (todo_guard)')).toHaveCount(1)
      expect(await personsWords(page)).toEqual(['Add up and report'])
    },
    openAIChatWhole,
  )
})
