import type { UIMessage } from 'ai'
import { createTodoSession, memoryStorage, runTodoAgent } from 'use-todo-agent/agent'
import { collectRun } from 'use-todo-agent/testing'
import { describe, expect, test } from 'vitest'
import { tools } from '../tools/tools.ts'
import { offlineModel } from './offlineModel.ts'

let sessions = 0

async function answersTo(text: string, toolset: 'write_todos' | 'todos'): Promise<string[]> {
  sessions += 1
  const session = createTodoSession({ id: `pasted-${sessions}`, storage: memoryStorage() })
  const messages: UIMessage[] = [{ id: 'u', role: 'user', parts: [{ type: 'text', text }] }]
  const model = offlineModel({ speed: Number.POSITIVE_INFINITY })
  const { result } = await collectRun(runTodoAgent({ session, model, tools, toolset, messages }))
  expect(result).toMatchObject({ outcome: 'completed', openTodos: [] })
  const last = session
    .savedMessages()
    .at(-1)
    ?.parts.findLast((part) => part.type === 'text')
  return (last?.text ?? '').split('\n').map((line) => line.replace(/^\d+\. /u, ''))
}

const shop = 'id,price,city\n1,10,Oslo\n2,20,Lima\n3,60,Oslo'
const all = 'the tool describes all rows together, it cannot'

describe.each(['write_todos', 'todos'] as const)('a pasted request is answered right (%s)', (toolset) => {
  test.each<[string, string, readonly string[]]>([
    [
      'thousands in quotes',
      '1. mean price 2. top city\n\nname,price,city\n"Doe, Jane","1,200",Porto\n"Roe, Rick","800","Porto"\n"X ""the"" Y","1,000",Lyon',
      ['The mean of price is 1000.', 'The most frequent city is Porto (2 of 3 rows).'],
    ],
    [
      'decimal commas',
      '1. total of preis\n2. 19% of the total\n\nname;preis\nA;1,50\nB;2,50\nC;6,00',
      ['The total of preis is 10.', '19% of the total (10) is 1.9.'],
    ],
    [
      'euros with points between thousands',
      '1. sum of amount; 2. median amount\n\nitem;amount\nA;€1.200,50\nB;800,00 €\nC;€2.000,00',
      ['The total of amount is 4000.50.', 'The median of amount is 1200.50.'],
    ],
    [
      'dollars, negative ones too',
      '1. total price; 2. min price\n\nitem,price\nA,$10.50\nB,($5.00)\nC,-$20.00',
      ['The total of price is -14.50.', 'The minimum of price is -20.'],
    ],
    [
      'blank and missing cells',
      '1. mean of score; 2. how many distinct teams\n\nname,score,team\nA,10,x\nB,,y\nC,n/a,\nD,30,x\n,,',
      ['The mean of score is 20.', 'There are 2 different values of team.'],
    ],
    [
      'codes that begin with a zero',
      '1. most frequent zip; 2. number of rows\n\nzip,n\n01234,5\n01234,6\n99999,7',
      ['The most frequent zip is 01234 (2 of 3 rows).', 'There are 3 rows.'],
    ],
    [
      'a byte order mark and CRLF',
      '\uFEFFid,price,city\r\n1,10,Rome\r\n2,20,Rome\r\n3,30,Bari\r\n\r\n1. how many rows\r\n2. total price\r\n',
      ['There are 3 rows.', 'The total of price is 60.'],
    ],
    [
      'one column',
      '1. how many rows, 2. max price\n\nprice\n10\n20\n33',
      ['There are 3 rows.', 'The maximum of price is 33.'],
    ],
    [
      'a Markdown table',
      '1. how many rows; 2. total of price\n\n| id | price |\n|----|------:|\n| 1 | 10 |\n| 2 | 20.5 |',
      ['There are 2 rows.', 'The total of price is 30.50.'],
    ],
    [
      'units in the header',
      '1. mean of unit price; 2. total quantity\n\nid,Unit Price (EUR),Quantity (pcs)\n1,10,2\n2,20,3\n3,60,4',
      ['The mean of Unit Price (EUR) is 30.', 'The total of Quantity (pcs) is 9.'],
    ],
    [
      'columns of one letter',
      'what is the sum of a and the sum of b\n\na,b\n1,2\n3,4',
      ['The total of a is 4 and the total of b is 6.'],
    ],
    [
      'dates in several forms',
      '1. days from 1 March 2025 to April 15, 2025\n2. days between 13/02/2025 and 5/3/2025\n3. days between 3/15/2025 and 4/1/2025\n4. days from 01.03.2025 to 11.03.2025\n5. days between 2025/03/01 and 2025/03/11',
      [
        'Days from 1 March 2025 to April 15, 2025: 45 days.',
        'Days between 13/02/2025 and 5/3/2025: 20 days.',
        'Days between 3/15/2025 and 4/1/2025: 17 days.',
        'Days from 01.03.2025 to 11.03.2025: 10 days.',
        'Days between 2025/03/01 and 2025/03/11: 10 days.',
      ],
    ],
    [
      'percentages',
      '1. increase 200 by 15%; 2. 20% off 50; 3. 15% tip on 80; 4. what percentage is 30 of 120; 5. half of the result; 6. 10% of that',
      [
        'Increase 200 by 15% is 230.',
        '20% off 50 is 40.',
        '15% tip on 80 is 12.',
        'What percentage is 30 of 120 is 25.',
        'Half of the result (25) is 12.5.',
        '10% of that is 1.25.',
      ],
    ],
    [
      'arithmetic as people write it',
      '1. 1.5e3 / 3\n2. 3 x 4\n3. 10 ÷ 4\n4. What is the square root of 144?\n5. difference between the max and min price\n6. mean price minus median price\n\nprice\n1\n2\n9',
      [
        '1.5e3 / 3 is 500.',
        '3 x 4 is 12.',
        '10 ÷ 4 is 2.5.',
        'The square root of 144 is 12.',
        'Difference between the max (9) and min price (1) is 8.',
        'Mean price (4) minus median price (2) is 2.',
      ],
    ],
    [
      'steps in steps',
      '1. Look at the numbers:\n   a. what is 15% of 80\n   b. what is 80 / 16\n2. Dates:\n   1. days between 2024-02-01 and 2024-03-01\n   2. days between 2025-02-01 and 2025-03-01',
      [
        '15% of 80 is 12.',
        '80 / 16 is 5.',
        'Days between 2024-02-01 and 2024-03-01: 29 days.',
        'Days between 2025-02-01 and 2025-03-01: 28 days.',
      ],
    ],
    ['Chinese punctuation', '（1）2+2；（2）17% of 200。', ['2+2 is 4.', '17% of 200 is 34.']],
    [
      'a quoted text, not the list that quotes the question',
      '1. how many words does this text have\n2. how many sentences are in this quoted text\n\n"The quick brown fox jumps over the lazy dog. It was a sunny day! Was it?"',
      [
        'How many words does this text have: 16 words.',
        'How many sentences are in this quoted text: 3 sentences.',
      ],
    ],
  ])('%s', async (_, request, answers) => {
    expect(await answersTo(request, toolset)).toEqual(answers)
  })

  test.each<[string, string, string]>([
    ['of some rows', 'what is the total price of orders in Oslo', `${all} pick those with "Oslo".`],
    ['of rows above a limit', 'how many rows have a price over 15', `${all} pick some of them.`],
    ['by group', 'which city has the highest total price', `${all} group them by "city".`],
    ['the rarest value', 'what is the least frequent city', 'the tool has no "least frequent"'],
    ['another statistic', 'standard deviation of price', 'the tool has no "standard deviation"'],
    ['numbers of texts', 'what is the mean of city', 'there are no numbers in the column "city".'],
    [
      'dates that can be read in two ways',
      'days between 01/02/2025 and 05/02/2025',
      '"01/02/2025" is not a date',
    ],
  ])('what cannot be answered is not answered otherwise: %s', async (_, question, reason) => {
    const [answer] = await answersTo(`${question}\n\n${shop}`, toolset)
    expect(answer?.toLowerCase()).toContain(reason.toLowerCase())
    expect(answer).toContain('I could not do')
  })
})
