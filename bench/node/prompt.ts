import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import {
  contextInstructions,
  emptyList,
  listMessage,
  type Toolset,
  todosToolSchemas,
  toJsonSchema,
  writeTodos,
  writeTodosDescription,
  writeTodosInputSchema,
} from 'use-todo-agent/core'
import { plainRow, type Row } from '../measure.ts'
import { langchainPrompt } from './langchain.ts'
import { writeOf } from './lists.ts'

/** What having a list costs in each request, in tokens of o200k: instructions, descriptions and schemas; and the list itself. */
export async function promptRows(): Promise<readonly Row[]> {
  const { system, tool } = await langchainPrompt()
  return [
    row('write_todos', 'tools', countTokens(fixedPart('write_todos')), 400),
    row('todos', 'tools', countTokens(fixedPart('todos')), 500),
    row('LangChain JS todoListMiddleware', 'tools', countTokens(system + tool), null),
    row('write_todos', 'list of 10', countTokens(listPart('write_todos')), null),
    row('todos', 'list of 10', countTokens(listPart('todos')), null),
  ]
}

function row(toolset: string, part: 'tools' | 'list of 10', tokens: number, bound: number | null): Row {
  const what =
    part === 'tools' ? 'instructions, tool descriptions and schemas' : 'the list message for 10 items'
  const name = toolset.startsWith('LangChain') ? 'langchain' : toolset
  return plainRow([tokens], {
    id: `prompt-${name}-${part === 'tools' ? 'tools' : 'list'}`,
    group: 'prompt',
    what: `${toolset}: ${what}`,
    unit: 'tokens',
    bound,
  })
}

function fixedPart(toolset: Toolset): string {
  const tools =
    toolset === 'todos'
      ? todosToolSchemas()
      : { write_todos: { description: writeTodosDescription(), inputSchema: writeTodosInputSchema() } }
  const declared = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
    name,
    description,
    parameters: toJsonSchema(inputSchema),
  }))
  return contextInstructions({ toolset }) + declared.map((tool) => JSON.stringify(tool)).join('')
}

function listPart(toolset: Toolset): string {
  const written = writeTodos(emptyList, writeOf(10, 4), { now: 1 })
  if (!written.ok) throw written.error
  return listMessage(written.update.list.todos, { toolset }) ?? ''
}
