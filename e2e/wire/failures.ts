import type { WireAnswer, WireCall } from './wireServer.ts'

/** A write of the list, by the text and the status of each item. */
export const write = (...todos: readonly (readonly [string, string])[]): WireCall => ({
  name: 'write_todos',
  input: { todos: todos.map(([content, status]) => ({ content, status })) },
})

/** A call of a tool of the host. `more` is what it has besides, such as an id. */
export const find = (q: string, more: Partial<WireCall> = {}): WireCall => ({
  name: 'search',
  input: { q },
  ...more,
})

/** An answer that ends a run, how the failure is called, and what the person reads. Silence counts after less than 1.5 s. */
export type Failure = readonly [name: string, answer: WireAnswer, code: string, words: RegExp]

const lost = /connection .* was lost/

/** What may go wrong with the second request of a run, once there is a list. */
export const failures: readonly Failure[] = [
  ['an early end', { text: 'one two three four', after: 0.5, end: 'eof' }, 'model_interrupted', lost],
  [
    'a connection that breaks in the middle',
    { text: 'one two three four', after: 0.5, end: 'reset' },
    'model_interrupted',
    lost,
  ],
  [
    'a call that is cut off',
    { calls: [write(['B', 'in_progress'])], after: 0.6, end: 'eof' },
    'model_interrupted',
    lost,
  ],
  [
    'a key that is refused',
    { status: 401, message: 'Bad key' },
    'model_failed',
    /401: Bad key\. Check the API key/,
  ],
  [
    'a model that is not there',
    { status: 404, message: 'No model x' },
    'model_failed',
    /404: No model x\. Check the base URL and the name of the model/,
  ],
  [
    'a page in place of a stream',
    { status: 200, body: '<html><body>Welcome</body></html>' },
    'model_failed',
    /answered with a web page .* Check the base URL/,
  ],
  [
    'a page with an error',
    { status: 502, body: '<html><body>Bad gateway</body></html>' },
    'model_failed',
    /answered 502: Bad Gateway\. The server has trouble/,
  ],
  [
    'a limit that lasts too long',
    {
      status: 429,
      message: 'Too many',
      // Without the second, a page can not read the first.
      headers: { 'retry-after': '86400', 'access-control-expose-headers': 'retry-after' },
    },
    'model_failed',
    /429: Too many\. It asks to wait 24 h\. The limit of requests is reached/,
  ],
  [
    'a limit without a word for how long',
    { status: 429, message: 'Too many' },
    'model_failed',
    /429: Too many\. The limit of requests is reached/,
  ],
  [
    'silence in the middle',
    { text: 'one two three four', after: 0.6, end: 'silence' },
    'model_interrupted',
    /nothing was heard of it for 1 s/,
  ],
  ['silence from the beginning', { after: 0, end: 'silence' }, 'model_unreachable', /said nothing for 1 s/],
  [
    'JSON in place of a stream',
    { status: 200, body: '{"error":{"message":"No"}}' },
    'model_failed',
    /answered with JSON .* Check the base URL/,
  ],
]
