import { delimiterOf, fieldsOf, type Pasted, withoutFrame } from '../tools/pasted.ts'
import type { CsvSummary, NumericColumn } from '../tools/summariseCsv.ts'
import { type Arithmetic, isCsvSummary, mentionedColumns, resultOf } from './chooseCall.ts'
import { enumerate, formatNumber, formatStatistic, wordsOf } from './words.ts'

/** The answer to a step, taken from the result of its call. */
export function describeResult(step: string, result: unknown, used: Arithmetic['used'] = []): string {
  if (isCsvSummary(result)) return describeCsv(step, result)
  const value = resultOf(result)
  if (value !== undefined) return `${subjectOf(step, used)} is ${formatNumber(value)}.`
  const question = step.replace(/[?.]+$/u, '')
  return `${question}: ${describeAnything(step, result)}.`
}

/**
 * Why the statistics of a CSV are no answer to a step, `null` where they are one. They are of all rows, and of a few kinds: whoever
 * asks for some rows, for groups, or for another kind must not be told something else.
 */
export function whyNoAnswer(step: string, result: unknown, data: Pasted | null): string | null {
  if (!isCsvSummary(result)) return null
  const other = OTHER_KINDS.exec(step)?.[0]
  if (other)
    return `the tool has no "${other}", only ${enumerate(Object.values(statNames))} and the most frequent values`
  const value = data && valueIn(step, result, data)
  if (value) return `the tool describes all rows together, it cannot pick those with "${value}"`
  if (SOME_ROWS.test(step)) return 'the tool describes all rows together, it cannot pick some of them'
  const names = mentionedColumns(step, result.columns)
  const texts = names.filter((name) => result.text[name])
  const numbers = names.filter((name) => result.numeric[name])
  const words = new Set(wordsOf(step))
  const asked = (['mean', 'median', 'sum', 'max', 'min'] as const).filter((stat) => words.has(stat))
  const group = texts.find((name) => isGroup(step, name))
  if (group && (numbers.length > 0 || asked.length > 0))
    return `the tool describes all rows together, it cannot group them by "${group}"`
  const [number] = numbers
  if (number && words.has('frequent') && texts.length === 0)
    return `the tool counts how often a value occurs in columns of texts only, and "${number}" holds numbers`
  const [text] = texts
  if (text && asked.length > 0 && numbers.length === 0) return `there are no numbers in the column "${text}"`
  return null
}

const OTHER_KINDS =
  /\b(?:least (?:frequent|common|popular)|rarest|standard deviation|std|variance|percentiles?|quartiles?|quantiles?|correlation|earliest|latest|oldest|newest|trend|outliers?|sort(?:ed)?|rank(?:ed|ing)?)\b/iu

const SOME_ROWS =
  /\bhow many \p{L}+ (?:are|is|were) (?!there\b|in\b)|\b(?:where|whose)\b|(?:[<>]|\b(?:above|below|under|over|more than|less than|at least|at most|greater than|between)) ?\S?\d/iu

function isGroup(step: string, name: string): boolean {
  const column = `(?:the )?${name.replaceAll('_', '[ _]').replace(/[.*+?^${}()|\\]/gu, '\\$&')}`
  return new RegExp(`\\b(?:per|by|each|every) ${column}\\b|^(?:which|what) ${column}\\b`, 'iu').test(step)
}

// Words that ask for something are no values, whatever stands in the data.
function valueIn(step: string, { columns, numeric, rows }: CsvSummary, data: Pasted): string | undefined {
  const general = new Set([
    ...Object.keys(statNames),
    'row',
    'frequent',
    'number',
    'summary',
    'sentence',
    'data',
    'value',
    ...columns.flatMap((name) => wordsOf(name)),
  ])
  const words = new Set(wordsOf(step).filter((word) => !general.has(word)))
  const content = withoutFrame(data.content)
  const lines = content.split('\n').slice(1, rows + 1)
  const delimiter = delimiterOf(content)
  const cells = lines.flatMap((line) =>
    fieldsOf(line, delimiter).flatMap((cell, index) =>
      numeric[columns[index] ?? ''] ? [] : [cell.replace(/^"(.*)"$/u, '$1')],
    ),
  )
  return cells.find((cell) => {
    const parts = wordsOf(cell)
    return parts.length > 0 && parts.length <= 4 && parts.every((part) => words.has(part))
  })
}

/** A result of an earlier step, with what it answered. */
export interface KnownResult {
  readonly step: string
  readonly result: unknown
  readonly used: Arithmetic['used']
}

/** A summary of all that is known, in as many sentences as the step asks for (two when it does not say). */
export function summarise(step: string, known: readonly KnownResult[]): string {
  const facts = [...new Set(known.flatMap(factsOf))]
  const count = Math.min(sentenceCount(step), facts.length)
  const size = Math.ceil(facts.length / Math.max(count, 1))
  const sentences = Array.from({ length: count }, (_, index) => facts.slice(index * size, (index + 1) * size))
  return sentences
    .filter((part) => part.length > 0)
    .map((part) => capital(`${enumerate(part)}.`))
    .join(' ')
}

const stats = ['mean', 'median', 'min', 'max', 'sum', 'count'] as const
const statNames: Readonly<Record<(typeof stats)[number], string>> = {
  mean: 'mean',
  median: 'median',
  min: 'minimum',
  max: 'maximum',
  sum: 'total',
  count: 'count',
}

function describeCsv(step: string, summary: CsvSummary): string {
  const words = new Set(wordsOf(step))
  const named = mentionedColumns(step, summary.columns)
  const of = (name: string) => named.length === 0 || named.includes(name)
  const own = new Set(named.flatMap((name) => wordsOf(name)))
  const asked = stats.filter((stat) => words.has(stat) && !own.has(stat))
  const parts: string[] = []
  if (
    words.has('row') ||
    (named.length === 0 && asked.length === 0 && /\bhow many\b|\bnumber of\b/iu.test(step))
  ) {
    parts.push(`there are ${summary.rows} rows`)
  }
  for (const [name, column] of Object.entries(summary.numeric)) {
    if (of(name) && (asked.length > 0 || named.length > 0)) parts.push(describeNumbers(name, column, asked))
  }
  for (const [name, column] of Object.entries(summary.text)) {
    if (!of(name) || (named.length === 0 && !words.has('frequent'))) continue
    const distinct = /\bhow many\b|\bdistinct\b|\bdifferent\b|\bunique\b/iu.test(step)
    parts.push(
      distinct
        ? `there are ${column.distinct} different values of ${name}`
        : mostFrequent(name, summary, topCount(step)),
    )
  }
  return capital(`${enumerate(parts.length > 0 ? parts : csvFacts(summary))}.`)
}

function describeNumbers(
  name: string,
  column: NumericColumn,
  asked: readonly (typeof stats)[number][],
): string {
  const wanted = asked.length > 0 ? asked : (['mean', 'median', 'min', 'max', 'sum'] as const)
  return enumerate(
    wanted.map(
      (stat, index) =>
        `the ${statNames[stat]}${index === 0 ? ` of ${name}` : ''} is ${formatStatistic(column[stat])}`,
    ),
  )
}

function mostFrequent(name: string, { rows, text }: CsvSummary, count: number): string {
  const values = text[name]?.mostFrequent ?? []
  const top = values.filter(
    (value, index) => index < count || (count === 1 && value.count === values[0]?.count),
  )
  const listed = enumerate(top.map((value) => `${value.value} (${value.count} of ${rows} rows)`))
  if (count > 1) return `the most frequent values of ${name} are ${listed}`
  return top.length > 1
    ? `the most frequent ${name} is shared by ${listed}`
    : `the most frequent ${name} is ${listed}`
}

function topCount(step: string): number {
  return Number(/\btop (\d)\b|\b(\d) most\b/iu.exec(step)?.slice(1).find(Boolean) ?? 1)
}

function subjectOf(step: string, used: Arithmetic['used']): string {
  let subject = step
    .replace(/^(?:tell me|give me|find)\s+/iu, '')
    .replace(/^(?:what(?:'s| is| are)|how much is|calculate|compute|work out|and)\s+/iu, '')
    .replace(/[?.\s]+$/u, '')
  for (const { words, value } of used) subject = subject.replace(words, `${words} (${formatNumber(value)})`)
  return capital(subject)
}

// Numbers with the name that they have in the result: "59 days, 8.4 weeks".
function describeAnything(step: string, result: unknown): string {
  if (typeof result === 'string') return result.trim().replace(/\.$/u, '').slice(0, 300)
  if (typeof result !== 'object' || result === null) return String(result)
  const numbers = Object.entries(result).filter(([, value]) => typeof value === 'number')
  if (numbers.length === 0) return JSON.stringify(result).slice(0, 300)
  const words = new Set(wordsOf(step))
  const asked = numbers.filter(([name]) => wordsOf(name).every((word) => words.has(word)))
  const shown = asked.length > 0 ? asked : numbers
  return enumerate(shown.map(([name, value]) => `${formatNumber(value)} ${spaced(name)}`))
}

function factsOf({ step, result, used }: KnownResult): string[] {
  if (isCsvSummary(result)) return csvFacts(result)
  const fact = describeResult(step, result, used).replace(/\.$/u, '')
  return [fact.charAt(0).toLowerCase() + fact.slice(1)]
}

function csvFacts(summary: CsvSummary): string[] {
  return [
    `the data has ${summary.rows} rows`,
    ...Object.entries(summary.numeric).map(([name, column]) =>
      describeNumbers(name, column, ['mean', 'median', 'sum']),
    ),
    ...Object.entries(summary.text)
      .filter(([, column]) => column.distinct < summary.rows)
      .map(([name]) => mostFrequent(name, summary, 1)),
  ]
}

const numberWords = ['one', 'two', 'three', 'four', 'five']

function sentenceCount(step: string): number {
  const match = /\b(\d|one|two|three|four|five)[- ]sentences?\b/iu.exec(step)?.[1]?.toLowerCase()
  if (!match) return 2
  return Number(match) || numberWords.indexOf(match) + 1
}

function spaced(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/gu, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
