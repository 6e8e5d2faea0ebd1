import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Entry points of the package: output name (without ending) to source file. */
export const entries = {
  index: join(root, 'src/index.ts'),
  'core/index': join(root, 'src/core/index.ts'),
  'agent/index': join(root, 'src/agent/index.ts'),
  'panel/index': join(root, 'src/panel/index.ts'),
  'testing/index': join(root, 'src/testing/index.ts'),
}

export const stylesheet = join(root, 'src/panel/styles.css')

/** Lets stories, tests and scripts import the package by its public names and get its source. */
export const sourceAliases = [
  { find: /^use-todo-agent$/, replacement: entries.index },
  { find: /^use-todo-agent\/(core|agent|panel|testing)$/, replacement: join(root, 'src/$1/index.ts') },
  { find: /^use-todo-agent\/styles\.css$/, replacement: stylesheet },
]
