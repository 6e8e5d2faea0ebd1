/** The ids of tool calls in one transcript. What comes from a provider as an id may be anything. */
export interface CallIds {
  /** Begins a response: from now on an id that is taken stands for another call. */
  startStep(): void
  /** The arguments of a call begin to arrive: the id under which it goes into the transcript. */
  start(id: unknown): string
  /** The same for the call whose arguments arrive under `id`: the last one that has started. */
  arriving(id: unknown): string
  /** The same for a call that is complete. */
  call(id: unknown, toolName: string, input: unknown): string
  /**
   * The same for what a call has got, such as its result. `input` is what the call came with; without it the call is meant that was spoken
   * of last. One that was not made in this response keeps its id.
   */
  answer(id: unknown, toolName: string, input?: unknown): string
}

interface KnownCall {
  readonly id: string
  readonly toolName: string
  readonly input: unknown
  answered: boolean
}

// The calls of one response that came with the same id.
interface SameId {
  readonly names: string[]
  readonly calls: KnownCall[]
  started: number
  recent: KnownCall | undefined
}

/**
 * Keeps the ids of calls apart. A call keeps the id that it has, unless that is blank or taken: some local servers number the calls of each
 * response anew, or give all calls of one response the same id. In a transcript, and in the AI SDK's chat, one would be taken for the other.
 */
export function createCallIds(taken: Iterable<string>): CallIds {
  const used = new Set(taken)
  let step = new Map<string, SameId>()

  function sameId(id: unknown): SameId {
    const key = toKey(id)
    let same = step.get(key)
    if (!same) {
      same = { names: [], calls: [], started: 0, recent: undefined }
      step.set(key, same)
    }
    return same
  }

  // The call that is the n-th of those with the same id.
  function nameOf(id: unknown, place: number): string {
    const { names } = sameId(id)
    const known = names[place]
    if (known !== undefined) return known
    const base = toKey(id) || 'call'
    let name = base
    for (let count = 2; used.has(name); count += 1) name = `${base}-${count}`
    used.add(name)
    names[place] = name
    return name
  }

  return {
    startStep() {
      step = new Map()
    },
    start(id) {
      const same = sameId(id)
      same.started += 1
      return nameOf(id, same.started - 1)
    },
    arriving(id) {
      const same = step.get(toKey(id))
      return same?.names[same.started - 1] ?? toKey(id)
    },
    call(id, toolName, input) {
      const { calls } = sameId(id)
      const name = nameOf(id, calls.length)
      calls.push({ id: name, toolName, input, answered: false })
      return name
    },
    answer(id, toolName, input) {
      const same = step.get(toKey(id))
      const call = same && (same.calls.length > 1 ? pick(same, toolName, input) : same.calls[0])
      if (!call) return toKey(id)
      same.recent = call
      return call.id
    },
  }
}

// The AI SDK hands a call's own arguments on with its result, so that they tell calls with one id apart.
function pick({ calls, recent }: SameId, toolName: string, input: unknown): KnownCall | undefined {
  if (input === undefined && recent?.toolName === toolName) return recent
  const isObject = typeof input === 'object' && input !== null
  const own = isObject ? calls.find((call) => call.input === input) : undefined
  if (own) return own
  const next =
    calls.find((call) => call.toolName === toolName && !call.answered) ??
    calls.findLast((call) => call.toolName === toolName)
  if (next) next.answered = true
  return next
}

// Blank ids are one id, and a number is its digits.
function toKey(id: unknown): string {
  if (typeof id === 'number') return String(id)
  return typeof id === 'string' && id.trim() !== '' ? id : ''
}
