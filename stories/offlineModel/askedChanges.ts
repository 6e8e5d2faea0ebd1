import { englishTexts } from 'use-todo-agent/core'

/** A change of the list that the person asked for in the panel. */
export interface AskedChange {
  readonly type: string
  /** `null` for a new item. */
  readonly id: number | null
  readonly content: string
  /** The new text, `null` unless it is renamed. */
  readonly to: string | null
}

const opening = englishTexts.requests({ requests: [], exits: false }).slice(0, -1)

/** Reads the message in which the kit puts what was asked for in the panel; nothing from any other. */
export function askedChanges(text: string): readonly AskedChange[] {
  if (!text.startsWith(opening)) return []
  const changes = text.matchAll(
    /(add|rename|remove|skip) (?:(\d+) )?("(?:[^"\\]|\\.)*")(?: to ("(?:[^"\\]|\\.)*"))?/gu,
  )
  return [...changes].map(([, type = '', id, content = '""', to]) => ({
    type,
    id: id === undefined ? null : Number(id),
    content: JSON.parse(content) as string,
    to: to === undefined ? null : (JSON.parse(to) as string),
  }))
}
