import { accessSync, constants, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

/**
 * The Chromium that tests run in, and the flags it starts with.
 * `executablePath` is undefined when this machine has none yet.
 *
 * @returns {{ executablePath: string | undefined, args: string[] }}
 */
export function findChromium() {
  return { executablePath: findExecutable(), args: chromiumArgs() }
}

/** @returns {string[]} */
function chromiumArgs() {
  const args = [
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  const sandboxCannotWork =
    process.platform === 'linux' && (process.getuid?.() === 0 || Boolean(process.env.CI))
  return sandboxCannotWork ? ['--no-sandbox', ...args] : args
}

/** @returns {string | undefined} */
function findExecutable() {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen) return chosen
  return [playwrightChromium(), ...onPath(), ...usualPlaces()].find((path) => path && existsSync(path))
}

/** Playwright's own download; its packages may not be installed yet. */
function playwrightChromium() {
  try {
    return createRequire(import.meta.url)('playwright').chromium.executablePath()
  } catch {
    return undefined
  }
}

function onPath() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(isExecutable)
}

function usualPlaces() {
  return process.platform === 'darwin'
    ? [
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Applications/Chromium.app/Contents/MacOS/Chromium',
      ]
    : []
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
