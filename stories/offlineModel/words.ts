const stopWords = new Set(
  'the and for are was were what which how that this with from into its it is of to in on at by an be as or not all any you your me my please can could would'.split(
    ' ',
  ),
)

// Words that ask for the same thing.
const synonyms: Readonly<Record<string, string>> = {
  average: 'mean',
  avg: 'mean',
  total: 'sum',
  common: 'frequent',
  popular: 'frequent',
  often: 'frequent',
  maximum: 'max',
  highest: 'max',
  largest: 'max',
  biggest: 'max',
  minimum: 'min',
  lowest: 'min',
  smallest: 'min',
  record: 'row',
  entry: 'row',
  percent: 'percentage',
  summarise: 'summary',
  summarize: 'summary',
  compute: 'calculate',
  letter: 'character',
}

/** The words of a text that carry meaning, in one form each: lower case, singular, one of several synonyms. */
export function wordsOf(text: string): string[] {
  const words =
    text
      .replace(/([a-z])([A-Z])/gu, '$1 $2')
      .toLowerCase()
      .match(/\p{L}{2,}/gu) ?? []
  return words.filter((word) => !stopWords.has(word)).map(basicForm)
}

function basicForm(word: string): string {
  const singular = word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : /(?:[sxz]|ch|sh)es$/u.test(word)
      ? word.slice(0, -2)
      : word.replace(/(?<=[^su])s$/u, '')
  return synonyms[singular] ?? singular
}

/** A number for people: at most two decimals, or four digits when it is below one. */
export function formatNumber(value: number): string {
  return String(Math.abs(value) < 1 ? Number(value.toPrecision(4)) : Number(value.toFixed(2)))
}

/** A statistic for people: whole, or with exactly two decimals. */
export function formatStatistic(value: number): string {
  return Number.isInteger(value) || Math.abs(value) < 1 ? formatNumber(value) : value.toFixed(2)
}

/** "a", "a and b", "a, b and c". */
export function enumerate(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
