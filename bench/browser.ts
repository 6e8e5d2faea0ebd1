import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { type Browser, chromium } from 'playwright'
import { build } from 'vite'
import { findChromium } from '../scripts/browser.mjs'
import { serve } from '../scripts/serve.mjs'
import { sourceAliases } from '../scripts/source.mjs'
import { quick, type Row } from './measure.ts'
import type { BenchPage } from './page/main.ts'

/** Both make the clock of the page finer. */
const isolated = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
}

/** A page with the benchmarks that are about rendering and IndexedDB, as an app would be built, in a Chromium of its own. */
export interface BenchBrowser {
  readonly version: string
  /** Runs one group in a fresh page. */
  readonly rows: (group: keyof BenchPage) => Promise<readonly Row[]>
  readonly close: () => Promise<void>
}

export async function startBrowser(): Promise<BenchBrowser> {
  const folder = await buildPage()
  const { url, close } = await serve(folder, { headers: isolated })
  const { executablePath, args } = findChromium()
  const browser = await chromium.launch({ args, ...(executablePath ? { executablePath } : {}) })
  return {
    version: `Chromium ${browser.version()}`,
    rows: (group) => rowsOf(browser, url, group),
    async close() {
      await browser.close()
      close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function buildPage(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'use-todo-agent-bench-'))
  await build({
    configFile: false,
    root: fileURLToPath(new URL('./page', import.meta.url)),
    logLevel: 'warn',
    resolve: { alias: sourceAliases },
    plugins: [react()],
    build: { outDir, emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: 5_000 },
  })
  return outDir
}

async function rowsOf(browser: Browser, url: string, group: keyof BenchPage): Promise<readonly Row[]> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(quick ? `${url}?quick` : url)
    return await page.evaluate(([name, ms]) => (window as unknown as { bench: BenchPage }).bench[name](ms), [
      group,
      quick ? 5_000 : 60_000,
    ] as const)
  } finally {
    await context.close()
  }
}
