import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toJsonSchema } from './jsonSchema.ts'
import { createModes, isModeTool, type Mode, type ModeState, type Modes } from './mode.ts'
import { englishTexts } from './texts.ts'

const three: readonly Mode[] = [
  { name: 'draft', instructions: 'DI' },
  { name: 'review', instructions: 'RI' },
  { name: 'ship', instructions: 'SI' },
]

function setByModel(modes: Modes, state: ModeState, mode: string): ModeState {
  const outcome = modes.runTool('mode_set', state, { mode })
  if (!outcome.ok) throw outcome.error
  return outcome.state
}

function announced(modes: Modes, state: ModeState) {
  return modes.announcement(state).message?.text
}

describe('modes', () => {
  test('are plan and then execute where the host gives none', () => {
    const modes = createModes()
    expect(modes.names).toEqual(['plan', 'execute'])
    expect(modes.initial).toEqual({ mode: 'plan', change: null })
  })

  test('speak in the texts that the host gives', () => {
    const mode = { ...englishTexts.mode, planInstructions: 'Erst planen.', set: 'Wechselt den Modus.' }
    const modes = createModes({ texts: { ...englishTexts, mode } })
    expect(modes.instructions(modes.initial)).toContain('Erst planen.')
    expect(modes.tools.mode_set.description).toBe('Wechselt den Modus.')
  })

  test('have states that nobody can change', () => {
    const modes = createModes({ modes: three })
    const set = modes.setByHost(modes.initial, 'review')
    const restored = modes.restore('ship', { from: 'draft', to: 'ship' })
    const told = modes.announcement(set).state
    for (const state of [modes.initial, set, restored, restored.change, setByModel(modes, set, 'ship'), told])
      expect(Object.isFrozen(state)).toBe(true)
  })

  test('start in the first one, or in the one that `initial` names', () => {
    expect(createModes({ modes: three }).initial.mode).toBe('draft')
    expect(createModes({ modes: three, initial: 'ship' }).initial.mode).toBe('ship')
  })

  test.each<[string, object, RegExp]>([
    ['no mode', { modes: [] }, /`modes`/],
    ['an entry that is none', { modes: [null] }, /`modes\[0\]\.name`/],
    ['a blank name', { modes: [{ name: ' ', instructions: 'x' }] }, /`modes\[0\]\.name`/],
    ['blank instructions', { modes: [{ name: 'a', instructions: '' }] }, /`modes\[0\]\.instructions`/],
    ['a name given twice', { modes: [...three, three[0]] }, /`modes\[3\]\.name`/],
    ['instructions that are no text', { instructions: { plan: 'x' } }, /`instructions` of the modes/],
    ['an unknown initial mode', { initial: 'Plan' }, /`initial`.*"plan", "execute".*"Plan"/],
  ])('with %s throw a TypeError that names the option', (_, options, message) => {
    const create = () => createModes(options)
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })

  test('differ by case', () => {
    const modes = createModes({
      modes: [
        { name: 'a', instructions: 'x' },
        { name: 'A', instructions: 'y' },
      ],
    })
    expect(modes.setByHost(modes.initial, 'A').mode).toBe('A')
  })
})

describe('a change by the host', () => {
  const modes = createModes({ modes: three })

  test('is announced once', () => {
    const changed = modes.setByHost(modes.initial, 'ship')
    const { message, state } = modes.announcement(changed)
    expect(message?.source).toBe('mode_change')
    expect(message?.text).toMatch(/draft.*ship/)
    expect(state).toEqual({ mode: 'ship', change: null })
    expect(modes.announcement(state)).toEqual({ message: null, state })
  })

  test('to the same mode is none', () => {
    expect(modes.setByHost(modes.initial, 'draft')).toBe(modes.initial)
  })

  test('to an unknown mode throws a TypeError that names the modes', () => {
    expect(() => modes.setByHost(modes.initial, 'Ship')).toThrow(/`mode`.*"draft", "review", "ship".*"Ship"/)
  })

  test('that the model undid itself is not announced', () => {
    const undone = setByModel(modes, modes.setByHost(modes.initial, 'ship'), 'draft')
    const { message, state } = modes.announcement(undone)
    expect(message).toBeNull()
    expect(state).toEqual(modes.initial)
  })

  test('after another one is announced from the mode between them', () => {
    const twice = modes.setByHost(modes.setByHost(modes.initial, 'review'), 'ship')
    expect(announced(modes, twice)).toMatch(/review.*ship/)
  })
})

describe('a change by the model', () => {
  const modes = createModes()

  test('is answered with the new mode and not announced', () => {
    const outcome = modes.runTool('mode_set', modes.initial, { mode: 'execute' })
    expect(outcome).toEqual({
      ok: true,
      state: { mode: 'execute', change: null },
      output: { mode: 'execute' },
    })
    expect(announced(modes, setByModel(modes, modes.initial, 'execute'))).toBeUndefined()
  })

  test('to the same mode keeps the state', () => {
    expect(setByModel(modes, modes.initial, 'plan')).toBe(modes.initial)
  })

  test.each([[{ mode: 'ship' }], [{ mode: 1 }], [{}], [null], ['execute']])(
    'is refused for %j and names the modes',
    (input) => {
      const outcome = modes.runTool('mode_set', modes.initial, input)
      expect(outcome).toMatchObject({ ok: false, error: { code: 'invalid_payload', path: 'mode' } })
      expect(!outcome.ok && outcome.error.message).toMatch(/plan, execute/)
    },
  )

  test('is seen by mode_get', () => {
    const state = setByModel(modes, modes.initial, 'execute')
    expect(modes.runTool('mode_get', state, {})).toEqual({ ok: true, state, output: { mode: 'execute' } })
  })

  test('is offered with the names of the modes', () => {
    expect(toJsonSchema(modes.tools.mode_set.inputSchema)).toMatchObject({
      properties: { mode: { type: 'string', enum: ['plan', 'execute'] } },
      required: ['mode'],
    })
    expect(Object.keys(modes.tools).every(isModeTool)).toBe(true)
  })
})

describe('a restored session', () => {
  const modes = createModes({ modes: three, initial: 'review' })

  test('goes on in its mode and still has to be told of a change', () => {
    const state = modes.restore('ship', { from: 'draft', to: 'ship' })
    expect(announced(modes, state)).toMatch(/draft.*ship/)
  })

  test.each([['gone'], ['Ship'], [null]])('with the mode %j starts in the initial one', (stored) => {
    expect(modes.restore(stored, { from: 'draft', to: 'gone' })).toBe(modes.initial)
  })
})

describe('instructions', () => {
  const template = 'now {current_mode}, of {available_modes}'

  test('list the modes and name the current one', () => {
    const modes = createModes({ modes: three.slice(0, 2), instructions: template })
    const text = 'of #### draft\n\nDI\n\n#### review\n\nRI\n\n'
    expect(modes.instructions(modes.initial)).toBe(`now draft, ${text}`)
    expect(modes.instructions(modes.setByHost(modes.initial, 'review'))).toBe(`now review, ${text}`)
  })

  test('replace the current mode in the text of a mode too, and nothing else', () => {
    const modes = createModes({
      modes: [{ name: 'a$&', instructions: 'in {current_mode} / {available_modes} \n' }],
      instructions: template,
    })
    expect(modes.instructions(modes.initial)).toBe('now a$&, of #### a$&\n\nin a$& / {available_modes}\n\n')
  })

  test('hold the instructions of both shipped modes', () => {
    const modes = createModes()
    const text = modes.instructions(modes.initial)
    expect(text).toMatch(/plan.*#### plan.*#### execute/s)
    expect(text).not.toContain('{')
  })
})

test('whoever changes the mode, the model is told of the host only, and at most once', () => {
  const modes = createModes({ modes: three })
  const step = fc.record({
    by: fc.constantFrom('host', 'model', 'request'),
    mode: fc.constantFrom('draft', 'review', 'ship'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let state = modes.initial
      let hostChanged = false
      for (const { by, mode } of steps) {
        const before = state
        if (by === 'host') {
          state = modes.setByHost(state, mode)
          hostChanged ||= before.mode !== mode
        } else if (by === 'model') {
          state = setByModel(modes, state, mode)
        } else {
          const told = modes.announcement(state)
          if (told.message) expect(hostChanged).toBe(true)
          state = told.state
          expect(state).toEqual({ mode: before.mode, change: null })
          hostChanged = false
        }
        expect(modes.restore(state.mode, state.change)).toEqual(state)
      }
    }),
    { numRuns: 200 },
  )
})
