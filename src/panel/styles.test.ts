import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { expect, test } from 'vitest'

test('keeps its colours when a bundler lowers it for old browsers', async () => {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      rolldownOptions: { input: fileURLToPath(new URL('./styles.css', import.meta.url)) },
    },
  })
  const outputs = Array.isArray(result) ? result : [result]
  const css = outputs
    .flatMap((bundle) => ('output' in bundle ? bundle.output : []))
    .map((file) => (file.type === 'asset' ? String(file.source) : ''))
    .join('')
  expect(css).toContain('--_bg:var(--todo-bg,light-dark(#fff,#17191e))')
  expect(css).toContain('--_bg:var(--todo-bg,#fff)')
  // What the bundler puts in place of a `light-dark()` needs a `color-scheme` in the same file, so there must be none of it.
  expect(css).not.toMatch(/:[^;}]*var\(--lightningcss/)
})
