import type { UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { englishTexts } from '../core/texts.ts'
import { settleMessage, toModelMessages } from './transcript.ts'

type Part = UIMessage['parts'][number]

const step: Part = { type: 'step-start' }
const metadata = { openai: { itemId: 'msg_1' } }
const text = (state: 'streaming' | 'done', more: object = {}): Part => ({
  type: 'text',
  text: 'Hi',
  state,
  ...more,
})
const reasoning = (state: 'streaming' | 'done'): Part =>
  ({ type: 'reasoning', text: 'Hm', state, providerMetadata: { openai: { itemId: 'rs_1' } } }) as Part
const search = (toolCallId: string, fields: object): Part =>
  ({ type: 'tool-search', toolCallId, input: { q: 'A' }, ...fields }) as unknown as Part
const waiting = search('c1', { state: 'input-available', callProviderMetadata: metadata })
const arriving = search('c2', { state: 'input-streaming', input: undefined })
const found = search('c1', { state: 'output-available', output: 'found' })

const question: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Find A' }] }
const answer = (...parts: readonly Part[]): UIMessage => ({ id: 'a', role: 'assistant', parts: [...parts] })
const requestOf = (...parts: readonly Part[]) =>
  toModelMessages([question, answer(...parts)], { texts: englishTexts })

describe('a response that broke off', () => {
  test.each<[string, Part[]]>([
    ['in its text', [step, reasoning('done'), text('streaming', { providerMetadata: metadata })]],
    ['in a call after it', [step, reasoning('done'), text('done', { providerMetadata: metadata }), arriving]],
    ['in one call after another', [step, text('done'), waiting, arriving]],
  ])('%s leaves what was said, and nothing that a server may not know', async (_, parts) => {
    const request = [
      { role: 'user', content: [{ type: 'text', text: 'Find A' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
    ]
    expect(await requestOf(...parts)).toEqual(request)
    // The same once it is settled, which is what the session keeps of it.
    expect(await requestOf(...settleMessage(answer(...parts)).parts)).toEqual(request)
    expect(
      settleMessage(answer(...parts)).parts.filter((part) => 'state' in part && part.state !== 'done'),
    ).toEqual([])
  })

  test.each<[string, Part[]]>([
    ['in its reasoning', [step, reasoning('streaming')]],
    ['in its first call', [step, reasoning('done'), arriving]],
  ])('%s leaves no message at all', async (_, parts) => {
    expect(await requestOf(...parts)).toHaveLength(1)
  })

  test('between two parts is one where it is known to be', async () => {
    const whole = answer(step, reasoning('done'), text('done', { providerMetadata: metadata }), waiting)
    expect(settleMessage(whole)).toBe(whole)
    const { parts } = settleMessage(whole, true)
    expect(parts).toMatchObject([step, { type: 'reasoning', text: 'Hm' }, { type: 'text', state: 'done' }])
    expect(await requestOf(...parts)).toMatchObject([{}, { role: 'assistant', content: [{ text: 'Hi' }] }])
  })

  test('does not change the steps before it and after it', async () => {
    const request = await requestOf(step, reasoning('done'), found, step, text('streaming'), step, found)
    expect(request.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool'],
      ...['assistant', 'assistant', 'tool'],
    ])
    expect(request[1]?.content).toMatchObject([
      { type: 'reasoning', providerOptions: { openai: { itemId: 'rs_1' } } },
      { type: 'tool-call' },
    ])
  })
})

test('a step whose parts a provider never closes keeps its calls and their results', async () => {
  const parts = [step, reasoning('streaming'), text('streaming'), found]
  expect(await requestOf(...parts)).toMatchObject([
    {},
    { role: 'assistant', content: [{ type: 'reasoning' }, { type: 'text' }, { type: 'tool-call' }] },
    { role: 'tool' },
  ])
})

test('what a tool said on its way is no result: where it was cut short there, the model is told so', async () => {
  const [, , result] = await requestOf(
    step,
    search('c1', { state: 'output-available', output: 'half', preliminary: true }),
  )
  expect(result?.content).toMatchObject([
    { toolCallId: 'c1', output: { type: 'error-text', value: englishTexts.interruptedCall } },
  ])
})

test('notes of a provider alone make no message', async () => {
  const note = {
    type: 'custom',
    kind: 'anthropic.message_start',
    providerMetadata: { anthropic: {} },
  } as Part
  expect(await requestOf(step, note)).toHaveLength(1)
  expect(await requestOf(step, note, text('done'))).toHaveLength(2)
})
