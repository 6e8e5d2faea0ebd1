import { browserAI } from '@browser-ai/core'
import { type LanguageModel, simulateStreamingMiddleware, wrapLanguageModel } from 'ai'

/**
 * The model that Chrome and Edge have built in, by the Prompt API. It knows no tools of its own: the provider describes them in the system prompt
 * and reads a call out of the answer, one per step.
 *
 * Each request gets a session of its own. The provider keeps one for all, with the instructions of the first request, ended by the first Stop,
 * and filling up with the whole transcript again at each step.
 *
 * An answer comes as a whole: where a piece of a stream ends within the fence around a call, the provider (2.1.13) never comes out of its parser.
 */
export function builtInModel(): LanguageModel {
  const { specificationVersion, provider, modelId, supportedUrls } = browserAI()
  const model: WholeModel = {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,
    async doGenerate(options) {
      const ended = new AbortController()
      const signals = options.abortSignal ? [options.abortSignal, ended.signal] : [ended.signal]
      try {
        return await browserAI().doGenerate({ ...options, abortSignal: AbortSignal.any(signals) })
      } finally {
        // It frees the session.
        ended.abort()
      }
    },
    doStream: (options) => browserAI().doStream(options),
  }
  return wrapLanguageModel({ model, middleware: simulateStreamingMiddleware() })
}

type WholeModel = Pick<
  ReturnType<typeof browserAI>,
  'specificationVersion' | 'provider' | 'modelId' | 'supportedUrls' | 'doGenerate' | 'doStream'
>
