import { expect, test } from 'vitest'
import { notesOf, problemsOf } from './releaseChecks.mjs'

const changelog = '# Changelog\n\n## 0.2.0 (2026-02-01)\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\nFirst.\n'

const ready = {
  manifest: { version: '0.2.0', repository: 'github:someone/use-todo-agent' },
  changelog,
  branch: 'main',
  changes: '',
  tags: ['v0.1.0'],
}

test('a clean main with a new version and its notes can be released', () => {
  expect(problemsOf(ready)).toEqual([])
  expect(notesOf(changelog, '0.2.0')).toBe('- New.')
  expect(notesOf(changelog, '0.1.0')).toBe('First.')
})

test.each([
  ['another branch', { branch: 'topic' }, 'made from main, not from topic'],
  ['a change that is not committed', { changes: ' M README.md' }, 'M README.md'],
  ['a version that has a tag', { tags: ['v0.1.0', 'v0.2.0'] }, '0.2.0 was released before'],
  ['a version that is none', { manifest: { ...ready.manifest, version: 'next' } }, '"next" is no version'],
  ['a private package', { manifest: { ...ready.manifest, private: true } }, '`private`'],
  ['a package without a repository', { manifest: { version: '0.2.0' } }, 'no `repository`'],
  [
    'a heading without a date',
    { changelog: changelog.replace('2026-02-01', 'unreleased') },
    'has no section for it',
  ],
  ['a heading without notes', { changelog: changelog.replace('- New.\n', '') }, 'has no section for it'],
])('%s is a reason not to release', (_name, facts, reason) => {
  const problems = problemsOf({ ...ready, ...facts })
  expect(problems.join('\n')).toContain(reason)
})

test('a version is not taken for one that begins alike', () => {
  expect(notesOf('## 0.2.0-beta.1 (2026-02-01)\n\n- New.\n', '0.2.0')).toBeNull()
})
