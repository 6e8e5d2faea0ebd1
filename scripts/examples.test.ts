import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './source.mjs'

const folder = join(root, 'node_modules', '.cache', 'examples')

/** What an example may take for granted, as its reader does. */
const given = `
import { useChat } from '@ai-sdk/react'
import type { LanguageModel, ToolSet, UIMessage } from 'ai'
import { useState } from 'react'
import { expect, test } from 'vitest'
declare const model: LanguageModel
declare const tools: ToolSet
declare const output: HTMLElement
declare const file: File
declare const message: UIMessage
declare const id: string
declare const agent: import('use-todo-agent').TodoAgent
declare const session: import('use-todo-agent').TodoSession
declare const storage: import('use-todo-agent').SessionStorage
declare const transport: import('use-todo-agent').TodoChatTransport
declare function Chat(): null
declare function myStorage(): import('use-todo-agent').SessionStorage
`

interface Exported {
  readonly name: string
  readonly entry: string
  readonly examples: readonly string[]
}

/** The exports as the reference has them: an example follows the signature. */
function readReference(): Exported[] {
  const entries = readFileSync(join(root, 'docs', 'api.md'), 'utf8')
    .split(/^## /m)
    .slice(1)
  return entries.flatMap((text) => {
    const [heading = '', ...sections] = text.split(/^### /m)
    const entry = /`(.+)`/.exec(heading)?.[1] ?? ''
    return sections.map((section) => {
      const [, ...examples] = [...section.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
      return { name: section.split('\n')[0] ?? '', entry, examples }
    })
  })
}

/** Imports what the example uses of the kit, and leaves out what it declares itself. */
function toFile(code: string, exported: readonly Exported[]): string {
  const own = [...code.matchAll(/\b(?:const|function) (?:\[|\{ )?(\w+)/g)].map(([, name]) => name)
  const imports = exported
    .filter(({ name }) => new RegExp(`\\b${name}\\b`).test(code) && !own.includes(name))
    .map(({ name, entry }) => `import { ${name} } from '${entry}'`)
  return `${imports.join('\n')}\n${given}\nexport async function example() {\n${code}}\n`
}

// The compiler takes its time on a busy machine.
test('the examples of the doc comments compile', { timeout: 300_000 }, () => {
  const exported = readReference()
  const examples = exported.flatMap(({ name, examples: codes }) =>
    codes.map((code, index) => ({ file: `${name}.${index + 1}.tsx`, code })),
  )
  expect(examples.length).toBeGreaterThan(10)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { file, code } of examples) writeFileSync(join(folder, file), toFile(code, exported))
  const config = {
    extends: '../../../tsconfig.json',
    compilerOptions: { noImplicitAny: false },
    include: ['*.tsx'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, exclude: [] }))

  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
  })
  expect(stdout).toBe('')
})
