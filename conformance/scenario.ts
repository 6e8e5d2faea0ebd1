/** How one scenario of a trace file fared. */
export interface ScenarioResult {
  readonly name: string
  readonly pass: boolean
  /** Why it was not run. Printed, and allowed only for what our design cannot express. */
  readonly skipped?: string
  /** The first difference, for a person to read. */
  readonly detail?: string
}

/** Where two JSON values first differ, as `path: expected …, got …`; `null` where they are equal. Absent and undefined are alike. */
export function firstDifference(expected: unknown, actual: unknown, path = ''): string | null {
  if (Object.is(expected, actual)) return null
  if (isObject(expected) && isObject(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const difference = firstDifference(expected[key], actual[key], path ? `${path}.${key}` : key)
      if (difference) return difference
    }
    return null
  }
  return `${path || 'value'}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
