// The reference of everything the package exports, made of the doc comments: node scripts/api.mjs [--check]
// Writes docs/api.md; with --check it writes nothing and fails where the file is not up to date. An export without a
// doc comment fails both.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { exportsOf, toPage } from './apiReference.mjs'
import { entries, root } from './source.mjs'

const declarations = join(root, 'node_modules', '.cache', 'api')
const target = join(root, 'docs', 'api.md')

emitDeclarations()
const exported = Object.keys(entries).flatMap((entry) => exportsOf(declarations, entry))
const page = toPage(exported)
const bare = exported.filter(({ doc }) => doc === null)
const problems = [
  ...new Set(
    bare.map(({ file, name }) => `src/${relative(declarations, file)}: \`${name}\` has no doc comment.`),
  ),
]
if (!process.argv.includes('--check')) writeFileSync(target, page)
else if (!existsSync(target) || readFileSync(target, 'utf8') !== page) {
  problems.push('docs/api.md is not up to date. Run `npm run api` and commit it.')
}
console.log(problems.length > 0 ? problems.join('\n') : `All ${exported.length} exports are described.`)
process.exitCode = problems.length > 0 ? 1 : 0

// Declarations, not the sources: they hold the inferred types, and nothing that is private to a function.
function emitDeclarations() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { status } = spawnSync(
    process.execPath,
    [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', declarations],
    { stdio: 'inherit' },
  )
  if (status !== 0) process.exit(1)
}
