import { APICallError, type LanguageModel, NoSuchModelError, RetryError } from 'ai'
import { isTodoAgentError, TodoAgentError } from '../core/errors.ts'

const UNTOUCHED = 'The todo list is as it was.'

/** What is known of the request that failed. */
export interface RequestFacts {
  readonly model?: LanguageModel
  /** Whether any of the response had arrived. @default false */
  readonly answered?: boolean
}

/**
 * What a failed request means for the person: what happened, at which address, what to check. The original is the `cause`.
 * Codes: `model_unreachable` (no connection), `model_interrupted` (the connection was lost in the middle), `model_failed` (the rest).
 */
export function explainModelError(
  error: unknown,
  { model, answered = false }: RequestFacts = {},
): TodoAgentError {
  if (isTodoAgentError(error)) return error
  const last = RetryError.isInstance(error) ? error.lastError : error
  if (APICallError.isInstance(last)) return explainCall(last, error)
  if (isConnectionLoss(last)) {
    // Browsers say the same of a server that is not there and of a connection that was lost.
    return answered ? connectionLost(messageOf(last), error) : unreachable(addressOfModel(model), error)
  }
  const hint = NoSuchModelError.isInstance(last) ? ' Check the name of the model.' : ''
  return new TodoAgentError('model_failed', `The model failed: ${messageOf(last)}${hint}`, { cause: error })
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
  if (call.statusCode === undefined) return unreachable(address, cause)
  return new TodoAgentError(
    'model_failed',
    `${address} answered ${call.statusCode}: ${adviceFor(call)} ${UNTOUCHED}`,
    { cause },
  )
}

function adviceFor(call: APICallError): string {
  const said = call.message.trim().replace(/\.?$/, '.')
  switch (call.statusCode) {
    case 401:
    case 403:
      return `${said} Check the API key and what it may be used for.`
    case 404:
      return `${said} Check the base URL and the name of the model.`
    case 429:
      return `${said} The limit of requests or of credit is used up; wait, or choose another model.`
    default:
      return said
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
  return /load failed|network ?error|failed to fetch|terminated|socket hang up|ECONNRESET|other side closed/i.test(
    messageOf(error),
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
