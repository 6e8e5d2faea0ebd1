import { orderQuestions, ordersCsv } from '../orders.ts'

/** What "Try this" puts into the composer: five questions about 200 orders, with the orders. */
export const sampleRequest = `Please answer these about the orders below: ${orderQuestions}\n\n${ordersCsv}`
