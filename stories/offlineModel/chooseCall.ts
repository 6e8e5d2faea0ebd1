import { parseNumbers } from '../tools/numbers.ts'
import { delimiterOf, fieldsOf, type Pasted, withoutFrame } from '../tools/pasted.ts'
import type { CsvSummary } from '../tools/summariseCsv.ts'
import { datesIn, withoutDates } from './dates.ts'
import type { OfferedTool } from './readRequest.ts'
import { wordsOf } from './words.ts'

// TYPES

/** A call that works a step out. */
export interface ChosenCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** It does not answer the step itself but gets a value that the step needs. */
  readonly prepares: boolean
}

/** What a step can be worked out from. */
export interface StepContext {
  readonly tools: readonly OfferedTool[]
  readonly data: Pasted | null
  /** Results of the steps before, in order. */
  readonly known: readonly unknown[]
}

interface Property {
  readonly name: string
  readonly schema: {
    readonly type?: unknown
    readonly enum?: readonly unknown[]
    readonly description?: string
  }
  readonly required: boolean
}

// CHOICE

/**
 * Picks the offered tool whose name, description and arguments fit the words of a step best, and fills its arguments from the
 * step and the pasted data. `null` when no tool fits or can be filled.
 */
export function chooseCall(step: string, context: StepContext): ChosenCall | null {
  let best: { call: ChosenCall; score: number } | null = null
  for (const tool of context.tools) {
    const score = scoreOf(tool, step, context)
    if (score < 1 || (best && score <= best.score)) continue
    const input = fillArguments(tool, step, context)
    if (!input) continue
    // A value that is still missing is worked out first.
    if ('missing' in input) return missingValue(context, input.missing)
    best = { call: { name: tool.name, input: input.filled, prepares: false }, score }
  }
  return best?.call ?? null
}

function missingValue(context: StepContext, column: string | null): ChosenCall | null {
  const call = chooseCall(column ? `sum of ${column}` : 'sum of all columns', context)
  return call && { ...call, prepares: true }
}

function scoreOf(tool: OfferedTool, step: string, { data, known }: StepContext): number {
  const properties = propertiesOf(tool)
  const readsCsv = properties.some(({ name }) => name === 'csv' || name === 'columns')
  if (readsCsv && data?.kind !== 'csv') return 0
  if (!readsCsv && properties.some(({ name }) => name === 'text') && data?.kind !== 'text' && !quoted(step))
    return 0
  const about = new Set(
    wordsOf([tool.description, ...properties.map(({ schema }) => schema.description)].join(' ')),
  )
  const name = new Set(wordsOf(tool.name.replaceAll('_', ' ')))
  const words = [...new Set(wordsOf(step))]
  let score =
    words.filter((word) => about.has(word)).length + 2 * words.filter((word) => name.has(word)).length
  if (readsCsv && data) score += 3 * mentionedColumns(step, headerOf(data)).length
  if (properties.some(({ name }) => isExpression(name)) && arithmetic(step, known, data)) score += 6
  if (properties.filter(({ name }) => isDate(name)).length > 1 && datesIn(step).length > 1) score += 4
  return score
}

// ARGUMENTS

function fillArguments(
  tool: OfferedTool,
  step: string,
  context: StepContext,
): { filled: Record<string, unknown> } | { missing: string | null } | null {
  const filled: Record<string, unknown> = {}
  const dates = datesIn(step)
  const numbers = (step.match(/-?\d+(?:\.\d+)?/gu) ?? []).map(Number)
  for (const property of propertiesOf(tool)) {
    if (isExpression(property.name)) {
      const expression = arithmetic(step, context.known, context.data)
      if (expression && 'missing' in expression) return expression
      if (expression) filled[property.name] = expression.text
    } else {
      const value = valueFor(property, step, context, dates, numbers)
      if (value !== undefined) filled[property.name] = value
    }
    if (property.required && filled[property.name] === undefined) return null
  }
  return { filled }
}

function valueFor(
  { name, schema, required }: Property,
  step: string,
  { data }: StepContext,
  dates: string[],
  numbers: number[],
): unknown {
  if (schema.enum) {
    const named = schema.enum.find((value) => step.toLowerCase().includes(String(value).toLowerCase()))
    return named ?? (required ? schema.enum[0] : undefined)
  }
  if (schema.type === 'array')
    return /column|field/iu.test(name) && data ? columnsFor(step, headerOf(data)) : undefined
  if (schema.type === 'number' || schema.type === 'integer') return numbers.shift()
  if (schema.type === 'boolean') return required ? true : undefined
  if (isDate(name)) return dates.shift()
  if (name === 'text' && quoted(step)) return quoted(step)
  // Pasted data stays where it is: the tool reads it itself when it can.
  if (!required) return undefined
  if (/^(?:csv|data|table|text|content)$/iu.test(name)) return quoted(step) ?? data?.content
  return (
    quoted(step) ?? step.replace(/^(?:search|look|find|check)(?: (?:for|up))? /iu, '').replace(/\?$/u, '')
  )
}

function columnsFor(step: string, header: readonly string[]): string[] | undefined {
  const mentioned = mentionedColumns(step, header)
  if (mentioned.length > 0) return mentioned
  if (/\brows?\b|\brecords?\b|\bentries\b|\blines\b|\bhow many\b/iu.test(step)) return []
  // A column that is not there is asked for all the same: the tool then says which there are.
  const named =
    /\b(?:mean|average|median|sum|total|max\w*|min\w*|frequent|common)(?: value)?s? (?:of|in) (?:the )?([\p{L}_]+)/iu.exec(
      step,
    )?.[1]
  return named &&
    !/^(?:the|all|each|every|data|csv|file|orders?|rows?|columns?|numbers?|values?)$/iu.test(named)
    ? [named]
    : undefined
}

/** The columns of a header that a step names, in the order of the header. */
export function mentionedColumns(step: string, header: readonly string[]): string[] {
  const words = new Set(wordsOf(step))
  return header.filter((name) => {
    // A letter alone is a column only where one is asked for: "a" is a word too.
    if (/^\p{L}$/u.test(name))
      return new RegExp(`\\b(?:of|in|column|and) (?:column )?${name}\\b(?! (?!and)\\p{L})`, 'u').test(step)
    const parts = wordsOf(name.replace(/[([].*?[)\]]/gu, '').replaceAll('_', ' '))
    return parts.length > 0 && parts.every((part) => words.has(part))
  })
}

/** The names of the columns of a pasted CSV. */
export function headerOf(data: Pasted): string[] {
  if (data.kind !== 'csv') return []
  const line = withoutFrame(data.content).split('\n', 1)[0] ?? ''
  return fieldsOf(line, delimiterOf(line)).map((name) => name.replace(/^"(.*)"$/u, '$1').trim())
}

function quoted(step: string): string | undefined {
  return /["“]([^"“”]+)["”]/u.exec(step)?.[1]
}

function isExpression(name: string): boolean {
  return /expression|formula/iu.test(name)
}

function isDate(name: string): boolean {
  return /^(?:from|to|start|end|since|until)$|date|day/iu.test(name)
}

// ARITHMETIC

/** An expression, and the values of earlier steps that it uses. */
export interface Arithmetic {
  readonly text: string
  /** The words in the step that stand for an earlier value, with that value. */
  readonly used: readonly { readonly words: string; readonly value: number }[]
}

/**
 * The arithmetic in a step as an expression: "17% of the total" with the total of an earlier step in its place. `missing` names the
 * column whose values must be worked out first; `null` when there is nothing to calculate.
 */
export function arithmetic(
  step: string,
  known: readonly unknown[],
  data: Pasted | null,
): Arithmetic | { readonly missing: string | null } | null {
  const used: { words: string; value: number }[] = []
  let missing: { readonly missing: string | null } | null = null
  const header = data ? headerOf(data) : []
  const number = '(\\d+(?:\\.\\d+)?)'
  const percent = `${number}\\s*(?:%|percent)`
  const rule = (pattern: string) => new RegExp(pattern, 'giu')
  const plain = withoutDates(step)
    .replace(/(\p{L})\/(?=\p{L})/gu, '$1 and ')
    .replace(/(\d),(?=\d{3}\b)/gu, '$1')
    .replaceAll('×', '*')
    .replaceAll('÷', '/')
    .replaceAll('−', '-')
    .replace(/(\d)\s*x\s*(?=\d)/giu, '$1 * ')
    .replace(/\b(of|by|times|plus|minus) (?:that|it|this)(?=\s*[?.]?$)/giu, '$1 the result')
    .replace(rule(`${percent}\\s+off\\s+(?:of\\s+)?`), '(1 - $1 / 100) * ')
    .replace(rule(`\\b(?:increase|raise) (.+?) by ${percent}`), '$1 * (1 + $2 / 100)')
    .replace(rule(`\\b(?:decrease|reduce|lower) (.+?) by ${percent}`), '$1 * (1 - $2 / 100)')
    .replace(rule(`\\bwhat percent(?:age)? of ${number} (?:is|are) ${number}`), '$2 / $1 * 100')
    .replace(rule(`${number} is what percent(?:age)? of ${number}`), '$1 / $2 * 100')
    .replace(rule(`\\bwhat percent(?:age)? (?:is|are) ${number} of ${number}`), '$1 / $2 * 100')
    .replace(
      rule(`${percent}\\s+(?:tip|tax|vat|discount|interest|commission)\\s+(?:on|of)\\s+`),
      '$1 / 100 * ',
    )
    .replace(/\bdifference between (?:the )?(.+?) and (?:the )?/giu, '$1 - ')
    .replace(/(\d+(?:\.\d+)?)\s*(?:%|percent)\s+(?:of|from)\s+/giu, '$1 / 100 * ')
    .replace(/\bhalf (?:of )?/giu, '0.5 * ')
    .replace(/\b(?:twice|double) /giu, '2 * ')
    .replace(/\badd (\S+) (?:and|to) (\S+)/giu, '$1 + $2')
    .replace(/\bsubtract (\S+) from (\S+)/giu, '$2 - $1')
    .replace(/\bdivide (.+?) by /giu, '$1 / ')
    .replace(/\bmultiply (.+?) by /giu, '$1 * ')
    .replace(/\sdivided by\s|(?<=\d)\sover\s(?=\d)/giu, ' / ')
    .replace(/\s(?:multiplied by|times)\s/giu, ' * ')
    .replace(/\splus\s/giu, ' + ')
    .replace(/\sminus\s/giu, ' - ')
    .replace(/\bsquare root of ([^\s?,;]+)/giu, 'sqrt($1)')
  if (!hasOperator(plain)) return null
  const expression = plain.replace(reference(header), (words: string) => {
    const value = earlierValue(words, known, header)
    if (value === null) missing ??= { missing: columnOf(words, header, data) }
    else used.push({ words: words.trim(), value })
    return String(value ?? 1)
  })
  // The longest stretch that is arithmetic and nothing else.
  const stretches = expression.match(/(?:\d+(?:\.\d+)?e[+-]?\d+|[\d.()+\-*/^%\s]|sqrt|pi\b)+/giu) ?? []
  const text =
    stretches
      .map((stretch) => stretch.trim().replace(/[.\s]+$/u, ''))
      .sort((a, b) => b.length - a.length)[0] ?? ''
  if (!/\d/u.test(text) || !/[\d)]\s*[-+*/^%]\s*[\d(s]|sqrt/u.test(text)) return null
  return missing ?? { text, used }
}

function hasOperator(text: string): boolean {
  return /[\d)a-z]\s*[*/^+]\s*[\d(a-z]|[\d)a-z]\s+-\s+[\d(a-z]|\d-\d|sqrt\(/iu.test(text)
}

// "the total", "the mean of price", "maximum price", "the price" (its total).
function reference(header: readonly string[]): RegExp {
  const kinds = 'total|sum|mean|average|median|maximum|max|minimum|min|number of rows|row count|result'
  const names = header
    .map((name) => name.replaceAll('_', '[ _]').replace(/[.*+?^${}()|\\]/gu, '\\$&'))
    .join('|')
  if (!names) return new RegExp(`\\b(?:(?:the|that|this) )?(?:${kinds})\\b`, 'giu')
  const column = `(?:${names})s?\\b`
  return new RegExp(
    `\\b(?:(?:the|that|this) )?(?:(?:${names}) )?(?:(?:${kinds})\\b(?:(?: (?:of|in)(?: the)?)? ${column})?|${column})`,
    'giu',
  )
}

function earlierValue(words: string, known: readonly unknown[], header: readonly string[]): number | null {
  if (/result/iu.test(words)) {
    const last = known.findLast((result) => typeof resultOf(result) === 'number')
    return resultOf(last) ?? null
  }
  const summaries = known.filter(isCsvSummary)
  if (/row/iu.test(words)) return summaries.at(-1)?.rows ?? null
  const [column] = mentionedColumns(words, header)
  for (const { numeric } of summaries.toReversed()) {
    const [first] = Object.keys(numeric)
    const stats = numeric[column ?? mainColumn(Object.keys(numeric)) ?? first ?? '']
    if (stats) return stats[statOf(words)]
  }
  return null
}

function columnOf(words: string, header: readonly string[], data: Pasted | null): string | null {
  return mentionedColumns(words, header)[0] ?? mainColumn(header) ?? numericColumn(header, data)
}

function mainColumn(names: readonly string[]): string | undefined {
  return names.find((name) => /total|amount|price|revenue|sales|cost|value/iu.test(name))
}

function numericColumn(header: readonly string[], data: Pasted | null): string | null {
  const content = withoutFrame(data?.content ?? '')
  const cells = fieldsOf(content.split('\n')[1] ?? '', delimiterOf(content))
  return (
    header.find(
      (name, index) => !/\bid\b|_id$/iu.test(name) && parseNumbers([cells[index] ?? '']) !== null,
    ) ?? null
  )
}

function statOf(words: string): 'sum' | 'mean' | 'median' | 'max' | 'min' {
  if (/mean|average/iu.test(words)) return 'mean'
  if (/median/iu.test(words)) return 'median'
  if (/max/iu.test(words)) return 'max'
  return /min/iu.test(words) ? 'min' : 'sum'
}

/** Whether a result describes a CSV. */
export function isCsvSummary(value: unknown): value is CsvSummary {
  return (
    typeof value === 'object' &&
    value !== null &&
    'rows' in value &&
    'columns' in value &&
    'numeric' in value &&
    'text' in value
  )
}

/** The number that a calculation gave. */
export function resultOf(value: unknown): number | undefined {
  return typeof value === 'object' && value !== null && 'result' in value && typeof value.result === 'number'
    ? value.result
    : undefined
}

function propertiesOf(tool: OfferedTool): Property[] {
  const { properties = {}, required = [] } = tool.inputSchema
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: typeof schema === 'object' ? (schema as Property['schema']) : {},
    required: required.includes(name),
  }))
}
