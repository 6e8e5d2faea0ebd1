import type { LanguageModel } from 'ai'

// TYPES

/** A wait before a request is made again. */
export interface RetryWait {
  /** When it is made, in ms since 1970. */
  readonly until: number
  /** Which attempt that is, the first one counted: 2 at the first wait. */
  readonly attempt: number
  /** How many there are at most. */
  readonly attempts: number
}

/** How often a request is made again, and who hears of it. */
export interface RetryOptions {
  /** How many times, beyond the first. */
  readonly maxRetries: number
  /** The longest wait in ms. A server that asks for more is not asked again. */
  readonly maxWait: number
  /** Called when a wait begins, and with `null` when it is over. */
  readonly onWait: (wait: RetryWait | null) => void
  /** Called when the request is made, each time. */
  readonly onRequest: () => void
  /** Called when the server has begun to answer, with the headers of the answer where the provider tells them. */
  readonly onResponse: (headers: Readonly<Record<string, string>>) => void
}

type Model = Exclude<LanguageModel, string>

interface Streamed {
  readonly response?: { readonly headers?: Readonly<Record<string, string>> }
}

/** What is read of a failed request, whichever class of error a provider has for it. */
interface Refusal {
  readonly isRetryable?: unknown
  readonly statusCode?: unknown
  readonly message?: unknown
  readonly responseBody?: unknown
  readonly responseHeaders?: Readonly<Record<string, string>>
}

// RETRY

/** The first wait where the server asks for none, in ms. Each further one is twice as long. */
const FIRST_WAIT = 2000

/**
 * A model whose requests are made again after a failure that may pass. It takes the place of the AI SDK's retries, which wait as the server
 * asks only up to a minute and else ask again at once. What streams is not touched.
 */
export function withRetries(model: Model, options: RetryOptions): Model {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls
    },
    doGenerate: (request: never) => model.doGenerate(request),
    doStream: (request: { readonly abortSignal?: AbortSignal }) =>
      attempt(() => model.doStream(request as never) as PromiseLike<Streamed>, request.abortSignal, options),
    // The three versions of the interface differ in what goes in and out, and all of it is handed on.
  } as unknown as Model
}

async function attempt(
  makeRequest: () => PromiseLike<Streamed>,
  signal: AbortSignal | undefined,
  { maxRetries, maxWait, onWait, onRequest, onResponse }: RetryOptions,
): Promise<Streamed> {
  for (let retries = 0; ; retries += 1) {
    try {
      onRequest()
      const result = await makeRequest()
      onResponse(result.response?.headers ?? {})
      return result
    } catch (error) {
      const wait = retryAfter(error) ?? Math.min(FIRST_WAIT * 2 ** retries, maxWait)
      if (signal?.aborted || retries >= maxRetries || wait > maxWait || !mayPass(error)) throw error
      onWait({ until: Date.now() + wait, attempt: retries + 2, attempts: maxRetries + 1 })
      try {
        await delay(wait, signal)
      } finally {
        onWait(null)
      }
    }
  }
}

/** How long a server asks to wait, in ms, or `null` where it does not say or where that cannot be read. */
export function retryAfter(error: unknown): number | null {
  const headers =
    refusalOf(error).responseHeaders ?? refusalOf((error as Error | null)?.cause).responseHeaders
  const exact = Number.parseFloat(headers?.['retry-after-ms'] ?? '')
  if (exact >= 0) return exact
  const asked = headers?.['retry-after']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(asked)) return Number(asked) * 1000
  const until = Date.parse(asked)
  if (Number.isNaN(until) || !/[a-z]/i.test(asked)) return null
  // By the clock of the server, where it tells it: the one here may be wrong.
  const now = Date.parse(headers?.['date'] ?? '')
  return Math.max(until - (Number.isNaN(now) ? Date.now() : now), 0)
}

/** Whether credit is used up, so that waiting does not help. */
export function isOutOfCredit(error: unknown): boolean {
  const { statusCode, responseBody, message } = refusalOf(error)
  return (
    statusCode === 402 ||
    (statusCode === 429 &&
      /insufficient_quota|current quota|billing|credit balance/i.test(`${responseBody} ${message}`))
  )
}

/** Whether a chat template has refused the order of the roles. */
export function isRoleOrderRefused(error: unknown): boolean {
  const { responseBody, message } = refusalOf(error)
  return /roles must alternate|unexpected role .user. after role/i.test(`${responseBody} ${message}`)
}

// Whatever a provider marks as retryable, save what is known to stay as it is.
function mayPass(error: unknown): boolean {
  return refusalOf(error).isRetryable === true && !isOutOfCredit(error) && !isRoleOrderRefused(error)
}

function refusalOf(error: unknown): Refusal {
  return typeof error === 'object' && error !== null ? error : {}
}

function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
