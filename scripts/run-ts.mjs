// Bundles a TypeScript file with the package's own aliases and runs it: node scripts/run-ts.mjs file.ts [...args]
import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { root, sourceAliases } from './source.mjs'

const [file, ...args] = process.argv.slice(2)
if (!file) throw new TypeError('run-ts.mjs needs the file to run: node scripts/run-ts.mjs file.ts')

const outDir = join(
  root,
  'node_modules',
  '.cache',
  'run-ts',
  `${basename(file, extname(file))}-${process.pid}`,
)
try {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    resolve: { alias: sourceAliases },
    plugins: [keepImportMetaUrl()],
    build: {
      ssr: resolve(file),
      outDir,
      target: 'node20',
      minify: false,
      sourcemap: true,
      rolldownOptions: { output: { entryFileNames: 'main.mjs', codeSplitting: false } },
    },
  })
  process.exitCode = await run(join(outDir, 'main.mjs'))
} finally {
  await rm(outDir, { recursive: true, force: true })
}

/** In a bundle `import.meta.url` would name the bundle; scripts read files beside their own source. */
function keepImportMetaUrl() {
  return {
    name: 'keep-import-meta-url',
    /** @param {string} code @param {string} id */
    transform(code, id) {
      if (!code.includes('import.meta.url') || id.includes('node_modules')) return null
      return { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
    },
  }
}

/**
 * @param {string} script
 * @returns {Promise<number>}
 */
function run(script) {
  return new Promise((done, fail) => {
    spawn(process.execPath, ['--enable-source-maps', '--expose-gc', script, ...args], {
      cwd: root,
      stdio: 'inherit',
    })
      .on('error', fail)
      .on('exit', (code) => done(code ?? 1))
  })
}
