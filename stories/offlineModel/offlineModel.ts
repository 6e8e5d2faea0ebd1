import { type ModelRequest, type ModelV4, scriptedModel } from 'use-todo-agent/testing'
import { type Behaviour, decide } from './decide.ts'

/** Options of {@link offlineModel}. */
export interface OfflineModelOptions {
  /** @default 'steady' */
  readonly behaviour?: Behaviour
  /** How fast it speaks: 1 is a pace to read along with, 2 twice that; `Infinity` does not wait at all. @default 1 */
  readonly speed?: number
}

const thinking = 350
const perDelta = 18
const charactersPerDelta = 6

/**
 * The model of the playground: rules in place of a language model, so that it works without a key, a server or a download. It
 * holds no state; all that it does follows from the request. See `offlineModelNotice` and {@link Behaviour}.
 */
export function offlineModel({ behaviour = 'steady', speed = 1 }: OfflineModelOptions = {}): ModelV4 {
  if (!(speed > 0)) throw new TypeError(`\`speed\` must be a number above 0, got ${speed}.`)
  const answerTo = (request: ModelRequest) => {
    const step = decide(request, behaviour)
    const written = step.text ?? JSON.stringify(step.toolCalls)
    const usage = {
      input: Math.ceil(JSON.stringify(request.prompt).length / 4),
      output: Math.ceil(written.length / 4),
    }
    const pause = thinking / speed
    return scriptedModel(
      [
        {
          ...step,
          usage,
          ...(pause >= 1 && { until: new Promise((resolve) => setTimeout(resolve, pause)) }),
        },
      ],
      {
        validate: false,
        delay: Math.round(perDelta / speed),
        chunkSize: speed === Number.POSITIVE_INFINITY ? 1_000 : charactersPerDelta,
      },
    )
  }
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: `offline-${behaviour}`,
    supportedUrls: {},
    doStream: async (request) => answerTo(request).doStream(request),
    doGenerate: async (request) => answerTo(request).doGenerate(request),
  }
}
