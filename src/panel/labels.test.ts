import { describe, expect, test } from 'vitest'
import { enLabels, say, sayDuration, type TodoPanelLabels, zhLabels } from './labels.ts'

describe('say', () => {
  test('takes the plural form of the language', () => {
    expect(say(enLabels, enLabels.steps, { count: 1 })).toBe('1 step')
    expect(say(enLabels, enLabels.steps, { count: 4 })).toBe('4 steps')
    const few = { one: '{count} krok', few: '{count} kroki', other: '{count} kroków' }
    expect(say({ locale: 'pl' }, few, { count: 3 })).toBe('3 kroki')
  })

  test('writes numbers as the language does', () => {
    expect(say(enLabels, enLabels.progress, { done: 599, total: 1000 })).toBe('599 of 1,000')
    expect(say({ locale: 'de' }, '{done} von {total}', { done: 1, total: 1000 })).toBe('1 von 1.000')
  })

  test('a value with braces in it stays as it is', () => {
    expect(say(enLabels, enLabels.nowAt, { done: 1, total: 2, current: '{total} $& {x}' })).toBe(
      '1 of 2 done: now {total} $& {x}',
    )
  })
})

describe('sayDuration', () => {
  const plain = (labels: Pick<TodoPanelLabels, 'locale'>, ms: number) =>
    sayDuration(labels, ms).replaceAll('\u00a0', ' ')

  test.each([
    [0, '1 s'],
    [999, '1 s'],
    [4000, '4 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [64_000, '1 min 4 s'],
    [3_600_000, '1 hr'],
    [3_725_000, '1 hr 2 min'],
  ])('%i ms', (ms, text) => {
    expect(plain(enLabels, ms)).toBe(text)
  })

  test('speaks the language of the labels', () => {
    expect(plain(zhLabels, 64_000)).toBe('1 分钟 4 秒')
    expect(plain({ locale: 'fr' }, 64_000)).toBe('1 min 4 s')
  })
})

describe('the shipped languages', () => {
  test('have the same values in each text', () => {
    const values = (text: unknown) => [...new Set(JSON.stringify(text).match(/\{\w+\}/g))].sort()
    for (const name of Object.keys(enLabels) as (keyof TodoPanelLabels)[]) {
      expect(values(zhLabels[name]), name).toEqual(values(enLabels[name]))
    }
  })

  test('are plain data', () => {
    expect(structuredClone(zhLabels)).toEqual(zhLabels)
    expect(structuredClone(enLabels)).toEqual(enLabels)
  })
})
