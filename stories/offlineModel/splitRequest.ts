/**
 * Splits a request into its steps: numbered (also on one line), bulleted, one per line, or joined by ";", "then" and the like.
 * The words around a list ("Here are my orders. Please tell me:") are no step. One step comes back as a list of one.
 */
export function splitRequest(request: string): string[] {
  const text = narrow(request.replace(/\r\n?/gu, '\n')).trim()
  const steps = numbered(text) ?? bulleted(text) ?? byLine(text) ?? joined(text)
  return steps.map(tidyStep).filter((step) => /[\p{L}\p{N}]/u.test(step))
}

/** A step as an item of a list: one line, no trailing punctuation, a capital at the start. */
export function tidyStep(step: string): string {
  const line = step
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/^(?:hello|hi|hey)\b[,!.]?\s+/iu, '')
    .replace(/^(?:and|then|also|please|finally|first|next)\b[,:]?\s+/iu, '')
    .replace(/^(?:can|could|would) you (?:please )?/iu, '')
    .replace(/(?:[\s,;.:(]|,\s*and|\sand)+$/u, '')
  return line.charAt(0).toUpperCase() + line.slice(1)
}

const wide: Readonly<Record<string, string>> = {
  '（': ' (',
  '）': ') ',
  '；': '; ',
  '，': ', ',
  '。': '. ',
  '：': ': ',
  '？': '? ',
}

// The punctuation of Chinese and Japanese texts, as the rest knows it.
function narrow(text: string): string {
  return text.replace(/[（）；，。：？]/gu, (mark) => wide[mark] ?? mark).replace(/(\d)、\s*/gu, '$1. ')
}

function numbered(text: string): string[] | null {
  const outer = atNumbers(text, /(?<=^|\n)(\d{1,2})[.)]\s+(?=\S)/gu)
  const strict = atNumbers(text, /(?<=^|\n[ \t]*|[,;:.?!(]\s*)(\d{1,2})[.)]\s+(?=\S)/gu)
  const loose = atNumbers(text, /(?<=^|\s|[,;:(])(\d{1,2})[.)]\s+(?=\S)/gu)
  const inLine = loose.length > strict.length ? loose : strict
  // Numbers that begin again under a step are those of its parts.
  const nested = outer.length >= 2 && /\n[ \t]+\d{1,2}[.)]\s/u.test(text)
  const steps = nested ? outer : inLine
  return steps.length >= 2 ? steps.flatMap(parts) : null
}

function atNumbers(text: string, marker: RegExp): string[] {
  const starts: { readonly at: number; readonly from: number }[] = []
  for (const match of text.matchAll(marker)) {
    // Only the number that comes next starts a step: "2. the best of 2024. Then" has one.
    if (Number(match[1]) !== starts.length + 1) continue
    starts.push({ at: match.index, from: match.index + match[0].length })
  }
  return starts.map(({ from }, index) => {
    const step = text.slice(from, starts[index + 1]?.at)
    // What stands after the last step in a paragraph of its own is no part of it.
    return step.split(/\n\s*\n/u, 1)[0] ?? step
  })
}

// A step with a list of its own is its parts, and what it says before them where that asks for something.
function parts(step: string): string[] {
  const [head = '', ...lines] = step.split('\n')
  const found: string[] = []
  for (const line of lines) {
    const part = /^\s+(?:[-*•]|[a-z\d]{1,2}[.)])\s+(.*)$/u.exec(line)?.[1]
    if (part !== undefined) found.push(part)
    else if (found.length > 0 && line.trim() !== '') found[found.length - 1] += ` ${line.trim()}`
    else if (line.trim() !== '') return [step]
  }
  if (found.length === 0) return [step]
  return /:\s*$/u.test(head) || !isTask(head) ? found : [head, ...found]
}

function bulleted(text: string): string[] | null {
  const steps: string[] = []
  let inside = false
  for (const line of text.split('\n')) {
    const item = /^\s*(?:[-*•]|\d{1,2}[.)])\s+(?:\[[ xX]?\]\s+)?(.*)$/u.exec(line)?.[1]
    if (item !== undefined) steps.push(item)
    else if (inside && /^\s+\S/u.test(line)) steps[steps.length - 1] += ` ${line.trim()}`
    inside = item !== undefined || (inside && /^\s+\S/u.test(line))
  }
  const asked = steps.filter((step) => !/:\s*$/u.test(step))
  return asked.length >= 2 ? asked : null
}

function byLine(text: string): string[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const steps = lines.filter((line) => !isIntroduction(line))
  return steps.length >= 2 ? steps.flatMap((line) => joined(line)) : null
}

function joined(text: string): string[] {
  const parts = text
    .split(/\s*;\s*|\s*[,.]?\s+(?:and\s+)?(?:then|after that|afterwards|finally)\b[,:]?\s+/iu)
    .filter((part) => part.trim() !== '')
  const steps = parts.flatMap(sentences)
  return steps.length > 0 ? steps : [text]
}

// The sentences of a part that ask for something; all of it when none does.
function sentences(part: string): string[] {
  const found = part.split(/(?<=[?!.])\s+(?=\p{Lu}|\d|how|what|which)/u).flatMap(byComma)
  const tasks = found.filter(isTask)
  return tasks.length > 0 ? tasks : [part]
}

// "Count the rows, find the mean price, and name the top city": only where each part asks for something by itself.
function byComma(clause: string): string[] {
  const parts = clause.split(
    /\s*,\s*(?:and\s+)?|\s+and\s+(?=(?:how|what|which|find|count|name|write|tell|give|calculate|compute|summari[sz]e)\b)/iu,
  )
  return parts.length >= 2 && parts.every((part) => startsTask.test(part.trim())) ? parts : [clause]
}

const startsTask =
  /^(?:please |also |can you |could you )*(?:how|what|which|who|when|where|find|count|name|list|write|tell|give|show|calculate|compute|work out|summari[sz]e|describe|compare|add|check|look|search|get|make|plan|explain|translate|report|draft|say|divide|multiply|a (?:short|brief|one|two|three)\b|an? \w+ summary)/iu

function isTask(clause: string): boolean {
  return clause.includes('?') || startsTask.test(clause.trim())
}

function isIntroduction(line: string): boolean {
  return /:\s*$/u.test(line) || (!isTask(line) && /[.!]\s*$/u.test(line))
}
