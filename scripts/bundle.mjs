import { isAbsolute } from 'node:path'
import { build } from 'vite'
import { root } from './source.mjs'

/**
 * What a page would load of some code: bundled, minified, without what it doesn't use. Packages stay outside.
 *
 * @param {string} code imports files by their absolute path
 * @returns {Promise<{ output: string, packages: string[] }>} `packages`: the modules of packages that it imports from
 */
export async function bundle(code) {
  const result = await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? '\0entry' : null),
        load: (id) => (id === '\0entry' ? code : null),
      },
    ],
    build: {
      write: false,
      modulePreload: false,
      target: 'es2022',
      rolldownOptions: {
        input: 'entry',
        preserveEntrySignatures: 'strict',
        external: (id) => id !== 'entry' && !id.startsWith('.') && !id.startsWith('\0') && !isAbsolute(id),
        treeshake: { moduleSideEffects: 'no-external' },
        output: { codeSplitting: false },
      },
    },
  })
  const { output } = /** @type {import('vite').Rolldown.RolldownOutput} */ (result)
  return {
    output: output.map((file) => (file.type === 'chunk' ? file.code : file.source)).join(''),
    packages: output.flatMap((file) => (file.type === 'chunk' ? file.imports : [])).sort(),
  }
}
