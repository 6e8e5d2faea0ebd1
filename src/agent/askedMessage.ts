import type { AskedChange } from '../core/texts.ts'

/** What the person asked for in the panel, and the message that says it. */
export interface AskedMessage {
  readonly id: string
  readonly requests: readonly AskedChange[]
}

/** Adds to what waits, or begins a message. Of one item the last word counts. */
export function addRequest(
  waiting: AskedMessage | null,
  request: AskedChange,
  newId: () => string,
): AskedMessage {
  const others = (waiting?.requests ?? []).filter(
    (other) => !('id' in other && 'id' in request && other.id === request.id),
  )
  return { id: waiting?.id ?? newId(), requests: [...others, request] }
}
