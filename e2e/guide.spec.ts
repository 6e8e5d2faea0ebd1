import { expect, test } from './fixtures.ts'

const pages = {
  'the-guard': 'The guard',
  'persistence-and-tabs': 'Persistence and tabs',
  'your-own-panel': 'Building your own panel',
  testing: 'Testing your agent',
  servers: 'Moving state to and from servers',
  security: 'Security',
  api: 'API',
}

test('each page of the guide is there, with its tables and code as such', async ({ page }) => {
  for (const [id, title] of Object.entries(pages)) {
    await page.goto(`/iframe.html?id=guide-${id}--docs&viewMode=docs`)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Copy' }).first()).toBeVisible()
    await expect(page.locator('.sbdocs').getByText('```').first()).toBeHidden()
  }
})

test('pages take the colours of the toolbar', async ({ page }) => {
  const white = ['background-color', 'rgb(255, 255, 255)'] as const
  const ground = page.locator('.sbdocs-wrapper')
  const address = '/iframe.html?id=guide-the-guard--docs&viewMode=docs&globals=colorScheme'
  await page.goto(`${address}:light`)
  await expect(ground).toHaveCSS(...white)
  await page.goto(`${address}:dark`)
  await expect(ground).toBeVisible()
  await expect(ground).not.toHaveCSS(...white)
})

test('a link in a page leads to another page', async ({ page }) => {
  await page.goto('/?path=/docs/guide-testing--docs')
  const frame = page.frameLocator('#storybook-preview-iframe')
  await frame.getByRole('link', { name: 'Moving state to and from servers' }).click()
  await expect(frame.getByRole('heading', { level: 1, name: pages.servers })).toBeVisible()
  await expect(page).toHaveURL(/guide-servers--docs/u)
})
