// What the built package costs a page: own code, minified and gzipped, its dependencies left out.
import { isAbsolute, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { root } from './source.mjs'

const kB = 1000
const budgets = [
  { what: 'core', files: ['core/index.js'], limit: 5 * kB },
  { what: 'panel', files: ['panel/index.js'], limit: 6 * kB },
  { what: 'styles.css', files: ['styles.css'], limit: 3 * kB },
  { what: 'everything', files: ['index.js', 'core/index.js', 'agent/index.js'], limit: 16 * kB },
]

let over = 0
for (const { what, files, limit } of budgets) {
  const size = await gzippedSize(files)
  if (size > limit) over += 1
  console.log(`${what.padEnd(12)} ${format(size)} of ${format(limit)}${size > limit ? '  too large' : ''}`)
}
process.exitCode = over > 0 ? 1 : 0

/**
 * @param {string[]} files
 * @returns {Promise<number>}
 */
async function gzippedSize(files) {
  const paths = files.map((file) => join(root, 'dist', file))
  const result = await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [allOf(paths)],
    build: {
      write: false,
      modulePreload: false,
      target: 'es2022',
      rolldownOptions: {
        input: 'all',
        preserveEntrySignatures: 'strict',
        external: (id) => id !== 'all' && !id.startsWith('.') && !id.startsWith('\0') && !isAbsolute(id),
        output: { codeSplitting: false },
      },
    },
  })
  const { output } = /** @type {import('vite').Rolldown.RolldownOutput} */ (result)
  const parts = output.map((file) => (file.type === 'chunk' ? file.code : file.source))
  return gzipSync(parts.join(''), { level: 9 }).length
}

/**
 * One entry that exports all of the files, so that what they share counts once.
 *
 * @param {string[]} paths
 * @returns {import('vite').Plugin}
 */
function allOf(paths) {
  return {
    name: 'all-of',
    resolveId: (id) => (id === 'all' ? '\0all' : null),
    load: (id) =>
      id === '\0all' ? paths.map((path, index) => importOf(JSON.stringify(path), index)).join('\n') : null,
  }
}

/** @param {string} path @param {number} index */
function importOf(path, index) {
  return path.endsWith('.css"') ? `import ${path};` : `export * as entry${index} from ${path};`
}

/** @param {number} bytes */
function format(bytes) {
  return `${(bytes / kB).toFixed(2)} kB`.padStart(9)
}
