import { defineConfig } from '@playwright/test'
import config from './playwright.config.ts'

/** Compares the wall of the built Storybook with pictures: `npm run build:storybook && npm run test:visual`. */
export default defineConfig({
  ...config,
  testDir: 'visual',
  // One set for all machines: the font is the kit's own, and what is left of differences is tolerated.
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  expect: {
    ...config.expect,
    toHaveScreenshot: { maxDiffPixels: 25, threshold: 0.2, animations: 'disabled', caret: 'hide' },
  },
})
