import { describe, expect, test } from 'vitest'
import { createCallIds } from './callIds.ts'

function step(taken: readonly string[] = []) {
  const ids = createCallIds(taken)
  ids.startStep()
  return ids
}

describe('a call', () => {
  test('keeps the id that it has, in all that belongs to it', () => {
    const ids = step(['other'])
    const input = { q: 'A' }
    expect(ids.start('x')).toBe('x')
    expect(ids.arriving('x')).toBe('x')
    expect(ids.call('x', 'search', input)).toBe('x')
    expect(ids.answer('x', 'search', input)).toBe('x')
    expect(ids.answer('x', 'search')).toBe('x')
  })

  test.each([
    ['', 'call'],
    ['  ', 'call'],
    [undefined, 'call'],
    [null, 'call'],
    [7, '7'],
    [{}, 'call'],
  ])('with %o for an id gets one', (id, name) => {
    const ids = step()
    expect(ids.start(id)).toBe(name)
    expect(ids.arriving(id)).toBe(name)
    expect(ids.call(id, 'search', {})).toBe(name)
    expect(ids.answer(id, 'search', {})).toBe(name)
  })

  test('gets another id when its own is taken, in the transcript or by an earlier response', () => {
    const ids = step(['call_0'])
    expect(ids.call('call_0', 'search', {})).toBe('call_0-2')
    ids.startStep()
    expect(ids.call('call_0', 'search', {})).toBe('call_0-3')
    expect(ids.answer('call_0', 'search', {})).toBe('call_0-3')
  })

  test('of an earlier response keeps its id in what comes late', () => {
    const ids = step(['approved'])
    expect(ids.answer('approved', 'search', {})).toBe('approved')
    expect(ids.arriving('approved')).toBe('approved')
  })

  test('is known by its id alone where no other has it, whatever the tool is called then', () => {
    const ids = step(['x'])
    ids.call('x', 'search', {})
    expect(ids.answer('x', 'Search', {})).toBe('x-2')
  })
})

describe('calls with one id in one response', () => {
  test('are told apart by what they came with, in whatever order the results come', () => {
    const ids = step()
    const [a, b, c] = [{ q: 'same' }, { q: 'same' }, { q: 'other' }]
    expect([a, b, c].map((input) => ids.call('x', 'search', input))).toEqual(['x', 'x-2', 'x-3'])
    expect([c, a, b].map((input) => ids.answer('x', 'search', input))).toEqual(['x-3', 'x', 'x-2'])
  })

  test('are told apart while their arguments arrive, one after the other or at once', () => {
    const ids = step()
    expect([ids.start(''), ids.arriving(''), ids.call('', 'search', {})]).toEqual(['call', 'call', 'call'])
    expect([ids.start(''), ids.start('')]).toEqual(['call-2', 'call-3'])
    expect(ids.arriving('')).toBe('call-3')
    expect([ids.call('', 'search', {}), ids.call('', 'search', {})]).toEqual(['call-2', 'call-3'])
  })

  test('with arguments that are no objects get their results in order, tool by tool', () => {
    const ids = step()
    ids.call('x', 'search', 'A')
    ids.call('x', 'open', 'A')
    ids.call('x', 'search', 'A')
    expect(ids.answer('x', 'open', 'A')).toBe('x-2')
    expect(ids.answer('x', 'search', 'A')).toBe('x')
    expect(ids.answer('x', 'search', 'A')).toBe('x-3')
  })

  test.each([[null], ['A']])(
    'with %j for arguments, more answers than calls are for the last of the tool',
    (input) => {
      const ids = step()
      ids.call('x', 'search', input)
      ids.call('x', 'search', input)
      ids.call('x', 'open', input)
      expect([1, 2, 3].map(() => ids.answer('x', 'search', input))).toEqual(['x', 'x-2', 'x-2'])
      expect(ids.answer('x', 'open')).toBe('x-3')
      expect(ids.answer('x', 'erase', input)).toBe('x')
    },
  )

  test('are refused one by one', () => {
    const ids = step()
    const [a, b] = [{ q: 'A' }, { q: 'B' }]
    ids.call('x', 'erase', a)
    ids.call('x', 'erase', b)
    expect(ids.answer('x', 'erase', b)).toBe('x-2')
    expect(ids.answer('x', 'erase')).toBe('x-2')
    expect(ids.answer('x', 'erase', a)).toBe('x')
    expect(ids.answer('x', 'erase')).toBe('x')
  })
})
