/**
 * What went wrong, as a word that code can match on.
 *
 * The first six are refusals of a model's tool call: they become an error result, and the list stays as it was. The next six are
 * refusals of a call by the host or the person. The last five are ends of a run.
 */
export type TodoAgentErrorCode =
  | 'invalid_payload'
  | 'empty_content'
  | 'not_exactly_one_in_progress'
  | 'empty_list_over_unfinished'
  | 'parallel_writes'
  | 'blocked'
  | 'session_busy'
  | 'session_closed'
  | 'read_only'
  | 'storage_failed'
  | 'unknown_session'
  | 'invalid_import'
  | 'model_unreachable'
  | 'model_interrupted'
  | 'model_failed'
  | 'cut_off'
  | 'loop_failed'

const brand = Symbol.for('use-todo-agent.error')

/** The facts of a {@link TodoAgentError}. */
export interface TodoAgentErrorOptions {
  /** The original failure, kept as it was thrown. */
  cause?: unknown
  /** Where in the input the fault lies, e.g. `todos[2].status`. */
  path?: string
}

/**
 * Every failure that this kit reports at run time. `message` says what happened, to what, and what to do;
 * `code` is stable. Wrong arguments of the host are a `TypeError` instead.
 */
export class TodoAgentError extends Error {
  override readonly name = 'TodoAgentError'
  readonly code: TodoAgentErrorCode
  readonly path: string | undefined

  constructor(code: TodoAgentErrorCode, message: string, options: TodoAgentErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.path = options.path
    Object.defineProperty(this, brand, { value: true })
  }
}

/** Tells a {@link TodoAgentError} from other values, also across two copies of the package in one page. */
export function isTodoAgentError(value: unknown): value is TodoAgentError {
  return typeof value === 'object' && value !== null && brand in value
}

/** Throws a `TypeError` that names the option unless `value` is a text with something in it. */
export function requireText(option: string, value: unknown): asserts value is string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new TypeError(`\`${option}\` must be a text that is not blank, got ${describe(value)}.`)
  }
}

/** Throws a `TypeError` that names the option unless `value` is a whole number of at least `min`. */
export function requireWhole(option: string, value: unknown, min: number): asserts value is number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min) {
    throw new TypeError(`\`${option}\` must be a whole number of at least ${min}, got ${describe(value)}.`)
  }
}

/** A value as a short text for an error message. */
export function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value.length > 40 ? `"${value.slice(0, 40)}…"` : `"${value}"`
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'function') return 'a function'
  return String(value)
}
