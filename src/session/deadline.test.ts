import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDeadline } from './deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a deadline', () => {
  test("is each one's own, though they share a timer", async () => {
    const deadline = createDeadline(2000)
    const late: string[] = []
    deadline.after(() => late.push('a'))
    await vi.advanceTimersByTimeAsync(500)
    deadline.after(() => late.push('b'))
    const cancel = deadline.after(() => late.push('c'))
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1499)
    expect(late).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(late).toEqual(['a'])
    cancel()
    await vi.advanceTimersByTimeAsync(500)
    expect(late).toEqual(['a', 'b'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('of one that came after another was met is not cut short', async () => {
    const deadline = createDeadline(2000)
    const late = vi.fn()
    deadline.after(() => {})()
    await vi.advanceTimersByTimeAsync(1900)
    deadline.after(late)
    await vi.advanceTimersByTimeAsync(1999)
    expect(late).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(late).toHaveBeenCalledOnce()
  })

  test('costs a thousand that are met two timers in all', async () => {
    const deadline = createDeadline(2000)
    const set = vi.spyOn(globalThis, 'setTimeout')
    for (let n = 0; n < 1000; n += 1) {
      const cancel = deadline.after(() => {})
      await vi.advanceTimersByTimeAsync(3)
      cancel()
    }
    await vi.advanceTimersByTimeAsync(5000)
    expect(set.mock.calls.length).toBe(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that is closed leaves no timer, and is still kept by what waits', async () => {
    const deadline = createDeadline(2000)
    const late = vi.fn()
    const cancel = deadline.after(() => {})
    deadline.after(late)
    deadline.close()
    cancel()
    await vi.advanceTimersByTimeAsync(2000)
    expect(late).toHaveBeenCalledOnce()
    const met = createDeadline(2000)
    const meet = met.after(() => {})
    met.close()
    expect(vi.getTimerCount()).toBe(1)
    meet()
    expect(vi.getTimerCount()).toBe(0)
    const idle = createDeadline(2000)
    idle.after(() => {})()
    idle.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('passes although the clock stands still', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const deadline = createDeadline(2000)
    const late = vi.fn()
    deadline.after(late)
    await vi.advanceTimersByTimeAsync(2000)
    expect(late).toHaveBeenCalledOnce()
  })

  test('may be set anew by what was late', async () => {
    const deadline = createDeadline(2000)
    const again = vi.fn()
    deadline.after(() => void deadline.after(again))
    await vi.advanceTimersByTimeAsync(2000)
    expect(again).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2000)
    expect(again).toHaveBeenCalledOnce()
  })
})
