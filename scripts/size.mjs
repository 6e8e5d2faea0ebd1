// What the built package costs a page: own code, minified and gzipped, its dependencies left out.
// `--accept` makes what it weighs now the new limits.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bundle } from './bundle.mjs'
import { root } from './source.mjs'

const kB = 1000
const ownLoop = 'createGuard, writeTodos, contextInstructions, listMessage, emptyList, initialGuard'

/** `design` is what the design once set out to need, before the features that the package has now. */
const rows = [
  { what: 'core', code: exportOf('*', 'core/index.js'), design: 5 * kB },
  { what: 'core, for a loop of your own', code: exportOf(`{ ${ownLoop} }`, 'core/index.js'), design: null },
  { what: 'panel', code: exportOf('*', 'panel/index.js'), design: 6 * kB },
  { what: 'styles.css', code: `import ${path('styles.css')}`, design: 3 * kB },
  { what: 'useTodos', code: exportOf('{ useTodos }', 'index.js'), design: null },
  {
    what: 'useTodoAgent and TodoPanel',
    code: exportOf('{ useTodoAgent, TodoPanel }', 'index.js'),
    design: null,
  },
  {
    what: 'everything but testing',
    code: ['index.js', 'core/index.js', 'agent/index.js'].map((file) => exportOf('*', file)).join('\n'),
    design: 16 * kB,
  },
]

const limitsFile = join(root, 'scripts', 'size-limits.json')
/** @type {Record<string, number>} */
const limits = JSON.parse(readFileSync(limitsFile, 'utf8'))
const sizes = await Promise.all(rows.map(async ({ code }) => gzippedSize((await bundle(code)).output)))

if (process.argv.includes('--accept')) {
  const accepted = rows.map(({ what }, index) => [what, roomFor(sizes[index] ?? 0)])
  writeFileSync(limitsFile, `${JSON.stringify(Object.fromEntries(accepted), null, 2)}\n`)
  Object.assign(limits, Object.fromEntries(accepted))
}

let over = 0
for (const [index, { what, design }] of rows.entries()) {
  const size = sizes[index] ?? 0
  const limit = limits[what] ?? 0
  if (size > limit) over += 1
  const aim = design === null ? '' : `  design: ${format(design)}`
  console.log(
    `${what.padEnd(29)} ${format(size)} of ${format(limit)}${aim}${size > limit ? '  too large' : ''}`,
  )
}
if (over > 0)
  console.log('Make it smaller, or accept it with `npm run size -- --accept` and say why in the commit.')
process.exitCode = over > 0 ? 1 : 0

/** @param {string} what @param {string} file */
function exportOf(what, file) {
  return `export ${what} from ${path(file)}`
}

/** @param {string} file */
function path(file) {
  return JSON.stringify(join(root, 'dist', file))
}

/** @param {string} text */
function gzippedSize(text) {
  return gzipSync(text, { level: 9 }).length
}

/**
 * A little more than it is: a fix may add a line, a feature has to be accepted.
 *
 * @param {number} size
 */
function roomFor(size) {
  return Math.ceil((size * 1.02) / 50) * 50
}

/** @param {number} bytes */
function format(bytes) {
  return `${(bytes / kB).toFixed(2)} kB`.padStart(8)
}
