import './timers.ts'
import type { Row } from '../measure.ts'
import { commitRows } from './commit.ts'
import { idleRows } from './idle.tsx'
import { panelRows } from './panel.tsx'

/** What the runner in Node asks the page for. */
export interface BenchPage {
  readonly panel: () => Promise<readonly Row[]>
  readonly commit: () => Promise<readonly Row[]>
  readonly idle: (ms: number) => Promise<readonly Row[]>
}

const bench: BenchPage = { panel: panelRows, commit: commitRows, idle: idleRows }
Object.assign(window, { bench })
