import type { Deadline } from './deadline.ts'
import { namedError } from './storage.ts'

/**
 * Rejects with a `TimeoutError` when a call has not answered after `limit` ms. A call may also throw at once. One that meets the deadline
 * `soon`, as nearly all do, costs no timer of its own.
 */
export function inTime<Result>(
  call: () => Promise<Result>,
  limit: number,
  { soon, onGiveUp }: { readonly soon?: Deadline; readonly onGiveUp?: (() => void) | undefined } = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const answer = (async () => call())()
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      timer = setTimeout(
        () => {
          onGiveUp?.()
          reject(namedError('TimeoutError', `The storage has not answered in ${limit} ms.`))
        },
        limit - (soon?.limit ?? 0),
      )
    }
    const cancel = soon ? soon.after(wait) : wait()
    answer.then(resolve, reject).finally(() => {
      cancel?.()
      clearTimeout(timer)
    })
  })
}
