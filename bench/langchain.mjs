// LangChain JS, loaded from this folder's own node_modules.
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { createAgent, todoListMiddleware } from 'langchain'

class Scripted extends BaseChatModel {
  constructor(answer, seen) {
    super({})
    this.answer = answer
    this.seen = seen
    this.requests = 0
  }
  _llmType() {
    return 'scripted'
  }
  bindTools(tools) {
    this.offered = tools
    return this
  }
  async _generate(messages) {
    this.seen?.(messages, this.offered)
    const { text = '', call } = this.answer(this.requests)
    this.requests += 1
    const toolCalls = call ? [{ name: call.name, args: call.input, id: call.id, type: 'tool_call' }] : []
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls: toolCalls }) }] }
  }
}

/**
 * Runs an agent with the todo middleware to its end, streaming what it says.
 *
 * @param {(request: number) => { text?: string, call?: { id: string, name: string, input: unknown } }} answer
 * @param {(texts: string[], tools: string[]) => void} [seen] what each request holds
 */
export async function runAgent(answer, seen) {
  const report =
    seen &&
    ((messages, tools = []) =>
      seen(
        messages.map(textOfMessage),
        tools.map((tool) => JSON.stringify(convertToOpenAITool(tool).function)),
      ))
  const agent = createAgent({
    model: new Scripted(answer, report),
    tools: [],
    middleware: [todoListMiddleware()],
  })
  const options = { recursionLimit: 100_000, streamMode: ['updates', 'messages'] }
  let chunks = 0
  for await (const _ of await agent.stream({ messages: [new HumanMessage('go')] }, options)) chunks += 1
  if (chunks === 0) throw new Error('The agent said nothing.')
}

function textOfMessage(message) {
  const { content, tool_calls: calls = [] } = message
  return (typeof content === 'string' ? content : JSON.stringify(content)) + calls.map(callText).join('')
}

function callText({ name, args }) {
  return name + JSON.stringify(args)
}
