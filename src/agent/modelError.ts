import {
  APICallError,
  JSONParseError,
  type LanguageModel,
  NoSuchModelError,
  RetryError,
  TypeValidationError,
} from 'ai'
import { isTodoAgentError, TodoAgentError } from '../core/errors.ts'
import { isOutOfCredit, isRoleOrderRefused, retryAfter } from './retry.ts'

const UNTOUCHED = 'The todo list is as it was.'

/** What is known of the request that failed. */
export interface RequestFacts {
  readonly model?: LanguageModel | undefined
  /** Whether any of the response had arrived. @default false */
  readonly answered?: boolean
  /** What the server says its answer is; `null` where nothing says so. @default null */
  readonly contentType?: string | null
}

/**
 * What a failed request means for the person: what happened, at which address, what to check. The original is the `cause`.
 * Codes: `model_unreachable` (no connection), `model_interrupted` (the connection was lost in the middle), `model_failed` (the rest).
 */
export function explainModelError(
  error: unknown,
  { model, answered = false, contentType = null }: RequestFacts = {},
): TodoAgentError {
  if (isTodoAgentError(error)) return error
  const last = RetryError.isInstance(error) ? error.lastError : error
  if (isUnfinished(last)) return unfinished({ model, answered, contentType }, error)
  if (APICallError.isInstance(last)) return explainCall(last, error)
  if (isConnectionLoss(last)) {
    // Browsers say the same of a server that is not there and of a connection that was lost.
    return answered || contentType !== null || isReset(last)
      ? connectionLost(messageOf(last), error)
      : unreachable(addressOfModel(model), error)
  }
  if (TypeValidationError.isInstance(last) || JSONParseError.isInstance(last)) {
    return new TodoAgentError(
      'model_failed',
      `${addressOfModel(model)} sent something that cannot be read as an answer. Check that the provider package fits that server, or try again. ${UNTOUCHED}`,
      { cause: error },
    )
  }
  const hint = NoSuchModelError.isInstance(last) ? ' Check the name of the model.' : ''
  return new TodoAgentError('model_failed', `The model failed: ${messageOf(last)}${hint}`, { cause: error })
}

/** The answer ended without a word that it is complete. A page or an error in its place is named. */
export function unfinished(
  { model, answered = false, contentType = null }: RequestFacts,
  cause?: unknown,
): TodoAgentError {
  const [kind = ''] = /html|json|xml/.exec(contentType ?? '') ?? []
  if (answered || kind === '' || contentType?.includes('ndjson'))
    return connectionLost('it ended without a finish', cause)
  const what = kind === 'html' ? 'a web page' : kind.toUpperCase()
  return new TodoAgentError(
    'model_failed',
    `${addressOfModel(model)} answered with ${what} where the answer of a model should be. Check the base URL and whether that server can stream. ${UNTOUCHED}`,
    cause === undefined ? {} : { cause },
  )
}

/** A request in which nothing was heard of the model for `limit` ms. */
export function wentSilent(limit: number, { model, answered = false }: RequestFacts): TodoAgentError {
  const time = inWords(limit)
  return answered
    ? connectionLost(`nothing was heard of it for ${time}`)
    : new TodoAgentError(
        'model_unreachable',
        `${addressOfModel(model)} said nothing for ${time}. Check that the server is running and not busy, or allow it more time (stepTimeout). ${UNTOUCHED}`,
      )
}

/** The stream of an answer ended before the answer did. */
export function connectionLost(detail: string, cause?: unknown): TodoAgentError {
  return new TodoAgentError(
    'model_interrupted',
    `The connection to the model was lost before the answer was complete (${detail}). ${UNTOUCHED} Try again to go on from there.`,
    cause === undefined ? {} : { cause },
  )
}

function unreachable(address: string, cause: unknown): TodoAgentError {
  return new TodoAgentError(
    'model_unreachable',
    `Could not reach ${address}. Check that the server is running and that it allows requests from this page${originNote()} (CORS). ${UNTOUCHED}`,
    { cause },
  )
}

function explainCall(call: APICallError, cause: unknown): TodoAgentError {
  const address = addressOf(call.url)
  const { statusCode } = call
  if (statusCode === undefined) return unreachable(address, cause)
  // It was a good answer until it could not be read any further.
  if (statusCode < 300 && isConnectionLoss(call.cause)) return connectionLost(messageOf(call.cause), cause)
  return new TodoAgentError(
    'model_failed',
    [`${address} answered ${statusCode}:`, ...adviceFor(call), UNTOUCHED].join(' '),
    { cause },
  )
}

function adviceFor(call: APICallError): string[] {
  const said = call.message.trim().replace(/\.?$/, '.')
  return [said === '.' ? 'it gives no reason.' : said, waitFor(call), remedyFor(call)].filter(
    (text) => text !== '',
  )
}

function waitFor(call: APICallError): string {
  const wait = retryAfter(call)
  return wait === null || wait === 0 ? '' : `It asks to wait ${inWords(wait)}.`
}

function remedyFor(call: APICallError): string {
  if (isOutOfCredit(call)) return 'The credit is used up: add to it, or choose another model.'
  if (isRoleOrderRefused(call)) return 'Set `alternateRoles` for this model.'
  switch (call.statusCode) {
    case 401:
    case 403:
      return 'Check the API key and what it may be used for.'
    case 404:
      return 'Check the base URL and the name of the model.'
    case 429:
      return 'The limit of requests is reached: wait, then try again, or choose another model.'
    case 500:
    case 502:
    case 503:
    case 504:
    case 529:
      return 'The server has trouble: try again later.'
    default:
      return ''
  }
}

function addressOf(url: string): string {
  try {
    return new URL(url).origin
  } catch {
    return url || 'the model'
  }
}

// Providers keep their address to themselves; these are the two places where it is to be found, if it is.
function addressOfModel(model: LanguageModel | undefined): string {
  if (typeof model !== 'object') return 'the model'
  const { config, modelId, provider } = model as {
    config?: { baseURL?: unknown; url?: (options: { path: string; modelId: string }) => unknown }
    modelId: string
    provider: string
  }
  try {
    const url = config?.url?.({ path: '', modelId }) ?? config?.baseURL
    if (typeof url === 'string') return addressOf(url)
  } catch {
    // Then its name has to do.
  }
  return `the model ${modelId} (${provider})`
}

function originNote(): string {
  const origin = (globalThis as { location?: { origin?: string } }).location?.origin
  return origin && origin !== 'null' ? `, ${origin}` : ''
}

// The words that the browsers and Node have for it.
function isConnectionLoss(error: unknown): boolean {
  return /load failed|network ?error|failed to fetch/i.test(messageOf(error)) || isReset(error)
}

// There was a connection, so the server is there.
function isReset(error: unknown): boolean {
  return /terminated|socket hang up|ECONNRESET|other side closed/i.test(messageOf(error))
}

// The words that the AI SDK and its providers have for it.
function isUnfinished(error: unknown): boolean {
  return /ended without a finish/i.test(messageOf(error))
}

/** A time as a person says it: `45 s`, `24 h`. */
function inWords(ms: number): string {
  const units: readonly (readonly [number, string])[] = [
    [86_400_000, 'days'],
    [3_600_000, 'h'],
    [60_000, 'min'],
  ]
  const [length, unit] = units.find(([one]) => ms >= 2 * one) ?? [1000, 's']
  return `${Math.max(Math.round(ms / length), 1)} ${unit}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
