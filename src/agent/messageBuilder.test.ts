import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import { describe, expect, test } from 'vitest'
import { createMessageBuilder } from './messageBuilder.ts'

const chunks: UIMessageChunk[] = [
  { type: 'start', messageId: 'm1', messageMetadata: { a: 1 } },
  { type: 'data-synthetic', data: { source: 'resume', text: 'Go on' } } as UIMessageChunk,
  { type: 'start-step' },
  { type: 'reasoning-start', id: 'r1' },
  { type: 'reasoning-delta', id: 'r1', delta: 'Think' },
  { type: 'reasoning-delta', id: 'r1', delta: '', providerMetadata: { p: { signature: 'abc' } } },
  { type: 'reasoning-end', id: 'r1' },
  { type: 'text-start', id: 't1', providerMetadata: { p: { item: 1 } } },
  { type: 'text-delta', id: 't1', delta: 'Hel' },
  { type: 'text-delta', id: 't1', delta: 'lo' },
  { type: 'text-end', id: 't1' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'write_todos' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"todos":' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '[]}' },
  {
    type: 'tool-input-available',
    toolCallId: 'c1',
    toolName: 'write_todos',
    input: { todos: [] },
    providerMetadata: { p: { c: 1 } },
  },
  { type: 'tool-input-available', toolCallId: 'c2', toolName: 'search', input: { q: 'x' }, title: 'Search' },
  {
    type: 'tool-input-error',
    toolCallId: 'c3',
    toolName: 'nope',
    input: { z: 1 },
    errorText: 'No such tool',
    dynamic: true,
  },
  { type: 'tool-input-available', toolCallId: 'c4', toolName: 'send', input: {} },
  { type: 'tool-approval-request', toolCallId: 'c4', approvalId: 'a4', reason: 'costly' },
  { type: 'tool-input-available', toolCallId: 'c5', toolName: 'send', input: {} },
  { type: 'tool-output-denied', toolCallId: 'c5' },
  { type: 'tool-output-available', toolCallId: 'c2', output: 1, preliminary: true },
  { type: 'tool-output-available', toolCallId: 'c2', output: { n: 2 } },
  { type: 'tool-output-error', toolCallId: 'c1', errorText: 'Refused' },
  { type: 'data-todos', id: 'd1', data: { revision: 1 } } as UIMessageChunk,
  { type: 'data-todos', id: 'd1', data: { revision: 2 } } as UIMessageChunk,
  { type: 'data-host', data: 1, transient: true } as UIMessageChunk,
  { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' },
  { type: 'source-url', sourceId: 's1', url: 'https://example.org', title: 'T' },
  { type: 'finish-step' },
  { type: 'start-step' },
  { type: 'tool-approval-response', approvalId: 'a4', approved: true, reason: 'fine' },
  { type: 'tool-output-available', toolCallId: 'c4', output: 'sent' },
  { type: 'finish-step' },
  { type: 'finish', messageMetadata: { b: 2 } },
]

describe('createMessageBuilder', () => {
  test('makes the message that the AI SDK makes of the same chunks', async () => {
    const builder = createMessageBuilder({ id: 'm1', parts: [], metadata: undefined })
    for (const chunk of chunks) builder.apply(chunk)
    expect(plain(builder.snapshot())).toEqual(plain(await sdkMessage(chunks)))
  })

  test('goes on with an earlier message as the AI SDK does', async () => {
    const first = plain(await sdkMessage(chunks)) as UIMessage
    const more: UIMessageChunk[] = [
      { type: 'start', messageId: 'm1' },
      { type: 'start-step' },
      { type: 'text-start', id: 't1' },
      { type: 'text-delta', id: 't1', delta: 'More' },
      { type: 'text-end', id: 't1' },
    ]
    const builder = createMessageBuilder(first)
    for (const chunk of more) builder.apply(chunk)
    expect(plain(builder.snapshot())).toEqual(plain(await sdkMessage(more, first)))
  })

  test('never changes a message that it handed out', () => {
    const builder = createMessageBuilder({ id: 'm1', parts: [], metadata: undefined })
    for (const chunk of chunks.slice(0, 9)) builder.apply(chunk)
    const early = builder.snapshot()
    const copy = structuredClone(early)
    for (const chunk of chunks.slice(9)) builder.apply(chunk)
    expect(early).toEqual(copy)
  })

  test('keeps the identity of settled parts from one snapshot to the next', () => {
    const builder = createMessageBuilder({ id: 'm1', parts: [], metadata: undefined })
    for (const chunk of chunks.slice(0, 11)) builder.apply(chunk)
    const early = builder.snapshot()
    for (const chunk of chunks.slice(11)) builder.apply(chunk)
    const late = builder.snapshot()
    expect(late.parts.slice(0, early.parts.length).every((part, index) => part === early.parts[index])).toBe(
      true,
    )
  })
})

async function sdkMessage(stream: readonly UIMessageChunk[], message?: UIMessage): Promise<UIMessage> {
  let last: UIMessage | undefined
  const readable = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of stream) controller.enqueue(chunk)
      controller.close()
    },
  })
  for await (const next of readUIMessageStream(
    message ? { stream: readable, message: structuredClone(message) } : { stream: readable },
  )) {
    last = next
  }
  if (!last) throw new Error('The stream made no message.')
  return last
}

// Fields that are undefined are not stored, so they don't count.
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
