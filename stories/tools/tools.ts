import { calculate } from './calculate.ts'
import { dateDifference } from './dateDifference.ts'
import { summariseCsv } from './summariseCsv.ts'
import { textStats } from './textStats.ts'

/** The host tools of the playground. They are real: the offline model and any language model get the same results. */
export const tools = {
  calculate,
  summarise_csv: summariseCsv,
  text_stats: textStats,
  date_difference: dateDifference,
}
