// What must hold before a version is released.

/**
 * What keeps a version from being released, each with what to do. Empty: nothing.
 *
 * @param {{
 *   manifest: { version: string, private?: boolean, repository?: unknown },
 *   changelog: string,
 *   branch: string,
 *   changes: string,
 *   tags: readonly string[],
 * }} facts
 * @returns {string[]}
 */
export function problemsOf({ manifest, changelog, branch, changes, tags }) {
  const { version } = manifest
  const problems = []
  if (branch !== 'main') problems.push(`Releases are made from main, not from ${branch || 'no branch'}.`)
  if (changes !== '') problems.push(`There are changes that are not committed:\n${changes}`)
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
    problems.push(`"${version}" is no version. Set one in package.json.`)
  }
  if (tags.includes(`v${version}`)) {
    problems.push(
      `${version} was released before. Set the next version: npm version --no-git-tag-version ...`,
    )
  }
  if (manifest.private) problems.push('package.json says `private`, so npm would refuse it.')
  if (!manifest.repository) {
    problems.push('package.json names no `repository`, and npm wants it for the provenance.')
  }
  if (notesOf(changelog, version) === null) {
    problems.push(
      `CHANGELOG.md has no section for it. Head one "## ${version} (year-month-day)" and say what changed.`,
    )
  }
  return problems
}

/**
 * What the changelog says of a version, `null` where it has no dated heading for it or says nothing.
 *
 * @param {string} changelog
 * @param {string} version
 */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1)
  for (const section of sections) {
    const [heading = '', ...lines] = section.split('\n')
    const [, named, date] = /^(\S+) \((\d{4}-\d\d-\d\d)\)$/.exec(heading.trim()) ?? []
    const notes = lines.join('\n').trim()
    if (named === version && date && notes !== '') return notes
  }
  return null
}
