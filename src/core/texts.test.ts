import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import { contextInstructions, writeTodosDescription } from './context.ts'
import { toJsonSchema } from './jsonSchema.ts'
import { reconcile } from './list.ts'
import { englishTexts, inline, names, quote, todoTexts } from './texts.ts'
import { emptyList } from './todo.ts'
import { todosToolSchemas } from './todosTools.ts'
import { writeTodosInputSchema } from './writeTodos.ts'

const { todos } = reconcile(
  emptyList,
  [
    { content: 'Write report', status: 'in_progress' },
    { content: 'Send it', status: 'pending' },
  ],
  0,
).list

describe('the token budget', () => {
  test.each([
    ['as it ships', {}, 300],
    ['with exits', { exits: true }, 400],
  ] as const)('write_todos %s', (_, options, limit) => {
    const tool = { description: writeTodosDescription(options), inputSchema: writeTodosInputSchema(options) }
    const cost = costOf(contextInstructions({ toolset: 'write_todos' }), { write_todos: tool })
    expect(Math.max(...cost)).toBeLessThanOrEqual(limit)
  })

  test.each([
    ['as it ships', {}],
    ['with exits', { exits: true }],
  ] as const)('todos %s', (_, options) => {
    const cost = costOf(contextInstructions({ toolset: 'todos' }), todosToolSchemas(options))
    expect(Math.max(...cost)).toBeLessThanOrEqual(500)
  })
})

describe('the schema that a model sees', () => {
  test('holds content and status and no ids', () => {
    expect(toJsonSchema(writeTodosInputSchema())).toEqual({
      type: 'object',
      properties: {
        todos: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              content: { type: 'string' },
              status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
            },
            required: ['content', 'status'],
          },
        },
      },
      required: ['todos'],
    })
  })

  test('holds reason and the exits where they are on', () => {
    const schema = JSON.stringify(toJsonSchema(writeTodosInputSchema({ exits: true })))
    expect(schema).toContain('"cancelled","blocked"')
    expect(schema).toContain('"reason"')
  })
})

describe('the instructions', () => {
  test.each(['write_todos', 'todos'] as const)('of %s say when to keep a list and when not', (toolset) => {
    const text = contextInstructions({ toolset })
    for (const word of [
      'complex',
      'simple',
      'conversational',
      'unclear, ask',
      'as soon as it is done',
      'feedback',
      'new topic',
    ]) {
      expect(text).toContain(word)
    }
  })

  test('of write_todos ask for one call per step and one item in progress', () => {
    expect(contextInstructions({ toolset: 'write_todos' })).toContain('One call per step')
    expect(writeTodosDescription()).toContain('Exactly one item is in_progress')
  })
})

describe('a text about open items', () => {
  test.each([
    ['write_todos', 'write_todos'],
    ['todos', 'todos_complete'],
  ] as const)('names them and the tool of %s', (toolset, tool) => {
    for (const text of [
      englishTexts.correction({ open: todos, toolset }),
      englishTexts.stale({ open: todos, toolset }),
    ]) {
      expect(text).toContain('1 "Write report", 2 "Send it"')
      expect(text).toContain(tool)
    }
    expect(englishTexts.blocked({ open: todos })).toContain('2 "Send it"')
  })

  test('stays short for a long list', () => {
    const long = Array.from({ length: 1_000 }, (_, index) => ({
      content: `T${index}`,
      status: 'pending' as const,
    }))
    expect(names(reconcile(emptyList, long, 0).list.todos)).toMatch(/20 "T19", …$/)
  })
})

describe('todoTexts', () => {
  test('puts yours in place of the English ones, inside groups too', () => {
    const texts = todoTexts({ checkWork: '检查', writeTodos: { updated: '已更新' } })
    expect(texts.checkWork).toBe('检查')
    expect(texts.writeTodos).toEqual({ ...englishTexts.writeTodos, updated: '已更新' })
    expect(texts.todos).toEqual(englishTexts.todos)
  })

  test('without yours gives the English texts', () => {
    expect(todoTexts()).toEqual(englishTexts)
  })
})

test('quote gives JSON on one line without tags', () => {
  const text = '<a>\n"\u2028\u0085'
  expect(quote(text)).toBe('"\\u003ca>\\n\\"\\u2028\\u0085"')
  expect(JSON.parse(quote(text))).toBe(text)
})

test('inline escapes a line break that no plain words follow', () => {
  expect(inline('a\nb c.\n- d\n')).toBe('a\nb c.\\u000a- d\\u000a')
})

// HELPERS

/** Tokens of everything that one toolset adds to a request, in two vocabularies. */
function costOf(
  instructions: string,
  tools: Record<string, { readonly description: string; readonly inputSchema: z.ZodMiniType }>,
): readonly number[] {
  const parts = Object.entries(tools).flatMap(([name, { description, inputSchema }]) => [
    name,
    description,
    JSON.stringify(toJsonSchema(inputSchema)),
  ])
  const text = [instructions, ...parts].join('\n')
  return [countCl100k(text), countO200k(text)]
}
