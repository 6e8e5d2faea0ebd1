import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './source.mjs'

const imports = 'lint/style/noRestrictedImports'

const allowed = [
  ['src/core', 'zod/mini'],
  ['src/core', './todo.ts'],
  ['src/session', '../core/todo.ts'],
  ['src/session', 'zustand/vanilla'],
  ['src/session', 'idb-keyval'],
  ['src/agent', '../core/todo.ts'],
  ['src/agent', '../session/record.ts'],
  ['src/agent', 'ai'],
  ['src/react', '../core/todo.ts'],
  ['src/react', '../session/record.ts'],
  ['src/react', '../agent/step.ts'],
  ['src/react', 'react'],
  ['src/react', 'zustand'],
  ['src/react', '@tanstack/react-query'],
  ['src/panel', '../core/todo.ts'],
  ['src/panel', './labels.ts'],
  ['src/panel', 'react'],
  ['src/panel/parts', '../../core/todo.ts'],
  ['src/panel/parts', '../labels.ts'],
  ['src/panel/parts', './Icon.tsx'],
  ['src/panel/parts', 'react'],
  ['src/testing', '../core/todo.ts'],
  ['src/testing', '../session/record.ts'],
  ['src/testing', '../agent/step.ts'],
  ['src/testing', 'ai'],
  ['src', './panel/TodoPanel.tsx'],
] as const

const refused = [
  ['src/core', 'zod'],
  ['src/core', 'react'],
  ['src/core', 'zustand/vanilla'],
  ['src/core', 'ai'],
  ['src/core', 'idb-keyval'],
  ['src/core', 'node:fs'],
  ['src/core', '../session/record.ts'],
  ['src/core', '../agent/step.ts'],
  ['src/core', '../react/useTodos.ts'],
  ['src/core', '../panel/labels.ts'],
  ['src/core', '../testing/scriptedModel.ts'],
  ['src/session', 'zod'],
  ['src/session', 'react'],
  ['src/session', 'zustand'],
  ['src/session', 'ai/test'],
  ['src/session', 'ai'],
  ['src/session', '../agent/step.ts'],
  ['src/session', '../react/useTodos.ts'],
  ['src/session', '../panel/labels.ts'],
  ['src/agent', 'zod'],
  ['src/agent', 'react'],
  ['src/agent', 'zustand'],
  ['src/agent', 'ai/test'],
  ['src/agent', '@ai-sdk/provider'],
  ['src/agent', '../react/useTodos.ts'],
  ['src/agent', '../panel/labels.ts'],
  ['src/agent', '../testing/scriptedModel.ts'],
  ['src/react', 'zod'],
  ['src/react', '../panel/labels.ts'],
  ['src/react', '../testing/scriptedModel.ts'],
  ['src/panel', 'ai'],
  ['src/panel', 'zod/mini'],
  ['src/panel', 'zustand'],
  ['src/panel', 'zustand/vanilla'],
  ['src/panel', 'idb-keyval'],
  ['src/panel', '@tanstack/react-query'],
  ['src/panel', '../session/record.ts'],
  ['src/panel', '../agent/step.ts'],
  ['src/panel', '../react/useTodos.ts'],
  ['src/panel', './styles.css'],
  ['src/panel/parts', 'ai'],
  ['src/panel/parts', 'zustand'],
  ['src/panel/parts', '../index.ts'],
  ['src/panel/parts', '../../core/index.ts'],
  ['src/panel/parts', '../../session/record.ts'],
  ['src/panel/parts', '../../react/useTodos.ts'],
  ['src/testing', 'zod'],
  ['src/testing', 'react'],
  ['src/testing', 'vitest'],
  ['src/testing', '@ai-sdk/provider'],
  ['src/testing', '../react/useTodos.ts'],
  ['src/testing', '../panel/labels.ts'],
  ['src', 'react'],
  ['src', './core/index.ts'],
  ...['core', 'session', 'agent', 'react', 'panel', 'testing'].flatMap(
    (folder) =>
      [
        [`src/${folder}`, './index.ts'],
        [`src/${folder}`, '../core/index.ts'],
        [`src/${folder}`, '../index.ts'],
        [`src/${folder}`, 'use-todo-agent/core'],
      ] as const,
  ),
] as const

const typeOnly = [
  'src/session/message.ts',
  "import type { UIMessage } from 'ai';\nexport type Message = UIMessage;",
] as const

const faults = [
  ['lint/suspicious/noExplicitAny', 'src/core/any.ts', 'export const parse = (text: string): any => text;'],
  ['lint/style/noDefaultExport', 'src/core/default.ts', 'export default 1;'],
  ['lint/suspicious/noConsole', 'src/core/console.ts', 'console.log(1);'],
  [
    'lint/style/useImportType',
    'src/core/type.ts',
    "import { A } from './x.ts';\nexport const a: A | null = null;",
  ],
  ['lint/correctness/noUnusedImports', 'src/core/unused.ts', "import { a } from './x.ts';"],
  ['lint/correctness/noUnusedVariables', 'src/core/variable.ts', 'const a = 1;'],
  ['lint/correctness/useImportExtensions', 'src/core/ending.ts', "export * from './x';"],
  [
    'lint/nursery/noFloatingPromises',
    'src/core/floating.ts',
    'async function save() {}\nexport function f() {\n  save();\n}',
  ],
  [
    'lint/suspicious/noImportCycles',
    'src/core/cycleA.ts',
    "import { b } from './cycleB.ts';\nexport const a = () => b;",
  ],
  [
    'lint/correctness/useExhaustiveDependencies',
    'src/react/useX.ts',
    "import { useEffect } from 'react';\nexport function useX(f: (n: number) => void, n: number) {\n  useEffect(() => f(n), []);\n}",
  ],
  [imports, 'src/session/reply.ts', "import { streamText } from 'ai';\nexport const a = () => streamText;"],
  [imports, 'src/core/reExport.ts', "export type { A } from 'react';"],
  [imports, 'src/core/lazy.ts', "export const load = () => import('react');"],
] as const

const helpers = {
  'src/core/x.ts': 'export const a = 1;\nexport interface A {\n  a: 1;\n}\n',
  'src/core/cycleB.ts': "import { a } from './cycleA.ts';\nexport const b = () => a;\n",
}

let folder: string
let rulesByFile: Map<string, string[]>

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lint-rules-'))
  for (const file of ['biome.json', 'package.json', '.gitignore'])
    cpSync(join(root, file), join(folder, file))
  for (const [index, [path, source]] of [...allowed, ...refused].entries()) {
    write(importFile(path, index), `import { a } from '${source}';\nexport const b = () => a;\n`)
  }
  for (const [file, text] of [typeOnly, ...faults.map(([, ...fault]) => fault)]) write(file, text)
  for (const [file, text] of Object.entries(helpers)) write(file, text)
  rulesByFile = lint()
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

test.each(allowed.map(([path, source], index) => ({ path, source, index })))(
  'a file in $path may import $source',
  ({ path, index }) => {
    expect(rulesByFile.get(importFile(path, index)) ?? []).not.toContain(imports)
  },
)

test('a file in src/session may import the type UIMessage', () => {
  expect(rulesByFile.get(typeOnly[0]) ?? []).toEqual([])
})

test.each(refused.map(([path, source], index) => ({ path, source, index: allowed.length + index })))(
  'a file in $path may not import $source',
  ({ path, index }) => {
    expect(rulesByFile.get(importFile(path, index))).toContain(imports)
  },
)

test.each(faults.map(([rule, file]) => ({ rule, file })))('$rule is an error in $file', ({ rule, file }) => {
  expect(rulesByFile.get(file)).toContain(rule)
})

function importFile(path: string, index: number): string {
  return `${path}/import${index}.ts`
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

function lint(): Map<string, string[]> {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
  const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '--error-on-warnings', '.']
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  if (!stdout) throw new Error(stderr)
  const found = new Map<string, string[]>()
  for (const { category, severity, location } of JSON.parse(stdout).diagnostics) {
    if (severity === 'error') found.set(location.path, [...(found.get(location.path) ?? []), category])
  }
  return found
}
