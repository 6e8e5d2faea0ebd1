/**
 * Repairs the arguments of our tools before the schema sees them, only where the meaning is certain: an array or object that
 * arrives as JSON text, one item where a list of items is asked for, `null` for an absent optional, ids as numeric texts, letter case and
 * hyphens in a status, a checkbox in front of a text. Anything else passes as it is and gets one precise error from core.
 * Always returns an object, so that the call in the transcript is one that every provider accepts.
 */
export function repairArguments(toolName: string, input: unknown): Record<string, unknown> {
  const value = fromJsonText(input)
  switch (toolName) {
    case 'write_todos':
      return withList(value, 'todos', 'content', repairWriteItem)
    case 'todos_add':
      return withList(value, 'todos', 'title', (item) =>
        typeof item === 'string' ? { title: item } : withoutNulls(item),
      )
    case 'todos_complete':
      return withList(
        value,
        'items',
        'id',
        (item) => (isRecord(item) ? repairId(withoutNulls(item)) : { id: toId(item) }),
        'ids',
      )
    case 'todos_remove':
      return withList(value, 'ids', 'id', (item) => toId(isRecord(item) ? item['id'] : item))
    default:
      return isRecord(value) ? value : {}
  }
}

/** The normal form of an id: `2` for 2, `"2"`, `" 2 "` and `"#2"`. Other spellings, `"02"` among them, stay as they are. */
export function toId(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const digits = /^\s*#?([1-9]\d{0,15})\s*$/.exec(value)?.[1]
  return digits === undefined ? value : Number(digits)
}

// A list under `key`; one bare item, recognised by a key that only items have, stands for a list of one.
function withList(
  value: unknown,
  key: string,
  itemKey: string,
  repair: (item: unknown) => unknown,
  alias?: string,
): Record<string, unknown> {
  if (Array.isArray(value)) return { [key]: value.map(repair) }
  if (!isRecord(value)) return value === null || value === undefined || value === '' ? {} : { [key]: value }
  const rest = { ...value }
  if (!(key in rest) && alias !== undefined && alias in rest) {
    rest[key] = rest[alias]
    delete rest[alias]
  }
  if (!(key in rest)) return itemKey in rest ? { [key]: [repair(rest)] } : rest
  const held = fromJsonText(rest[key])
  if (Array.isArray(held)) rest[key] = held.map(repair)
  else if (isRecord(held) && itemKey in held) rest[key] = [repair(held)]
  else if (key === 'ids' && typeof toId(held) === 'number') rest[key] = [toId(held)]
  return rest
}

function repairWriteItem(item: unknown): unknown {
  if (!isRecord(item)) return item
  const repaired = withoutNulls(item, ['description', 'reason'])
  if (typeof repaired['status'] === 'string') repaired['status'] = toStatus(repaired['status'])
  if (typeof repaired['content'] === 'string')
    repaired['content'] = repaired['content'].replace(/^\s*\[[ xX]\]\s+(?=\S)/, '')
  return repaired
}

function toStatus(status: string): string {
  return status
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '_')
}

function repairId(item: unknown): unknown {
  return isRecord(item) && 'id' in item ? { ...item, id: toId(item['id']) } : item
}

function withoutNulls(item: unknown, names = ['description', 'reason', 'outcome']): Record<string, unknown> {
  if (!isRecord(item)) return item as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(item).filter(([name, value]) => value !== null || !names.includes(name)),
  )
}

function fromJsonText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
