import { expect, test } from './fixtures.ts'

/** Pages of the guide: their place in the sidebar, and their heading. */
const pages = {
  'The guard': 'The guard',
  'Persistence and tabs': 'Persistence and tabs',
  'Your own panel': 'Building your own panel',
  Servers: 'Moving state to and from servers',
  Security: 'Security',
  API: 'API',
  Testing: 'Testing your agent',
}

test('each page of the guide is there, with its code as such, and links lead to others', async ({ page }) => {
  await page.goto('/?path=/docs/guide-the-guard--docs')
  const frame = page.frameLocator('#storybook-preview-iframe')
  const headed = (title: string) =>
    expect(frame.getByRole('heading', { level: 1, name: title })).toBeVisible()
  for (const [place, title] of Object.entries(pages)) {
    await page.locator('#storybook-explorer-tree').getByRole('link', { name: place, exact: true }).click()
    await headed(title)
    await expect(frame.getByRole('button', { name: 'Copy' }).first()).toBeVisible()
    await expect(frame.locator('.sbdocs').getByText('```')).toHaveCount(0)
  }
  await frame.getByRole('link', { name: pages.Servers }).click()
  await headed(pages.Servers)
  await expect(page).toHaveURL(/guide-servers--docs/u)
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
