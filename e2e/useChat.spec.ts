import { bodyOf, calls, personsWords, reached, slow, withServer, write } from './chatUis.ts'
import { expect, expectOutcome, openStory, type Page, panelOf, send, test } from './fixtures.ts'

const story = 'chat-uis--use-chat'
const open = (page: Page, port: number) => openStory(page, story, { port })
const answers = (page: Page) => page.getByRole('article', { name: 'Agent' })

test('plans, works, is stopped, reloaded and resumed, and once more in the middle of a run', async ({
  page,
}) => {
  const script = [
    calls(write('[>] Add up', '[ ] Report')),
    slow('Let me think about it for a while'),
    calls({ name: 'text_stats', input: { text: 'one two' } }),
    slow('Still thinking about it, for a longer while'),
    calls(write('[x] Add up', '[x] Report')),
    'Both are done.',
  ]
  await withServer(script, async (server) => {
    await open(page, server.port)
    const panel = panelOf(page)
    await send(page, 'Add up and report')
    await reached(server, 2)
    await expect(answers(page)).toContainText('Let me think')
    await page.getByRole('button', { name: 'Stop' }).click()
    await expectOutcome(panel, 'stopped')

    await page.reload()
    await expect(panel.getByRole('listitem')).toHaveCount(2)
    expect(await personsWords(page)).toEqual([expect.stringContaining('Add up and report')])
    await panel.getByRole('button', { name: 'Resume' }).click()
    await reached(server, 4)

    await page.reload()
    await expect(panel.getByText('Interrupted')).toBeVisible()
    await panel.getByRole('button', { name: 'Resume' }).click()
    await expectOutcome(panel, 'completed')
    await expect(panel.getByText('2 of 2', { exact: true })).toBeVisible()
    await expect(answers(page)).toHaveCount(1)
    await expect(answers(page)).toContainText('Both are done.')
    // The kit told the model to go on, twice; neither is the person's.
    expect(await personsWords(page)).toHaveLength(1)
    await expect(page.locator('[data-source="resume"]')).toHaveCount(2)
  })
})

test('each chat has its own list and transcript, and stops when another is opened', async ({ page }) => {
  const script = [
    calls(write('[>] Sort the letters', '[ ] Answer them')),
    slow('Sorting all of the letters now'),
    calls(write('[>] Water the plants')),
    calls(write('[x] Water the plants')),
    'Watered.',
    calls(write('[x] Sort the letters', '[x] Answer them')),
    'Sorted and answered.',
  ]
  await withServer(script, async (server) => {
    await open(page, server.port)
    const panel = panelOf(page)
    await send(page, 'Sort the letters')
    await reached(server, 2)
    await page.getByRole('button', { name: 'Chat 2' }).click()
    await expect(panel.getByRole('listitem')).toHaveCount(0)
    await expect(page.getByRole('article')).toHaveCount(0)
    await send(page, 'Water the plants')
    await expectOutcome(panel, 'completed')
    await expect(panel.getByRole('listitem')).toHaveText([/Water the plants/])

    await page.getByRole('button', { name: 'Chat 1' }).click()
    await expectOutcome(panel, 'stopped')
    await expect(panel.getByRole('listitem')).toHaveCount(2)
    await panel.getByRole('button', { name: 'Resume' }).click()
    await expectOutcome(panel, 'completed')
    await expect(answers(page)).toContainText('Sorted and answered.')
    await expect(page.getByRole('log')).not.toContainText('plants')
  })
})

test('answering again, and editing, take the list back with the chat', async ({ page }) => {
  const script = [
    ...[calls(write('[>] Pack')), calls(write('[x] Pack')), 'Packed.'],
    'I have nothing to pack.',
    ...[
      calls(write('[>] Unpack', '[ ] Wash')),
      calls(write('[x] Unpack', '[x] Wash')),
      'Unpacked and washed.',
    ],
  ]
  await withServer(script, async (server) => {
    await open(page, server.port)
    const panel = panelOf(page)
    await send(page, 'Pack')
    await expect(panel.getByText('1 of 1', { exact: true })).toBeVisible()
    await expectOutcome(panel, 'completed')
    await page.getByRole('button', { name: 'Answer again' }).click()
    await expect(answers(page)).toContainText('nothing to pack')
    await expect(panel.getByRole('listitem')).toHaveCount(0)
    expect(bodyOf(server, 3)).not.toContain('Packed.')

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Message, edited' }).fill('Unpack and wash')
    await page.keyboard.press('Enter')
    await expect(answers(page)).toContainText('Unpacked and washed.')
    await expect(panel.getByRole('listitem')).toHaveCount(2)
    expect(await personsWords(page)).toEqual([expect.stringContaining('Unpack and wash')])
  })
})

test('what was begun to be edited in one chat is no edit in another', async ({ page }) => {
  await withServer(['Packed.', 'Watered.'], async (server) => {
    await open(page, server.port)
    await send(page, 'Pack')
    await expectOutcome(panelOf(page), 'completed')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Chat 2' }).click()
    await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('')
    await send(page, 'Water the plants')
    await expect(answers(page)).toContainText('Watered.')
    expect(await personsWords(page)).toEqual([expect.stringContaining('Water the plants')])
  })
})

test('a tool that asks runs when it is approved, and the model reads why it was denied', async ({ page }) => {
  const script = [
    calls({ name: 'calculate', input: { expression: '6 * 7' } }),
    calls({ name: 'calculate', input: { expression: '2 ^ 10' } }),
    'The one is 1024; you do not want the other.',
  ]
  await withServer(script, async (server) => {
    await open(page, server.port)
    await send(page, 'Work these out')
    const question = page.getByRole('group', { name: 'Run calculate?' })
    await question.getByRole('textbox', { name: 'Why not' }).fill('I know that one')
    await question.getByRole('button', { name: 'Deny' }).click()
    await reached(server, 2)
    expect(bodyOf(server, 1)).toContain('I know that one')

    await page.reload()
    await question.getByRole('button', { name: 'Approve' }).click()
    await expect(answers(page)).toContainText('1024; you do not want')
    expect(bodyOf(server, 2)).toContain('1024')
    expect(bodyOf(server, 2)).toContain('I know that one')
  })
})

test('pictures, metadata and data parts of the host survive; the model gets the picture alone', async ({
  page,
}) => {
  await withServer(['A red dot.', 'As I said.'], async (server) => {
    await open(page, server.port)
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
    const picture = { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') }
    await page.getByLabel('Attach a picture').setInputFiles(picture)
    await expect(page.getByText('dot.png')).toBeVisible()
    await send(page, 'What is this?')
    await expect(answers(page)).toContainText('A red dot.')
    await page.getByRole('button', { name: 'Useful' }).click()
    await expect(answers(page)).toContainText('Marked useful')
    await expect(panelOf(page)).toHaveAttribute('data-persistence', 'saved')

    await page.reload()
    const question = page.getByRole('article', { name: 'You' })
    await expect(question.getByRole('img', { name: 'dot.png' })).toBeVisible()
    await expect(question).toContainText(/Sent at .* from “/)
    await expect(answers(page)).toContainText('Marked useful')
    await send(page, 'Are you sure?')
    await expect(answers(page).last()).toContainText('As I said.')
    await expect(answers(page).first()).toContainText('Marked useful')
    expect(bodyOf(server, 1)).toContain(`data:image/png;base64,${png}`)
    expect(bodyOf(server, 1)).not.toMatch(/sentAt|useful|data-page/)
  })
})

test('what the guard says to the model is a quiet line (a12), and a message that waits can be withdrawn', async ({
  page,
}) => {
  const script = [
    calls(write('[>] Count')),
    'All done.',
    slow('I go on counting and counting'),
    calls(write('[x] Count')),
    'Counted.',
  ]
  await withServer(script, async (server) => {
    await open(page, server.port)
    await send(page, 'Count')
    await reached(server, 3)
    await expect(page.locator('[data-source="todo_guard"]')).toHaveCount(1)
    await send(page, 'And hurry')
    await page.getByRole('article', { name: 'You' }).getByRole('button', { name: 'Withdraw' }).click()
    expect(await personsWords(page)).toHaveLength(1)
    await page.getByRole('button', { name: 'Stop' }).click()
    await panelOf(page).getByRole('button', { name: 'Resume' }).click()
    await expectOutcome(panelOf(page), 'completed')
    expect(await personsWords(page)).toHaveLength(1)
    expect(bodyOf(server, 4)).not.toContain('And hurry')
  })
})

test('another tab shows the chat live, and takes it over', async ({ page, context }) => {
  const script = [
    calls(write('[>] Count', '[ ] Report')),
    slow('I count and count and count'),
    calls(write('[x] Count', '[x] Report')),
    'Counted and reported.',
  ]
  await withServer(script, async (server) => {
    await open(page, server.port)
    const other = await context.newPage()
    await open(other, server.port)
    await page.bringToFront()
    await send(page, 'Count and report')
    await reached(server, 2)
    await expect(panelOf(other).getByRole('listitem')).toHaveCount(2)
    await expect(answers(other)).toContainText('write_todos')
    await panelOf(other).getByRole('button', { name: 'Take over' }).click()
    await panelOf(other).getByRole('button', { name: 'Resume' }).click()
    await expectOutcome(panelOf(other), 'completed')
    await expect(answers(other)).toContainText('Counted and reported.')
    await expect(answers(page)).toContainText('Counted and reported.')
    await expect(panelOf(page).getByText('2 of 2', { exact: true })).toBeVisible()
  })
})
