import { type Browser, test as base, expect, type Locator, type Page } from '@playwright/test'

/**
 * The test of this folder: a request that would leave the machine is refused and fails the test, and so does an error that nobody caught.
 */
export const test = base.extend<{ loopbackOnly: undefined }>({
  loopbackOnly: [
    async ({ context }, use) => {
      const faults: string[] = []
      await context.route(
        (url) => !isLoopback(url),
        async (route) => {
          faults.push(`a request to ${route.request().url()}`)
          await route.abort()
        },
      )
      context.on('weberror', (webError) => faults.push(`an uncaught ${webError.error()}`))
      await use(undefined)
      expect(faults).toEqual([])
    },
    { auto: true },
  ],
})

export { type Browser, expect, type Locator, type Page }

/**
 * Opens a story on its own, with args as its address carries them. Storybook's own accessibility check is off: it would run beside the
 * test.
 */
export async function openStory(
  page: Page,
  story: string,
  args: Record<string, string | number> = {},
  scheme = 'light',
): Promise<void> {
  const list = Object.entries(args).map(([name, value]) => `${name}:${value}`)
  const globals = `colorScheme:${scheme};a11y.manual:!true`
  await page.goto(`/iframe.html?id=${story}&viewMode=story&globals=${globals}&args=${list.join(';')}`)
}

/** The panel of a session, as a card. */
export function panelOf(page: Page | Locator, name = 'Todos'): Locator {
  return page.getByRole('region', { name, exact: true })
}

/** Waits for the end of a run, and that it ended so. */
export async function expectOutcome(panel: Locator, outcome: string): Promise<void> {
  await expect(panel).toHaveAttribute('data-outcome', outcome, { timeout: 60_000 })
}

/**
 * Writes down what an element shows from now on, so that a test can ask for what stood there only for a moment. Resolves with a function
 * that reads it.
 */
export async function recordShown(shown: Locator): Promise<() => Promise<string[]>> {
  const record = await shown.evaluateHandle((element) => {
    const texts: string[] = []
    const note = () => texts.push(element.textContent ?? '')
    new MutationObserver(note).observe(element, { subtree: true, childList: true, characterData: true })
    note()
    return texts
  })
  return () => record.evaluate((texts) => [...texts])
}

/** Puts the example request into the composer and sends it. */
export async function sendSample(scope: Page | Locator): Promise<void> {
  await scope.getByRole('button', { name: /^Try this/u }).click()
  await scope.getByRole('button', { name: 'Send', exact: true }).click()
}

/** Sends a message of the person. */
export async function send(scope: Page | Locator, text: string): Promise<void> {
  const field = scope.getByRole('textbox', { name: /^Message/u })
  await field.fill(text)
  // Nothing can be sent while the code of a provider is loaded.
  await expect(scope.getByRole('button', { name: 'Send', exact: true, disabled: true })).toHaveCount(0)
  await field.press('Enter')
}

/** What the agent has said: its texts, without its calls and without what the person pasted. */
export async function answerIn(scope: Page | Locator): Promise<string> {
  const texts = await scope.getByRole('article', { name: 'Agent' }).locator('.pg-text').allTextContents()
  return texts.join('\n')
}

/** The numbers of a text, with commas between thousands or without. */
export function numbersIn(text: string): number[] {
  return (text.match(/\d[\d,]*(?:\.\d+)?/gu) ?? []).map((number) => Number(number.replaceAll(',', '')))
}

/** Expects a number to be said, to the cent. */
export function expectNumber(text: string, expected: number): void {
  const near = numbersIn(text).filter((number) => Math.abs(number - expected) < 0.0051)
  expect(near, `${expected} in ${text}`).not.toEqual([])
}

function isLoopback(url: URL): boolean {
  return (
    !/^(?:https?|wss?):$/u.test(url.protocol) ||
    /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/u.test(url.hostname)
  )
}
