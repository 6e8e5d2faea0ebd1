import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the second sample of the README is the file that the story and its tests run', () => {
  const [, section = ''] = read('README.md').split('\n## Second sample\n')
  const [, code] = /```tsx\n([\s\S]*?)```/.exec(section.split('\n## ')[0] ?? '') ?? []
  expect(code).toBe(read('stories/chatUis/SecondSample.tsx'))
})
