import type { ModelMessage } from 'ai'
import { isFromKit } from '../offlineModel/fromKit.ts'
import { parseNumbers } from './numbers.ts'

/** Something that a person pasted into a message, and what is left of the message without it. */
export interface Pasted {
  readonly kind: 'csv' | 'text'
  readonly content: string
  readonly rest: string
}

/**
 * Finds a block of data in a message: a fenced block, lines of CSV (or TSV), a Markdown table, a column of numbers, or a quoted
 * text. Its other words are the request itself.
 */
export function findPasted(message: string): Pasted | null {
  return (
    findFenced(message) ??
    findBlock(message, tableEnd) ??
    findCsv(message) ??
    findBlock(message, columnEnd) ??
    findQuote(message)
  )
}

/** A Markdown table as lines whose fields are divided by "|"; other data as it is. */
export function withoutFrame(data: string): string {
  const lines = data.trim().split(/\r?\n/u)
  if (!lines.every((line) => TABLE_ROW.test(line))) return data
  return lines
    .filter((line) => !TABLE_RULE.test(line))
    .map((line) => line.trim().slice(1, -1))
    .join('\n')
}

/**
 * What the person pasted last in a conversation. Tools read it from there, so that the model need not repeat a long block in
 * its arguments.
 */
export function pastedIn(messages: readonly ModelMessage[], kind: Pasted['kind']): string | null {
  for (const message of messages.toReversed()) {
    if (message.role !== 'user') continue
    const text = userText(message)
    // The list and the notes of the kit come in the role of the person too, and quote what stands on the list.
    const pasted = isFromKit(text) ? null : findPasted(text)
    if (pasted && (pasted.kind === kind || kind === 'text')) return pasted.content
  }
  return null
}

/** The text of a message of the person. */
export function userText(message: Extract<ModelMessage, { role: 'user' }>): string {
  if (typeof message.content === 'string') return message.content
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** The fields of one line, as far as it is needed to tell data from prose: quotes are respected, line breaks in them not. */
export function fieldsOf(line: string, delimiter: string): string[] {
  const fields = ['']
  let quoted = false
  for (const character of line) {
    if (character === '"') quoted = !quoted
    if (character === delimiter && !quoted) fields.push('')
    else fields[fields.length - 1] += character
  }
  return fields.map((field) => field.trim())
}

/** The delimiter of a CSV text, judged by its first line. */
export function delimiterOf(csv: string): string {
  const header = csv.split('\n', 1)[0] ?? ''
  const counts = [',', ';', '\t', '|'].map((delimiter) => ({
    delimiter,
    count: fieldsOf(header, delimiter).length,
  }))
  return counts.sort((a, b) => b.count - a.count)[0]?.delimiter ?? ','
}

const TABLE_ROW = /^\s*\|.*\|\s*$/u
const TABLE_RULE = /^\s*\|[\s:|-]+\|\s*$/u

// A row of names, a rule, and rows of data.
function tableEnd(lines: readonly string[], start: number): number {
  if (!TABLE_RULE.test(lines[start + 1] ?? '')) return start
  let end = start
  while (TABLE_ROW.test(lines[end] ?? '')) end += 1
  return end
}

// A name with numbers under it.
function columnEnd(lines: readonly string[], start: number): number {
  if (!isHeader([lines[start]?.trim() ?? ''])) return start
  let end = start + 1
  while (parseNumbers([lines[end]?.trim() ?? ''])) end += 1
  return end
}

function findBlock(
  message: string,
  endOf: (lines: readonly string[], start: number) => number,
): Pasted | null {
  const lines = message.split(/\r?\n/u)
  for (const start of lines.keys()) {
    const end = endOf(lines, start)
    if (end < start + 3) continue
    const content = lines.slice(start, end).join('\n')
    return { kind: 'csv', content, rest: [...lines.slice(0, start), ...lines.slice(end)].join('\n') }
  }
  return null
}

function findFenced(message: string): Pasted | null {
  const match = /(?:^|\n)(```|""")[ \t]*(\w*)[ \t]*\n([\s\S]*?)\n\1[ \t]*(?=\n|$)/u.exec(message)
  if (!match) return null
  const [block, , language, content = ''] = match
  const kind = language === 'csv' || language === 'tsv' || isOnlyData(content) ? 'csv' : 'text'
  return {
    kind,
    content,
    rest: `${message.slice(0, match.index)}\n${message.slice(match.index + block.length)}`,
  }
}

function isOnlyData(content: string): boolean {
  const found = findPasted(content)
  return found?.kind === 'csv' && found.rest.trim() === ''
}

function findCsv(message: string): Pasted | null {
  const lines = message.split(/\r?\n/u)
  for (const [start, line] of lines.entries()) {
    const delimiter = delimiterOf(line)
    const width = fieldsOf(line, delimiter).length
    if (width < 2 || !isHeader(fieldsOf(line, delimiter))) continue
    const end = blockEnd(lines, start, delimiter, width)
    const rows = lines.slice(start + 1, end)
    const regular = rows.filter((row) => fieldsOf(row, delimiter).length === width).length
    // Rows that are broken still belong to the block: the tool can then say which.
    if (rows.length < 2 || regular < rows.length / 2) continue
    const content = lines.slice(start, end).join('\n')
    return { kind: 'csv', content, rest: [...lines.slice(0, start), ...lines.slice(end)].join('\n') }
  }
  return null
}

function blockEnd(lines: readonly string[], start: number, delimiter: string, width: number): number {
  let end = start + 1
  const isRowAt = (index: number) => isRow(lines[index] ?? '', delimiter, width)
  while (end < lines.length && (isRowAt(end) || (lines[end]?.trim() !== '' && isRowAt(end + 1)))) end += 1
  return end
}

// A line of prose has commas too: "1. how many rows, 2. ...".
function isRow(line: string, delimiter: string, width: number): boolean {
  if (!line.includes(delimiter) || /^\s*(?:\d{1,2}[.)]|[-*•])\s+\p{L}/u.test(line)) return false
  const fields = fieldsOf(line, delimiter)
  if (fields.length === width) return !/\s1[.)]\s.*\s2[.)]\s/u.test(line)
  return line.trim().split(/\s+/u).length < fields.length * 2
}

function isHeader(fields: readonly string[]): boolean {
  const names = fields.map((field) => field.replace(/^"(.*)"$/u, '$1'))
  return names.every((name) => /^[\p{L}_#][^{}[\]:?!]*$/u.test(name) && name.split(/\s+/u).length <= 3)
}

function findQuote(message: string): Pasted | null {
  const lines = message.split('\n')
  const quoted = lines.filter((line) => /^\s*>/u.test(line))
  if (quoted.length > 0) {
    const content = quoted.map((line) => line.replace(/^\s*>\s?/u, '')).join('\n')
    return { kind: 'text', content, rest: lines.filter((line) => !/^\s*>/u.test(line)).join('\n') }
  }
  const match = /["“]([^"“”]{30,})["”]/u.exec(message)
  if (!match?.[1]) return null
  return { kind: 'text', content: match[1], rest: message.replace(match[0], 'the text') }
}
