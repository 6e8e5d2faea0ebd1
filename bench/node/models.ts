import type { LanguageModel } from 'ai'

type Model = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>
type Request = Parameters<Model['doStream']>[0]
type Stream = Awaited<ReturnType<Model['doStream']>>['stream']
type Part = Stream extends ReadableStream<infer Item> ? Item : never

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
} as const

/** A model with nothing in it that takes time: it answers request `n` with `answer(n)`. The same one serves all that are compared. */
export function bareModel(
  answer: (index: number) => Iterable<Part>,
  seen?: (request: Request) => void,
): Model {
  let requests = 0
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'bare',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The benchmark streams.')),
    async doStream(request) {
      seen?.(request)
      const parts = answer(requests)[Symbol.iterator]()
      requests += 1
      return {
        stream: new ReadableStream<Part>({
          pull(controller) {
            const { done, value } = parts.next()
            if (done) controller.close()
            else controller.enqueue(value)
          },
        }),
      }
    },
  }
}

/** A text in so many deltas, and the end of the response. */
export function* textOf(deltas: number, delta = 'word '): Generator<Part> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'text-start', id: '0' }
  for (let index = 0; index < deltas; index += 1) yield { type: 'text-delta', id: '0', delta }
  yield { type: 'text-end', id: '0' }
  yield { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage }
}

/** One tool call, and the end of the response. */
export function* callOf(id: string, toolName: string, input: unknown): Generator<Part> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'tool-call', toolCallId: id, toolName, input: JSON.stringify(input) }
  yield { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage }
}
