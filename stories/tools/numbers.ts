const CURRENCY =
  /^(?:[$€£¥₹]|(?:EUR|USD|GBP|CHF|JPY)\b)\s*|\s*(?:[$€£¥₹]|\b(?:EUR|USD|GBP|CHF|JPY|kr|zł))$/giu

interface Cell {
  readonly negative: boolean
  readonly digits: string
  readonly percent: boolean
}

/**
 * Texts as numbers, as people write them: with a currency, thousands apart, a decimal comma, a percent sign, brackets for what is
 * negative. The decimal sign is that of all of them together. `null` when one is no number, or only some are percentages.
 */
export function parseNumbers(texts: readonly string[]): number[] | null {
  const cells = texts.map(readCell)
  const comma = hasDecimalComma(cells.map(({ digits }) => digits))
  const values = cells.map(({ digits, negative }) => {
    const value = toNumber(digits, comma)
    return negative ? -value : value
  })
  const mixed = cells.some(({ percent }) => percent !== cells[0]?.percent)
  return mixed || values.some((value) => !Number.isFinite(value)) ? null : values
}

function readCell(text: string): Cell {
  const bare = text
    .trim()
    .replaceAll('−', '-')
    .replace(/^\((.*)\)$/u, '-$1')
  const unsigned = bare.replace(/^-\s*/u, '').replace(CURRENCY, '').replace(CURRENCY, '')
  const percent = unsigned.endsWith('%')
  const digits = (percent ? unsigned.slice(0, -1).trim() : unsigned).replace(
    /(?<=\d)[\s'’](?=\d{3}(?!\d))/gu,
    '',
  )
  // The sign may stand behind the currency too.
  const inner = /^-\s*/u.exec(digits)?.[0] ?? ''
  return { negative: bare.startsWith('-') !== (inner !== ''), digits: digits.slice(inner.length), percent }
}

function hasDecimalComma(texts: readonly string[]): boolean {
  const both = texts.find((text) => text.includes(',') && text.includes('.'))
  if (both !== undefined) return both.lastIndexOf(',') > both.lastIndexOf('.')
  if (texts.some((text) => /\..*\./u.test(text))) return true
  if (texts.some((text) => /,.*,/u.test(text))) return false
  return texts.some((text) => /^0*,|,(?!\d{3}$)/u.test(text))
}

function toNumber(digits: string, comma: boolean): number {
  const [decimal, thousands] = comma ? [',', '\\.'] : ['\\.', ',']
  const form = new RegExp(
    `^\\+?(?:\\d{1,3}(?:${thousands}\\d{3})+|\\d*)(?:${decimal}\\d+)?(?:e[+-]?\\d+)?${comma ? '' : '\\.?'}$`,
    'iu',
  )
  // What begins with a zero is a code: of a city, a branch, an article.
  if (!form.test(digits) || !/\d/u.test(digits) || /^0\d/u.test(digits)) return Number.NaN
  return Number(comma ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', ''))
}
