import { englishTexts } from '../../src/core/texts.ts'

// What every dialect checks alike. A request is looked at as a row of entries: a message, or a block of one.

export interface Entry {
  readonly role: string
  /** What it says in words, if it does. */
  readonly text?: string
  /** The rest of what it is. */
  readonly rest?: unknown
}

/** Finds what changed since the request before, the list aside, and whether the list stands at the tail and there only. */
export function createTailCheck(): (entries: readonly Entry[]) => string[] {
  // By the first words of the user: several conversations may share a server.
  const known = new Map<string, readonly string[]>()
  return (entries) => {
    const faults: string[] = []
    const holders = entries.filter(({ text }) => text?.includes(englishTexts.listHeading))
    if (holders.length > 1) faults.push('the current list is in it twice')
    if (holders.length === 1 && holders[0] !== entries.at(-1)) faults.push('the list is not at the tail')
    const current = entries.map(withoutList).filter((entry) => entry !== '')
    const beginning = current.find((entry) => entry.startsWith('["user"')) ?? ''
    const previous = known.get(beginning) ?? []
    const isNew = previous.length === 0 && known.size > 0
    if (isNew && entries.some(({ role }) => role === 'assistant')) {
      faults.push(`its first message is not what it was: ${beginning}`)
    }
    const changed = previous.findIndex((entry, index) => entry !== current[index])
    const goesOn = current[0] === previous[0] && current.length > previous.length
    if (goesOn && changed !== -1) faults.push(`entry ${changed + 1} is not what it was: ${current[changed]}`)
    known.set(beginning, current)
    return faults
  }
}

function withoutList({ role, text, rest }: Entry): string {
  const said = text?.split(englishTexts.listHeading)[0]?.trimEnd()
  if (role === 'user' && said === '' && rest === undefined) return ''
  return JSON.stringify([role, said, rest])
}

/** A JSON object as text, or what is wrong with it. */
export function isObjectText(json: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(json))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** Cut into pieces of one UTF-16 unit, so that a character beyond the basic plane comes in halves. */
export function units(text: string): string[] {
  return text.split('')
}

export function argumentsOf(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}
