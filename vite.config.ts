import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { storybookTest } from '@storybook/addon-vitest/vitest-plugin'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import type { Plugin } from 'vite'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { findChromium } from './scripts/browser.mjs'
import { entries, sourceAliases, stylesheet } from './scripts/source.mjs'

export default defineConfig({
  resolve: { alias: sourceAliases },
  plugins: [react()],
  // Found only while a test or story runs, one of these would make Vite reload the page under it.
  optimizeDeps: {
    include: [
      'react',
      'react-dom',
      'react-dom/client',
      'react-dom/server',
      'react/jsx-runtime',
      'react/jsx-dev-runtime',
      'react-refresh/runtime',
      '@ai-sdk/anthropic',
      '@ai-sdk/openai-compatible',
      '@ai-sdk/react',
      '@assistant-ui/react',
      '@assistant-ui/ai-sdk',
      '@browser-ai/core',
      '@tanstack/react-query',
      'ai',
      'axe-core',
      'fast-check',
      'idb-keyval',
      'mathjs/number',
      'papaparse',
      'simple-statistics',
      'vitest-browser-react',
      'zod',
      'zod/mini',
      'zustand',
      'zustand/vanilla',
    ],
  },
  build: {
    lib: { entry: entries, formats: ['es'] },
    target: 'es2022',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      plugins: [shipStylesheet()],
      external: (id) => !id.startsWith('.') && !isAbsolute(id),
      output: {
        // A file per module: a bundler drops those that an app doesn't use, whatever they do when they load.
        preserveModules: true,
        preserveModulesRoot: 'src',
        entryFileNames: '[name].js',
      },
    },
  },
  ...(process.env.VITEST ? { test: tests() } : {}),
})

function tests(): NonNullable<ViteUserConfig['test']> {
  const { executablePath, args } = findChromium()
  // Generous, since a slow machine should make tests slow, not red.
  const patience = 20_000
  const patient = {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: patience } },
    provide: { patience },
  }
  const browser = () => ({
    enabled: true,
    headless: true,
    screenshotFailures: false,
    provider: playwright({ launchOptions: { args, ...(executablePath ? { executablePath } : {}) } }),
    instances: [{ browser: 'chromium' as const }],
  })
  return {
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          ...patient,
          setupFiles: ['./scripts/patience.ts'],
          // So that a test can put something in the place of what it imports.
          server: { deps: { inline: ['@browser-ai/web-llm'] } },
          include: ['{src,stories,conformance,scripts,bench}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.{browser,long}.test.{ts,tsx}', '**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['{src,stories}/**/*.browser.test.{ts,tsx}'],
          ...patient,
          setupFiles: ['./scripts/failOnConsole.ts', './scripts/patience.ts'],
          browser: browser(),
        },
      },
      {
        extends: true,
        plugins: [storybookTest({ configDir: '.storybook' })],
        test: {
          name: 'stories',
          ...patient,
          setupFiles: ['./scripts/failOnConsole.ts', './scripts/patience.ts'],
          browser: browser(),
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          environment: 'node',
          include: ['{src,stories,conformance}/**/*.long.test.{ts,tsx}'],
          testTimeout: 600_000,
        },
      },
    ],
  }
}

/** `dist/styles.css` is the panel's stylesheet as written, with a declaration for side-effect imports. */
function shipStylesheet(): Plugin {
  return {
    name: 'ship-stylesheet',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'styles.css', source: readFileSync(stylesheet) })
      this.emitFile({ type: 'asset', fileName: 'styles.css.d.ts', source: 'export {};\n' })
    },
  }
}
