/** The ids of tool calls in one transcript. */
export interface CallIds {
  /** Begins a response: from now on an id that is taken stands for another call. */
  startStep(): void
  /** The id under which a call of this response goes into the transcript: its own, unless that is blank or taken. */
  unique(id: string): string
  /** The same for what belongs to a call, such as its result. One that did not begin in this response keeps its id. */
  known(id: string): string
}

/**
 * Keeps the ids of calls apart. Some local servers number the calls of each response anew; in a transcript, and in the AI SDK's chat, the
 * second `call_0` would then be taken for the first one.
 */
export function createCallIds(taken: Iterable<string>): CallIds {
  const used = new Set(taken)
  let step = new Map<string, string>()
  return {
    startStep() {
      step = new Map()
    },
    unique(id) {
      const known = step.get(id)
      if (known !== undefined) return known
      let name = id.trim() === '' ? 'call' : id
      for (let count = 2; used.has(name); count += 1) name = `${id.trim() === '' ? 'call' : id}-${count}`
      used.add(name)
      step.set(id, name)
      return name
    },
    known: (id) => step.get(id) ?? id,
  }
}
