// TYPES

/** A message as IndexedDB holds it: its settled parts several to a value, so that a run of an hour, which is one message, is not written anew with each step. */
export interface MessageBlocks {
  /** The message with its newest parts, and how many blocks come before them. */
  readonly head: unknown
  /** The blocks that are to be written. */
  readonly blocks: readonly { readonly place: number; readonly parts: readonly unknown[] }[]
}

// VALUES

const BLOCK = 16
// Beyond any real message: a damaged count must not fill the memory.
const MOST_BLOCKS = 65_536

// FUNCTIONS

/** Cuts a message into its head and those of its blocks that hold more than its first `sameParts` parts. */
export function splitMessage(message: unknown, sameParts = 0): MessageBlocks {
  const { parts } = (message ?? {}) as { readonly parts?: unknown }
  if (!Array.isArray(parts) || parts.length < BLOCK) return { head: message, blocks: [] }
  const partBlocks = Math.floor(parts.length / BLOCK)
  const first = Math.min(Math.floor(sameParts / BLOCK), partBlocks)
  return {
    head: { ...(message as object), parts: parts.slice(partBlocks * BLOCK), partBlocks },
    blocks: Array.from({ length: partBlocks - first }, (_, index) => {
      const place = first + index
      return { place, parts: parts.slice(place * BLOCK, (place + 1) * BLOCK) }
    }),
  }
}

/** A stored message put together again. The parts of a block that is missing are `null`, so that the others keep their places. */
export function joinMessage(head: unknown, blocks: readonly unknown[]): unknown {
  const { partBlocks, ...message } = (head ?? {}) as { partBlocks?: unknown; parts?: unknown }
  const count = Number.isSafeInteger(partBlocks) ? (partBlocks as number) : 0
  if (count < 1 || count > MOST_BLOCKS || !Array.isArray(message.parts)) return head
  const settled = Array.from({ length: count }, (_, place): readonly unknown[] => {
    const parts = blocks[place]
    return Array.isArray(parts) && parts.length === BLOCK ? parts : Array(BLOCK).fill(null)
  })
  return { ...message, parts: ([] as unknown[]).concat(...settled, message.parts) }
}
