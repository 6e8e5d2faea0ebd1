import type { UIMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffMessages, markMended, mergeMessages, parseMessages } from './messages.ts'
import { share } from './share.ts'

const message = (id: string, text = id): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] })
const ids = (messages: readonly UIMessage[]) => messages.map(({ id }) => id).join(' ')
const [a, b, c] = [message('a'), message('b'), message('c')]

describe('parseMessages', () => {
  test('takes a hole for no damage', () => {
    const { messages, aligned, problems } = parseMessages('s', [a, undefined, b])
    expect(aligned).toEqual([a, undefined, b])
    expect(messages).toEqual([a, b])
    expect(problems).toEqual([])
  })

  test('tells a message that is left out from one that lost parts', () => {
    const { problems } = parseMessages('s', [null, { ...a, parts: [null] }])
    expect(problems.map((problem) => problem.message)).toEqual([
      'Message 0 of session "s" could not be read and was left out.',
      'Parts of message 1 of session "s" could not be read and were left out.',
    ])
  })
})

describe('mergeMessages', () => {
  test('gives mine back when theirs is what both came from', () => {
    const mine = [a, b]
    expect(mergeMessages([a], mine, [a])).toBe(mine)
    expect(mergeMessages([], mine, [])).toBe(mine)
  })

  test('gives theirs when mine is what both came from', () => {
    expect(mergeMessages([a, b], [a, b], [a, c])).toEqual([a, c])
  })

  test('puts what is new in both in order, theirs first', () => {
    expect(ids(mergeMessages([a], [a, b], [a, c]))).toBe('a c b')
  })

  test('keeps what either deleted deleted', () => {
    expect(ids(mergeMessages([a, b, c], [a, c], [a, b]))).toBe('a')
  })

  test('prefers my change of a message', () => {
    const mine = message('a', 'mine')
    expect(mergeMessages([a], [mine], [message('a', 'theirs')])).toEqual([mine])
  })

  test('takes their change of a message that is not changed in mine', () => {
    const theirs = message('a', 'theirs')
    expect(mergeMessages([a], [a, b], [theirs])).toEqual([theirs, b])
  })

  test('has no message twice and none that nobody has', () => {
    const transcript = fc
      .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'))
      .map((list) => list.map((id) => message(id)))
    fc.assert(
      fc.property(transcript, transcript, transcript, (base, mine, theirs) => {
        const merged = mergeMessages(base, mine, theirs).map(({ id }) => id)
        expect(new Set(merged).size).toBe(merged.length)
        const has = (list: readonly UIMessage[], id: string) => list.some((other) => other.id === id)
        for (const id of ['a', 'b', 'c', 'd', 'e']) {
          const deleted = has(base, id) && !(has(mine, id) && has(theirs, id))
          expect(merged.includes(id)).toBe(!deleted && (has(mine, id) || has(theirs, id)))
        }
      }),
    )
  })
})

describe('diffMessages', () => {
  test('is nothing for the same transcript', () => {
    expect(diffMessages([a, b], [a, b])).toBeUndefined()
    const holes = [a, undefined]
    expect(diffMessages(holes, holes)).toBeUndefined()
  })

  test('turns what is stored into the next transcript', () => {
    const places = fc.array(fc.option(fc.constantFrom(a, b, c), { nil: undefined }))
    const transcript = fc.array(fc.constantFrom(a, b, c))
    fc.assert(
      fc.property(places, transcript, (stored, next) => {
        const { puts = [], deleteFrom = Number.POSITIVE_INFINITY } = diffMessages(stored, next) ?? {}
        const result: unknown[] = stored.filter((_, index) => index < deleteFrom)
        for (const put of puts) result[put.index] = put.message
        expect(result).toEqual(next)
      }),
    )
  })

  describe('says of a message how many of its first parts are stored already', () => {
    const parts = ['1', '2', '3', '4'].map((text) => ({ type: 'text' as const, text }))
    const run = (...texts: string[]): UIMessage => ({
      id: 'run',
      role: 'assistant',
      parts: texts.map((text) => parts.find((part) => part.text === text) ?? { type: 'text', text }),
    })
    const said = (stored: UIMessage | undefined, next: UIMessage) =>
      diffMessages([stored], [next])?.puts[0]?.sameParts

    test.each([
      ['none of a new one', undefined, run('1'), 0],
      ['all when it grew', run('1', '2'), run('1', '2', '3'), 2],
      ['those before the first that changed', run('1', '2', '3'), run('1', 'x', '3', '4'), 1],
      ['none when the first changed', run('1', '2'), run('x', '2', '3'), 0],
      ['those before the first of several', run('1', '2', '3', '4'), run('1', 'x', '3', 'y'), 1],
      ['all when something else changed', run('1', '2'), { ...run('1', '2'), metadata: { done: true } }, 2],
      ['nothing when it became shorter', run('1', '2', '3'), run('1', '2'), undefined],
    ])('%s', (_, stored, next, expected) => {
      expect(said(stored, next)).toBe(expected)
    })

    test('nothing when it is not as it is stored', () => {
      const stored = [{ ...run('1', '2'), parts: [null, ...run('1', '2').parts] }]
      const { aligned, damaged } = parseMessages('s', stored)
      markMended(aligned, damaged)
      expect(damaged).toEqual([0])
      expect(said(aligned[0], run('1', '2', '3'))).toBeUndefined()
    })
  })
})

describe('share', () => {
  test('gives the old value back when the new one is equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const old = structuredClone(value)
        expect(share(old, structuredClone(value))).toBe(old)
      }),
    )
  })

  test('is always equal to the new value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (old, next) => {
        expect(share(old, next)).toEqual(next)
      }),
    )
  })

  test('keeps the items that stayed, wherever they moved', () => {
    const old = [
      { id: 1, text: 'a' },
      { id: 2, text: 'b' },
    ]
    const shared = share(old, [
      { id: 2, text: 'b' },
      { id: 3, text: 'c' },
      { id: 1, text: 'A' },
    ])
    expect(shared[0]).toBe(old[1])
    expect(shared[2]).toEqual({ id: 1, text: 'A' })
  })
})
