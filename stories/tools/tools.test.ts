import { describe, expect, test } from 'vitest'
import { createOrders, orderAnswers, orders, ordersCsv, toCsv } from '../orders.ts'
import { evaluate } from './calculate.ts'
import { difference } from './dateDifference.ts'
import { pastedIn } from './pasted.ts'
import { summarise } from './summariseCsv.ts'
import { countText } from './textStats.ts'

describe('calculate', () => {
  test.each([
    ['17 / 100 * 2350.5', 399.585],
    ['0.1 + 0.2', 0.3],
    ['sqrt(2) * sqrt(2)', 2],
    ['2 ^ 10 - 7 % 4', 1021],
    ['-(3 + 4)', -7],
    ['median(1, 5, 3)', 3],
    ['2 * pi', 6.2831853071796],
  ])('%s is %d', (expression, value) => {
    expect(evaluate(expression)).toBe(value)
  })

  test.each([
    ['1/0', 'Division by zero in "1/0".'],
    ['0/0', 'Division by zero'],
    ['5 / (3 - 3)', 'Division by zero'],
    ['10 ^ 300 * 10 ^ 300 / 2', 'is too large'],
    ['sqrt(-1)', '"sqrt(-1)" has no value'],
    ['10 ^ 400', '"10 ^ 400" is too large.'],
    ['2 +', 'is not an arithmetic expression'],
    ['import({})', 'is not plain arithmetic'],
    ['createUnit("x")', 'the name "createUnit" is not allowed'],
    ['x = 3', 'assignments are not allowed'],
    ['f(x) = 1', 'is not plain arithmetic'],
    ['[1, 2]', 'arrays are not allowed'],
    ['"a" + "b"', 'texts are not allowed'],
    ['cos.constructor("return 1")()', 'is not an arithmetic expression'],
    ['cos.constructor', 'accessors are not allowed'],
    ['"a".length', 'accessors are not allowed'],
    ['3 cm', 'the name "cm" is not allowed'],
  ])('refuses %s', (expression, reason) => {
    expect(() => evaluate(expression)).toThrow(reason)
  })
})

describe('summarise_csv', () => {
  test('agrees with the answers that were computed from the orders', () => {
    const { rows, columns, numeric, text } = summarise(ordersCsv)
    const right = orderAnswers()
    expect(rows).toBe(200)
    expect(columns).toEqual(['order_id', 'date', 'city', 'category', 'price'])
    expect(numeric['price']?.sum).toBeCloseTo(right.total, 9)
    expect(numeric['price']?.mean).toBeCloseTo(right.mean, 9)
    expect(numeric['price']?.median).toBeCloseTo(right.median, 9)
    expect(text['city']?.mostFrequent[0]).toEqual({ value: right.city, count: right.cityCount })
  })

  test('describes only the columns that are asked for', () => {
    expect(summarise('a,b\n1,x\n2,y', [])).toEqual({ rows: 2, columns: ['a', 'b'], numeric: {}, text: {} })
    expect(Object.keys(summarise('a,b\n1,x\n2,y', ['a']).numeric)).toEqual(['a'])
  })

  test('knows other delimiters, quoted fields and blank cells', () => {
    const { rows, numeric, text } = summarise('name;price\n"Doe; J";1.5\n"Roe\nR";\n"Poe";2.5\n')
    expect(rows).toBe(3)
    expect(numeric['price']).toEqual({ count: 2, sum: 4, mean: 2, median: 2, min: 1.5, max: 2.5 })
    expect(text['name']?.distinct).toBe(3)
  })

  test.each([
    [
      'a row with too few fields',
      'a,b\n1,2\n3\n4,5',
      'broken in row 2: it has 1 field, the header has 2 ("3")',
    ],
    ['a row with too many', 'a,b\n1,2,3\n4,5', 'broken in row 1: it has 3 fields'],
    ['an open quote', 'a,b\n1,2\n"3,4\n5,6', 'broken in row'],
    [
      'a text among numbers',
      `a\n${'1\n'.repeat(20)}x\n`,
      'broken in row 21: "x" in column "a" is not a number',
    ],
    ['no rows', 'a,b', 'no rows under its header'],
    ['a column twice', 'a,a\n1,2', 'the column "a" twice'],
    ['an unknown column', 'a,b\n1,2', 'There is no column "c". The columns are a, b.', ['c']],
  ])('refuses %s', (_, csv, reason, columns?: string[]) => {
    expect(() => summarise(csv, columns)).toThrow(reason)
  })
})

describe('text_stats', () => {
  test('counts words, sentences, paragraphs and characters', () => {
    expect(countText('One two three. Four!\n\nFive 😀?')).toEqual({
      characters: 29,
      words: 5,
      sentences: 3,
      paragraphs: 2,
      wordsPerSentence: 1.7,
      readingMinutes: 0,
    })
  })

  test('counts words of languages without spaces', () => {
    expect(countText('我喜欢读书。').words).toBeGreaterThan(1)
  })
})

describe('date_difference', () => {
  test.each([
    ['2025-01-01', '2025-03-01', 59, 43],
    ['2024-02-28', '2024-03-01', 2, 2],
    ['2025-03-01', '2025-01-01', -59, -43],
    ['2025-06-07', '2025-06-08', 1, 0],
    ['1969-12-29', '1970-01-05', 7, 5],
    ['2025-01-01', '2025-01-01', 0, 0],
  ])('from %s to %s are %i days', (from, to, days, workingDays) => {
    expect(difference(from, to)).toMatchObject({ days, workingDays })
  })

  test.each(['2025-02-30', '2025-13-01', '1 May', ''])('refuses %j', (date) => {
    expect(() => difference(date, '2025-01-01')).toThrow(`"${date}" is not a date of the calendar`)
  })
})

describe('pastedIn', () => {
  test('takes the newest block of the person', () => {
    const messages = [
      { role: 'user' as const, content: 'a,b\n1,2\n3,4' },
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'c,d\n1,2\n3,4\n\nHow many?' }] },
      { role: 'assistant' as const, content: 'e,f\n1,2\n3,4' },
      { role: 'user' as const, content: 'Go on.' },
    ]
    expect(pastedIn(messages, 'csv')).toBe('c,d\n1,2\n3,4')
    expect(pastedIn([], 'csv')).toBeNull()
  })
})

describe('the orders', () => {
  test('are the same each time, and others for another seed', () => {
    expect(createOrders()).toEqual(orders)
    expect(createOrders(200, 8)).not.toEqual(orders)
    expect(toCsv(orders).split('\n')).toHaveLength(201)
  })

  test('have one most frequent city', () => {
    const counts = summarise(ordersCsv, ['city']).text['city']?.mostFrequent ?? []
    expect(counts[0]?.count).toBeGreaterThan(counts[1]?.count ?? 0)
  })
})
