// Checks the built package beyond what publint and attw see: what each entry point imports, and that all of
// them load without a DOM.
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './source.mjs'

const client = ['.', './panel']

/** The packages each entry point may import, in its code and in its declarations. */
const dependencies = {
  '.': ['@tanstack/react-query', 'ai', 'idb-keyval', 'react', 'react-dom', 'zod', 'zustand'],
  './core': ['zod'],
  './agent': ['ai', 'idb-keyval', 'zod', 'zustand'],
  './panel': ['react', 'react-dom', 'zod'],
  './testing': ['ai', 'idb-keyval', 'zod', 'zustand'],
}

const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** @type {string[]} */
const problems = []

for (const [entry, packages] of Object.entries(dependencies)) {
  const target = exports[entry]
  for (const file of [target.default, target.types]) {
    for (const [imported, by] of importedPackages(join(root, file))) {
      if (!packages.includes(imported))
        problems.push(`"${entry}" imports ${imported}, in ${relative(root, by)}`)
    }
  }
  const isClient = /^['"]use client['"]/.test(readFileSync(join(root, target.default), 'utf8'))
  if (isClient !== client.includes(entry)) {
    problems.push(`"${entry}" should ${isClient ? 'not ' : ''}start with 'use client'`)
  }
  await import(entry.replace('.', name)).catch((error) => {
    problems.push(`"${entry}" does not load in Node: ${error}`)
  })
}

console.log(problems.length === 0 ? 'The entry points import what they may.' : problems.join('\n'))
process.exitCode = problems.length === 0 ? 0 : 1

/**
 * The packages that a file and the files it reaches import, each with the first file that does.
 *
 * @param {string} start
 * @returns {Map<string, string>}
 */
function importedPackages(start) {
  const packages = new Map()
  const files = new Set([start])
  for (const file of files) {
    for (const specifier of importSpecifiers(file)) {
      if (specifier.startsWith('.')) files.add(join(dirname(file), builtFile(specifier, file)))
      else if (!packages.has(packageName(specifier))) packages.set(packageName(specifier), file)
    }
  }
  return packages
}

/** @param {string} file */
function importSpecifiers(file) {
  const code = readFileSync(file, 'utf8')
  const statements = code.matchAll(/^(?:import|export)\b(?:[^;'"]*\bfrom)?\s*['"]([^'"\n]+)['"]/gm)
  const expressions = code.matchAll(/^[^*]*\bimport\(\s*['"]([^'"\n]+)['"]/gm)
  return [...statements, ...expressions].map((match) => /** @type {string} */ (match[1]))
}

/** @param {string} specifier @param {string} file */
function builtFile(specifier, file) {
  return file.endsWith('.d.ts') ? specifier.replace(/\.tsx?$/, '.d.ts') : specifier
}

/** @param {string} specifier */
function packageName(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
