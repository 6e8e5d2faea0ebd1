import { expect, test } from '@playwright/test'

const walls = [
  { name: 'light', story: 'light', forcedColors: 'none' },
  { name: 'dark', story: 'dark', forcedColors: 'none', colorScheme: 'dark' },
  { name: 'forced colours', story: 'forced-colours', forcedColors: 'active' },
  { name: 'right to left', story: 'right-to-left', forcedColors: 'none' },
] as const

for (const { name, story, ...media } of walls) {
  for (const width of [320, 768, 1280]) {
    test(`the wall looks as it did: ${name}, ${width} px`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ reducedMotion: 'reduce', ...media })
      const scheme = story === 'dark' ? 'dark' : 'light'
      const globals = `colorScheme:${scheme};a11y.manual:!true`
      await page.goto(`/iframe.html?id=todopanel-wall--${story}&viewMode=story&globals=${globals}`)
      const wall = page.locator('.story-wall')
      await expect(wall).toBeVisible()
      await page.evaluate(() => document.fonts.ready)
      expect(await page.evaluate(() => document.fonts.check('14px Rubik'))).toBe(true)
      expect(await wall.evaluate((it) => it.scrollWidth <= it.clientWidth)).toBe(true)
      await expect(wall).toHaveScreenshot(`${story}-${width}.png`)
    })
  }
}
