import type * as z from 'zod/mini'
import { describe, TodoAgentError, type TodoAgentErrorCode } from './errors.ts'
import type { TodoTexts } from './texts.ts'

/** The arguments of a tool call as its schema reads them. Throws the first fault as an `invalid_payload` error with its path. */
export function parseInput<Input>(schema: z.ZodMiniType<Input>, input: unknown, texts: TodoTexts): Input {
  const { success, data, error } = schema.safeParse(input)
  if (success) return data
  const issue: { path?: PropertyKey[]; values?: unknown[]; expected?: string } = { ...error.issues[0] }
  throw invalidInput(input, issue.path ?? [], issue.values?.join(' | ') ?? issue.expected ?? '', texts)
}

/** The error for a fault in the arguments of a tool: where it is, what is there, what belongs there. */
export function invalidInput(
  input: unknown,
  at: readonly PropertyKey[],
  expected: string,
  texts: TodoTexts,
  code: TodoAgentErrorCode = 'invalid_payload',
): TodoAgentError {
  let path = ''
  let value = input
  for (const key of at) {
    path += typeof key === 'number' ? `[${key}]` : `${path && '.'}${String(key)}`
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  const got = value === undefined ? 'missing' : describe(value)
  return new TodoAgentError(code, texts.invalid({ path: path || 'input', got, expected }), { path })
}
