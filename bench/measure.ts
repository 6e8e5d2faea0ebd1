import { seeded, shuffled } from './shuffle.ts'

/** One line of the results: a number, how far it went over the rounds, and what it may be at most. */
export interface Row {
  readonly id: string
  readonly group: string
  readonly what: string
  readonly unit: 'times' | 'ms' | 'kB' | 'tokens' | 'count'
  /** The median over the rounds. */
  readonly value: number
  /** The lowest and the highest of the rounds. */
  readonly spread: readonly [lowest: number, highest: number]
  readonly rounds: number
  /** At most this; `null`: told, not held. */
  readonly bound: number | null
  /** What the sides of a ratio took, in the median and in ms, or counted. */
  readonly sides?: Readonly<Record<string, number>>
}

/** What results.json holds. */
export interface Results {
  readonly date: string
  readonly machine: Readonly<Record<'cpu' | 'cores' | 'memory' | 'system', string>>
  readonly versions: Readonly<Record<string, string>>
  readonly rows: readonly Row[]
}

// For trying the benchmark out, in Node or in a page: what it gives then is not worth keeping.
export const quick =
  typeof location === 'undefined' ? process.argv.includes('--quick') : location.search.includes('quick')

/** Runs one side once, and gives how long it took, or what it counted. */
export type Side = () => number | Promise<number>

/** What a side gave in each round. */
export type Samples<Name extends string> = Readonly<Record<Name, readonly number[]>>

/**
 * Runs all sides in each round, in an order that is drawn anew for each (the same orders in every run), so that what the machine does
 * meanwhile, and what the side before leaves behind, meets all of them. Before that each runs `warmUp` times.
 */
export async function interleave<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  { rounds, warmUp = 1 }: { readonly rounds: number; readonly warmUp?: number },
): Promise<Samples<Name>> {
  const last = quick ? 1 : rounds
  const names = Object.keys(sides) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  const random = seeded(1)
  for (let round = -warmUp; round < last; round += 1) {
    for (const name of shuffled(names, random)) {
      const sample = await sides[name]()
      if (round >= 0) samples[name].push(sample)
    }
  }
  return samples
}

/** How long something takes, in ms. */
export async function timed(run: () => unknown): Promise<number> {
  const started = performance.now()
  await run()
  return performance.now() - started
}

/** A row that says how many times one side is the other: the ratio of each round, `times` what both are divided by. */
export function ratioRow<Name extends string>(
  samples: Samples<Name>,
  [over, under]: readonly [over: Name, under: Name],
  facts: Pick<Row, 'id' | 'group' | 'what' | 'bound'>,
  divide: Partial<Record<Name, number>> = {},
): Row {
  const per = (name: Name) => samples[name].map((sample) => sample / (divide[name] ?? 1))
  const below = per(under)
  const ratios = per(over).map((sample, round) => sample / (below[round] as number))
  return {
    ...facts,
    unit: 'times',
    ...summary(ratios),
    sides: { [over]: round(median(per(over))), [under]: round(median(below)) },
  }
}

/** A row of a number that stands for itself. */
export function plainRow(
  samples: readonly number[],
  facts: Pick<Row, 'id' | 'group' | 'what' | 'bound' | 'unit'>,
): Row {
  return { ...facts, ...summary(samples) }
}

export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const high = sorted[middle] ?? Number.NaN
  return sorted.length % 2 ? high : (high + (sorted[middle - 1] ?? high)) / 2
}

/** Three digits that count; no more are worth keeping. */
export function round(value: number): number {
  return Number(value.toPrecision(3))
}

function summary(samples: readonly number[]): Pick<Row, 'value' | 'spread' | 'rounds'> {
  return {
    value: round(median(samples)),
    spread: [round(Math.min(...samples)), round(Math.max(...samples))],
    rounds: samples.length,
  }
}
