import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { expect, test } from 'vitest'

const folder = import.meta.dirname
const sheets = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.css'),
)

// What a bundler puts in place of a `light-dark()` has no colour on a page whose color-scheme stands elsewhere, as Storybook's does.
test.each(sheets.filter((name) => !name.startsWith('guide')))(
  '%s keeps its colours when it is built',
  async (name) => {
    const result = await build({
      configFile: false,
      logLevel: 'silent',
      build: { write: false, rolldownOptions: { input: join(folder, name) } },
    })
    const outputs = Array.isArray(result) ? result : [result]
    const css = outputs
      .flatMap((bundle) => ('output' in bundle ? bundle.output : []))
      .map((file) => (file.type === 'asset' ? String(file.source) : ''))
      .join('')
    expect(css.length).toBeGreaterThan(100)
    expect(css).not.toMatch(/:[^;}]*var\(--lightningcss/)
  },
)
