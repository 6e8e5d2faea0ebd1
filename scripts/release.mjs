// Makes the tag of a release, once everything is as it should be: node scripts/release.mjs
// Pushing the tag publishes: see .github/workflows/release.yml.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { notesOf, problemsOf } from './releaseChecks.mjs'
import { root } from './source.mjs'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const tag = `v${manifest.version}`

const problems = problemsOf({
  manifest,
  changelog,
  branch: git('branch', '--show-current'),
  changes: git('status', '--porcelain'),
  tags: git('tag', '--list').split('\n'),
})
if (problems.length > 0) fail(problems.join('\n'))

console.log(`Testing ${tag} ...`)
if (spawnSync('npm', ['test'], { cwd: root, stdio: 'inherit' }).status !== 0)
  fail('The tests fail: no tag was made.')
if (git('status', '--porcelain') !== '') fail('The tests have left changes behind: no tag was made.')

git(
  'tag',
  '--annotate',
  tag,
  '--cleanup',
  'verbatim',
  '--message',
  `${tag}\n\n${notesOf(changelog, manifest.version)}`,
)
console.log(`Made the tag ${tag}. Publish it with: git push origin main ${tag}`)

/** @param {string[]} args */
function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) fail(`git ${args[0]} failed: ${stderr.trim()}`)
  return stdout.trim()
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message)
  process.exit(1)
}
