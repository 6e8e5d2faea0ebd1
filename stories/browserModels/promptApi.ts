/** What a stand-in for the Prompt API was asked. */
export interface PromptApiLog {
  /** Each request, with the system prompt of its session. */
  readonly requests: { readonly system: string; readonly messages: { role: string; content: unknown }[] }[]
  /** Sessions that take up memory. */
  open: number
}

declare global {
  var promptApi: PromptApiLog | undefined
}

/**
 * Puts a stand-in in the place of the Prompt API, of its shape as the specification has it, that plays answers in turn. For tests: it is sent to pages
 * as source, so nothing outside of it may be used.
 */
export function installPromptApi(answers: readonly string[]): void {
  const log: PromptApiLog = { requests: [], open: 0 }

  class LanguageModel extends EventTarget {
    readonly contextWindow = 9216
    readonly contextUsage = 128
    readonly #system: string
    #destroyed = false

    constructor(system: string) {
      super()
      this.#system = system
      log.open += 1
    }

    static async availability() {
      return 'available'
    }

    static async create({ signal, initialPrompts = [] }: CreateOptions = {}): Promise<LanguageModel> {
      signal?.throwIfAborted()
      const session = new LanguageModel(initialPrompts.map(({ content }) => content).join('\n'))
      signal?.addEventListener('abort', () => session.destroy())
      return session
    }

    /** Only the whole answer: the kit asks for no streams of it. */
    async prompt(messages: PromptApiLog['requests'][number]['messages'], { signal }: CreateOptions = {}) {
      if (this.#destroyed) throw new DOMException('The session has been destroyed.', 'InvalidStateError')
      log.requests.push({ system: this.#system, messages })
      const answer = answers[log.requests.length - 1] ?? ''
      await new Promise((resolve) => setTimeout(resolve, answer.length / 4))
      signal?.throwIfAborted()
      return answer
    }

    destroy() {
      if (this.#destroyed) return
      this.#destroyed = true
      log.open -= 1
    }
  }

  interface CreateOptions {
    signal?: AbortSignal
    initialPrompts?: { role: string; content: string }[]
  }

  Object.assign(globalThis, { LanguageModel, promptApi: log })
}

/** A call of a tool as a model without tools of its own is asked to write it. */
export function fencedCall(name: string, input: object): string {
  return `\`\`\`tool_call\n${JSON.stringify({ name, arguments: input })}\n\`\`\``
}
