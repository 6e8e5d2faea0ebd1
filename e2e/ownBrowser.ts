import { type ChildProcess, spawn } from 'node:child_process'
import { type Browser, chromium, type Page } from '@playwright/test'
import { findChromium } from '../scripts/browser.mjs'

/** A browser of its own, on a profile of its own, that can be killed. */
export interface OwnBrowser {
  readonly page: Page
  /** Ends it, and all processes that it started, without giving it time for anything. */
  kill(): Promise<void>
}

const isWindows = process.platform === 'win32'

/** Starts a Chromium on a profile directory, which is made when it is missing. */
export async function startOwnBrowser(profile: string): Promise<OwnBrowser> {
  const { executablePath = chromium.executablePath(), args } = findChromium()
  const flags = ['--headless', '--no-first-run', '--no-default-browser-check', '--remote-debugging-port=0']
  const child = spawn(executablePath, [...args, ...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A process group of its own, so that killing the group ends the browser's processes and no others.
    detached: !isWindows,
  })
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const browser = await chromium.connectOverCDP(await addressOf(child))
  return {
    page: await firstPage(browser),
    async kill() {
      if (child.pid === undefined) return
      if (isWindows) child.kill('SIGKILL')
      else process.kill(-child.pid, 'SIGKILL')
      await exited
      await browser.close().catch(() => {})
    },
  }
}

function addressOf({ stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let told = ''
    stderr?.setEncoding('utf8')
    stderr?.on('data', (text: string) => {
      told += text
      const address = /DevTools listening on (ws:\S+)/u.exec(told)?.[1]
      if (address) resolve(address)
    })
    stderr?.once('close', () => reject(new Error(`The browser did not start: ${told}`)))
  })
}

async function firstPage(browser: Browser): Promise<Page> {
  const context = browser.contexts()[0] ?? (await browser.newContext())
  return context.pages()[0] ?? (await context.newPage())
}
