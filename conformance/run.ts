// Replays the recorded traces against src/core: npm run conformance
// Reads the four files beside this one, or those of them that are in the folder CONFORMANCE_DIR.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runGuard } from './guard.ts'
import { runLoop } from './loop.ts'
import { runMode } from './mode.ts'
import type { ScenarioResult } from './scenario.ts'
import { runTodo } from './todo.ts'

type Runner = (scenarios: unknown) => readonly ScenarioResult[] | Promise<readonly ScenarioResult[]>

const runners: Readonly<Record<string, Runner>> = {
  'cubepi-guard.json': runGuard,
  'maf-todo.json': runTodo,
  'maf-loop.json': runLoop,
  'maf-mode.json': runMode,
}

/** The only thing that a trace may ask for and our design cannot express. */
const PERMITTED_SKIP = 'calls without a session'

const folder = resolve(process.env['CONFORMANCE_DIR'] || fileURLToPath(new URL('.', import.meta.url)))
let passed = 0
let failed = 0

const files = Object.keys(runners).filter((file) => existsSync(join(folder, file)))
if (!files.length)
  report(folder, { name: 'files', pass: false, detail: `none of ${Object.keys(runners).join(', ')} is here` })
for (const file of files) await runFile(file)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0

async function runFile(file: string): Promise<void> {
  const before = { passed, failed }
  let skipped = 0
  try {
    const { scenarios } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      readonly scenarios: unknown
    }
    for (const result of (await runners[file]?.(scenarios)) ?? []) {
      if (result.skipped?.startsWith(PERMITTED_SKIP)) skipped += 1
      report(file, result)
    }
  } catch (error) {
    report(file, {
      name: 'file',
      pass: false,
      detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
  const counts = `${passed - before.passed} passed, ${failed - before.failed} failed`
  console.log(`${file}: ${counts}${skipped ? `, ${skipped} skipped` : ''}`)
}

function report(file: string, { name, pass, skipped, detail }: ScenarioResult): void {
  if (skipped?.startsWith(PERMITTED_SKIP)) {
    console.log(`skipped ${file} ${name}: ${skipped}`)
  } else if (pass && skipped === undefined) {
    passed += 1
  } else {
    failed += 1
    console.log(`FAILED ${file} ${name}: ${detail ?? `may not be skipped (${skipped})`}`)
  }
}
