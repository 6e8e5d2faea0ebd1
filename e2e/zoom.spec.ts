import { expect, openStory, type Page, test } from './fixtures.ts'

const stories = [
  { name: 'the wall', id: 'todopanel-wall--light' },
  { name: 'the wall, right to left', id: 'todopanel-wall--right-to-left' },
  { name: 'the open bar', id: 'todopanel--bar-open' },
  { name: 'a closed card', id: 'todopanel--collapsed' },
  { name: 'a list being edited', id: 'todopanel--editable' },
  { name: 'every outcome', id: 'todopanel--outcomes' },
  { name: 'reasons', id: 'todopanel--reasons' },
  { name: 'rows that are not shown', id: 'todopanel--max-visible' },
] as const

/** A text of one line that opens the list, where the same text stands in full. */
const SUMMARIES = '.todo-panel-line, .todo-panel-now'

test.describe('text alone at 200 %', () => {
  test.use({ viewport: { width: 1280, height: 800 } })
  for (const { name, id } of stories) {
    test(`nothing is cut off or covered: ${name}`, async ({ page }) => {
      await open(page, id)
      const before = await textSize(page)
      await page.addStyleTag({ content: ':root { font-size: 200% }' })
      expect(await textSize(page)).toBe(2 * before)
      expect(await faults(page)).toEqual([])
    })
  }
})

// What a window of 1280 by 800 has room for then.
test.describe('the page at 200 %', () => {
  test.use({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 })
  for (const { name, id } of stories) {
    test(`nothing is cut off or covered: ${name}`, async ({ page }) => {
      await open(page, id)
      expect(await faults(page)).toEqual([])
    })
  }
})

async function open(page: Page, id: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await openStory(page, id)
  await expect(page.locator('.todo-panel').first()).toBeVisible()
  if (id === 'todopanel--editable') await expect(page.getByRole('textbox', { name: 'Rename' })).toBeVisible()
  await page.evaluate(() => document.fonts.ready)
}

function textSize(page: Page): Promise<number> {
  return page
    .locator('.todo-panel')
    .first()
    .evaluate((panel) => Number.parseFloat(getComputedStyle(panel).fontSize))
}

/** Whatever makes the page scroll sideways, texts that are cut off, and controls that are too small or that something lies over. */
function faults(page: Page): Promise<string[]> {
  return page.evaluate((summaries) => {
    const found: string[] = []
    const say = (what: string, element: Element) =>
      found.push(`${what}: ${element.className} ${element.getAttribute('aria-label') ?? element.textContent}`)
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth - clientWidth} px too wide`)
    // Read, not seen; and a field scrolls its own text.
    for (const element of document.querySelectorAll(
      `.todo-panel, .todo-panel :not(svg, svg *, .todo-panel-sr, input, ${summaries})`,
    )) {
      const { display, overflowX, overflowY } = getComputedStyle(element)
      if (display === 'inline') continue
      if (element.scrollWidth > element.clientWidth + 1) say('too wide', element)
      if (overflowX === 'hidden' && overflowY === 'hidden' && element.scrollHeight > element.clientHeight + 1)
        say('too high', element)
    }
    for (const element of document.querySelectorAll('.todo-panel :is(button, summary, input)')) {
      element.scrollIntoView({ block: 'center', behavior: 'instant' })
      const { left, right, top, bottom } = element.getBoundingClientRect()
      const hit = (dx: number, dy: number) => {
        const there = document.elementFromPoint((left + right) / 2 + dx, (top + bottom) / 2 + dy)
        return element.contains(there) ? null : (there ?? document.documentElement)
      }
      const over = hit(0, 0)
      if (over) say(`under ${over.className}`, element)
      // How far it goes from its centre; what is between two steps may be missing.
      const reach = (dx: number, dy: number) => {
        let far = 0
        while (far < 24 && !hit(dx * (far + 0.25), dy * (far + 0.25))) far += 0.25
        return far
      }
      const width = reach(-1, 0) + reach(1, 0)
      const height = reach(0, -1) + reach(0, 1)
      if (!over && Math.min(width, height) < 23.5) say(`${width} by ${height} px`, element)
    }
    return found
  }, SUMMARIES)
}
