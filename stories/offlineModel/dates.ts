const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const month = `(${months.join('|')})[a-z]*\\.?`
const ordinal = '(\\d{1,2})(?:st|nd|rd|th)?'

const form = new RegExp(
  [
    '\\b(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})\\b',
    '\\b(\\d{1,2})([/.])(\\d{1,2})\\6(\\d{4})\\b',
    `\\b${ordinal} (?:of )?${month},? (\\d{4})\\b`,
    `\\b${month} ${ordinal},? (\\d{4})\\b`,
  ].join('|'),
  'giu',
)

/**
 * The dates in a text as YYYY-MM-DD, in order: 2025-03-01, 2025/03/01, 1.3.2025, 1 March 2025, March 1, 2025, and 31/3/2025 where
 * it is plain from one of them which is the month. What is not plain, and a day that there is not, is left for the tool to refuse.
 */
export function datesIn(text: string): string[] {
  const found = [...text.matchAll(form)]
  const slashed = found.filter((match) => match[6] === '/')
  const dayFirst = slashed.some((match) => Number(match[5]) > 12)
  const monthFirst = slashed.some((match) => Number(match[7]) > 12)
  return found.map((match) => {
    const [whole, year, , monthIn, day, one, sign, two, yearBehind, ...named] = match
    if (year) return iso(year, monthIn, day)
    if (sign === '.') return iso(yearBehind, two, one)
    if (sign === '/') {
      if (dayFirst === monthFirst) return whole
      return dayFirst ? iso(yearBehind, two, one) : iso(yearBehind, one, two)
    }
    const [day1, month1, year1, month2, day2, year2] = named
    const number = months.indexOf((month1 ?? month2 ?? '').slice(0, 3).toLowerCase()) + 1
    return iso(year1 ?? year2, String(number), day1 ?? day2)
  })
}

/** A text without its dates, so that their numbers are not calculated with. */
export function withoutDates(text: string): string {
  return text.replace(form, ' ')
}

function iso(year = '', monthIn = '', day = ''): string {
  return `${year}-${monthIn.padStart(2, '0')}-${day.padStart(2, '0')}`
}
