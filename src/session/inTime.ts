import { namedError } from './storage.ts'

/** Rejects with a `TimeoutError` when a call has not answered after `limit` ms. A call may also throw at once. */
export function inTime<Result>(
  call: () => Promise<Result>,
  limit: number,
  onGiveUp?: () => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const answer = (async () => call())()
    const timer = setTimeout(() => {
      onGiveUp?.()
      reject(namedError('TimeoutError', `The storage has not answered in ${limit} ms.`))
    }, limit)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
