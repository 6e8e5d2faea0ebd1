import { jsonSchema, type ModelMessage, stepCountIs, streamText, type ToolSet, tool } from 'ai'
import { createRequestValidator, type ModelV4 } from 'use-todo-agent/testing'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { contextInstructions, listMessage } from '../../src/core/context.ts'
import { englishTexts } from '../../src/core/texts.ts'
import { emptyList, remaining, type TodoList, type Toolset } from '../../src/core/todo.ts'
import { runTodosTool, type TodosToolName, todosToolSchemas } from '../../src/core/todosTools.ts'
import { writeTodos, writeTodosInputSchema } from '../../src/core/writeTodos.ts'
import { orderAnswers, orderQuestions, ordersCsv } from '../orders.ts'
import { tools as hostTools } from '../tools/tools.ts'
import { type Behaviour, offlineModelNotice } from './decide.ts'
import { offlineModel } from './offlineModel.ts'

interface RunOptions {
  readonly behaviour?: Behaviour
  readonly toolset?: Toolset | null
  readonly exits?: boolean
  readonly host?: ToolSet
  readonly system?: string
  readonly extra?: ToolSet
  readonly list?: TodoList
  readonly history?: ModelMessage[]
  /** Steps after which the run is left as it is. */
  readonly maxSteps?: number
  readonly suppressListMessage?: boolean
}

// As small as an agent can be: one step at a time, the list at the end of each request, no guard.
async function run(said: string | null, options: RunOptions = {}) {
  const {
    behaviour = 'steady',
    toolset = 'write_todos',
    exits = false,
    host = hostTools,
    maxSteps = 40,
  } = options
  let list = options.list ?? emptyList
  const states: string[] = []
  const commit = <Output>(
    outcome: { ok: true; update: { list: TodoList }; output: Output } | { ok: false; error: Error },
  ) => {
    if (!outcome.ok) throw outcome.error
    list = outcome.update.list
    states.push(
      list.todos
        .map(
          (todo) =>
            ({ pending: ' ', in_progress: '>', completed: 'x', cancelled: '-', blocked: '!' })[todo.status],
        )
        .join(''),
    )
    return outcome.output
  }
  const ours: ToolSet =
    toolset === 'write_todos'
      ? {
          write_todos: tool({
            inputSchema: writeTodosInputSchema({ exits }),
            execute: (input) => commit(writeTodos(list, input, { exits, now: 0 })),
          }),
        }
      : toolset === 'todos'
        ? Object.fromEntries(
            Object.entries(todosToolSchemas({ exits })).map(([name, schema]) => [
              name,
              tool({
                description: schema.description,
                inputSchema: schema.inputSchema as z.ZodMiniType<object>,
                execute: (input: unknown) =>
                  commit(runTodosTool(name as TodosToolName, list, input, { exits, now: 0 })),
              }),
            ]),
          )
        : {}
  const model = checked(offlineModel({ behaviour, speed: Number.POSITIVE_INFINITY }))
  const messages = [
    ...(options.history ?? []),
    ...(said === null ? [] : [{ role: 'user' as const, content: said }]),
  ]
  let text = ''
  let steps = 0
  for (; steps < maxSteps; steps += 1) {
    const read = toolset && !options.suppressListMessage ? listMessage(list.todos, { toolset }) : null
    const result = streamText({
      model,
      instructions:
        [options.system, toolset && contextInstructions({ toolset })].filter(Boolean).join('\n') || 'Help.',
      messages: read ? [...messages, { role: 'user', content: read }] : messages,
      tools: { ...host, ...ours, ...options.extra },
      stopWhen: stepCountIs(1),
    })
    text = await result.text
    messages.push(...(await result.response).messages)
    if ((await result.finishReason) !== 'tool-calls') break
  }
  return { text, messages, list, states, steps: steps + 1, open: remaining(list.todos).length }
}

function checked(model: ModelV4): ModelV4 {
  const validator = createRequestValidator()
  return {
    ...model,
    doStream(request) {
      expect(validator.check(request)).toEqual([])
      return model.doStream(request)
    },
  }
}

function again(before: Awaited<ReturnType<typeof run>>, said: string | null, options: RunOptions = {}) {
  return run(said, { history: before.messages, list: before.list, ...options })
}

const right = orderAnswers()

function expectOrderAnswers(text: string) {
  const [rows, prices, city, share, summary, ...rest] = text.split('\n')
  expect(rest).toEqual([])
  expect(rows).toBe(`1. There are ${right.rows} rows.`)
  expect(prices).toBe(
    `2. The mean of price is ${right.mean.toFixed(2)} and the median is ${right.median.toFixed(2)}.`,
  )
  expect(city).toBe(`3. The most frequent city is ${right.city} (${right.cityCount} of ${right.rows} rows).`)
  expect(share).toBe(`4. 17% of the total (${right.total.toFixed(2)}) is ${right.share.toFixed(2)}.`)
  expect(summary?.startsWith('5. ')).toBe(true)
  expect(summary?.slice(3).match(/[.](?=\s|$)/g)).toHaveLength(2)
  for (const part of [right.rows, right.mean.toFixed(2), right.city, right.share.toFixed(2)])
    expect(summary).toContain(String(part))
}

describe('the orders', () => {
  test.each([
    ['the CSV first', `${ordersCsv}\n\n${orderQuestions}`],
    ['the questions first', `${orderQuestions}\n\n${ordersCsv}`],
    ['the questions directly under the CSV', `${ordersCsv}\n${orderQuestions}`],
    ['the questions directly over the CSV', `${orderQuestions}\n${ordersCsv}`],
    [
      'a line for each question',
      `Here are my orders.\n\n${ordersCsv}\n\n${orderQuestions.replaceAll(/, (?=\d)/g, '\n')}`,
    ],
    ['a fence around the CSV', `${orderQuestions}\n\`\`\`csv\n${ordersCsv}\n\`\`\``],
  ])('are answered with %s', async (_, message) => {
    const { text, list, open } = await run(message)
    expectOrderAnswers(text)
    expect(open).toBe(0)
    expect(list.todos.map((todo) => todo.content)).toEqual([
      'How many rows',
      'Mean and median of price',
      'Most frequent city',
      'What is 17% of the total',
      'A two-sentence summary',
    ])
  })

  const message = `${ordersCsv}\n\n${orderQuestions}`

  test.each([
    '1) number of rows; 2) average and median price; 3) the city that occurs most often; 4) 17 percent of the total price; 5) summarise everything in two sentences',
    'Count the rows, then give me the average price and the median price, then the most common city, then 17% of the sum of prices and finally a 2 sentence summary.',
    'How many rows are there? What are the mean and the median of price? Which city is most frequent? What is 17% of the total? Write a two-sentence summary.',
  ])('are answered when asked in other words: %s', async (questions) => {
    const { text, open } = await run(`${questions}\n\n${ordersCsv}`)
    expect(open).toBe(0)
    expect(text).toContain(`1. There are ${right.rows} rows.`)
    expect(text).toContain(
      `2. The mean of price is ${right.mean.toFixed(2)} and the median is ${right.median.toFixed(2)}.`,
    )
    expect(text).toContain(`3. The most frequent city is ${right.city}`)
    expect(text).toMatch(new RegExp(`4[.] 17.*is ${right.share.toFixed(2)}[.]`))
  })

  test('move one item at a time from pending over in progress to completed', async () => {
    const { states } = await run(message)
    expect(states).toEqual(['>    ', 'x>   ', 'xx>  ', 'xxx> ', 'xxxx>', 'xxxxx'])
  })

  test('are answered with the tools by id', async () => {
    const { text, list, open } = await run(message, { toolset: 'todos' })
    expectOrderAnswers(text)
    expect(open).toBe(0)
    expect(list.nextId).toBe(6)
  })

  test('are answered without any list tool', async () => {
    expectOrderAnswers((await run(message, { toolset: null })).text)
  })

  test.each(['write_todos', 'todos'] as const)(
    'are answered with %s when the list is not read out',
    async (toolset) => {
      const { text, open } = await run(message, { toolset, suppressListMessage: true })
      expectOrderAnswers(text)
      expect(open).toBe(0)
    },
  )

  test('never repeat the CSV in arguments', async () => {
    const { messages } = await run(message)
    const assistant = messages.filter((one) => one.role === 'assistant')
    expect(JSON.stringify(assistant).length).toBeLessThan(6_000)
    expect(JSON.stringify(assistant)).not.toContain('A-1001')
  })

  test('give the same words each time', async () => {
    expect((await run(message)).messages).toEqual((await run(message)).messages)
  })

  test.each([3, 4, 6, 9])('go on after a run that ended in step %i', async (maxSteps) => {
    const before = await run(message, { maxSteps })
    expect(before.open).toBeGreaterThan(0)
    const { text, open, messages } = await again(before, englishTexts.resume)
    expectOrderAnswers(text)
    expect(open).toBe(0)
    const calls = messages.flatMap((one) =>
      one.role === 'assistant' && typeof one.content !== 'string' ? one.content : [],
    )
    const host = calls.flatMap((part) =>
      part.type === 'tool-call' && part.toolName !== 'write_todos' ? [JSON.stringify(part.input)] : [],
    )
    expect(new Set(host).size).toBe(host.length)
  })

  test('go on when the person says so', async () => {
    const { text } = await again(await run(message, { maxSteps: 5 }), 'go on')
    expectOrderAnswers(text)
  })
})

describe('a list', () => {
  test('of a half-done session without its results is finished', async () => {
    const todo = { createdAt: 0 }
    const list: TodoList = {
      todos: [
        { ...todo, id: 1, content: 'What is 2 + 2', status: 'completed' },
        { ...todo, id: 2, content: 'What is 3 * 7', status: 'in_progress' },
      ],
      nextId: 3,
    }
    const { text, open } = await run('continue', { list })
    expect(open).toBe(0)
    expect(text).toBe(
      '1. What is 2 + 2: done before, its result is not in this conversation.\n2. 3 * 7 is 21.',
    )
  })

  test('gives way to the list of the next request', async () => {
    for (const toolset of ['write_todos', 'todos'] as const) {
      const before = await run('1. what is 2 + 2\n2. what is 3 * 7', { toolset })
      const { list, text } = await again(before, 'what is 5 - 3; what is 10 / 4', { toolset })
      expect(list.todos.map((todo) => todo.content)).toEqual(['What is 5 - 3', 'What is 10 / 4'])
      expect(text).toBe('1. 5 - 3 is 2.\n2. 10 / 4 is 2.5.')
    }
  })

  test('is not written anew when the loop starts without what was said', async () => {
    const before = await run('1. what is 2 + 2\n2. what is 3 * 7', { maxSteps: 3 })
    const first = before.messages.slice(0, 1)
    const feedback = englishTexts.loopFeedback.replace('{remaining_todos}', '- 2: What is 3 * 7')
    const { text, states } = await run(feedback, { history: first, list: before.list })
    expect(states).toEqual(['xx'])
    expect(text).toContain('2. 3 * 7 is 21.')
  })

  test('may hold the same step twice', async () => {
    const { states, text } = await run('1. what is 2 + 2\n2. what is 2 + 2')
    expect(states).toEqual(['> ', 'x>', 'xx'])
    expect(text).toBe('1. 2 + 2 is 4.\n2. 2 + 2 is 4.')
  })

  test('is not written for a single question', async () => {
    const { text, states } = await run('What is 17% of 350?')
    expect(text).toBe('17% of 350 is 59.5.')
    expect(states).toEqual([])
  })

  test('is left alone by an unrelated question', async () => {
    const before = await run('1. what is 2 + 2\n2. what is 3 * 7', { maxSteps: 2 })
    const { text, list } = await again(before, 'What is 5 - 3?')
    expect(text).toBe('5 - 3 is 2.')
    expect(list).toBe(before.list)
  })

  test('grows and shrinks as the person says', async () => {
    const before = await run('1. what is 2 + 2\n2. what is 3 * 7\n3. what is 9 - 1', { maxSteps: 2 })
    const { list, text } = await again(before, 'skip 3')
    expect(list.todos.map((todo) => todo.content)).toEqual(['What is 2 + 2', 'What is 3 * 7'])
    expect(text).toBe('1. 2 + 2 is 4.\n2. 3 * 7 is 21.')
    const after = await again({ ...before, list, messages: before.messages }, 'also: what is 8 / 2')
    expect(after.text).toContain('3. 8 / 2 is 4.')
  })
})

describe('a step that fails', () => {
  const message = '1. what is 1/0\n2. what is 6 * 7'

  test('is reported with its reason, and the rest is done', async () => {
    const { text, open, list } = await run(message)
    expect(open).toBe(0)
    expect(text).toBe(
      '1. I could not do "What is 1/0": Division by zero in "1/0".\n2. 6 * 7 is 42.\n\n1 of 2 steps could not be done.',
    )
    expect(list.todos[0]?.content).toBe('What is 1/0 (not done: Division by zero in "1/0")')
  })

  test.each(['write_todos', 'todos'] as const)(
    'is blocked in %s where the host lets it be',
    async (toolset) => {
      const { list } = await run(message, { exits: true, toolset })
      expect(list.todos.map(({ content, status }) => [content, status])).toEqual([
        ['What is 1/0', 'blocked'],
        ['What is 6 * 7', 'completed'],
      ])
      expect(list.todos[0]?.reason).toContain('ivision by zero')
    },
  )

  test('names the broken row of a CSV', async () => {
    const { text } = await run(
      'city,price\nPorto,1\nLyon\nGhent,3\nGraz,4\n\n1. how many rows\n2. mean of price',
    )
    expect(text).toContain('The CSV is broken in row 2: it has 1 field, the header has 2 ("Lyon")')
  })

  test('says that a column is not there', async () => {
    const { text } = await run('city,price\nPorto,1\nLyon,2\n\n1. how many rows\n2. mean of weight')
    expect(text).toContain(
      '1. There are 2 rows.\n2. I could not do "Mean of weight": There is no column "weight". The columns are city, price.',
    )
  })

  test('says that the data is not there', async () => {
    const { text, open } = await run('1. how many rows\n2. mean of price')
    expect(text).toContain('there is no data in your message')
    expect(open).toBe(0)
  })

  test('says that no tool fits', async () => {
    const { text } = await run('Write me a poem')
    expect(text).toContain('none of the tools fits')
    expect(text).toContain(offlineModelNotice)
  })
})

describe('the tools', () => {
  test.each([
    ['How many days are there between 2025-01-01 and 1 March 2025?', '59 days'],
    ['What is (2 + 3) * 4?', '(2 + 3) * 4 is 20.'],
    ['Divide 10 by 4', 'is 2.5.'],
    ['Add 5 and 7', 'Add 5 and 7 is 12.'],
    ['Hello, what is 3 * 3?', '3 * 3 is 9.'],
    ['How many words does "the quick brown fox" have?', '4 words'],
    ['city,price\nPorto,1\nLyon,2\nPorto,6\n\nWhat is the average price?', 'The mean of price is 3.'],
    ['city,price\nPorto,1\nLyon,2\nPorto,6\n\nWhat is half of the maximum price?', 'is 3.'],
    [
      'city,price\nPorto,1\nLyon,2\nPorto,6\n\nHow many different cities?',
      'There are 2 different values of city.',
    ],
    ['city,price\nPorto,1\nLyon,2\nPorto,6\n\nSummarise the data', 'The data has 3 rows'],
    [
      'What is the difference between 2025-02-30 and 2025-03-01 in days?',
      '"2025-02-30" is not a date of the calendar',
    ],
  ])('answer %j', async (message, answer) => {
    expect((await run(message)).text).toContain(answer)
  })

  test('of any host are picked by their words and filled by their schema', async () => {
    const asked: unknown[] = []
    const weather = tool({
      description: 'Looks up the weather forecast of a city.',
      inputSchema: z.object({ city: z.string(), days: z.number(), unit: z.enum(['celsius', 'fahrenheit']) }),
      execute: (input) => {
        asked.push(input)
        return 'Sunny.'
      },
    })
    const { text } = await run('Weather forecast for "Porto" for 3 days in fahrenheit', {
      host: { ...hostTools, weather },
    })
    expect(asked).toEqual([{ city: 'Porto', days: 3, unit: 'fahrenheit' }])
    expect(text).toBe('Weather forecast for "Porto" for 3 days in fahrenheit: Sunny.')
  })

  test('that are denied are reported', async () => {
    const denied = tool({
      description: 'Sends a mail.',
      inputSchema: z.object({ mail: z.string() }),
      execute: (): string => {
        throw new Error('The person did not approve it.')
      },
    })
    expect((await run('Send a mail', { host: { send: denied } })).text).toContain(
      'The person did not approve it.',
    )
  })

  test('are not offered: the model says so', async () => {
    expect((await run('What is 2 + 2?', { host: {} })).text).toContain('there is no tool for it')
  })
})

describe('behaviours', () => {
  const message = '1. what is 2 + 2\n2. what is 3 * 7\n3. what is 9 - 1'
  const answer = '1. 2 + 2 is 4.\n2. 3 * 7 is 21.\n3. 9 - 1 is 8.'
  const correct = (before: Awaited<ReturnType<typeof run>>, toolset: Toolset = 'write_todos') =>
    englishTexts.correction({ open: remaining(before.list.todos), toolset })

  test.each(['write_todos', 'todos'] as const)(
    'forgetful answers first and closes its list when told, with %s',
    async (toolset) => {
      const before = await run(message, { behaviour: 'forgetful', toolset })
      expect(before.text).toBe(answer)
      expect(before.open).toBe(2)
      const after = await again(before, correct(before, toolset), { behaviour: 'forgetful', toolset })
      expect(after.open).toBe(0)
      expect(after.steps).toBe(2)
      expect(after.text).toBe('The list is up to date: all 3 items are done.')
    },
  )

  test('a correction in other words is understood by the tool that it names', async () => {
    const before = await run(message, { behaviour: 'forgetful' })
    const after = await again(before, '清单还有未完成的项目，请调用 write_todos 更新。', {
      behaviour: 'forgetful',
    })
    expect(after.open).toBe(0)
  })

  test.each(['write_todos', 'todos'] as const)(
    'lazy stops after each item until it is sent on, with %s',
    async (toolset) => {
      const options = { behaviour: 'lazy', toolset } as const
      const feedback = englishTexts.loopFeedback.replace('{remaining_todos}', '- 2: What is 3 * 7')
      const first = await run(message, options)
      expect([first.text, first.open]).toEqual(['"What is 2 + 2" is done. 2 items are left.', 2])
      const second = await again(first, feedback, options)
      expect([second.text, second.open]).toEqual(['"What is 3 * 7" is done. 1 item is left.', 1])
      const third = await again(second, feedback, options)
      expect([third.text, third.open]).toEqual([answer, 0])
    },
  )

  test('hopeless answers and never closes an item', async () => {
    const options = { behaviour: 'hopeless' } as const
    let before = await run(message, options)
    expect([before.text, before.open]).toEqual([answer, 3])
    for (let round = 0; round < 3; round += 1) {
      before = await again(before, correct(before), options)
      expect(before.open).toBe(3)
      expect(before.text).toContain('my answer is above'.slice(3))
    }
    const blocked = await again(before, englishTexts.blocked({ open: remaining(before.list.todos) }), options)
    expect(blocked.text).toContain(
      'I could not end this cleanly: "What is 2 + 2", "What is 3 * 7" and "What is 9 - 1" are still open',
    )
  })

  test('talk is answered with what the model is', async () => {
    expect((await run('Hello!')).text).toContain(offlineModelNotice)
    expect((await run('Thank you!')).text).toBe('You are welcome.')
  })

  test('it does not go on for ever when its list is refused', async () => {
    const write_todos = tool({
      inputSchema: jsonSchema<object>({ type: 'object' }),
      execute: (): string => {
        throw new Error('No.')
      },
    })
    const { text, steps } = await run(message, { toolset: null, extra: { write_todos } })
    expect(text).toBe(answer)
    expect(steps).toBeLessThan(12)
  })
})

describe('plan mode', () => {
  const system = englishTexts.mode.instructions
    .replace('{current_mode}', 'plan')
    .replace('{available_modes}', '')
  const mode_set = tool({ inputSchema: z.object({ mode: z.string() }), execute: (input) => input })
  const message = '1. what is 2 + 2\n2. what is 3 * 7'

  test('writes the list, shows the plan and asks', async () => {
    const { text, open } = await run(message, { system, extra: { mode_set } })
    expect(text).toBe('This is the plan:\n1. What is 2 + 2\n2. What is 3 * 7\n\nShall I go ahead?')
    expect(open).toBe(2)
  })

  test('goes to work once the person approves', async () => {
    const before = await run(message, { system, extra: { mode_set } })
    const { text, open, messages } = await again(before, 'Yes, go ahead.', { system, extra: { mode_set } })
    expect(text).toBe('1. 2 + 2 is 4.\n2. 3 * 7 is 21.')
    expect(open).toBe(0)
    expect(JSON.stringify(messages)).toContain('"execute"')
  })

  test('goes to work once the host has changed the mode', async () => {
    const before = await run(message, { system, toolset: 'todos', extra: { mode_set } })
    const changed = englishTexts.mode.changed({ from: 'plan', to: 'execute' })
    const { text, open } = await again(before, changed, { system, toolset: 'todos', extra: { mode_set } })
    expect(text).toBe('1. 2 + 2 is 4.\n2. 3 * 7 is 21.')
    expect(open).toBe(0)
  })

  test('takes changes to the plan', async () => {
    const before = await run(message, { system, extra: { mode_set } })
    const { text } = await again(before, 'also: what is 9 - 1', { system, extra: { mode_set } })
    expect(text).toContain('3. What is 9 - 1')
  })
})

describe('offlineModel', () => {
  const request = { prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }] }

  test('speaks at a humane pace and stops at once', async () => {
    const controller = new AbortController()
    const { stream } = await offlineModel().doStream({ ...request, abortSignal: controller.signal })
    const reader = stream.getReader()
    const started = performance.now()
    while ((await reader.read()).value?.type !== 'text-delta') {
      // up to the first word
    }
    expect(performance.now() - started).toBeGreaterThan(200)
    controller.abort(new Error('stopped'))
    await expect(reader.read()).rejects.toThrow('stopped')
  })

  test('refuses a speed that is none', () => {
    expect(() => offlineModel({ speed: 0 })).toThrow('`speed` must be a number above 0, got 0.')
  })

  test('says that it is rules', () => {
    expect(offlineModelNotice.match(/[.](?=\s|$)/g)).toHaveLength(1)
    expect(offlineModelNotice).toContain('not a language model')
  })
})
