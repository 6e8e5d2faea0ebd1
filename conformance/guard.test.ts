import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runGuard } from './guard.ts'

const scenarios = read()

describe('the guard runner', () => {
  test('finds that the strict guard does what was recorded, step for step', () => {
    const results = runGuard(scenarios)
    expect(results.length).toBeGreaterThan(scenarios.length)
    expect(results.filter(({ pass, skipped }) => !pass || skipped !== undefined)).toEqual([])
  })

  test.each([
    ['guard-once-then-fixed', '"decision":"loop_to_model"', '"decision":"natural"'],
    ['guard-once-then-fixed', '"todo_guard_retries":{"finalization":1}', '"todo_guard_retries":{}'],
    ['stale-5-10-15', '"code":"reminder:stale"', '"code":"guard:finalization"'],
    ['parallel-with-other-tools', '"inject:todo_parallel_error"', '"inject:todo_validation_error"'],
    ['bad-status-unknown', '"detail":"status"', '"detail":"item"'],
    ['blocked-tools-many', '"detail":"repeat"', '"detail":"escalated"'],
    ['all-completed-three-reminder', '"reminder":true', '"reminder":false'],
    ['guard-in-second-run', '"newRun":true', '"newRun":false'],
    [
      'suppressed-then-write-complete',
      '"todo_guard_suppressed":null,"todo_stale',
      '"todo_guard_suppressed":true,"todo_stale',
    ],
  ])('sees that %s is off when %s becomes %s', (name, from, to) => {
    const recorded = JSON.stringify(scenarios.find((scenario) => scenario.name === name))
    expect(recorded).toContain(from)
    const [result] = runGuard([JSON.parse(recorded.replaceAll(from, to))])
    expect(result).toMatchObject({ name, pass: false })
  })

  test.each(['ws-text-u0085', 'ws-text-u001c', 'ws-content-ufeff', 'ws-content-u001f'])(
    'holds our value for %s also where its twin is not at hand',
    (name) => {
      const scenario = scenarios.find((one) => one.name === name)
      expect(runGuard([scenario])[0]).toEqual({ name, pass: true })
    },
  )
})

function read(): readonly { readonly name: string }[] {
  return JSON.parse(readFileSync(new URL('cubepi-guard.json', import.meta.url), 'utf8')).scenarios
}
