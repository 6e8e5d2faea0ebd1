import { describe, expect, test } from 'vitest'
import { englishTexts } from '../core/texts.ts'
import type { ModelRequestMessage } from './modelTypes.ts'
import { createRequestValidator, validateRequest, validateRequests } from './requestValidator.ts'

type Message = ModelRequestMessage

const system: Message = { role: 'system', content: 'Help.' }
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const says = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] })
const list = user(`${englishTexts.listHeading}\n- 1 [open] A`)

const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: {} })),
})

const results = (...ids: string[]): Message => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'look',
    output: { type: 'text', value: 'seen' },
  })),
})

const faults = (...prompt: Message[]) => validateRequest({ prompt })

describe('validateRequest', () => {
  test('a tidy request has no faults', () => {
    expect(
      faults(
        system,
        user('Go.'),
        calls('a', 'b'),
        results('b', 'a'),
        user('Note.'),
        calls('c'),
        results('c'),
        list,
      ),
    ).toEqual([])
  })

  test('a missing result is named', () => {
    expect(faults(user('Go.'), calls('a', 'b'), results('a'))).toEqual([
      'message 3 (tool): the result of tool call "b" is missing',
    ])
    expect(faults(user('Go.'), calls('a'))).toEqual(['at the end: the result of tool call "a" is missing'])
  })

  test('a second result and one without its call are named', () => {
    expect(faults(user('Go.'), calls('a'), results('a', 'a', 'x'))).toEqual([
      'message 3 (tool): a result for "x", which the message before does not call',
      'message 3 (tool): a second result for tool call "a"',
    ])
  })

  test('nothing may stand between a call and its result', () => {
    expect(faults(user('Go.'), calls('a'), user('Note.'), results('a'))).toEqual([
      'message 3 (user): stands where the result of tool call "a" must be',
      'message 4 (tool): a result for "a", which the message before does not call',
    ])
  })

  test('results may not be spread over two messages', () => {
    expect(faults(user('Go.'), calls('a', 'b'), results('a'), results('b'))).toHaveLength(2)
  })

  test('calls that the provider ran itself need no result from us', () => {
    const own: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {}, providerExecuted: true }],
    }
    expect(faults(user('Go.'), own, user('On.'))).toEqual([])
  })

  test('ids are not blank and not used twice', () => {
    expect(faults(user('Go.'), calls(' '), results(' '))).toEqual([
      'message 2 (assistant): a tool call without an id',
    ])
    expect(faults(user('Go.'), calls('a'), results('a'), calls('a'), results('a'))).toEqual([
      'message 4 (assistant): tool call id "a" is used twice',
    ])
  })

  test('arguments are objects', () => {
    const broken: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"at":' }],
    }
    expect(faults(user('Go.'), broken, results('a'))).toEqual([
      'message 2 (assistant): the arguments of tool call "a" are not an object',
    ])
  })

  test('no message is blank, and reasoning alone is', () => {
    expect(faults(user(' '))).toEqual(['message 1 (user): is blank'])
    expect(faults(user('Go.'), says('\n'), user('On.'))).toEqual(['message 2 (assistant): is blank'])
    const thought: Message = { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }] }
    expect(faults(user('Go.'), thought, user('On.'))).toEqual(['message 2 (assistant): is blank'])
  })

  test('only the first message is a system message', () => {
    expect(faults(user('Go.'), system, user('On.'))).toEqual([
      'message 2 (system): a system message may only be the first',
    ])
  })

  test('the last message is not the assistant', () => {
    expect(faults(user('Go.'), says('Done.'))).toEqual([
      "message 2 (assistant): the assistant's own message is the last",
    ])
    expect(faults()).toEqual(['at the end: there is no message'])
  })

  test('the list is read out once, after all that was said', () => {
    expect(faults(user('Go.'), list, list)).toEqual([
      'message 3 (user): a second message with the current list',
    ])
    expect(faults(user('Go.'), list, calls('a'), results('a'))).toEqual([
      'message 2 (user): the current list is not at the tail',
    ])
    expect(faults(user('Go.'), list, user('The newest.'))).toEqual([])
  })

  test('a list in other words is recognised by the given function', () => {
    const own = user('TODO: A')
    const isListMessage = (text: string) => text.startsWith('TODO:')
    expect(validateRequest({ prompt: [own, own] }, { isListMessage })).toHaveLength(1)
  })
})

describe('validateRequests', () => {
  const first = [system, user('Go.')]
  const second = [...first, calls('a'), results('a')]

  test('a run that only grows has no faults, whatever its list messages', () => {
    const other = user(`${englishTexts.listHeading}\n- 1 [done] A`)
    expect(
      validateRequests([
        { prompt: first },
        { prompt: [...second, list] },
        { prompt: [...second, user('Note.'), other] },
      ]),
    ).toEqual([])
  })

  test('an earlier message that changed is named', () => {
    const changed = [system, user('Go!'), ...second.slice(2)]
    expect(
      validateRequests([{ prompt: second }, { prompt: [...changed, calls('b'), results('b')] }]),
    ).toEqual(['request 2, message 2 (user): differs from what the request before had there'])
  })

  test('a message that went away is noticed', () => {
    const third = [...second, user('Note.'), calls('b'), results('b')]
    const without = [...second, calls('b'), results('b'), calls('c'), results('c')]
    expect(validateRequests([{ prompt: third }, { prompt: without }])).toEqual([
      'request 2, message 5 (assistant): differs from what the request before had there',
    ])
  })

  test('the instructions may change between runs and with the mode, not between a call and its result', () => {
    const anew: Message = { role: 'system', content: 'Help quickly.' }
    const mode: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'mode_set', input: { mode: 'execute' } }],
    }
    const run = [{ prompt: first }, { prompt: [anew, ...second.slice(1)] }]
    expect(validateRequests(run)).toEqual([
      'request 2, message 1 (system): differs from what the request before had there',
    ])
    expect(
      validateRequests([{ prompt: first }, { prompt: [anew, user('Go.'), says('Done.'), user('More.')] }]),
    ).toEqual([])
    expect(
      validateRequests([{ prompt: first }, { prompt: [anew, user('Go.'), mode, results('a')] }]),
    ).toEqual([])
  })

  test('an edited message and another conversation are no faults', () => {
    expect(validateRequests([{ prompt: second }, { prompt: [system, user('Go back.')] }])).toEqual([])
    const other = [system, user('Hello'), calls('x'), results('x'), calls('y'), results('y')]
    expect(validateRequests([{ prompt: second }, { prompt: other }])).toEqual([])
  })

  test('the comparison can be left out, and ends at a reset', () => {
    const changed = [system, user('Go!'), ...second.slice(2), calls('b'), results('b')]
    expect(validateRequests([{ prompt: second }, { prompt: changed }], { prefix: false })).toEqual([])
    const validator = createRequestValidator()
    validator.check({ prompt: second })
    validator.reset()
    expect(validator.check({ prompt: changed })).toEqual([])
  })

  test('reasoning has to come back with its metadata', () => {
    const metadata = { test: { signature: 's' } }
    const answer = (providerOptions?: typeof metadata): Message => ({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', ...(providerOptions && { providerOptions }) },
        { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} },
      ],
    })
    for (const [message, count] of [
      [answer(metadata), 0],
      [answer(), 1],
      [calls('a'), 1],
    ] as const) {
      const validator = createRequestValidator()
      validator.check({ prompt: first })
      validator.responded({ text: 'Hm.', providerMetadata: metadata })
      expect(validator.check({ prompt: [...first, message, results('a')] })).toHaveLength(count)
    }
  })
})
