import { defineConfig } from '@playwright/test'
import { findChromium } from './scripts/browser.mjs'

const { executablePath, args } = findChromium()

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // What passes at the second try only is named at the end of `npm test`.
  retries: process.env.CI ? 1 : 0,
  workers: 2,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    // Set by `webServer.wait` below.
    baseURL: `http://127.0.0.1:${process.env.STORYBOOK_PORT}`,
    headless: true,
    launchOptions: { args, ...(executablePath ? { executablePath } : {}) },
    screenshot: 'only-on-failure',
  },
  webServer: {
    command: 'node scripts/serve.mjs storybook-static',
    wait: { stdout: /http:\/\/127\.0\.0\.1:(?<storybook_port>\d+)/ },
  },
})
