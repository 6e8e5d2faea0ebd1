import { type JSONValue, jsonSchema, type ToolSet, tool } from 'ai'
import type * as z from 'zod/mini'
import { writeTodosDescription } from '../core/context.ts'
import type { TodoAgentError } from '../core/errors.ts'
import type { GuardCall } from '../core/guard.ts'
import { toJsonSchema } from '../core/jsonSchema.ts'
import { isModeTool, type Modes } from '../core/mode.ts'
import type { TodoTexts } from '../core/texts.ts'
import type { TodoChange, TodoList, Toolset } from '../core/todo.ts'
import { isTodosTool, runTodosTool, TODOS_TOOLS, todosToolSchemas } from '../core/todosTools.ts'
import { type WriteTodosOutput, writeTodos, writeTodosInputSchema } from '../core/writeTodos.ts'
import type { TodoOptions } from './options.ts'
import { repairArguments } from './repairArguments.ts'

const WRITE_TODOS = 'write_todos'

/** The part of a session's data that our tools work on. */
export interface ToolData {
  readonly list: TodoList
  readonly mode: string | null
  readonly modeChange: { readonly from: string; readonly to: string } | null
}

/** What a call of one of our tools came to. */
export type CallOutcome<Data extends ToolData> =
  | {
      readonly ok: true
      readonly data: Data
      readonly output: unknown
      readonly changes: readonly TodoChange[]
      readonly updated: boolean
    }
  | { readonly ok: false; readonly error: TodoAgentError }

/** The tools of one agent: ours, and the host's beside them. */
export interface AgentTools {
  /** What the model is offered, ours first. Ours have no `execute`: the run calls them once the guard has seen the whole response. */
  readonly tools: ToolSet
  /** The same without anything that runs by itself: for a blocked run. */
  readonly inertTools: ToolSet
  /** What turns results into the words that the model reads, whether the tool is still offered or not. */
  readonly answering: ToolSet
  readonly toolset: Toolset | null
  isOurs(name: string): boolean
  kind(name: string): GuardCall['kind']
  /** Runs one of our tools on the data of a session. Pure. */
  run<Data extends ToolData>(name: string, data: Data, input: unknown, now: number): CallOutcome<Data>
}

/** Puts the tools of an agent together. The names of the host's were checked before. */
export function createAgentTools(
  options: {
    readonly tools?: ToolSet | undefined
    readonly toolset: Toolset | null
    readonly todo?: TodoOptions | undefined
  },
  texts: TodoTexts,
  modes: Modes | null,
): AgentTools {
  const { tools: hostTools = {}, toolset, todo = {} } = options
  const settings = { ...todo, texts }
  const ours: ToolSet = {
    ...(toolset === 'write_todos'
      ? { [WRITE_TODOS]: declare(WRITE_TODOS, writeTodosDescription(settings), writeTodosInputSchema(todo)) }
      : {}),
    ...(toolset === 'todos'
      ? declareAll(todosToolSchemas({ ...(todo.exits ? { exits: true } : {}), texts }))
      : {}),
    ...(modes ? declareAll(modes.tools) : {}),
  }
  const inertHostTools = Object.fromEntries(
    Object.entries(hostTools).map(([name, hostTool]) => [
      name,
      { ...hostTool, execute: undefined, needsApproval: undefined },
    ]),
  ) as unknown as ToolSet

  const isPlanning = (mode: string | null) =>
    modes !== null && mode === 'plan' && (todo.inProgress ?? 'exactly-one') === 'exactly-one'

  return {
    tools: { ...ours, ...hostTools },
    inertTools: { ...ours, ...inertHostTools },
    answering: { ...hostTools, ...(listIsShown(toolset, todo) ? { [WRITE_TODOS]: withoutEcho } : {}) },
    toolset,
    isOurs: (name) => Object.hasOwn(ours, name),
    kind: (name) =>
      name === WRITE_TODOS || (isTodosTool(name) && TODOS_TOOLS[name] === 'write')
        ? 'todo_write'
        : isTodosTool(name) || isModeTool(name)
          ? 'todo_read'
          : 'other',
    run(name, data, input, now) {
      if (isModeTool(name) && modes) {
        const outcome = modes.runTool(name, modes.restore(data.mode, data.modeChange), input)
        if (!outcome.ok) return outcome
        const { mode, change } = outcome.state
        const same = mode === data.mode && change === data.modeChange
        return {
          ok: true,
          data: same ? data : { ...data, mode, modeChange: change },
          output: outcome.output,
          changes: [],
          updated: false,
        }
      }
      const write = !isTodosTool(name)
      const outcome = write
        ? writeTodos(data.list, input, {
            ...settings,
            ...(isPlanning(data.mode) ? planRules : {}),
            now,
          })
        : runTodosTool(name, data.list, input, { ...(todo.exits ? { exits: true } : {}), texts, now })
      if (!outcome.ok) return outcome
      const { list, changes } = outcome.update
      return {
        ok: true,
        data: list === data.list ? data : { ...data, list },
        output: outcome.output,
        changes,
        // A write that repeats the list is an update all the same: the model has looked at it.
        updated: write || changes.length > 0,
      }
    },
  }
}

// In a plan nothing is under way yet, so none of its items has to be. The tool is described alike in all modes, for the prompt cache's sake.
const planRules = { inProgress: 'at-most-one' } as const

function listIsShown(toolset: Toolset | null, { suppressListMessage, listMessage }: TodoOptions): boolean {
  return toolset !== null && !suppressListMessage && !listMessage
}

// Each request ends with the list as it is: a copy of it in every result would be paid for in all requests to come.
const withoutEcho = tool({
  inputSchema: jsonSchema({}),
  toModelOutput({ output }: { readonly output: unknown }) {
    if (typeof output === 'string') return { type: 'text' as const, value: output }
    const { todos: _, ...news } = (output ?? {}) as Partial<WriteTodosOutput>
    return { type: 'json' as const, value: news as Record<string, JSONValue> }
  },
}) as ToolSet[string]

/** Whether the kit has a tool of this name, offered or not. */
export function isOurName(name: string): boolean {
  return name === WRITE_TODOS || isTodosTool(name) || isModeTool(name)
}

function declareAll(
  schemas: Readonly<Record<string, { readonly description: string; readonly inputSchema: z.ZodMiniType }>>,
): ToolSet {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { description, inputSchema }]) => [
      name,
      declare(name, description, inputSchema),
    ]),
  )
}

// Any JSON gets through, repaired: core says more precisely what is wrong with it than a schema library does.
function declare(name: string, description: string, inputSchema: z.ZodMiniType): ToolSet[string] {
  return tool({
    description,
    inputSchema: jsonSchema<Record<string, unknown>>(
      toJsonSchema(inputSchema) as Parameters<typeof jsonSchema>[0],
      {
        validate: (value) => ({ success: true, value: repairArguments(name, value) }),
      },
    ),
  })
}
