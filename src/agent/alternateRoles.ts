import type { ModelMessage } from 'ai'

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>
type UserMessage = Extract<ModelMessage, { role: 'user' }>
type ToolOutput = Extract<ToolMessage['content'][number], { type: 'tool-result' }>['output']

/**
 * The messages of a request so that user and assistant take turns, as some chat templates want it: messages of one role that follow each
 * other become one, and between results and what a user says after them stands a word of the assistant. Results count as its turn.
 *
 * The same messages always give the same turns, so that requests still begin as the one before. The list is put into the last of them: after
 * the user's words, or after the last result. It alone is not there the next time.
 */
export function alternateRoles(
  messages: readonly ModelMessage[],
  { list, word }: { readonly list: string | null; readonly word: string },
): ModelMessage[] {
  const turns: ModelMessage[] = []
  for (const message of list === null ? messages : withList(messages, list)) {
    const last = turns.at(-1)
    if (message.role === 'user' && last?.role === 'user') {
      turns[turns.length - 1] = { ...last, content: joined(partsOf(last), partsOf(message)) }
    } else if (message.role === 'assistant' && last?.role === 'assistant') {
      turns[turns.length - 1] = { ...last, content: [...partsOf(last), ...partsOf(message)] }
    } else {
      if (message.role === 'user' && last?.role === 'tool') turns.push({ role: 'assistant', content: word })
      turns.push(message)
    }
  }
  return turns
}

function withList(messages: readonly ModelMessage[], list: string): ModelMessage[] {
  const last = messages.at(-1)
  const place = last?.role === 'tool' ? last.content.findLastIndex(({ type }) => type === 'tool-result') : -1
  if (last?.role !== 'tool' || place === -1) return [...messages, { role: 'user', content: list }]
  const content = last.content.map((part, index) =>
    index === place && part.type === 'tool-result' ? { ...part, output: withText(part.output, list) } : part,
  )
  return [...messages.slice(0, -1), { ...last, content }]
}

function withText(output: ToolOutput, text: string): ToolOutput {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return { ...output, value: `${output.value}\n\n${text}` }
    case 'json':
      return { ...output, type: 'text', value: `${JSON.stringify(output.value)}\n\n${text}` }
    case 'error-json':
      return { ...output, type: 'error-text', value: `${JSON.stringify(output.value)}\n\n${text}` }
    case 'content':
      return { ...output, value: [...output.value, { type: 'text', text }] }
    default:
      return { ...output, reason: `${output.reason ?? 'Tool execution denied.'}\n\n${text}` }
  }
}

// One text where there can be one: small servers know no others.
function joined(
  one: Exclude<UserMessage['content'], string>,
  two: Exclude<UserMessage['content'], string>,
): UserMessage['content'] {
  const [before, after] = [one.at(-1), two[0]]
  if (before?.type !== 'text' || after?.type !== 'text' || before.providerOptions || after.providerOptions)
    return [...one, ...two]
  const text = `${before.text}\n\n${after.text}`
  return [...one.slice(0, -1), { type: 'text', text }, ...two.slice(1)]
}

function partsOf<Part>({
  content,
}: {
  readonly content: string | readonly Part[]
}): (Part | { type: 'text'; text: string })[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : [...content]
}
