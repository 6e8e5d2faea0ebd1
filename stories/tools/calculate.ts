import { tool } from 'ai'
import {
  isConstantNode,
  isFunctionNode,
  isOperatorNode,
  isParenthesisNode,
  isSymbolNode,
  type MathNode,
  parse,
} from 'mathjs/number'
import { z } from 'zod'

const functions =
  'abs ceil floor round sqrt cbrt exp log log10 log2 min max pow mod mean median sum sin cos tan factorial'.split(
    ' ',
  )

const constants = ['pi', 'e']

/** Arithmetic through mathjs. Only numbers, operators and plain functions get through: nothing that defines, imports or runs. */
export const calculate = tool({
  description:
    'Calculates an arithmetic expression exactly as written, such as "17 / 100 * 2350.5" or "sqrt(2) * (3 + 4)". Use it for percentages, sums, products and any other arithmetic.',
  inputSchema: z.object({
    expression: z
      .string()
      .max(500)
      .describe('The arithmetic expression: numbers, + - * / ^ %, brackets and functions.'),
  }),
  execute: ({ expression }) => ({ expression, result: evaluate(expression) }),
})

/** The value of an expression. Throws with the reason when there is none. */
export function evaluate(expression: string): number {
  const node = read(expression)
  node.traverse((part) => check(part, expression))
  node.traverse((part) => checkDivision(part, expression))
  const value: unknown = node.evaluate()
  if (typeof value !== 'number') throw new Error(`"${expression}" does not give a number.`)
  if (Number.isNaN(value)) throw new Error(`"${expression}" has no value among the real numbers.`)
  if (!Number.isFinite(value)) throw new Error(`"${expression}" is too large.`)
  return Number.isSafeInteger(value) ? value : Number(value.toPrecision(14))
}

function read(expression: string): MathNode {
  try {
    return parse(expression)
  } catch (cause) {
    throw new Error(`"${expression}" is not an arithmetic expression: ${(cause as Error).message}`, { cause })
  }
}

function check(node: MathNode, expression: string): void {
  const refuse = (what: string): never => {
    throw new Error(`"${expression}" is not plain arithmetic: ${what} not allowed.`)
  }
  if (isSymbolNode(node)) {
    if (!functions.includes(node.name) && !constants.includes(node.name)) refuse(`the name "${node.name}" is`)
  } else if (isFunctionNode(node)) {
    if (!isSymbolNode(node.fn)) refuse('such calls are')
  } else if (isConstantNode(node)) {
    if (typeof node.value !== 'number') refuse('texts are')
  } else if (!isOperatorNode(node) && !isParenthesisNode(node)) {
    refuse(`${node.type.replace('Node', '').toLowerCase()}s are`)
  }
}

function checkDivision(node: MathNode, expression: string): void {
  if (isOperatorNode(node) && (node.fn === 'divide' || node.fn === 'mod') && node.args[1]?.evaluate() === 0) {
    throw new Error(`Division by zero in "${expression}".`)
  }
}
