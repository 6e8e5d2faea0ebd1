import * as z from 'zod/mini'
import { describe, requireText, TodoAgentError } from './errors.ts'
import { englishTexts, type TodoTexts } from './texts.ts'
import { deepFreeze, type SyntheticMessage } from './todo.ts'

// TYPES

/** A way of working. `name` is exact: case and spaces count. */
export interface Mode {
  readonly name: string
  /** What the model is told about it. */
  readonly instructions: string
}

/** Options of {@link createModes}. */
export interface ModeOptions {
  /** At least one, each with a name of its own. @default `plan`, then `execute` */
  readonly modes?: readonly Mode[]
  /** The mode that a session starts in. @default the first */
  readonly initial?: string
  /** Appended to the system prompt; `{available_modes}` and then `{current_mode}` are replaced. @default `texts.mode.instructions` */
  readonly instructions?: string
  readonly texts?: TodoTexts
}

/** A change by the host that the model has not been told of yet. */
export interface ModeChange {
  /** The mode before the host's last change. */
  readonly from: string
  readonly to: string
}

/** The mode of one session: plain frozen data, kept with the session as it is. */
export interface ModeState {
  readonly mode: string
  readonly change: ModeChange | null
}

/** The tools that the model switches modes with. */
export type ModeToolName = 'mode_set' | 'mode_get'

/** What a mode tool did. Both tools answer with the mode that holds after the call. */
export type ModeOutcome =
  | { readonly ok: true; readonly state: ModeState; readonly output: { readonly mode: string } }
  | { readonly ok: false; readonly error: TodoAgentError }

/** What a model is offered as a tool. */
export interface ModeToolSchema {
  readonly description: string
  readonly inputSchema: z.ZodMiniType<object>
}

/** The modes of one agent, as pure functions of a {@link ModeState}. Every one returns the same state where nothing changed. */
export interface Modes {
  readonly modes: readonly Mode[]
  readonly names: readonly string[]
  readonly initial: ModeState
  /** The state of a stored session. A mode that is not configured any more, or none, gives the initial one. */
  restore(mode: string | null, change?: ModeChange | null): ModeState
  /** The host or the person sets the mode. To be announced once, unless it is the same. Throws a `TypeError` for an unknown one. */
  setByHost(state: ModeState, mode: string): ModeState
  /** The model calls `mode_set` or `mode_get`. Its own changes are not announced to it. */
  runTool(name: ModeToolName, state: ModeState, input: unknown): ModeOutcome
  /** What the next request has to tell the model, and the state in which it has been told. */
  announcement(state: ModeState): { readonly message: SyntheticMessage | null; readonly state: ModeState }
  /** The text for the system prompt. */
  instructions(state: ModeState): string
  readonly tools: Readonly<Record<ModeToolName, ModeToolSchema>>
}

// MODES

/** Whether a tool is one of the two mode tools. */
export function isModeTool(name: string): name is ModeToolName {
  return name === 'mode_set' || name === 'mode_get'
}

/** Checks the modes of an agent. Throws a `TypeError` that names the option: no mode, a blank or repeated name, an unknown `initial`. */
export function createModes(options: ModeOptions = {}): Modes {
  const texts = options.texts ?? englishTexts
  const modes = options.modes ?? [
    { name: 'plan', instructions: texts.mode.planInstructions },
    { name: 'execute', instructions: texts.mode.executeInstructions },
  ]
  const names = checkedNames(modes)
  const first = options.initial ?? names[0] ?? ''
  if (!names.includes(first)) throw new TypeError(oneOf('initial', names, first))
  const initial: ModeState = deepFreeze({ mode: first, change: null })
  const template = options.instructions ?? texts.mode.instructions
  if (typeof template !== 'string')
    throw new TypeError(`\`instructions\` of the modes must be a text, got ${describe(template)}.`)
  const available = modes.map((mode) => `#### ${mode.name}\n\n${mode.instructions.trimEnd()}\n\n`).join('')

  return {
    modes,
    names,
    initial,
    restore: (mode, change = null) =>
      mode !== null && names.includes(mode)
        ? deepFreeze({ mode, change: change && { from: change.from, to: mode } })
        : initial,
    setByHost(state, mode) {
      if (!names.includes(mode)) throw new TypeError(oneOf('mode', names, mode))
      return mode === state.mode ? state : deepFreeze({ mode, change: { from: state.mode, to: mode } })
    },
    runTool(name, state, input) {
      if (name === 'mode_get') return { ok: true, state, output: { mode: state.mode } }
      const mode = String((input as { readonly mode?: unknown } | null | undefined)?.mode)
      if (!names.includes(mode)) {
        const message = texts.mode.unknown({ mode, available: names })
        return { ok: false, error: new TodoAgentError('invalid_payload', message, { path: 'mode' }) }
      }
      const change = state.change && { from: state.change.from, to: mode }
      return { ok: true, state: mode === state.mode ? state : deepFreeze({ mode, change }), output: { mode } }
    },
    announcement(state) {
      const { change, mode } = state
      if (!change) return { message: null, state }
      const told = deepFreeze({ mode, change: null })
      // The model undid the change itself: it knows.
      if (change.from === mode) return { message: null, state: told }
      return {
        message: { source: 'mode_change', text: texts.mode.changed({ from: change.from, to: mode }) },
        state: told,
      }
    },
    instructions: (state) =>
      template
        .replaceAll('{available_modes}', () => available)
        .replaceAll('{current_mode}', () => state.mode),
    tools: {
      mode_set: { description: texts.mode.set, inputSchema: z.object({ mode: z.enum(names) }) },
      mode_get: { description: texts.mode.get, inputSchema: z.object({}) },
    },
  }
}

// HELPERS

function checkedNames(modes: readonly (Mode | null)[]): readonly string[] {
  if (!modes.length) throw new TypeError('`modes` is empty. Give at least one.')
  const names: string[] = []
  for (const [index, mode] of modes.entries()) {
    const option = `modes[${index}]`
    requireText(`${option}.name`, mode?.name)
    requireText(`${option}.instructions`, mode?.instructions)
    if (names.includes(mode.name)) throw new TypeError(`\`${option}.name\` repeats ${describe(mode.name)}.`)
    names.push(mode.name)
  }
  return names
}

function oneOf(option: string, names: readonly string[], got: unknown): string {
  return `\`${option}\` must be one of ${names.map(describe).join(', ')}, got ${describe(got)}.`
}
