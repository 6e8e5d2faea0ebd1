// Makes a fresh clone ready. Node built-ins only: this runs before node_modules exists.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findChromium } from './browser.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Installs the locked packages unless they are all there already. */
export function installPackages() {
  if (packagesAreInstalled()) return
  console.log('Installing packages (npm ci) ...')
  run('npm', ['ci', '--no-audit', '--no-fund'])
}

/** Finds a Chromium for the tests, or fetches one. */
export function installBrowser() {
  const { executablePath } = findChromium()
  if (executablePath && existsSync(executablePath)) return
  if (executablePath) throw new Error(`CHROMIUM_PATH names no file: ${executablePath}`)

  console.log('No Chromium found, fetching one ...')
  if (tryRun('npx', ['playwright', 'install', 'chromium']) && findChromium().executablePath) return
  if (canUseApt() && installWithApt() && findChromium().executablePath) return
  throw new Error(
    'The tests need a Chromium and none could be found or downloaded. Install Chrome or Chromium, ' +
      'or set CHROMIUM_PATH to the executable of one.',
  )
}

/** npm writes what it installed to a hidden lockfile, last of all; an interrupted install has none. */
function packagesAreInstalled() {
  const installed = readLockfile(join(root, 'node_modules', '.package-lock.json'))
  const wanted = readLockfile(join(root, 'package-lock.json'))
  if (!installed || !wanted) return false
  return Object.entries(wanted).every(
    ([path, { optional, devOptional, peer, version }]) =>
      path === '' ||
      (installed[path] ? installed[path].version === version : optional || devOptional || peer),
  )
}

/**
 * @typedef {{ version?: string, optional?: boolean, devOptional?: boolean, peer?: boolean }} LockedPackage
 * @param {string} file
 * @returns {Record<string, LockedPackage> | undefined}
 */
function readLockfile(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

function canUseApt() {
  return process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
}

function installWithApt() {
  const install = ['install', '--yes', '--no-install-recommends', 'chromium']
  return tryRun('apt-get', install) || (tryRun('apt-get', ['update']) && tryRun('apt-get', install))
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  if (!tryRun(command, args)) throw new Error(`${command} ${args.join(' ')} failed`)
}

/** @param {string} command @param {string[]} args */
function tryRun(command, args) {
  // On Windows npm and npx are .cmd files, which only a shell can start.
  const shell = process.platform === 'win32'
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell })
  return status === 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    installPackages()
    if (process.argv.includes('--browser')) installBrowser()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
