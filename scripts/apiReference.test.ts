import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exportsOf, toPage } from './apiReference.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'api-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

function declare(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

test('an export without a doc comment is told from one that has one', () => {
  declare({
    'index.d.ts': "export { one, type Two, three } from './parts.ts';\n",
    'parts.d.ts': [
      '/** The first. */',
      'export declare const one: number;',
      '/** Not of Two, since this stands between. */',
      'interface Between {',
      '    /** Of a member. */',
      '    readonly x: number;',
      '}',
      'export interface Two {',
      '}',
      '/* No doc comment. */',
      'export declare function three(): void;',
    ].join('\n'),
  })
  expect(exportsOf(folder, 'index').map(({ name, doc, value }) => [name, doc !== null, value])).toEqual([
    ['one', true, true],
    ['Two', false, false],
    ['three', false, true],
  ])
})

test('overloads are one export, under the name that the entry point gives it', () => {
  declare({
    'index.d.ts': "export { own as open } from './own.ts';\n",
    'own.d.ts':
      '/** Opens it. */\nexport declare function own(id: string): string;\nexport declare function own(id: number): number;\n',
  })
  const page = toPage(exportsOf(folder, 'index'))
  expect(page).toContain('### open\n\nOpens it.\n')
  expect(page).toContain('function open(id: string): string;\nfunction open(id: number): number;\n')
  expect(page).not.toContain('own')
})

test('tags become sentences, and examples follow the signature', () => {
  declare({
    'index.d.ts': "export { wait } from './wait.ts';\n",
    'wait.d.ts': [
      '/**',
      ' * Waits, as {@link hold} does.',
      ' *',
      ' * @throws TypeError for a time below 0',
      ' * @example',
      ' * await wait(5)',
      ' */',
      'export declare function wait(ms: number): Promise<void>;',
    ].join('\n'),
  })
  expect(toPage(exportsOf(folder, 'index')).split('### wait')[1]).toBe(
    '\n\nWaits, as `hold` does.\n\nThrows TypeError for a time below 0.\n\n```tsx\nfunction wait(ms: number): Promise<void>;\n```\n\n```tsx\nawait wait(5)\n```\n',
  )
})

test('what two entry points export is described at the first', () => {
  declare({
    'index.d.ts': "export { one } from './core/one.ts';\n",
    'core/index.d.ts': "export { one } from './one.ts';\nexport { two } from './one.ts';\n",
    'core/one.d.ts': '/** One. */\nexport declare const one: 1;\n/** Two. */\nexport declare const two: 2;\n',
  })
  const page = toPage([...exportsOf(folder, 'index'), ...exportsOf(folder, 'core/index')])
  expect(page.match(/^### \w+$/gm)).toEqual(['### one', '### two'])
  expect(page).toContain('## `use-todo-agent/core`\n\nAs in `use-todo-agent`: `one`.\n\n### two')
})

test('an entry point that exports all of a module is refused', () => {
  declare({ 'index.d.ts': "export * from './one.ts';\n", 'one.d.ts': 'export {};\n' })
  expect(() => exportsOf(folder, 'index')).toThrow('should only re-export by name')
})
