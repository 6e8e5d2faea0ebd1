// Everything a reviewer would run, one stage after the other: node scripts/test.mjs [stage ...]
// What failed is said again at the end, where it is seen first. The last line is always `N passed, N failed`.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installBrowser, installPackages } from './setup.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const reports = join(root, 'node_modules', '.cache', 'test-reports')

/**
 * @typedef {{ passed: number, failed: number, failures: string[], unsteady?: string[] }} Count each failure with its
 *   reason, as far as it is known; `unsteady`: what passed at the second try only
 * @typedef {{ code: number, output: string, report: string }} Finished
 * @typedef {{
 *   name: string,
 *   script: string,
 *   args?: (report: string) => string[],
 *   env?: (report: string) => Record<string, string>,
 *   needs?: string,
 *   count?: (finished: Finished) => Count,
 * }} Stage a stage without `count` is one test: its exit code
 */

/** @type {Stage[]} */
const stages = [
  { name: 'format', script: 'format' },
  { name: 'lint', script: 'lint' },
  { name: 'types', script: 'types' },
  { name: 'api', script: 'api', args: () => ['--check'] },
  { name: 'unit', script: 'test:unit', args: vitestReport, count: countVitest },
  { name: 'browser', script: 'test:browser', args: vitestReport, count: countVitest },
  { name: 'stories', script: 'test:stories', args: vitestReport, count: countVitest },
  { name: 'storybook', script: 'build:storybook' },
  {
    name: 'e2e',
    script: 'test:e2e',
    needs: 'storybook',
    args: () => ['--reporter=list,json'],
    env: (report) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: report }),
    count: countPlaywright,
  },
  { name: 'build', script: 'build' },
  { name: 'package', script: 'test:package', needs: 'build', count: countLines },
  { name: 'size', script: 'size', needs: 'build' },
  { name: 'conformance', script: 'conformance', count: countLines },
]

const total = await runStages(process.argv.slice(2))
for (const test of total.unsteady ?? []) console.log(`\n! passed at the second try only: ${test}`)
for (const failure of total.failures) console.log(`\n✗ ${failure}`)
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0
console.log(`${total.passed} passed, ${total.failed} failed`)

/**
 * @param {string[]} names
 * @returns {Promise<Count>}
 */
async function runStages(names) {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name))
  if (unknown.length > 0) {
    return oneFailed(
      `No such stage: ${unknown.join(', ')}. Stages: ${stages.map(({ name }) => name).join(', ')}`,
    )
  }

  const total = setUp()
  if (total.failed > 0) return total

  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })
  const failed = new Set()
  for (const stage of stages.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const count = failed.has(stage.needs) ? skipStage(stage) : await runStage(stage)
    if (count.failed > 0) failed.add(stage.name)
    total.passed += count.passed
    total.failed += count.failed
    total.failures.push(...count.failures)
    total.unsteady?.push(...(count.unsteady ?? []))
  }
  return total
}

/** @returns {Count} */
function setUp() {
  try {
    installPackages()
    installBrowser()
    return nothing()
  } catch (error) {
    return oneFailed(`set-up: ${error instanceof Error ? error.message : error}`)
  }
}

/**
 * @param {Stage} stage
 * @returns {Count}
 */
function skipStage({ name, needs }) {
  const why = `${name}: not run, ${needs} failed`
  console.log(`\n--- ${why}`)
  return oneFailed(why)
}

/**
 * @param {Stage} stage
 * @returns {Promise<Count>}
 */
async function runStage({ name, script, args, env, count }) {
  console.log(`\n--- ${name} (npm run ${script})`)
  const report = join(reports, `${name}.json`)
  const started = performance.now()
  const { code, output } = await npmRun(script, args?.(report) ?? [], env?.(report) ?? {})
  const finished = { code, output, report }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const counted = withExitCode(count?.(finished) ?? nothing(), finished, name)
  console.log(`--- ${name}: ${counted.passed} passed, ${counted.failed} failed in ${seconds} s`)
  return counted
}

/** @returns {Count} */
function nothing() {
  return { passed: 0, failed: 0, failures: [], unsteady: [] }
}

/**
 * @param {string} failure
 * @returns {Count}
 */
function oneFailed(failure) {
  return { passed: 0, failed: 1, failures: [failure] }
}

/**
 * A failure that no report shows still counts, and so does a stage that counts nothing.
 *
 * @param {Count} count
 * @param {Finished} finished
 * @param {string} name
 * @returns {Count}
 */
function withExitCode(count, { code, output }, name) {
  const { passed, failed, failures } = count
  if (code === 0) return { ...count, passed: passed + failed === 0 ? 1 : passed }
  const reasons = failures.length > 0 ? failures : [`${name} ended with ${code}:\n${lastLines(output)}`]
  return { ...count, failed: Math.max(failed, 1), failures: reasons }
}

/**
 * @param {string} script
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @returns {Promise<{ code: number, output: string }>}
 */
function npmRun(script, args, env) {
  return new Promise((resolve) => {
    let output = ''
    const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    const pass = (/** @type {'stdout' | 'stderr'} */ name) =>
      child[name].on('data', (data) => {
        output += data
        process[name].write(data)
      })
    pass('stdout')
    pass('stderr')
    child.on('error', (error) => resolve({ code: 1, output: String(error) }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** @param {string} report */
function vitestReport(report) {
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
}

/**
 * @param {Finished} finished
 * @returns {Count}
 */
function countVitest({ report }) {
  const json = readReport(report)
  if (!json) return oneFailed(`${report} can't be read`)
  /** @type {{ name: string, message: string, status: string, assertionResults: { status: string, fullName: string, failureMessages: string[] }[] }[]} */
  const files = json.testResults
  const failures = files.flatMap(({ name, message, status, assertionResults }) => {
    const file = relative(root, name)
    const tests = assertionResults.filter((test) => test.status === 'failed')
    if (tests.length === 0 && status === 'failed') return [`${file}\n${message}`]
    return tests.map(({ fullName, failureMessages }) => `${file}: ${fullName}\n${failureMessages.join('\n')}`)
  })
  return { passed: json.numPassedTests, failed: failures.length, failures }
}

/**
 * @param {Finished} finished
 * @returns {Count}
 */
function countPlaywright({ report }) {
  const json = readReport(report)
  if (!json) return oneFailed(`${report} can't be read`)
  /** @type {ReportedSpec[]} */
  const specs = json.suites.flatMap(specsOf)
  const ended = (/** @type {string} */ status) =>
    specs.filter(({ tests }) => tests.some((test) => test.status === status)).map(describeSpec)
  return {
    passed: json.stats.expected + json.stats.flaky,
    failed: json.stats.unexpected,
    failures: [...ended('unexpected'), ...json.errors.map(messageOf)],
    unsteady: ended('flaky'),
  }
}

/**
 * @typedef {{ message?: string }} ReportedError
 * @typedef {{ status: string, results: { errors: ReportedError[] }[] }} ReportedTest
 * @typedef {{ title: string, file: string, line: number, tests: ReportedTest[] }} ReportedSpec
 * @typedef {{ suites?: ReportedSuite[], specs: ReportedSpec[] }} ReportedSuite
 */

/**
 * @param {ReportedSuite} suite
 * @returns {ReportedSpec[]}
 */
function specsOf({ suites = [], specs }) {
  return [...specs, ...suites.flatMap(specsOf)]
}

/** @param {ReportedSpec} spec */
function describeSpec({ title, file, line, tests }) {
  const errors = tests.flatMap(({ results }) => results.flatMap((result) => result.errors))
  return `e2e/${file}:${line}: ${title}\n${errors.map(messageOf).join('\n')}`
}

/** @param {ReportedError} error */
function messageOf({ message = 'no message' }) {
  return message
}

/**
 * @param {Finished} finished
 * @returns {Count}
 */
function countLines({ output }) {
  const lines = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)]
  const sum = (/** @type {1 | 2} */ part) => lines.reduce((total, line) => total + Number(line[part]), 0)
  return { passed: sum(1), failed: sum(2), failures: [] }
}

/** @param {string} output */
function lastLines(output) {
  return output.trimEnd().split('\n').slice(-20).join('\n')
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
