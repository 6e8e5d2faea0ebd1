/**
 * `next`, made of the parts of `previous` wherever they are equal, and `previous` itself when all of it is. So what is read again keeps its
 * identity where nothing changed. Items of an array are matched by their `id`, or by their place when they have none. Plain data only.
 */
export function share<Value>(previous: unknown, next: Value): Value {
  if (Object.is(previous, next)) return next
  if (Array.isArray(previous) && Array.isArray(next)) return shareArray(previous, next) as Value
  if (!isPlain(previous) || !isPlain(next)) return next
  const keys = Object.keys(next)
  const shared = Object.fromEntries(keys.map((key) => [key, share(previous[key], next[key])]))
  const same =
    keys.length === Object.keys(previous).length &&
    keys.every((key) => key in previous && Object.is(previous[key], shared[key]))
  return (same ? previous : shared) as Value
}

function shareArray(previous: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  const byId = new Map(
    previous.flatMap((item) => (idOf(item) === undefined ? [] : [[idOf(item), item] as const])),
  )
  const shared = next.map((item, index) =>
    share(idOf(item) === undefined ? previous[index] : byId.get(idOf(item)), item),
  )
  const same =
    shared.length === previous.length && shared.every((item, index) => Object.is(item, previous[index]))
  return same ? previous : shared
}

function idOf(item: unknown): unknown {
  return isPlain(item) ? item['id'] : undefined
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
