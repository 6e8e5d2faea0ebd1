import { spawn } from 'node:child_process'

/**
 * Runs a command to its end; rejects with what it printed when it fails.
 *
 * @param {string} folder
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<void>}
 */
export function run(folder, command, args) {
  return new Promise((resolve, reject) => {
    let output = ''
    const child = start(folder, command, args)
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data) => {
        output += data
      })
    }
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}\n${output}`))
    })
  })
}

/**
 * @param {string} folder
 * @param {string} command
 * @param {string[]} args
 */
export function start(folder, command, args) {
  return spawn(command, args, {
    cwd: folder,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // On Windows npm and npx are .cmd files, which only a shell can start.
    shell: process.platform === 'win32' && command !== process.execPath,
  })
}
