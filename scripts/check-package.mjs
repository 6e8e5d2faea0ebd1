// Checks the built package beyond what publint and attw see: what each entry point imports, that all of them
// load without a DOM, and that a bundler leaves out what an app doesn't use. The last line is `N passed, N failed`.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { bundle } from './bundle.mjs'
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

/** What is left of a package that a page uses one export of: no other packages than these, and no more bytes. */
const leftovers = [
  { entry: '.', use: 'enLabels', packages: [], bytes: 2_000 },
  { entry: '.', use: 'TodoPanel', packages: ['react', 'zod'], bytes: 29_000 },
  { entry: '.', use: 'useTodos', packages: ['idb-keyval', 'react', 'zod', 'zustand'], bytes: 60_000 },
  { entry: './core', use: 'progress', packages: ['zod'], bytes: 2_000 },
  { entry: './agent', use: 'memoryStorage', packages: ['zod'], bytes: 10_000 },
  { entry: './testing', use: 'scriptedModel', packages: [], bytes: 20_000 },
]

const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const total = { passed: 0, failed: 0 }

for (const [entry, packages] of Object.entries(dependencies)) {
  const { default: code, types } = exports[entry]
  await check(`"${entry}" imports what it may`, () => {
    for (const file of [code, types]) {
      for (const [imported, by] of importedPackages(join(root, file))) {
        assert(packages.includes(imported), `${relative(root, by)} imports ${imported}`)
      }
    }
  })
  await check(`"${entry}" says once whether it is client code`, () => {
    const directives = readFileSync(join(root, code), 'utf8').match(/^['"]use client['"]/gm) ?? []
    assert.equal(directives.length, client.includes(entry) ? 1 : 0)
  })
  await check(`"${entry}" loads in Node`, () => import(entry.replace('.', name)))
  await check(`"${entry}" leaves nothing where nothing of it is used`, async () => {
    const { output } = await bundle(`import ${JSON.stringify(join(root, code))}`)
    assert.equal(output.trim(), '')
  })
}

for (const { entry, use, packages, bytes } of leftovers) {
  await check(`${use} of "${entry}" comes without the rest`, async () => {
    const file = join(root, exports[entry].default)
    const { output, packages: left } = await bundle(`export { ${use} } from ${JSON.stringify(file)}`)
    assert.deepEqual([...new Set(left.map(packageName))], packages)
    assert(output.length <= bytes, `it takes ${output.length} bytes, more than ${bytes}`)
  })
}

console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

/** @param {string} title @param {() => unknown} run */
async function check(title, run) {
  try {
    await run()
    total.passed += 1
  } catch (error) {
    total.failed += 1
    console.log(`✗ ${title}: ${error instanceof Error ? error.message : error}`)
  }
}

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
