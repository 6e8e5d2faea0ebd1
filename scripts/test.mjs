// Everything a reviewer would run, one stage after the other: node scripts/test.mjs [stage ...]
// The last line is always `N passed, N failed`.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installBrowser, installPackages } from './setup.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const reports = join(root, 'node_modules', '.cache', 'test-reports')

/**
 * @typedef {{ passed: number, failed: number }} Count
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
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0
console.log(`${total.passed} passed, ${total.failed} failed`)

/**
 * @param {string[]} names
 * @returns {Promise<Count>}
 */
async function runStages(names) {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name))
  if (unknown.length > 0) {
    console.error(
      `No such stage: ${unknown.join(', ')}. Stages: ${stages.map(({ name }) => name).join(', ')}`,
    )
    return { passed: 0, failed: 1 }
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
  }
  return total
}

/** @returns {Count} */
function setUp() {
  try {
    installPackages()
    installBrowser()
    return { passed: 0, failed: 0 }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { passed: 0, failed: 1 }
  }
}

/**
 * @param {Stage} stage
 * @returns {Count}
 */
function skipStage({ name, needs }) {
  console.log(`\n--- ${name}: not run, ${needs} failed`)
  return { passed: 0, failed: 1 }
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
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const counted = withExitCode(count?.({ code, output, report }) ?? { passed: 0, failed: 0 }, code)
  console.log(`--- ${name}: ${counted.passed} passed, ${counted.failed} failed in ${seconds} s`)
  return counted
}

/**
 * A failure that no report shows still counts, and so does a stage that counts nothing.
 *
 * @param {Count} count
 * @param {number} code
 * @returns {Count}
 */
function withExitCode({ passed, failed }, code) {
  if (code !== 0) return { passed, failed: Math.max(failed, 1) }
  return passed + failed === 0 ? { passed: 1, failed: 0 } : { passed, failed }
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
      stdio: ['ignore', 'pipe', 'inherit'],
      shell: process.platform === 'win32',
    })
    child.stdout.on('data', (data) => {
      output += data
      process.stdout.write(data)
    })
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
  if (!json) return { passed: 0, failed: 1 }
  /** @type {{ status: string, assertionResults: { status: string }[] }[]} */
  const files = json.testResults
  const brokenFiles = files.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
  return { passed: json.numPassedTests, failed: json.numFailedTests + brokenFiles.length }
}

/**
 * @param {Finished} finished
 * @returns {Count}
 */
function countPlaywright({ report }) {
  const json = readReport(report)
  if (!json) return { passed: 0, failed: 1 }
  return { passed: json.stats.expected + json.stats.flaky, failed: json.stats.unexpected }
}

/**
 * @param {Finished} finished
 * @returns {Count}
 */
function countLines({ output }) {
  const lines = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)]
  const sum = (/** @type {1 | 2} */ part) => lines.reduce((total, line) => total + Number(line[part]), 0)
  return { passed: sum(1), failed: sum(2) }
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
