/** What the scripted model answers to a request. */
export interface Answer {
  readonly text?: string
  readonly call?: { readonly id: string; readonly name: string; readonly input: unknown }
}

/** The texts of a request, message by message with the calls in them, and what it says of the tools. */
export type SeenRequest = (messages: readonly string[], tools: readonly string[]) => void

interface LangChain {
  runAgent(answer: (request: number) => Answer, seen?: SeenRequest): Promise<void>
}

// Not bundled: it is found in the benchmark's own node_modules.
const file = new URL('../langchain.mjs', import.meta.url).href
let loaded: Promise<LangChain> | undefined

/** Runs LangChain's agent with its todo middleware and no other tools. */
export async function runLangChain(answer: (request: number) => Answer, seen?: SeenRequest): Promise<void> {
  loaded ??= import(/* @vite-ignore */ file)
  const { runAgent } = await loaded
  await runAgent(answer, seen)
}

/** What its middleware adds to a request. */
export async function langchainPrompt(): Promise<{ readonly system: string; readonly tool: string }> {
  let system = ''
  let tool = ''
  await runLangChain(
    () => ({ text: 'done' }),
    (messages, tools) => {
      system = messages[0] ?? ''
      tool = tools.join('')
    },
  )
  if (!system || !tool) throw new Error('LangChain sent no instructions or no tool.')
  return { system, tool }
}
