/** One order of the example. `price` is in cents, so that sums are exact. */
export interface Order {
  readonly id: string
  readonly date: string
  readonly city: string
  readonly category: string
  readonly price: number
}

const cities = ['Lisbon', 'Porto', 'Turin', 'Lyon', 'Ghent', 'Graz', 'Malmö', 'Utrecht']
const categories = ['books', 'garden', 'kitchen', 'lamps', 'toys']

/** Orders that are the same for the same seed, on every machine. */
export function createOrders(count = 200, seed = 7): readonly Order[] {
  const random = createRandom(seed)
  // The smaller of two draws: some cities are more frequent than others, as in real data.
  const pick = (values: readonly string[]) =>
    values[Math.min(Math.floor(random() * values.length), Math.floor(random() * values.length))] ?? ''
  return Array.from({ length: count }, (_, index) => ({
    id: `A-${1001 + index}`,
    date: new Date(Date.UTC(2025, 0, 1 + Math.floor(random() * 365))).toISOString().slice(0, 10),
    city: pick(cities),
    category: pick(categories),
    price: 300 + Math.floor(random() ** 2 * 19_700),
  }))
}

/** Orders as CSV with a header. */
export function toCsv(orders: readonly Order[]): string {
  const lines = orders.map(({ id, date, city, category, price }) =>
    [id, date, city, category, (price / 100).toFixed(2)].join(','),
  )
  return ['order_id,date,city,category,price', ...lines].join('\n')
}

export const orders = createOrders()

export const ordersCsv = toCsv(orders)

/** What the main example asks about the orders. */
export const orderQuestions =
  '1. how many rows, 2. mean and median of price, 3. most frequent city, 4. what is 17% of the total, 5. a two-sentence summary'

/** The right answers, computed in whole cents from the orders and not from the CSV. */
export function orderAnswers(list: readonly Order[] = orders) {
  const prices = list.map((order) => order.price).sort((a, b) => a - b)
  const total = prices.reduce((sum, price) => sum + price, 0)
  const middle = prices.length / 2
  const median = ((prices[Math.ceil(middle) - 1] ?? 0) + (prices[Math.floor(middle)] ?? 0)) / 2
  const counts = new Map<string, number>()
  for (const { city } of list) counts.set(city, (counts.get(city) ?? 0) + 1)
  const [topCity = '', topCount = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? []
  return {
    rows: list.length,
    total: total / 100,
    mean: total / list.length / 100,
    median: median / 100,
    city: topCity,
    cityCount: topCount,
    share: (total * 17) / 10_000,
  }
}

// mulberry32: small, and good enough for example data.
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
