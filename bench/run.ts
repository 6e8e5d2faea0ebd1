// Measures the package beside its peers, in Node and in Chromium: npm run bench [-- group ...] [--quick]
// The groups are those of `groups` below. A run of all of them is written to results.json and
// into the README; with `--quick` nothing is.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { startBrowser } from './browser.ts'
import { quick, type Results, type Row } from './measure.ts'
import { memoryRows } from './node/memory.ts'
import { promptRows } from './node/prompt.ts'
import { stepRows } from './node/step.ts'
import { streamRows } from './node/stream.ts'
import { writeRows } from './node/write.ts'
import { withNumbers } from './readme.ts'
import { printGroup, printVerdict } from './table.ts'

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))

installPeers()
warnIfBusy()
const browser = await startBrowser()
const groups: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  prompt: promptRows,
  stream: streamRows,
  step: stepRows,
  write: writeRows,
  memory: memoryRows,
  panel: () => browser.rows('panel'),
  commit: () => browser.rows('commit'),
  idle: () => browser.rows('idle'),
}
try {
  const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
  const unknown = asked.filter((name) => !groups[name])
  if (unknown.length > 0) {
    throw new TypeError(`No such group: ${unknown.join(', ')}. Groups: ${Object.keys(groups).join(', ')}`)
  }
  const rows = await measure(asked.length > 0 ? asked : Object.keys(groups))
  printVerdict(rows)
  if (asked.length === 0 && !quick) {
    const results = resultsOf(rows)
    writeFileSync(here('./results.json'), `${JSON.stringify(results, null, 2)}\n`)
    writeFileSync(here('../README.md'), withNumbers(readFileSync(here('../README.md'), 'utf8'), results))
    console.log('Written to bench/results.json and README.md.')
  }
} finally {
  await browser.close()
}

async function measure(names: readonly string[]): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const name of names) {
    const started = performance.now()
    const measured = (await groups[name]?.()) ?? []
    printGroup(name, measured, performance.now() - started)
    rows.push(...measured)
  }
  return rows
}

function resultsOf(rows: readonly Row[]): Results {
  const [cpu] = cpus()
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: cpu?.model.trim() || 'unknown',
      cores: String(cpus().length),
      memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
      system: `${process.platform} ${process.arch}`,
    },
    versions: {
      node: process.version.slice(1),
      browser: browser.version,
      ...installed('../package-lock.json', ['ai', 'react', 'zustand', 'idb-keyval', 'zod']),
      ...installed('./package-lock.json', ['langchain', '@langchain/core']),
    },
    rows,
  }
}

function installed(lockfile: string, names: readonly string[]): Record<string, string> {
  const { packages } = JSON.parse(readFileSync(here(lockfile), 'utf8'))
  return Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`].version]))
}

/** Ratios bear a busy machine better than times do, but not well. */
function warnIfBusy(): void {
  const [load = 0] = loadavg()
  if (load > 1)
    console.log(`The machine is busy (load ${load.toFixed(1)}): what is timed now is not worth keeping.`)
}

/** The peers are the benchmark's own: nobody else has to install them. */
function installPeers(): void {
  if (existsSync(here('./node_modules/.package-lock.json'))) return
  console.log('Installing what to compare with (npm ci) ...')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: here('.'),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('npm ci failed in bench.')
}
