import { describe, expect, test } from 'vitest'
import { addTodos, completeTodos } from './list.ts'
import {
  addUsage,
  completionMarker,
  createLoop,
  type Loop,
  type LoopDecision,
  type LoopEvaluator,
  type LoopMessage,
  type LoopOptions,
  type RunFacts,
  todosCompleted,
} from './loop.ts'
import { englishTexts } from './texts.ts'
import { emptyList, type Todo } from './todo.ts'

const go: readonly LoopMessage[] = [{ role: 'user', text: 'go' }]
const setting = { todos: true, modes: true }
const { todos } = addTodos(emptyList, [{ title: 'one' }, { title: 'two', description: 'desc' }], 0).list

function facts(more: Partial<RunFacts> = {}): RunFacts {
  return { end: 'complete', text: 'done', todos: [], mode: null, ...more }
}

function loopOf(evaluator: LoopEvaluator, more: Partial<LoopOptions> = {}): Loop {
  return createLoop({ evaluators: [evaluator], ...more }, setting)
}

/** An evaluator that says this, one decision after the other, the last for ever. */
function says(...decisions: LoopDecision[]): LoopEvaluator {
  return ({ iteration }) => decisions[Math.min(iteration, decisions.length) - 1] ?? { continue: false }
}

/** Runs the loop to its end and returns what each run was given. */
async function drive(
  loop: Loop,
  input: readonly LoopMessage[] = go,
  left: (run: number) => Partial<RunFacts> = () => ({}),
) {
  const given = [input]
  let state = loop.begin(input)
  for (;;) {
    const step = await loop.afterRun(state, facts(left(given.length)))
    if (step.next === 'end') return { given, reason: step.reason, usage: step.state.usage }
    given.push(step.messages)
    state = step.state
  }
}

function told(text: string): LoopMessage {
  return { role: 'user', text, source: 'loop_feedback' }
}

describe('todosCompleted', () => {
  const decide = (
    options: Parameters<typeof todosCompleted>[0],
    list: readonly Todo[],
    mode: string | null = null,
  ) =>
    todosCompleted(options)({
      ...facts({ todos: list, mode }),
      iteration: 1,
      feedback: [],
      texts: englishTexts,
    })

  test('lists what is unfinished, with descriptions where there are any', () => {
    expect(decide({ feedback: '{remaining_todos}|{remaining_todos}' }, todos)).toEqual({
      continue: true,
      feedback: '- 1: one\n- 2: two — desc|- 1: one\n- 2: two — desc',
    })
  })

  test('is content with an empty list and with a finished one', () => {
    const done = completeTodos({ todos, nextId: 3 }, [{ id: 1 }, { id: 2 }], 1).list
    expect(decide({}, [])).toEqual({ continue: false })
    expect(decide({}, done.todos)).toEqual({ continue: false })
  })

  test('does not wait for items that are cancelled or blocked', () => {
    const ended = completeTodos(
      { todos, nextId: 3 },
      [{ id: 1, status: 'blocked', reason: 'x' }, { id: 2 }],
      1,
    ).list
    expect(decide({}, ended.todos)).toEqual({ continue: false })
  })

  test('continues only in the modes it was given, exactly as written', () => {
    const modes = { modes: ['execute'] }
    expect(decide(modes, todos, 'execute')).toMatchObject({ continue: true })
    expect(decide(modes, todos, 'Execute')).toEqual({ continue: false })
    expect(decide(modes, todos, null)).toEqual({ continue: false })
  })

  test('says so in the text of the host where it gives none itself', async () => {
    const loop = createLoop(
      { evaluators: [todosCompleted()], maxIterations: 2 },
      { todos: true, modes: false, texts: { ...englishTexts, loopFeedback: '还有：{remaining_todos}' } },
    )
    const { given } = await drive(loop, go, () => ({ todos }))
    expect(given[1]).toEqual([told('还有：- 1: one\n- 2: two — desc')])
  })

  test('takes a title with a dollar sign as it is', () => {
    const { list } = addTodos(emptyList, [{ title: "pay $& and $'" }], 0)
    expect(decide({ feedback: '{remaining_todos}' }, list.todos)).toMatchObject({
      feedback: "- 1: pay $& and $'",
    })
  })

  test.each<[string, unknown, RegExp]>([
    ['no modes', { modes: [] }, /`modes\[0\]`/],
    ['a blank mode', { modes: ['a', ' '] }, /`modes\[1\]`/],
    ['a mode that is null', { modes: [null] }, /`modes\[0\]`/],
  ])('throws a TypeError for %s', (_, options, message) => {
    const make = () => todosCompleted(options as Parameters<typeof todosCompleted>[0])
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })
})

describe('completionMarker', () => {
  test('continues until the last response holds the marker', async () => {
    const loop = loopOf(completionMarker('DONE', 'say {completion_marker} after {last_response}'))
    const { given, reason } = await drive(loop, go, (run) => ({
      text: run === 1 ? 'r1 {completion_marker}' : 'r2 DONE',
    }))
    expect(given[1]).toEqual([told('say DONE after r1 {completion_marker}')])
    expect([given.length, reason]).toEqual([2, 'completed'])
  })

  test('throws a TypeError for a blank marker', () => {
    expect(() => completionMarker(' ')).toThrow(/`marker`/)
  })

  test('has a text of its own', async () => {
    const { given } = await drive(loopOf(completionMarker('DONE'), { maxIterations: 2 }))
    expect(given[1]?.[0]?.text).toContain('DONE')
  })
})

describe('a loop', () => {
  test('runs until nothing is unfinished', async () => {
    const left = [todos, todos.slice(1), []]
    const { given, reason } = await drive(loopOf(todosCompleted()), go, (run) => ({
      todos: left[run - 1] ?? [],
    }))
    expect([given.length, reason]).toEqual([3, 'completed'])
  })

  test('stops after ten runs, or after as many as it may have', async () => {
    const again = says({ continue: true })
    expect(await drive(loopOf(again))).toMatchObject({ given: { length: 10 }, reason: 'max_iterations' })
    expect(await drive(loopOf(again, { maxIterations: 1 }))).toMatchObject({ given: { length: 1 } })
  })

  test('does not ask at the cap, and knows when it may not run again', async () => {
    let asked = 0
    const loop = loopOf(() => ({ continue: ++asked > 0 }), { maxIterations: 2 })
    const first = loop.begin(go)
    expect(loop.mayRunAgain(first)).toBe(true)
    const step = await loop.afterRun(first, facts())
    expect(loop.mayRunAgain(step.state)).toBe(false)
    await loop.afterRun(step.state, facts())
    expect(asked).toBe(1)
  })

  test.each(['awaiting_approval', 'stopped', 'failed', 'blocked'] as const)(
    'ends when a run ends with %s',
    async (end) => {
      const { given, reason } = await drive(
        loopOf(says({ continue: true }), { maxIterations: 2 }),
        go,
        (run) => (run === 2 ? { end } : {}),
      )
      expect([given.length, reason]).toEqual([2, end])
    },
  )

  test('asks in order, and the first that continues wins', async () => {
    const evaluators = [
      says({ continue: false }),
      says({ continue: true, feedback: 'b' }, { continue: false }),
      says({ continue: true, feedback: 'c' }),
    ]
    const { given } = await drive(createLoop({ evaluators, maxIterations: 3 }, setting))
    expect(given.slice(1)).toEqual([[told('b')], [told('c')]])
  })

  test('waits for a host function and tells it the facts of the run', async () => {
    const seen: unknown[] = []
    const loop = createLoop<RunFacts & { readonly signal: string }>(
      {
        evaluators: [
          async ({ signal, iteration, feedback, mode }) => {
            seen.push([signal, iteration, feedback, mode])
            await null
            return iteration === 1 ? { continue: true, feedback: 'more' } : { continue: false }
          },
        ],
      },
      setting,
    )
    const step = await loop.afterRun(loop.begin(go), { ...facts({ mode: 'plan' }), signal: 's' })
    await loop.afterRun(step.state, { ...facts({ mode: 'plan' }), signal: 's' })
    expect(seen).toEqual([
      ['s', 1, [], 'plan'],
      ['s', 2, ['more'], 'plan'],
    ])
  })

  test('takes blank feedback as none and other feedback word for word', async () => {
    const loop = loopOf(
      says({ continue: true, feedback: ' \n' }, { continue: true, feedback: ' keep ' }, { continue: false }),
    )
    expect((await drive(loop)).given.slice(1)).toEqual([[], [told(' keep ')]])
  })

  test('sends messages of an evaluator as they are', async () => {
    const messages: LoopMessage[] = [
      { role: 'system', text: 's' },
      { role: 'user', text: 'x' },
    ]
    const loop = loopOf(
      says({ continue: true, messages }, { continue: true, messages: [] }, { continue: false }),
    )
    expect((await drive(loop)).given.slice(1)).toEqual([messages, []])
  })

  test('reports a thrown evaluator as loop_failed with the cause', async () => {
    const cause = new Error('judge is down')
    const loop = loopOf(() => {
      throw cause
    })
    await expect(loop.afterRun(loop.begin(go), facts())).rejects.toMatchObject({ code: 'loop_failed', cause })
  })

  test.each<[string, unknown, RegExp]>([
    ['no decision', undefined, /continue: true \| false/],
    ['a word for it', { continue: 'yes' }, /continue: true \| false/],
    ['feedback that is no text', { continue: true, feedback: 3 }, /`feedback`/],
    ['messages that are no list', { continue: true, messages: 'Go on' }, /`messages`/],
    ['messages without a text', { continue: true, messages: [{ role: 'user' }, null] }, /`messages`/],
  ])('reports an evaluator that returns %s', async (_, decision, message) => {
    const loop = loopOf((() => decision) as unknown as LoopEvaluator)
    const step = loop.afterRun(loop.begin(go), facts())
    await expect(step).rejects.toMatchObject({
      code: 'loop_failed',
      message: expect.stringMatching(message),
    })
  })

  test('sums the usage of all runs, also of the last', async () => {
    const usage = [{ input: 2, details: { cached: 1 } }, undefined, { input: 3, output: 1 }]
    const loop = loopOf(says({ continue: true }), { maxIterations: 3 })
    const end = await drive(loop, go, (run) => ({ usage: usage[run - 1] }))
    expect(end.usage).toEqual({ input: 5, output: 1, details: { cached: 1 } })
    expect((await drive(loop)).usage).toBeUndefined()
  })

  test.each<[string, object, object, RegExp]>([
    ['no evaluator', { evaluators: [] }, setting, /`evaluators`/],
    ['no list of them', { evaluators: undefined }, setting, /`evaluators`.*undefined/],
    ['one that stands alone', { evaluators: todosCompleted() }, setting, /`evaluators`.*got a function\.$/],
    ['a name in place of one', { evaluators: ['todosCompleted'] }, setting, /`evaluators\[0\]`/],
    ['no run at all', { maxIterations: 0 }, setting, /`maxIterations`/],
    ['no cap', { maxIterations: Infinity }, setting, /`maxIterations`/],
    ['todos that are off', {}, { todos: false, modes: true }, /`evaluators\[0\]`.*todos/],
    ['modes where there are none', {}, { todos: true, modes: false }, /`evaluators\[0\]`.*modes/],
  ])('throws a TypeError at construction for %s', (_, options, has, message) => {
    const make = () =>
      createLoop({ evaluators: [todosCompleted({ modes: ['plan'] })], ...options }, has as typeof setting)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })
})

describe('a fresh context', () => {
  const fresh = (...decisions: LoopDecision[]) =>
    loopOf(says(...decisions, { continue: false }), { freshContext: true })

  test('starts each run from the first input and the feedback so far', async () => {
    const input: LoopMessage[] = [{ role: 'system', text: 's' }, ...go]
    const loop = fresh(
      { continue: true, feedback: 'f1' },
      { continue: true },
      { continue: true, feedback: 'f3' },
    )
    expect((await drive(loop, input)).given.slice(1)).toEqual([
      [...input, told('## Feedback\n\n- f1')],
      [...input, told('## Feedback\n\n- f1')],
      [...input, told('## Feedback\n\n- f1\n- f3')],
    ])
  })

  test('adds nothing where there is no feedback', async () => {
    expect((await drive(fresh({ continue: true }))).given[1]).toEqual(go)
  })

  test('gives way to messages of an evaluator', async () => {
    const messages: LoopMessage[] = [{ role: 'user', text: 'x' }]
    expect((await drive(fresh({ continue: true, messages }))).given[1]).toEqual(messages)
  })

  test('counts as new only what the loop added', async () => {
    const loop = fresh({ continue: true, feedback: 'f1' })
    const step = await loop.afterRun(loop.begin(go), facts())
    expect(step).toMatchObject({ injected: [told('## Feedback\n\n- f1')], feedback: 'f1' })
  })
})

test('usage counters are summed at any depth', () => {
  expect(
    addUsage({ a: 1, in: { b: 2, c: 1 }, raw: 'x' }, { a: 4, in: { b: 3, d: 5 }, e: 6, f: { g: 1 } }),
  ).toEqual({
    a: 5,
    in: { b: 5, c: 1, d: 5 },
    raw: 'x',
    e: 6,
    f: { g: 1 },
  })
  expect(addUsage({ a: 1 }, { a: undefined })).toEqual({ a: 1 })
})
