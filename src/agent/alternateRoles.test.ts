import type { ModelMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { alternateRoles } from './alternateRoles.ts'

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })
const called: ModelMessage = {
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'search', input: {} }],
}

type Output = Extract<
  Extract<ModelMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']

const result = (output: Output): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'search', output }],
})
const found = result({ type: 'json', value: { found: 1 } })

const turns = (messages: readonly ModelMessage[], list: string | null = null) =>
  alternateRoles(messages, { list, word: 'Noted.' })

describe('turns', () => {
  test('are what they were where roles alternate already', () => {
    const messages = [user('A'), called, found, assistant('B'), user('C')]
    expect(turns(messages)).toEqual(messages)
  })

  test('are made of neighbours of one role', () => {
    expect(turns([user('A'), user('B'), user('C')])).toEqual([user('A\n\nB\n\nC')])
    const marked = { ...assistant('B'), providerOptions: { x: { cache: true } } } as ModelMessage
    expect(turns([user('A'), marked, called, found])).toEqual([
      user('A'),
      { ...marked, content: [{ type: 'text', text: 'B' }, ...called.content] },
      found,
    ])
  })

  test('keep what is no text, and what is marked, as parts of their own', () => {
    const file = { type: 'file', data: 'aGk=', mediaType: 'image/png' } as const
    const marked = { type: 'text', text: 'B', providerOptions: { x: { cache: true } } } as const
    expect(turns([user('A'), { role: 'user', content: [file] }, user('C')])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'A' }, file, { type: 'text', text: 'C' }] },
    ])
    expect(turns([user('A'), { role: 'user', content: [marked] }])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'A' }, marked] },
    ])
    expect(turns([{ role: 'user', content: [marked] }, user('C')])).toEqual([
      { role: 'user', content: [marked, { type: 'text', text: 'C' }] },
    ])
  })

  test('keep the parts around two texts that become one', () => {
    const file = (data: string) => ({ type: 'file', data, mediaType: 'image/png' }) as const
    const first = { role: 'user', content: [file('a'), { type: 'text', text: 'A' }] } as const
    const second = { role: 'user', content: [{ type: 'text', text: 'B' }, file('b')] } as const
    expect(turns([first, second] as unknown as ModelMessage[])).toEqual([
      { role: 'user', content: [file('a'), { type: 'text', text: 'A\n\nB' }, file('b')] },
    ])
  })

  test('have a word of the assistant between results and the user', () => {
    expect(turns([user('A'), called, found, user('B'), user('C')])).toEqual([
      ...[user('A'), called, found],
      { role: 'assistant', content: 'Noted.' },
      user('B\n\nC'),
    ])
  })
})

describe('the list', () => {
  test('stands after the words of the user', () => {
    expect(turns([user('A')], 'LIST')).toEqual([user('A\n\nLIST')])
    expect(turns([user('A'), called, found, user('B')], 'LIST').at(-1)).toEqual(user('B\n\nLIST'))
  })

  test.each<[Output, unknown]>([
    [
      { type: 'json', value: { found: 1 } },
      { type: 'text', value: '{"found":1}\n\nLIST' },
    ],
    [
      { type: 'text', value: 'ok' },
      { type: 'text', value: 'ok\n\nLIST' },
    ],
    [
      { type: 'error-text', value: 'no' },
      { type: 'error-text', value: 'no\n\nLIST' },
    ],
    [
      { type: 'error-json', value: ['no'] },
      { type: 'error-text', value: '["no"]\n\nLIST' },
    ],
    [
      { type: 'content', value: [{ type: 'text', text: 'ok' }] },
      {
        type: 'content',
        value: [
          { type: 'text', text: 'ok' },
          { type: 'text', text: 'LIST' },
        ],
      },
    ],
    [
      { type: 'execution-denied', reason: 'No' },
      { type: 'execution-denied', reason: 'No\n\nLIST' },
    ],
    [{ type: 'execution-denied' }, { type: 'execution-denied', reason: 'Tool execution denied.\n\nLIST' }],
  ])('stands after the last result, as in %o', (output, shown) => {
    const last = turns([user('A'), called, result(output)], 'LIST').at(-1)
    expect(last).toMatchObject({ role: 'tool', content: [{ toolCallId: 'c', output: shown }] })
  })

  test('stands in one result, and changes nothing else', () => {
    const results = (value: string): ModelMessage => ({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'search', output: { type: 'text', value: 'a' } },
        { type: 'tool-result', toolCallId: 'b', toolName: 'search', output: { type: 'text', value } },
        { type: 'tool-approval-response', approvalId: 'c', approved: true },
      ],
    })
    expect(turns([user('A'), called, results('b')], 'LIST')).toEqual([
      user('A'),
      called,
      results('b\n\nLIST'),
    ])
  })

  test('comes by itself where the last turn holds no result', () => {
    const approved: ModelMessage = {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: 'c', approved: true }],
    }
    expect(turns([user('A'), called, approved], 'LIST').slice(2)).toEqual([
      approved,
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'LIST' },
    ])
  })

  test('is all that is not there any more in the next request', () => {
    const log = [user('A'), user('B'), called, found, user('C'), assistant('D'), user('E')]
    const text = (messages: readonly ModelMessage[]) => JSON.stringify(messages)
    for (let length = 1; length < log.length; length += 1) {
      const before = turns(log.slice(0, length))
      const next = turns(log.slice(0, length + 1))
      expect(text(next.slice(0, before.length - 1))).toBe(text(before.slice(0, -1)))
    }
  })
})
