import { createModes, type Mode, type ModeState, type Modes } from '../src/core/mode.ts'
import { todoTexts } from '../src/core/texts.ts'
import {
  Differences,
  ModeModel,
  type ModeOptions,
  type ModeStateRecord,
  modeOptionsError,
  NO_SESSION,
  type Outcome,
  printRows,
  type Row,
} from './reference.ts'
import { firstDifference, type ScenarioResult } from './scenario.ts'

// TYPES

interface Recorded extends Outcome {
  readonly exception?: string
  /** `null`: not made yet, which is the same as the initial mode. */
  readonly state: ModeStateRecord | null
}

interface Op {
  readonly op: 'get' | 'set' | 'toolGet' | 'toolSet' | 'invoke'
  readonly mode?: string
  readonly session?: 'A' | 'B' | 'none'
  readonly expect?: Recorded
  readonly dotnet?: Recorded | null
}

type Construct = { readonly ok?: true; readonly error?: string } | null

interface Scenario {
  readonly name: string
  readonly options?: ModeOptions
  readonly seedMode?: string
  readonly construct?: { readonly expect?: Construct; readonly dotnet?: Construct }
  readonly ops?: readonly Op[]
}

interface Done extends Outcome {
  readonly state: ModeStateRecord
}

// RUNNER

// Both modes in one text, so that what is announced can be compared with what was recorded.
const texts = todoTexts({ mode: { changed: (change) => JSON.stringify(change) } })

/** Replays the traces of the modes: the host's reads and changes, the two tools, and what a request is given. */
export function runMode(scenarios: unknown): readonly ScenarioResult[] {
  const rows: Row[] = []
  const results = (scenarios as readonly Scenario[]).map((scenario): ScenarioResult => {
    const { name, ops = [] } = scenario
    if (ops.some((op) => op.session === 'none')) return { name, pass: false, skipped: NO_SESSION }
    const detail = construct(scenario) ?? replay(scenario, rows)
    return detail === null ? { name, pass: true } : { name, pass: false, detail }
  })
  printRows(rows)
  return results
}

/** Whether both are made or refused alike, and ours names the option. */
function construct({ options = {}, construct: recorded }: Scenario): string | null {
  const record = recorded?.expect ?? recorded?.dotnet
  const fault = modeOptionsError(options)
  const unlike = firstDifference(record?.error, fault?.error, 'construct')
  if (unlike) return `the reference model: ${unlike}`
  try {
    create(options)
    return firstDifference(fault?.option, undefined, 'construct')
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return firstDifference(fault?.option, /`([^`]+)`/.exec(error.message)?.[1], 'construct')
  }
}

function replay({ options = {}, seedMode, ops = [] }: Scenario, rows: Row[]): string | null {
  if (modeOptionsError(options)) return null
  const modes = create(options)
  const differences = new Differences('ours')
  const theirs = new Map<string, ModeModel>()
  const wanted = new Map<string, ModeModel>()
  const states = new Map<string, ModeState>()
  for (const id of ['A', 'B']) {
    const stored = (id === 'A' && seedMode) || null
    theirs.set(id, new ModeModel(new Differences('theirs'), options, stored))
    wanted.set(id, new ModeModel(differences, options, stored))
    states.set(id, modes.restore(stored))
  }

  for (const [index, op] of ops.entries()) {
    const session = op.session ?? 'A'
    const recorded = op.expect ?? op.dotnet
    const [their, want, before] = [theirs.get(session), wanted.get(session), states.get(session)]
    if (!recorded || !their || !want || !before) return `op ${index + 1}: nothing to compare with`

    const { exception: _, state, ...outcome } = recorded
    const record = { ...outcome, state: state ?? their.state }
    const unlike = firstDifference(record, runModel(their, op))
    if (unlike) return `op ${index + 1} ${op.op}, the reference model: ${unlike}`

    const next = runOurs(modes, before, op, options)
    const difference = firstDifference(runModel(want, op), { ...next.outcome, state: toRecord(next.state) })
    if (difference) return `op ${index + 1} ${op.op}, ${difference}`
    states.set(session, next.state)
  }
  rows.push(...differences.met)
  return null
}

// THE MODEL

function runModel(model: ModeModel, op: Op): Done {
  const outcome = modelOutcome(model, op)
  return { ...outcome, state: model.state }
}

function modelOutcome(model: ModeModel, { op, mode = '' }: Op): Outcome {
  if (op === 'set') return model.set(mode)
  if (op === 'toolSet') return model.toolSet(mode)
  return op === 'invoke' ? model.invoke() : model.get()
}

// OURS

function create({ modes, defaultMode, instructions }: ModeOptions): Modes {
  return createModes({
    texts,
    ...(modes && { modes: modes as readonly Mode[] }),
    ...(defaultMode !== undefined && { initial: defaultMode }),
    ...(instructions !== undefined && { instructions }),
  })
}

function runOurs(
  modes: Modes,
  state: ModeState,
  { op, mode = '' }: Op,
  options: ModeOptions,
): { readonly outcome: Outcome; readonly state: ModeState } {
  switch (op) {
    case 'get':
      return { outcome: { result: state.mode }, state }
    case 'set':
      return set(modes, state, mode)
    case 'toolGet':
    case 'toolSet': {
      const done = modes.runTool(op === 'toolGet' ? 'mode_get' : 'mode_set', state, { mode })
      if (!done.ok) return { outcome: { error: 'error:invalid_mode' }, state }
      return { outcome: { result: op === 'toolGet' ? done.output.mode : null }, state: done.state }
    }
    case 'invoke': {
      const { message, state: told } = modes.announcement(state)
      const instructions = options.instructions === undefined ? null : modes.instructions(told)
      const notification = message && { ...JSON.parse(message.text), role: 'user' }
      return {
        outcome: { result: { notification, instructions, tools: Object.keys(modes.tools) } },
        state: told,
      }
    }
  }
}

function set(modes: Modes, state: ModeState, mode: string) {
  try {
    return { outcome: { result: null }, state: modes.setByHost(state, mode) }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { outcome: { error: 'error:invalid_mode' }, state }
  }
}

function toRecord({ mode, change }: ModeState): ModeStateRecord {
  return { currentMode: mode, pendingFrom: change?.from ?? null }
}
