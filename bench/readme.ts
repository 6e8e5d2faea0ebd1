import type { Results } from './measure.ts'
import { formatValue, holds } from './table.ts'

const START = '<!-- numbers: written by npm run bench -->'
const END = '<!-- /numbers -->'

/** What the README shows of the results, and how it says it. */
const shown: Readonly<Record<string, string>> = {
  stream: '20,000 text deltas through `runTodoAgent`, against bare `streamText`',
  'step-toolloop': "200 steps with a list update each, against the AI SDK's `ToolLoopAgent` without a list",
  'step-langchain': '200 steps with a list update each, against LangChain JS with `todoListMiddleware`',
  'step-tokens-kit': 'all that those 200 steps send to the model',
  'step-tokens-langchain': 'LangChain JS: the same',
  'prompt-write_todos-tools': '`write_todos`: instructions, description and schema',
  'prompt-todos-tools': '`todos`: the same for its five tools',
  'prompt-langchain-tools': 'LangChain JS: the same for its `write_todos`',
  'write-next-10000': '`write_todos` with 10,000 items, against 1,000',
  'panel-first-100': 'first render of a panel of 100 items, against a plain `<ul>`',
  'panel-rows': 'rows rendered when the work goes on to the next of 1,000 items',
  'panel-updates': 'time per update of a panel of 500 items, one changing every 100 ms, against 50',
  'panel-long-tasks': 'tasks over 50 ms meanwhile',
  commit: 'an acknowledged commit in IndexedDB, against a bare idb-keyval `set` of the same record',
  append: 'a message appended to a transcript of 1,000, against one of 10',
  'append-part': 'one more part of a run saved that has 1,000, against one that has 10',
  'open-ms': 'one of 1,000 saved sessions opened',
  'list-ms': '1,000 saved sessions listed',
  'idle-renders': 'renders of a mounted agent and panel in a minute without change',
  'idle-timers': 'timers that fire meanwhile',
  'memory-commits': 'heap that 1,000 commits leave behind',
}

/** The README with the numbers of `results` between its two marks. */
export function withNumbers(readme: string, results: Results): string {
  const start = readme.indexOf(START)
  const end = readme.indexOf(END)
  if (start === -1 || end < start) throw new Error(`README.md has no ${START} with ${END} after it.`)
  return `${readme.slice(0, start)}${START}\n${numbersOf(results)}\n${readme.slice(end)}`
}

function numbersOf({ date, machine, versions, rows }: Results): string {
  const lines = Object.entries(shown).map(([id, what]) => {
    const row = rows.find((other) => other.id === id)
    if (!row) throw new Error(`The results have no row ${id}. Run npm run bench.`)
    const { spread, rounds, bound } = row
    const range = rounds > 1 ? spread.map((value) => value.toLocaleString('en')).join(' to ') : ''
    const limit = bound === null ? '' : `${bound.toLocaleString('en')}${holds(row) ? '' : ' (missed)'}`
    return `| ${what} | ${formatValue(row)} | ${range} | ${limit} |`
  })
  const { node, browser, ai, langchain } = versions
  return `
| what | median | rounds | at most |
|---|---|---|---|
${lines.join('\n')}

Measured on ${date}: ${machine.cpu}, ${machine.cores} cores, Node ${node}, ${browser}, AI SDK ${ai}, LangChain JS ${langchain}. Tokens are counted
with o200k. All rows are in \`bench/results.json\`.
`
}
