// Installs the packed package as people do, in apps outside of the repository: node package-test/run.mjs [app ...]
// Each app is type-checked, built and run; the ones with a page in Chromium. The last line is `N passed, N failed`.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { findChromium } from '../scripts/browser.mjs'
import { root } from '../scripts/source.mjs'
import { openStrictly, openWithNext } from './browse.mjs'
import { run } from './process.mjs'

/**
 * @typedef {{
 *   template: 'vite' | 'next' | 'node',
 *   packages: Record<string, string>,
 *   checks: Check[],
 * }} App
 * @typedef {(folder: string, browser: import('playwright').Browser) => Promise<void>} Run
 * @typedef {[title: string, run: Run]} Check
 */

const here = join(root, 'package-test')

const react19 = ours('react', 'react-dom', '@types/react', '@types/react-dom')
const react18 = {
  react: '18.3.1',
  'react-dom': '18.3.1',
  '@types/react': '18.3.32',
  '@types/react-dom': '18.3.7',
}
// The last two are what the declarations of the AI SDK refer to; only an app that checks those needs them.
const kit = { ...ours('ai', '@tanstack/react-query', 'zod', '@types/node'), '@types/json-schema': '7.0.15' }
const vite = ours('vite', '@vitejs/plugin-react')

/** @type {Check} */
const typesAsIs = ['type-checks', typeCheck()]
const strictly = 'type-checks with skipLibCheck off and moduleResolution node16'
const strictOptions = {
  module: 'Node16',
  moduleResolution: 'node16',
  skipLibCheck: false,
  // The declarations of the AI SDK name Node's, and are not made for `exactOptionalPropertyTypes`.
  types: ['node'],
  exactOptionalPropertyTypes: false,
}
/** @type {Check} */
const typesStrictly = [strictly, typeCheck(strictOptions)]
/**
 * Those of Next itself have faults under Node's rules: what counts there is the app and the kit.
 *
 * @type {Check}
 */
const typesStrictlyBesideNext = [
  strictly,
  (folder) =>
    typeCheck(strictOptions)(folder).catch((error) => {
      const faults = String(error).match(/^(app|node_modules\/use-todo-agent)\/.*$/gm)
      if (faults || !/error TS/.test(String(error))) throw error
    }),
]
/** @type {Check} */
const builds = ['builds', (folder) => run(folder, 'npx', ['vite', 'build', '--logLevel=warn'])]
/** @type {Check} */
const runsStrictly = [
  'runs under a strict Content-Security-Policy, and finds its list after a reload',
  (folder, browser) => openStrictly(browser, join(folder, 'dist')),
]

/** @type {Record<string, App>} */
const apps = {
  node: {
    template: 'node',
    packages: ours('typescript', '@types/node'),
    checks: [typesAsIs, ['runs', (folder) => run(folder, process.execPath, ['index.mjs'])]],
  },
  'vite-react-19': {
    template: 'vite',
    packages: { ...react19, ...kit, ...vite, ...ours('typescript') },
    checks: [typesAsIs, typesStrictly, builds, runsStrictly],
  },
  'vite-react-18': {
    template: 'vite',
    packages: { ...react18, ...kit, ...vite, typescript: '5.9.3' },
    checks: [typesAsIs, typesStrictly, builds, runsStrictly],
  },
  next: {
    template: 'next',
    packages: { ...react19, ...kit, next: '16.4.6', typescript: '5.9.3' },
    checks: [
      ['builds for production', (folder) => run(folder, 'npx', ['next', 'build'])],
      typesAsIs,
      typesStrictlyBesideNext,
      [
        'renders the panel on the server, and runs in the browser under a strict Content-Security-Policy',
        (folder, browser) => openWithNext(browser, folder),
      ],
    ],
  },
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !Object.hasOwn(apps, name))
if (unknown.length > 0) {
  throw new TypeError(`No such app: ${unknown.join(', ')}. Apps: ${Object.keys(apps).join(', ')}`)
}

const outside = mkdtempSync(join(tmpdir(), 'use-todo-agent-'))
const { executablePath, args } = findChromium()
const browser = await chromium.launch({ args, ...(executablePath ? { executablePath } : {}) })
const total = { passed: 0, failed: 0 }
try {
  const tarball = await pack()
  const wanted = names.length > 0 ? names : Object.keys(apps)
  await Promise.all(wanted.map((name) => checkApp(name, tarball)))
} finally {
  await browser.close()
  rmSync(outside, { recursive: true, force: true })
}
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0

async function pack() {
  await run(root, 'npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', outside])
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return join(outside, `${name}-${version}.tgz`)
}

/** @param {string} name @param {string} tarball */
async function checkApp(name, tarball) {
  const { template, packages, checks } = /** @type {App} */ (apps[name])
  const folder = join(outside, name)
  cpSync(join(here, template), folder, { recursive: true })
  if (template === 'next') cpSync(join(here, 'vite', 'src', 'Agent.tsx'), join(folder, 'app', 'Agent.tsx'))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name,
      private: true,
      type: 'module',
      dependencies: { 'use-todo-agent': tarball, ...packages },
    }),
  )
  /** @type {Check[]} */
  const all = [['installs', (where) => run(where, 'npm', installArguments(template))], ...checks]
  for (const [title, check] of all) {
    const started = performance.now()
    const failure = await check(folder, browser).then(() => null, String)
    if (failure === null) total.passed += 1
    else total.failed += 1
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${failure === null ? '✓' : '✗'} ${name} ${title} (${seconds} s)`)
    if (failure === null) continue
    console.log(failure.split('\n').slice(0, 60).join('\n'))
    return
  }
}

/** @param {App['template']} template */
function installArguments(template) {
  const options = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  // Without its peers: the core needs none of them.
  return template === 'node' ? [...options, '--legacy-peer-deps'] : options
}

/**
 * Type-checks with what the app's own tsconfig says, changed by `options`.
 *
 * @param {Record<string, unknown>} [options]
 * @returns {(folder: string) => Promise<void>}
 */
function typeCheck(options = {}) {
  return (folder) => {
    const config = { extends: './tsconfig.json', compilerOptions: options }
    writeFileSync(join(folder, 'tsconfig.check.json'), JSON.stringify(config))
    return run(folder, 'npx', ['tsc', '-p', 'tsconfig.check.json'])
  }
}

/**
 * The versions that the repository itself has installed.
 *
 * @param {...string} packages
 * @returns {Record<string, string>}
 */
function ours(...packages) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.fromEntries(packages.map((name) => [name, lock.packages[`node_modules/${name}`].version]))
}
