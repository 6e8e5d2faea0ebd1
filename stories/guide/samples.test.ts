import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../scripts/source.mjs'

const guide = readdirSync(join(root, 'docs', 'guide')).map((name) => `docs/guide/${name}`)
const samplesFolder = join(root, 'stories', 'guide', 'samples')

const pages = ['README.md', ...guide].map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))
const files = readdirSync(samplesFolder).map((name) => ({
  name,
  text: readFileSync(join(samplesFolder, name), 'utf8'),
}))
const isTest = ({ name }: { name: string }) => /\.test\.tsx?$/.test(name)

/** Has a test of its own, since its story has. */
const secondSample = '## Second sample\n'

function blocksOf(text: string): string[] {
  const sections = text.split(/^(?=## )/m)
  const ours = sections.filter((section) => !section.startsWith(secondSample))
  return ours.flatMap((section) =>
    [...section.matchAll(/^```(?:tsx?|jsx?|css)\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code),
  )
}

describe.each(pages)('$name', ({ text }) => {
  test('its code is code that is compiled and run', () => {
    const unknown = blocksOf(text).filter((block) => !files.some((file) => file.text.includes(block)))
    expect(unknown).toEqual([])
  })
})

test('there are pages with code on them', () => {
  expect(pages.flatMap(({ text }) => blocksOf(text)).length).toBeGreaterThan(10)
})

test.each(files.filter((file) => !isTest(file)))(
  '$name is on a page, and a test runs it',
  ({ name, text }) => {
    expect(pages.some((page) => blocksOf(page.text).some((block) => text.includes(block)))).toBe(true)
    const imports = new RegExp(`['"]\\./${basename(name).replaceAll('.', '\\.')}['"]`)
    expect(files.filter(isTest).some((file) => imports.test(file.text))).toBe(true)
  },
)
