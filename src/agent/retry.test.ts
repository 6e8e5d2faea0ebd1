import { getEventListeners } from 'node:events'
import { APICallError, type LanguageModel } from 'ai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isOutOfCredit, retryAfter, withRetries } from './retry.ts'

const noon = Date.parse('2026-01-01T12:00:00Z')

function refusal(
  statusCode: number,
  responseHeaders: Record<string, string> = {},
  responseBody = '',
): APICallError {
  return new APICallError({
    message: 'No',
    url: 'http://x/v1',
    requestBodyValues: {},
    statusCode,
    responseHeaders,
    responseBody,
  })
}

const limited = (value: string) => refusal(429, { 'retry-after': value })

/** Asks a model that fails with these, one after the other, and then answers. */
function ask(
  failures: readonly unknown[],
  options: { maxRetries?: number; maxWait?: number; signal?: AbortSignal } = {},
) {
  const asked: number[] = []
  const waits: (number | null)[] = []
  const attempts: string[] = []
  const model = {
    specificationVersion: 'v4',
    provider: 'p',
    modelId: 'm',
    supportedUrls: {},
    doStream: async () => {
      const failure = failures[asked.push(Date.now() - noon) - 1]
      if (failure !== undefined) throw failure
      return { stream: new ReadableStream(), response: { headers: { 'content-type': 'text/event-stream' } } }
    },
  } as unknown as Exclude<LanguageModel, string>
  const retrying = withRetries(model, {
    maxRetries: options.maxRetries ?? 2,
    maxWait: options.maxWait ?? 60_000,
    onWait(wait) {
      waits.push(wait && wait.until - noon)
      if (wait) attempts.push(`${wait.attempt} of ${wait.attempts}`)
    },
    onRequest() {},
    onResponse() {},
  }) as { doStream(request: object): PromiseLike<unknown> }
  const result = retrying.doStream(options.signal ? { abortSignal: options.signal } : {}).then(
    () => 'answered',
    (error: unknown) => error,
  )
  return { asked, waits, attempts, result }
}

beforeEach(() => {
  vi.useFakeTimers({ now: noon })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('how long a server asks to wait', () => {
  test.each([
    ['3', 3000],
    ['0', 0],
    [' 1.5 ', 1500],
    ['86400', 86_400_000],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    ['soon', null],
    ['', null],
    ['-5', null],
    ['Infinity', null],
  ])('is read from %o as %o', (value, ms) => {
    expect(retryAfter(limited(value))).toBe(ms)
  })

  test('is not known without a header, or of anything else', () => {
    for (const error of [refusal(429), new Error('x'), null, 'x', undefined])
      expect(retryAfter(error)).toBeNull()
  })

  test('is told in ms by some, which counts first', () => {
    expect(retryAfter(refusal(429, { 'retry-after-ms': '250', 'retry-after': '1' }))).toBe(250)
    expect(retryAfter(refusal(429, { 'retry-after-ms': '0', 'retry-after': '1' }))).toBe(0)
  })

  test('is found in the cause too', () => {
    expect(retryAfter(new Error('Failed', { cause: limited('3') }))).toBe(3000)
  })

  test('counts from the clock of the server where it tells it', () => {
    const headers = { 'retry-after': 'Thu, 01 Jan 2026 15:00:30 GMT', date: 'Thu, 01 Jan 2026 15:00:00 GMT' }
    expect(retryAfter(refusal(429, headers))).toBe(30_000)
  })
})

describe('a request that failed', () => {
  test('waits as long as the server asks', async () => {
    const { signal } = new AbortController()
    const failures = [limited('3'), limited('Thu, 01 Jan 2026 12:00:10 GMT')]
    const { asked, waits, attempts, result } = ask(failures, { signal })
    await vi.runAllTimersAsync()
    expect(await result).toBe('answered')
    expect(asked).toEqual([0, 3000, 10_000])
    expect(waits).toEqual([3000, null, 10_000, null])
    expect(attempts).toEqual(['2 of 3', '3 of 3'])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('waits longer each time where nothing is asked, within the limit', async () => {
    const { asked, result } = ask([refusal(500), refusal(503), refusal(529), refusal(408)], {
      maxRetries: 4,
      maxWait: 5000,
    })
    await vi.runAllTimersAsync()
    expect(await result).toBe('answered')
    expect(asked).toEqual([0, 2000, 6000, 11_000, 16_000])
  })

  test('fails with the last failure after as many retries as allowed', async () => {
    const last = refusal(429)
    const { asked, result } = ask([refusal(429), refusal(429), last])
    await vi.runAllTimersAsync()
    expect(await result).toBe(last)
    expect(asked).toHaveLength(3)
  })

  test.each([
    ['asks for more than the limit', limited('61')],
    ['is wrong in itself', refusal(400)],
    ['has a key that is refused', refusal(401)],
    ['has no credit left', refusal(429, {}, '{"error":{"code":"insufficient_quota"}}')],
    ['has roles in an order that a template refuses', refusal(500, {}, 'Conversation roles must alternate')],
    ['failed in the page', new TypeError('Failed to fetch')],
    ['was stopped', new DOMException('Stopped', 'AbortError')],
  ])('is not made again when it %s', async (_, failure) => {
    const { asked, waits, result } = ask([failure])
    await vi.runAllTimersAsync()
    expect(await result).toBe(failure)
    expect(asked).toHaveLength(1)
    expect(waits).toEqual([])
  })

  test('is made again when the server only speaks of billing', async () => {
    const { asked, result } = ask([refusal(503, {}, 'The billing service is down.')])
    await vi.runAllTimersAsync()
    expect(await result).toBe('answered')
    expect(asked).toHaveLength(2)
  })

  test('does not wait when it was stopped already', async () => {
    const failure = limited('30')
    const { asked, waits, result } = ask([failure], { signal: AbortSignal.abort() })
    await vi.runAllTimersAsync()
    expect(await result).toBe(failure)
    expect(asked).toHaveLength(1)
    expect(waits).toEqual([])
  })

  test('with the status 402 is one without credit', () => {
    expect(isOutOfCredit(refusal(402))).toBe(true)
    expect(isOutOfCredit(refusal(403))).toBe(false)
  })

  test('ends its wait with the signal, at once', async () => {
    const controller = new AbortController()
    const { asked, waits, result } = ask([limited('30')], { signal: controller.signal })
    await vi.advanceTimersByTimeAsync(1000)
    controller.abort(new Error('stop'))
    expect(await result).toEqual(new Error('stop'))
    expect(Date.now() - noon).toBe(1000)
    expect(asked).toHaveLength(1)
    expect(waits).toEqual([30_000, null])
    expect(vi.getTimerCount()).toBe(0)
  })
})
