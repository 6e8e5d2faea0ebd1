import {
  contextInstructions,
  createGuard,
  type GuardState,
  idleRun,
  listMessage,
  openTodos,
  type RunView,
  type TodoList,
  toJsonSchema,
  writeTodos,
  writeTodosDescription,
  writeTodosInputSchema,
} from 'use-todo-agent/core'

/** A message of a chat completion. `source` says that the kit wrote it, not the person; it stays here. */
export interface LoopMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly tool_calls?: readonly LoopCall[]
  readonly tool_call_id?: string
  readonly source?: string
}

interface LoopCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** All that a run changes. Plain data: save it and start from it again. */
export interface LoopState {
  readonly messages: readonly LoopMessage[]
  readonly list: TodoList
  readonly guard: GuardState
  readonly run: RunView
}

export interface LoopTool {
  readonly description: string
  readonly parameters: object
  execute(input: never): unknown
}

export interface LoopOptions {
  readonly baseURL: string
  readonly model: string
  readonly tools: Readonly<Record<string, LoopTool>>
  readonly onChange: (state: LoopState) => void
  readonly signal: AbortSignal
  /** The run goes on where one was stopped, without a new message. */
  readonly continued: boolean
}

const toolset = 'write_todos'
const guard = createGuard()

/** Runs an agent until it has answered. Each step is whole or not there at all: what is stopped in the middle is asked for again. */
export async function runLoop(start: LoopState, options: LoopOptions): Promise<void> {
  const { tools, onChange, signal, continued } = options
  let state = start
  const change = (part: Partial<LoopState>) => {
    state = { ...state, ...part }
    onChange(state)
  }
  const end = (ending: Pick<RunView, 'outcome'> & Partial<RunView>) => {
    const openIds = openTodos(state.list.todos).map(({ id }) => id)
    change({ run: { ...state.run, status: 'idle', openIds, endedAt: Date.now(), ...ending } })
  }
  change({
    guard: guard.startRun(state.guard, { continued }),
    run: { ...idleRun, status: 'running', startedAt: Date.now() },
  })

  try {
    for (let step = 0; step < 50; step += 1) {
      const message = await ask(state, options)
      const calls = message.tool_calls ?? []

      // The guard sees the whole response before anything in it happens.
      const first = guard.afterModelResponse(
        state.guard,
        { text: message.content ?? '', toolCalls: calls.map(toGuardCall), end: 'complete' },
        { todos: state.list.todos, toolset, mode: null },
      )
      const answered: LoopMessage[] = [message]
      const errors: { id: string; text: string }[] = []
      let { list } = state
      let updated = false
      for (const { id, function: called } of calls) {
        const answer = (content: string) => answered.push({ role: 'tool', tool_call_id: id, content })
        const refusal = first.refuse.find((refused) => refused.id === id)
        if (refusal) answer(refusal.text)
        else if (called.name === 'write_todos') {
          const outcome = writeTodos(list, parse(called.arguments), { now: Date.now() })
          if (outcome.ok) {
            list = outcome.update.list
            updated = true
          } else errors.push({ id, text: outcome.error.message })
          answer(outcome.ok ? JSON.stringify(outcome.output) : outcome.error.message)
        } else answer(await execute(tools[called.name], called))
      }
      signal.throwIfAborted()
      const todoTools = updated || errors.length > 0
      const second = todoTools
        ? guard.afterTodoTools(first.state, { updated, errors }, { todos: list.todos, toolset, mode: null })
        : first

      // What the kit says comes after all results, and never as the person's words.
      const injected = todoTools ? [...first.inject, ...second.inject] : first.inject
      const said = injected.map(({ source, text }) => ({ role: 'user', content: text, source }) as const)
      const correction = second.correction ?? first.correction ?? state.run.correction
      change({
        messages: [...state.messages, ...answered, ...said],
        list,
        guard: second.state,
        run: { ...state.run, correction },
      })
      if (second.decision === 'stop') return end({ outcome: second.outcome ?? 'blocked' })
      if (calls.length > 0 || first.decision === 'loop_to_model') continue
      const isOpen = openTodos(list.todos).length > 0
      return end({ outcome: first.outcome ?? (isOpen ? 'finished_with_open_todos' : 'completed') })
    }
    end({ outcome: 'max_steps' })
  } catch (error) {
    if (signal.aborted) end({ outcome: 'stopped' })
    else end({ outcome: 'failed', error: { code: 'model_failed', message: (error as Error).message } })
  }
}

/** One request: the transcript as it was before, and the current list as one message at its tail. */
async function ask({ messages, list }: LoopState, options: LoopOptions): Promise<LoopMessage> {
  const current = listMessage(list.todos, { toolset })
  const response = await fetch(`${options.baseURL}/chat/completions`, {
    method: 'POST',
    signal: options.signal,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: options.model,
      messages: [
        { role: 'system', content: contextInstructions({ toolset }) },
        ...messages.map(({ source: _, ...message }) => message),
        ...(current === null ? [] : [{ role: 'user', content: current }]),
      ],
      tools: [
        toTool('write_todos', {
          description: writeTodosDescription(),
          parameters: toJsonSchema(writeTodosInputSchema()),
        }),
        ...Object.entries(options.tools).map(([name, tool]) => toTool(name, tool)),
      ],
    }),
  })
  if (!response.ok) throw new Error(`The server answered ${response.status}: ${await response.text()}`)
  const { choices } = (await response.json()) as { choices: readonly { message: LoopMessage }[] }
  const message = choices[0]?.message
  if (!message) throw new Error('The server sent no answer.')
  return message
}

function toTool(name: string, { description, parameters }: Pick<LoopTool, 'description' | 'parameters'>) {
  return { type: 'function', function: { name, description, parameters } }
}

function toGuardCall({ id, function: { name } }: LoopCall) {
  return { id, name, kind: name === 'write_todos' ? 'todo_write' : 'other' } as const
}

async function execute(tool: LoopTool | undefined, called: LoopCall['function']): Promise<string> {
  if (!tool) return `There is no tool ${called.name}.`
  try {
    return JSON.stringify(await tool.execute(parse(called.arguments) as never))
  } catch (error) {
    return `It failed: ${(error as Error).message}`
  }
}

/** Arguments as the model wrote them; broken ones are refused by the tool that gets them. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json.trim() || '{}')
  } catch {
    return json
  }
}
