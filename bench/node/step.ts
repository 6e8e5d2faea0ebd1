import { isStepCount, ToolLoopAgent, tool } from 'ai'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { createTodoSession, memoryStorage, runTodoAgent } from 'use-todo-agent/agent'
import { englishTexts } from 'use-todo-agent/core'
import { z } from 'zod'
import { interleave, plainRow, type Row, ratioRow, timed } from '../measure.ts'
import { type Answer, runLangChain, type SeenRequest } from './langchain.ts'
import { writeOf } from './lists.ts'
import { bareModel, callOf, textOf } from './models.ts'

const LONG = 200
const SHORT = 50
const ITEMS = 10

type Runner = (steps: number, seen?: SeenRequest) => Promise<void>

/** One todo update per step, the same scripted answers for all: the kit, the AI SDK's agent without a list, LangChain's with its own. */
export async function stepRows(): Promise<readonly Row[]> {
  const samples = await interleave(
    {
      kit: () => timed(() => kit(LONG)),
      kitShort: () => timed(() => kit(SHORT)),
      toolLoopAgent: () => timed(() => toolLoopAgent(LONG)),
      toolLoopAgentShort: () => timed(() => toolLoopAgent(SHORT)),
      langchain: () => timed(() => langchain(LONG)),
      langchainShort: () => timed(() => langchain(SHORT)),
    },
    { rounds: 5 },
  )
  const steps = { kitShort: SHORT, toolLoopAgentShort: SHORT, langchainShort: SHORT }
  const perStep = { kit: LONG, toolLoopAgent: LONG, langchain: LONG, ...steps }
  const row = (id: string, what: string, over: keyof typeof samples, under: keyof typeof samples) =>
    ratioRow(samples, [over, under], { id: `step-${id}`, group: 'step', what, bound: null }, perStep)
  return [
    row('toolloop', '200 steps, against ToolLoopAgent without a list', 'kit', 'toolLoopAgent'),
    row('langchain', '200 steps, against LangChain JS with its list', 'kit', 'langchain'),
    row('growth', 'time per step at 200 steps against 50: the kit', 'kit', 'kitShort'),
    row(
      'growth-toolloop',
      'time per step at 200 steps against 50: ToolLoopAgent',
      'toolLoopAgent',
      'toolLoopAgentShort',
    ),
    row(
      'growth-langchain',
      'time per step at 200 steps against 50: LangChain JS',
      'langchain',
      'langchainShort',
    ),
    ...(await tokenRows()),
  ]
}

/** All that 200 steps send to the model: messages, and the declarations of the tools with each request. */
async function tokenRows(): Promise<readonly Row[]> {
  const sent = { kit: await tokensOf(kit), langchain: await tokensOf(langchain) }
  const facts = { group: 'step', unit: 'tokens', bound: null } as const
  return [
    plainRow([sent.kit.total], { ...facts, id: 'step-tokens-kit', what: 'sent in 200 steps: the kit' }),
    plainRow([sent.langchain.total], {
      ...facts,
      id: 'step-tokens-langchain',
      what: 'sent in 200 steps: LangChain JS',
    }),
    plainRow([sent.kit.most], {
      id: 'step-lists',
      group: 'step',
      unit: 'count',
      what: 'injected lists in the request that holds most of them',
      bound: 1,
    }),
  ]
}

async function tokensOf(run: Runner): Promise<{ readonly total: number; readonly most: number }> {
  const known = new Map<string, number>()
  const count = (text: string) => {
    const tokens = known.get(text) ?? countTokens(text)
    known.set(text, tokens)
    return tokens
  }
  let total = 0
  let most = 0
  await run(LONG, (messages, tools) => {
    for (const text of [...messages, ...tools]) total += count(text)
    most = Math.max(most, messages.filter((text) => text.includes(englishTexts.listHeading)).length)
  })
  return { total, most }
}

let sessions = 0

const kit: Runner = async (steps, seen) => {
  sessions += 1
  const session = createTodoSession({ id: `step-${sessions}`, storage: memoryStorage() })
  const model = scripted(steps, seen)
  const run = runTodoAgent({
    session,
    model,
    maxSteps: steps + 10,
    messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
  })
  for await (const _ of run);
  const { outcome } = session.store.getState().run
  session.close()
  if (outcome !== 'completed') throw new Error(`The run ended as ${outcome}.`)
}

const toolLoopAgent: Runner = async (steps, seen) => {
  const model = scripted(steps, seen)
  const item = z.object({ content: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) })
  const write = tool({
    inputSchema: z.object({ todos: z.array(item) }),
    execute: async ({ todos }) => ({ message: 'Updated.', todos }),
  })
  const agent = new ToolLoopAgent({ model, tools: { write_todos: write }, stopWhen: isStepCount(steps + 10) })
  const result = await agent.stream({ prompt: 'go' })
  for await (const _ of result.toUIMessageStream());
}

const langchain: Runner = (steps, seen) => runLangChain((index) => answer(index, steps), seen)

function scripted(steps: number, seen?: SeenRequest) {
  return bareModel(
    (index) => partsOf(answer(index, steps)),
    seen && (({ prompt, tools = [] }) => seen(prompt.map(textOfMessage), tools.map(textOfTool))),
  )
}

/** Works the list off again and again, and ends on a finished one. */
function answer(index: number, steps: number): Answer {
  if (index >= steps) return { text: 'done' }
  const done = index === steps - 1 ? ITEMS : index % ITEMS
  return { call: { id: `call-${index}`, name: 'write_todos', input: writeOf(ITEMS, done) } }
}

function partsOf({ text, call }: Answer) {
  return call ? callOf(call.id, call.name, call.input) : textOf(1, text)
}

function textOfMessage({ content }: { readonly content: unknown }): string {
  if (typeof content === 'string') return content
  return (content as readonly Record<string, unknown>[]).map(textOfPart).join('')
}

/** As LangChain's are counted. */
function textOfTool(declared: object): string {
  const { name, description, inputSchema } = { name: '', description: '', inputSchema: {}, ...declared }
  return JSON.stringify({ name, description, parameters: inputSchema })
}

function textOfPart(part: Readonly<Record<string, unknown>>): string {
  if (part['type'] === 'text') return String(part['text'])
  if (part['type'] === 'tool-call') return `${part['toolName']}${JSON.stringify(part['input'])}`
  const output = part['output'] as { readonly value?: unknown } | undefined
  return typeof output?.value === 'string' ? output.value : JSON.stringify(output?.value)
}
