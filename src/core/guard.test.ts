import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TodoAgentError } from './errors.ts'
import {
  createGuard,
  type GuardCall,
  type GuardContext,
  type GuardOptions,
  type GuardResponse,
  type GuardState,
  type GuardVerdict,
  guardStateSchema,
  initialGuard,
} from './guard.ts'
import { englishTexts } from './texts.ts'
import { deepFreeze, type Todo, type TodoStatus } from './todo.ts'

const open = list('in_progress', 'pending')
const done = list('completed', 'completed')

const search: GuardCall = { id: 's', name: 'search', kind: 'other' }
const write: GuardCall = { id: 'w', name: 'write_todos', kind: 'todo_write' }
const read: GuardCall = { id: 'r', name: 'todos_get_all', kind: 'todo_read' }

describe('a final answer over unfinished items', () => {
  test('goes back to the model with the open items and the tool named', () => {
    const run = start({ continued: true })
    const verdict = run.says('all done')
    expect(verdict.decision).toBe('loop_to_model')
    expect(verdict.inject).toHaveLength(1)
    expect(verdict.inject[0]?.source).toBe('todo_guard')
    expect(verdict.inject[0]?.text).toContain('item 1')
    expect(verdict.inject[0]?.text).toContain('item 2')
    expect(verdict.inject[0]?.text).toContain('write_todos')
    expect(verdict.correction).toEqual({ count: 1, max: 3, open: 2 })
  })

  test('names the id-based tools where those are offered', () => {
    const run = start({ continued: true, toolset: 'todos' })
    expect(run.says('all done').inject[0]?.text).toContain('todos_complete')
  })

  test('ends the run where nothing is unfinished', () => {
    const run = start({ continued: true, todos: done })
    expect(run.says('all done')).toMatchObject({
      decision: 'natural',
      inject: [],
      outcome: null,
      correction: null,
    })
  })

  test('ends the run where the open items are cancelled or blocked', () => {
    const run = start({ continued: true, todos: list('cancelled', 'blocked', 'completed') })
    expect(run.says('I wait for the approval')).toMatchObject({ decision: 'natural', inject: [] })
  })

  test('ends the run once the model has updated the list after a correction', () => {
    const run = start({ continued: true })
    run.says('all done')
    run.updates()
    expect(run.says('one is left')).toMatchObject({ decision: 'natural', inject: [], outcome: null })
  })

  test('ends the run after an update also where other tools ran in between', () => {
    const run = start({ continued: true })
    run.says('all done')
    run.updates()
    run.calls(search)
    expect(run.says('one is left').decision).toBe('natural')
  })

  test('is corrected again where the update was refused', () => {
    const run = start({ continued: true })
    run.says('all done')
    run.failsToUpdate()
    expect(run.says('all done').correction?.count).toBe(2)
    run.calls({ ...write, error: null })
    expect(run.state().retries).toEqual({ finalization: 2 })
  })

  test('is not corrected by an update that came before the answer', () => {
    const run = start({ continued: false })
    run.updates()
    expect(run.says('all done').correction).toEqual({ count: 1, max: 3, open: 2 })
  })

  test('is corrected once where the run neither wrote the list nor was asked to continue', () => {
    const run = start({ continued: false })
    expect(run.says('Paris').correction).toEqual({ count: 1, max: 1, open: 2 })
    expect(run.says('Paris, as I said')).toMatchObject({ decision: 'natural', outcome: null })
  })

  test('is let through while the loop runs the agent again', () => {
    const run = start({ continued: true, loop: true })
    expect(run.says('all done')).toMatchObject({ decision: 'natural', inject: [] })
    expect(run.says('')).toMatchObject({ decision: 'natural', inject: [], outcome: null })
  })

  test('is let through in plan mode', () => {
    const run = start({ continued: true, mode: 'plan' })
    expect(run.says('the plan')).toMatchObject({ decision: 'natural', inject: [] })
  })

  test('is let through where no todo tools are offered', () => {
    const run = start({ continued: true, toolset: null })
    for (let step = 0; step < 12; step += 1) {
      expect(run.says('all done')).toMatchObject({ decision: 'natural', inject: [], outcome: null })
    }
  })

  test('is let through where no corrections are allowed', () => {
    const run = start({ continued: true, options: { maxCorrections: 0 } })
    expect(run.says('all done')).toMatchObject({ decision: 'natural', inject: [] })
  })
})

describe('the bound of a run', () => {
  test('twelve mere answers end as blocked at the fourth', () => {
    const run = start({ continued: true })
    const decisions = answersUntilTheEnd(run, 12)
    expect(decisions).toEqual(['loop_to_model', 'loop_to_model', 'loop_to_model', 'stop'])
    expect(run.last().outcome).toBe('blocked')
  })

  test('twelve mere answers over an old list end with the second', () => {
    const run = start({ continued: false })
    expect(answersUntilTheEnd(run, 12)).toEqual(['loop_to_model', 'natural'])
    expect(run.last().outcome).toBe(null)
  })

  test('harmless calls between the answers do not arm the guard again', () => {
    const run = start({ continued: true })
    const corrections: unknown[] = []
    for (let round = 0; round < 12; round += 1) {
      const verdict = run.says('all done')
      if (verdict.decision === 'natural') break
      corrections.push(verdict.correction)
      run.calls(search)
    }
    expect(corrections).toEqual([
      { count: 1, max: 3, open: 2 },
      { count: 2, max: 3, open: 2 },
      { count: 3, max: 3, open: 2 },
    ])
    expect(run.last()).toMatchObject({ decision: 'natural', outcome: null, inject: [] })
  })

  test('ten tool calls between two answers do not end the run', () => {
    const run = start({ continued: true })
    run.says('all done')
    for (let step = 0; step < 10; step += 1) expect(run.calls(search).decision).toBe('natural')
    expect(run.says('all done').decision).toBe('loop_to_model')
  })

  test('a run with two corrections is never blocked', () => {
    const run = start({ continued: true, options: { maxCorrections: 2 } })
    expect(answersUntilTheEnd(run, 12)).toEqual(['loop_to_model', 'loop_to_model', 'natural'])
    expect(run.last().outcome).toBe(null)
  })

  test('the next run has its own corrections', () => {
    const run = start({ continued: true })
    run.says('all done')
    run.says('all done')
    run.begins({ continued: true })
    expect(run.says('all done').correction).toEqual({ count: 1, max: 3, open: 2 })
  })
})

describe('an empty response', () => {
  test.each(['', '  \n', '\u00a0'])('over unfinished items is corrected: %j', (text) => {
    const run = start({ continued: true })
    const verdict = run.says(text)
    expect(verdict.decision).toBe('loop_to_model')
    expect(verdict.inject[0]?.source).toBe('todo_guard')
    expect(verdict.correction).toEqual({ count: 1, max: 3, open: 2 })
  })

  test('is told apart from an answer in the facts of the correction', () => {
    const facts: unknown[] = []
    const texts = { ...englishTexts, correction: (given: object) => String(facts.push(given)) }
    const run = start({ continued: true, options: { texts } })
    run.says('')
    run.says('all done')
    expect(facts).toMatchObject([{ empty: true }, { empty: false }])
  })

  test('is corrected even after a forced update', () => {
    const run = start({ continued: true })
    run.says('all done')
    run.updates()
    expect(run.says('').correction?.count).toBe(2)
  })

  test('over no list is retried once and then reported', () => {
    const run = start({ continued: false, todos: [] })
    const first = run.says('')
    expect(first).toMatchObject({ decision: 'loop_to_model', outcome: null, correction: null })
    expect(first.inject).toEqual([{ source: 'empty_response', text: englishTexts.emptyResponse }])
    expect(run.says(' ')).toMatchObject({ decision: 'natural', inject: [], outcome: 'empty_response' })
  })

  test('after the last correction is retried once and then reported', () => {
    const run = start({ continued: false })
    expect(run.says('').inject[0]?.source).toBe('todo_guard')
    expect(run.says('').inject[0]?.source).toBe('empty_response')
    expect(run.says('')).toMatchObject({ decision: 'natural', outcome: 'empty_response' })
  })

  test('is retried again in the next run', () => {
    const run = start({ continued: false, todos: [] })
    run.says('')
    run.says('')
    run.begins({ continued: false })
    expect(run.says('').decision).toBe('loop_to_model')
  })

  test('in plan mode is retried without a word about the list', () => {
    const run = start({ continued: true, mode: 'plan' })
    expect(run.says('').inject.map(({ source }) => source)).toEqual(['empty_response'])
  })
})

describe('a blocked run', () => {
  test('is told to explain in plain text without tools', () => {
    const run = start({ continued: true })
    run.says('all done')
    run.says('all done')
    const verdict = run.says('all done')
    expect(verdict.inject.map(({ source }) => source)).toEqual(['todo_blocked'])
    expect(verdict.state.blocked).toBe('finalization')
    expect(verdict.correction?.count).toBe(3)
  })

  test('ends with the explanation', () => {
    const run = startBlocked()
    const verdict = run.says('I could not finish: no access')
    expect(verdict).toMatchObject({ decision: 'stop', inject: [], outcome: 'blocked' })
    expect(verdict.state).toMatchObject({ blocked: null, suppressed: true, retries: {}, staleSteps: 0 })
  })

  test('answers each call with one error and adds no message', () => {
    const run = startBlocked()
    const verdict = run.calls(search, read)
    expect(verdict).toMatchObject({ decision: 'loop_to_model', inject: [] })
    expect(verdict.refuse).toEqual([
      { id: 's', code: 'blocked', text: englishTexts.blockedCall },
      { id: 'r', code: 'blocked', text: englishTexts.blockedCall },
    ])
  })

  test('makes two more requests when the model keeps calling tools', () => {
    const run = startBlocked()
    expect(run.calls(search).decision).toBe('loop_to_model')
    const verdict = run.calls(search)
    expect(verdict).toMatchObject({ decision: 'stop', outcome: 'blocked' })
    expect(verdict.refuse).toHaveLength(1)
    expect(verdict.state.suppressed).toBe(true)
  })

  test('makes two more requests when the model says nothing', () => {
    const run = startBlocked()
    const verdict = run.says('')
    expect(verdict.decision).toBe('loop_to_model')
    expect(verdict.inject.map(({ source }) => source)).toEqual(['todo_blocked'])
    expect(run.says('')).toMatchObject({ decision: 'stop', outcome: 'blocked' })
  })

  test('makes two more requests when the updates are refused', () => {
    const run = startBlocked()
    expect(run.failsToUpdate().decision).toBe('loop_to_model')
    expect(run.failsToUpdate()).toMatchObject({ decision: 'stop', outcome: 'blocked' })
  })

  test('is unblocked by a valid update, and the next answer ends it', () => {
    const run = startBlocked()
    const verdict = run.updates()
    expect(verdict).toMatchObject({ decision: 'natural', outcome: null, refuse: [] })
    expect(verdict.state).toMatchObject({ blocked: null, suppressed: false, retries: {} })
    expect(run.calls(search)).toMatchObject({ decision: 'natural', refuse: [] })
    expect(run.says('one is left')).toMatchObject({ decision: 'natural', outcome: null })
  })

  test('runs the update and refuses the other calls of the same step', () => {
    const run = startBlocked()
    const verdict = run.responds({ toolCalls: [search, write] })
    expect(verdict.decision).toBe('natural')
    expect(verdict.refuse.map(({ id }) => id)).toEqual(['s'])
  })

  test('refuses two writes of one step as parallel', () => {
    const run = startBlocked()
    const verdict = run.calls(write, search, { ...write, id: 'w2' })
    expect(verdict.decision).toBe('loop_to_model')
    expect(verdict.refuse.map(({ id, code }) => [id, code])).toEqual([
      ['w', 'parallel_writes'],
      ['s', 'blocked'],
      ['w2', 'parallel_writes'],
    ])
  })

  test('counts a refused step once, also where the agent reports that no todo tool ran', () => {
    const run = startBlocked()
    const { state } = run.calls(search)
    const verdict = run.guard.afterTodoTools(state, { updated: false }, context())
    expect(verdict).toMatchObject({ decision: 'natural', outcome: null, inject: [] })
    expect(verdict.state).toBe(state)
  })

  test('does not block the next run', () => {
    const run = startBlocked()
    run.begins({ continued: false })
    expect(run.calls(search)).toMatchObject({ decision: 'natural', refuse: [] })
  })

  test('is over where the list has become finished meanwhile', () => {
    const run = startBlocked()
    run.set({ todos: done })
    expect(run.says('all done')).toMatchObject({
      decision: 'natural',
      outcome: null,
      state: { suppressed: false },
    })
  })
})

describe('a guard that rests', () => {
  test('lets later runs end over unfinished items', () => {
    const run = startResting()
    run.begins({ continued: true })
    expect(run.says('all done')).toMatchObject({ decision: 'natural', inject: [] })
  })

  test('does not remind', () => {
    const run = startResting()
    run.begins({ continued: true })
    for (let step = 0; step < 12; step += 1) expect(run.calls(search).inject).toEqual([])
    expect(run.state().staleSteps).toBe(0)
  })

  test('keeps resting after a refused update', () => {
    const run = startResting()
    run.begins({ continued: true })
    run.failsToUpdate()
    expect(run.says('all done').decision).toBe('natural')
  })

  test('wakes with a valid update', () => {
    const run = startResting()
    run.begins({ continued: false })
    run.updates()
    expect(run.says('all done').decision).toBe('loop_to_model')
  })
})

describe('a response that is no answer', () => {
  test.each(['stopped', 'failed', 'cut_off', 'awaiting_approval'] as const)('%s changes nothing', (end) => {
    const run = start({ continued: true })
    const before = run.state()
    for (const text of ['', 'half an ans']) {
      const verdict = run.responds({ text, end })
      expect(verdict).toMatchObject({
        decision: 'natural',
        inject: [],
        refuse: [],
        outcome: null,
        correction: null,
      })
      expect(verdict.state).toBe(before)
    }
    expect(run.responds({ toolCalls: [search], end }).state).toBe(before)
  })

  test('leaves a block as it is', () => {
    const run = startBlocked()
    expect(run.responds({ text: 'I', end: 'stopped' }).state.blocked).toBe('finalization')
  })
})

describe('several writes in one step', () => {
  test('are all refused, once each, and the other calls are not', () => {
    const run = start({ continued: true })
    const verdict = run.calls(write, search, { ...write, id: 'w2' })
    expect(verdict).toMatchObject({ decision: 'natural', inject: [] })
    expect(verdict.refuse).toEqual([
      { id: 'w', code: 'parallel_writes', text: englishTexts.writeTodos.parallel },
      { id: 'w2', code: 'parallel_writes', text: englishTexts.writeTodos.parallel },
    ])
  })

  test('are refused too in a step that waits for an approval', () => {
    const run = start({ continued: true })
    expect(run.responds({ toolCalls: [write, write], end: 'awaiting_approval' }).refuse).toHaveLength(2)
  })

  test('are no fault with the id-based tools', () => {
    const run = start({ continued: true, toolset: 'todos' })
    expect(run.calls(write, { ...write, id: 'w2' }).refuse).toEqual([])
  })

  test('leave the count of answers in a row as it was', () => {
    const run = start({ continued: true })
    run.says('all done')
    run.calls(write, { ...write, id: 'w2' })
    expect(run.state().retries).toEqual({ finalization: 1 })
  })
})

describe('the reminder', () => {
  test('comes at the fifth step without an update and every five after', () => {
    expect(remindedAt(start({ continued: true }), 16)).toEqual([5, 10, 15])
  })

  test('comes as often as the options say', () => {
    expect(remindedAt(start({ continued: true, options: { staleAfter: 2, staleEvery: 3 } }), 9)).toEqual([
      2, 5, 8,
    ])
    expect(remindedAt(start({ continued: true, options: { staleAfter: 6, staleEvery: 1 } }), 8)).toEqual([
      6, 7, 8,
    ])
  })

  test('names the id-based tools where those are offered', () => {
    const run = start({ continued: true, toolset: 'todos', options: { staleAfter: 1 } })
    expect(run.calls(search).inject[0]?.text).toContain('todos_complete')
  })

  test('does not count a step of refused writes alone', () => {
    const run = start({ continued: true })
    run.calls(write, { ...write, id: 'w2' })
    expect(run.state().staleSteps).toBe(0)
  })

  test('can be turned off', () => {
    expect(remindedAt(start({ continued: true, options: { staleAfter: false } }), 16)).toEqual([])
  })

  test('names the unfinished items', () => {
    const run = start({
      continued: true,
      todos: list('completed', 'in_progress'),
      options: { staleAfter: 1 },
    })
    const [message] = run.calls(search).inject
    expect(message?.source).toBe('todo_stale_reminder')
    expect(message?.text).toContain('item 2')
    expect(message?.text).not.toContain('item 1')
  })

  test('counts a step once, however many calls it has', () => {
    const run = start({ continued: true })
    run.calls(search, { ...search, id: 's2' }, { ...search, id: 's3' })
    expect(run.state().staleSteps).toBe(1)
  })

  test('starts over with a valid update', () => {
    const run = start({ continued: true })
    for (let step = 0; step < 4; step += 1) run.calls(search)
    run.updates(search)
    expect(run.state().staleSteps).toBe(0)
    expect(remindedAt(run, 6)).toEqual([5])
  })

  test('counts a step whose update was refused when it had other calls', () => {
    const run = start({ continued: true, options: { staleAfter: 2 } })
    run.calls(search)
    const verdict = run.failsToUpdate(search)
    expect(verdict.inject.map(({ source }) => source)).toEqual(['todo_stale_reminder'])
    expect(run.state().staleSteps).toBe(2)
  })

  test('counts a step with parallel writes when it had other calls', () => {
    const run = start({ continued: true, options: { staleAfter: 1 } })
    const verdict = run.calls(write, search, { ...write, id: 'w2' })
    expect(verdict.refuse).toHaveLength(2)
    expect(verdict.inject).toHaveLength(1)
  })

  test('leaves the count alone in a step that only reads or only fails to update', () => {
    const run = start({ continued: true, toolset: 'todos' })
    run.calls(search)
    run.calls(read)
    run.failsToUpdate()
    expect(run.state().staleSteps).toBe(1)
  })

  test('does not come twice for the same count', () => {
    const run = start({ continued: true, options: { staleAfter: 1 } })
    expect(run.calls(search).inject).toHaveLength(1)
    expect(run.failsToUpdate().inject).toEqual([])
    expect(run.calls(read).inject).toEqual([])
  })

  test('keeps the count over a corrected answer and drops it at the end of the run', () => {
    const run = start({ continued: true })
    run.calls(search)
    run.says('all done')
    expect(run.state().staleSteps).toBe(1)
    run.updates()
    run.calls(search)
    run.says('one is left')
    expect(run.state().staleSteps).toBe(0)
  })

  test.each([
    ['in plan mode', { mode: 'plan' }],
    ['without todo tools', { toolset: null }],
    ['without unfinished items', { todos: done }],
  ])('does not count %s', (_, context) => {
    const run = start({ continued: true, ...context })
    expect(remindedAt(run, 12)).toEqual([])
    expect(run.state().staleSteps).toBe(0)
  })
})

describe('the options', () => {
  test.each([
    ['staleAfter', [Number.NaN, -1, 0, 1.5, Number.POSITIVE_INFINITY, null, '5', true]],
    ['staleEvery', [Number.NaN, -1, 0, 1.5, Number.POSITIVE_INFINITY, null, '5', false]],
    ['maxCorrections', [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, null, '3', false]],
  ])('%s must be a whole number in its range', (option, values) => {
    for (const value of values) {
      expect(() => createGuard({ [option]: value })).toThrow(TypeError)
      expect(() => createGuard({ [option]: value })).toThrow(option)
    }
  })
})

describe('the machine', () => {
  test('returns the same state where nothing changed', () => {
    const guard = createGuard()
    const state = guard.startRun(initialGuard, { continued: false })
    expect(state).toBe(initialGuard)
    expect(guard.afterTodoTools(state, { updated: false }, context()).state).toBe(state)
    expect(guard.afterModelResponse(state, response({ text: 'hello' }), context({ todos: [] })).state).toBe(
      state,
    )
  })

  test('asks nothing of the todo tools where none ran', () => {
    const run = start({ continued: true, options: { staleAfter: 1 } })
    run.responds({ toolCalls: [search] })
    const before = run.state()
    const verdict = run.guard.afterTodoTools(before, { updated: false, errors: [] }, context())
    expect(verdict).toMatchObject({ decision: 'natural', inject: [] })
    expect(verdict.state).toBe(before)
  })

  test('does not touch the states that it was given', () => {
    const run = start({ continued: true })
    const before = run.state()
    const copy = structuredClone(before)
    run.says('all done')
    run.updates()
    expect(before).toEqual(copy)
    expect(Object.isFrozen(run.state())).toBe(true)
    expect(Object.isFrozen(run.state().retries)).toBe(true)
    expect(Object.isFrozen(run.state().run)).toBe(true)
  })
})

describe('strict', () => {
  const strict = { options: { strict: true } }

  test('counts the answers in a row, and corrects in plan mode too', () => {
    const run = start({ continued: true, mode: 'plan', ...strict })
    expect(run.says('all done').correction).toEqual({ count: 1, max: 3, open: 2 })
    expect(run.says('all done').correction?.count).toBe(2)
    run.calls(search)
    expect(run.says('all done').correction?.count).toBe(1)
    expect(run.last().inject).toEqual(start({ continued: true }).says('all done').inject)
  })

  test('lets an empty response end the run', () => {
    const run = start({ continued: true, ...strict })
    expect(run.says('')).toMatchObject({ decision: 'natural', inject: [], outcome: null })
  })

  test('refuses a correct update while blocked', () => {
    const run = start({ continued: true, ...strict })
    for (let answer = 0; answer < 3; answer += 1) run.says('all done')
    const verdict = run.responds({ toolCalls: [{ ...write, error: null }] })
    expect(verdict.decision).toBe('loop_to_model')
    expect(verdict.refuse.map(({ code }) => code)).toEqual(['blocked'])
    expect(verdict.inject.map(({ source }) => source)).toEqual(['todo_blocked'])
  })

  test('injects what a todo tool refused and what came in parallel', () => {
    const run = start({ continued: true, ...strict })
    expect(run.failsToUpdate().inject).toEqual([{ source: 'todo_validation_error', text: 'bad' }])
    expect(run.calls(write, { ...write, id: 'w2' }).inject.map(({ source }) => source)).toEqual([
      'todo_parallel_error',
      'todo_parallel_error',
    ])
  })

  test('lets a malformed call among parallel ones keep its own error', () => {
    const run = start({ continued: true, ...strict })
    const error = new TodoAgentError('invalid_payload', 'todos is a text')
    const { refuse } = run.calls({ ...write, error }, { ...write, id: 'w2', error: null })
    expect(refuse.map(({ code, text }) => [code, text])).toEqual([
      ['invalid_payload', 'todos is a text'],
      ['parallel_writes', englishTexts.writeTodos.parallel],
    ])
  })

  test('takes the correction flag of a restored state down while blocked', () => {
    const guard = createGuard({ strict: true })
    const state = { ...initialGuard, blocked: 'finalization', correction: true }
    expect(guard.afterModelResponse(state, response({}), context()).state.correction).toBe(false)
  })

  test('carries a block over into the next run', () => {
    const run = start({ continued: true, ...strict })
    for (let answer = 0; answer < 3; answer += 1) run.says('all done')
    run.begins({ continued: false })
    expect(run.says('explained').decision).toBe('stop')
  })
})

describe('guardStateSchema', () => {
  test('reads what was stored', () => {
    const { state } = startBlocked().last()
    expect(guardStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state)
  })

  test('falls back value by value', () => {
    const odd = {
      retries: { finalization: 2, other: null },
      blocked: 4,
      suppressed: true,
      staleSteps: null,
      run: { updated: true, corrections: -1 },
    }
    expect(guardStateSchema.parse(odd)).toEqual({
      ...initialGuard,
      retries: { finalization: 2, other: 0 },
      suppressed: true,
      run: { ...initialGuard.run, updated: true },
    })
  })

  test('never fails, and what it reads it reads again', () => {
    fc.assert(
      fc.property(fc.anything(), (odd) => {
        const state = guardStateSchema.parse(odd)
        expect(guardStateSchema.parse(state)).toEqual(state)
      }),
    )
  })
})

describe('any run', () => {
  const kinds = fc.constantFrom('todo_write' as const, 'todo_read' as const, 'other' as const)
  const step = fc.record({
    text: fc.constantFrom('', ' ', 'all done'),
    calls: fc.array(kinds, { maxLength: 3 }),
    end: fc.constantFrom(
      'complete' as const,
      'complete' as const,
      'complete' as const,
      'stopped' as const,
      'awaiting_approval' as const,
    ),
    updated: fc.boolean(),
    todos: fc.constantFrom(open, open, done),
    mode: fc.constantFrom(null, null, 'plan'),
  })
  const setup = fc.record({
    maxCorrections: fc.integer({ min: 0, max: 6 }),
    continued: fc.boolean(),
    toolset: fc.constantFrom('write_todos' as const, 'todos' as const, null),
    steps: fc.array(step, { maxLength: 40 }),
  })

  test('is sent back a bounded number of times, answers each refused call once and keeps a valid state', () => {
    fc.assert(
      fc.property(setup, ({ maxCorrections, continued, toolset, steps }) => {
        const guard = createGuard({ maxCorrections })
        let state = guard.startRun(initialGuard, { continued })
        let sentBack = 0
        for (const { text, calls, end, updated, todos, mode } of steps) {
          const toolCalls = calls.map((kind, index) => ({ id: `c${index}`, name: kind, kind }))
          const given = context({ todos, toolset, mode })
          const verdict = guard.afterModelResponse(state, { text, toolCalls, end }, given)
          expectValid(verdict)

          const refused = verdict.refuse.map(({ id }) => id)
          const ids = toolCalls.map(({ id }) => id)
          expect(ids.filter((id) => refused.includes(id))).toEqual(refused)
          if (verdict.decision !== 'natural') expect(refused).toEqual(ids)
          if (end !== 'complete') expect(verdict).toMatchObject({ decision: 'natural', inject: [] })

          const ran = toolCalls.some(({ id, kind }) => kind === 'todo_write' && !refused.includes(id))
          const after = guard.afterTodoTools(verdict.state, { updated: ran && updated }, given)
          expectValid(after)
          state = after.state

          // A step that ran some calls has made progress of its own; only being sent back has to be bounded.
          if (verdict.decision === 'loop_to_model' || after.decision === 'loop_to_model') sentBack += 1
          const over =
            verdict.decision === 'stop' ||
            after.decision === 'stop' ||
            (verdict.decision === 'natural' && !calls.length)
          if (over) break
        }
        const perBlock = Math.max(0, maxCorrections - 2)
        expect(sentBack).toBeLessThanOrEqual(maxCorrections + 1 + perBlock)
        expect(state.run.corrections).toBeLessThanOrEqual(maxCorrections)
      }),
      { numRuns: 500 },
    )
  })
})

// HELPERS

function list(...statuses: readonly TodoStatus[]): readonly Todo[] {
  return deepFreeze(
    statuses.map((status, index) => ({ id: index + 1, content: `item ${index + 1}`, status, createdAt: 0 })),
  )
}

function context(parts: Partial<GuardContext> = {}): GuardContext {
  return { todos: open, toolset: 'write_todos', mode: null, ...parts }
}

function response(parts: Partial<GuardResponse>): GuardResponse {
  return { text: '', toolCalls: [], end: 'complete', ...parts }
}

/** A run of a guard, step by step, as an agent takes them. */
function start({
  continued,
  options,
  ...given
}: { continued: boolean; options?: GuardOptions } & Partial<GuardContext>) {
  const guard = createGuard(options)
  let facts = context(given)
  let state: GuardState = guard.startRun(initialGuard, { continued })
  let last: GuardVerdict
  const take = (verdict: GuardVerdict) => {
    last = verdict
    state = verdict.state
    return verdict
  }
  const responds = (parts: Partial<GuardResponse>) =>
    take(guard.afterModelResponse(state, response(parts), facts))
  const tools = (updated: boolean, others: readonly GuardCall[]) => {
    responds({ toolCalls: [...others, write] })
    return take(
      guard.afterTodoTools(state, { updated, errors: updated ? [] : [{ id: 'w', text: 'bad' }] }, facts),
    )
  }
  return {
    guard,
    responds,
    says: (text: string) => responds({ text }),
    calls: (...toolCalls: readonly GuardCall[]) => responds({ toolCalls }),
    updates: (...others: readonly GuardCall[]) => tools(true, others),
    failsToUpdate: (...others: readonly GuardCall[]) => tools(false, others),
    begins: (run: { continued: boolean }) => {
      state = guard.startRun(state, run)
    },
    set: (parts: Partial<GuardContext>) => {
      facts = { ...facts, ...parts }
    },
    state: () => state,
    last: () => last,
  }
}

type Run = ReturnType<typeof start>

function startBlocked(): Run {
  const run = start({ continued: true })
  for (let answer = 0; answer < 3; answer += 1) run.says('all done')
  return run
}

function startResting(): Run {
  const run = startBlocked()
  run.says('explained')
  return run
}

function answersUntilTheEnd(run: Run, most: number): string[] {
  const decisions: string[] = []
  while (decisions.length < most && decisions.at(-1) !== 'natural' && decisions.at(-1) !== 'stop') {
    decisions.push(run.says('all done').decision)
  }
  return decisions
}

function remindedAt(run: Run, steps: number): number[] {
  return Array.from({ length: steps }, (_, index) => index + 1).filter(
    () => run.calls(search).inject.length > 0,
  )
}

function expectValid({ state }: GuardVerdict): void {
  expect(guardStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state)
}
