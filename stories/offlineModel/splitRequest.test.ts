import { describe, expect, test } from 'vitest'
import { orderQuestions, ordersCsv } from '../orders.ts'
import { findPasted } from '../tools/pasted.ts'
import { splitRequest } from './splitRequest.ts'

const five = [
  'How many rows',
  'Mean and median of price',
  'Most frequent city',
  'What is 17% of the total',
  'A two-sentence summary',
]

describe('splitRequest', () => {
  test.each([
    ['numbered on one line', orderQuestions, five],
    ['numbered with words before', `Here are my orders. Please tell me: ${orderQuestions}.`, five],
    ['numbered, a line each', orderQuestions.replaceAll(/, (?=\d)/g, '\n'), five],
    ['numbered with brackets', orderQuestions.replaceAll('. ', ') '), five],
    ['bulleted', five.map((step) => `- ${step}`).join('\n'), five],
    ['a markdown checklist', five.map((step) => `* [ ] ${step}`).join('\n'), five],
    ['one per line', `My questions:\n${five.join('\n')}`, five],
    ['semicolons', 'how many rows; mean and median of price; most frequent city', five.slice(0, 3)],
    [
      'then',
      'Count the words, then calculate 3 * 4, and finally write a summary',
      ['Count the words', 'Calculate 3 * 4', 'Write a summary'],
    ],
    [
      'sentences',
      'I have some orders. How many rows? What is the mean of price?',
      ['How many rows?', 'What is the mean of price?'],
    ],
    [
      'commas between questions',
      'Count the rows, find the mean of price, and name the top city',
      ['Count the rows', 'Find the mean of price', 'Name the top city'],
    ],
    ['a single step', 'What is 17% of 300?', ['What is 17% of 300?']],
    ['commas inside one step', 'Search for apples, pears and plums', ['Search for apples, pears and plums']],
    [
      'numbers inside a step',
      '1. what is 3.5 * 2. 2. what is 10. minus 4',
      ['What is 3.5 * 2', 'What is 10. minus 4'],
    ],
    ['nothing', '  ', []],
  ])('%s', (_, request, steps) => {
    expect(splitRequest(request)).toEqual(steps)
  })
})

describe('findPasted', () => {
  test.each([
    ['before the questions', `${ordersCsv}\n\n${orderQuestions}`],
    ['after the questions', `${orderQuestions}\n\n${ordersCsv}`],
    ['directly before them', `${ordersCsv}\n${orderQuestions}`],
    ['directly after them', `${orderQuestions}\n${ordersCsv}`],
    ['between words', `Hello, here they are, as promised:\n${ordersCsv}\nPlease answer: ${orderQuestions}`],
    ['in a fence', `${orderQuestions}\n\`\`\`csv\n${ordersCsv}\n\`\`\``],
    ['in a fence without a language', `\`\`\`\n${ordersCsv}\n\`\`\`\n${orderQuestions}`],
  ])('finds a CSV %s', (_, message) => {
    const pasted = findPasted(message)
    expect(pasted?.kind).toBe('csv')
    expect(pasted?.content).toBe(ordersCsv)
    expect(splitRequest(pasted?.rest ?? '')).toEqual(five)
  })

  test('keeps broken rows in the block', () => {
    expect(findPasted('a,b,c\n1,2,3\n1,2\n4,5,6\n\nHow many rows?')?.content).toBe('a,b,c\n1,2,3\n1,2\n4,5,6')
  })

  test('knows semicolons, tabs and quoted fields', () => {
    expect(findPasted('a;b\n1;2\n3;4')?.kind).toBe('csv')
    expect(findPasted('a\tb\n1\t2\n3\t4')?.kind).toBe('csv')
    expect(findPasted('name,city\n"Doe, J",Porto\n"Roe, R",Lyon')?.content.split('\n')).toHaveLength(3)
  })

  test.each([
    'Hello, Bob\nHow are you, today?',
    '- apples, pears\n- plums, nuts\n- figs, dates',
    '[{"content": "A", "status": "pending"},\n{"content": "B", "status": "pending"},\n{"content": "C", "status": "pending"}]',
  ])('takes no prose for data: %j', (message) => {
    expect(findPasted(message)).toBeNull()
  })

  test('finds a quoted text', () => {
    expect(findPasted('Count the words.\n> One two\n> three')).toEqual({
      kind: 'text',
      content: 'One two\nthree',
      rest: 'Count the words.',
    })
  })
})
