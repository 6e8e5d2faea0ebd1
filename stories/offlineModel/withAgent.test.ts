import type { UIMessage } from 'ai'
import {
  createTodoSession,
  memoryStorage,
  type RunTodoAgentOptions,
  runTodoAgent,
  TodoChat,
} from 'use-todo-agent/agent'
import { todosCompleted } from 'use-todo-agent/core'
import { collectRun, createRequestValidator, type ModelV4 } from 'use-todo-agent/testing'
import { describe, expect, test } from 'vitest'
import { orderAnswers, orderQuestions, ordersCsv } from '../orders.ts'
import { tools } from '../tools/tools.ts'
import type { Behaviour } from './decide.ts'
import { offlineModel } from './offlineModel.ts'

const orders = `Please answer these about the orders below: ${orderQuestions}\n\n${ordersCsv}`

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

let sessions = 0

function setUp(behaviour: Behaviour, options: Partial<RunTodoAgentOptions> = {}) {
  sessions += 1
  const session = createTodoSession({ id: `offline-${sessions}`, storage: memoryStorage() })
  const model = checked(offlineModel({ behaviour, speed: Number.POSITIVE_INFINITY }))
  const texts = () => {
    const parts = session.store
      .getState()
      .messages.flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  }
  const notes = () => {
    const parts = session.store.getState().messages.flatMap((message) => message.parts)
    return parts.flatMap((part) =>
      part.type === 'data-synthetic' ? [(part.data as { source: string }).source] : [],
    )
  }
  const say = async (text: string, more: Partial<RunTodoAgentOptions> = {}) => {
    const message: UIMessage = { id: `u-${text.slice(0, 20)}`, role: 'user', parts: [{ type: 'text', text }] }
    const messages = [...session.store.getState().messages, message]
    return (await collectRun(runTodoAgent({ model, tools, ...options, ...more, session, messages }))).result
  }
  return { session, model, say, texts, notes }
}

describe('the offline model in a run', () => {
  test.each(['write_todos', 'todos'] as const)(
    'makes the changes that are asked for in the panel (%s)',
    async (toolset) => {
      const { session } = setUp('steady')
      const model = checked(offlineModel({ speed: Number.POSITIVE_INFINITY }))
      const chat = new TodoChat({ session, model, tools, toolset, modes: true })
      await chat.send('Please do these: 1. calculate 6 * 7, 2. calculate 144 / 12, 3. calculate 2 ^ 10')
      const contents = () => session.getAllTodos().map(({ content }) => content)
      const [first, second, third] = contents()
      await Promise.all([
        chat.request({ type: 'rename', id: 1, content: 'Calculate "6 * 8"; exactly' }),
        chat.request({ type: 'skip', id: 2 }),
        chat.request({ type: 'add', content: 'Calculate 9 * 9' }),
      ])
      expect(contents()).not.toContain(first)
      expect(contents()).not.toContain(second)
      expect(contents().toSorted()).toEqual(
        ['Calculate "6 * 8"; exactly', 'Calculate 9 * 9', third].toSorted(),
      )
    },
  )

  test.each(['write_todos', 'todos'] as const)(
    'answers the orders with %s and ends completed',
    async (toolset) => {
      const { say, texts, session, notes } = setUp('steady', { toolset })
      const result = await say(orders)
      expect(result).toMatchObject({ outcome: 'completed', openTodos: [], error: null })
      expect(notes()).toEqual([])
      const right = orderAnswers()
      const numbers = [
        right.rows,
        right.mean.toFixed(2),
        right.median,
        right.city,
        right.total,
        right.share.toFixed(2),
      ]
      let from = 0
      for (const number of numbers) {
        const at = texts().at(-1)?.indexOf(String(number), from) ?? -1
        expect(at, `${number} in ${texts().at(-1)}`).toBeGreaterThanOrEqual(from)
        from = at
      }
      expect(session.getAllTodos().map((todo) => todo.status)).toEqual(Array(5).fill('completed'))
    },
  )

  test('forgetful is sent back once and ends completed', async () => {
    const { say, texts, notes } = setUp('forgetful')
    expect(await say(orders)).toMatchObject({ outcome: 'completed', openTodos: [] })
    expect(notes()).toEqual(['todo_guard'])
    expect(texts().at(-1)).toBe('The list is up to date: all 5 items are done.')
    expect(texts().at(-2)).toContain('1. There are 200 rows.')
  })

  test('lazy is sent on by the loop until its list is done', async () => {
    const { say, texts, notes } = setUp('lazy', { loop: { evaluators: [todosCompleted()] } })
    expect(await say(orders)).toMatchObject({ outcome: 'completed', iterations: 5 })
    expect(notes()).toEqual(Array(4).fill('loop_feedback'))
    expect(texts().at(-1)).toContain('4. 17% of the total')
  })

  test('hopeless is blocked and says what is open', async () => {
    const { say, texts } = setUp('hopeless')
    const result = await say('1. what is 2 + 2\n2. what is 3 * 7')
    expect(result.outcome).toBe('blocked')
    expect(result.openTodos).toHaveLength(2)
    expect(texts().at(-1)).toContain('"What is 2 + 2" and "What is 3 * 7" are still open')
  })

  test('a step that fails ends the run all the same', async () => {
    const { say, texts } = setUp('steady')
    expect((await say('1. what is 1/0\n2. what is 6 * 7')).outcome).toBe('completed')
    expect(texts().at(-1)).toBe(
      '1. I could not do "What is 1/0": Division by zero in "1/0".\n2. 6 * 7 is 42.\n\n1 of 2 steps could not be done.',
    )
  })

  test('plan mode asks first, and works after a yes', async () => {
    const { say, texts, session } = setUp('steady', { modes: true })
    expect((await say('1. what is 2 + 2\n2. what is 6 * 7')).openTodos).toHaveLength(2)
    expect(texts().at(-1)).toContain('Shall I go ahead?')
    expect((await say('Yes, go ahead.')).outcome).toBe('completed')
    expect(session.store.getState().mode).toBe('execute')
    expect(texts().at(-1)).toBe('1. 2 + 2 is 4.\n2. 6 * 7 is 42.')
  })

  test('a stopped run goes on where it was', async () => {
    const { session, model, texts, say } = setUp('steady')
    const controller = new AbortController()
    const stop = session.store.subscribe(({ todos }) => {
      if (todos.filter((todo) => todo.status === 'completed').length === 2) controller.abort()
    })
    expect((await say(orders, { signal: controller.signal })).outcome).toBe('stopped')
    stop()
    const { result } = await collectRun(runTodoAgent({ model, tools, session, goesOn: 'interrupted' }))
    expect(result.outcome).toBe('completed')
    expect(texts().at(-1)).toContain('1. There are 200 rows.\n2. The mean of price')
  })
})
