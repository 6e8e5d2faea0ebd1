import { defaultChoice, type ModelChoice } from '../playground/modelChoice.ts'

/** What the pages of this folder are answered by. */
export interface AnsweredBy {
  /** Of an OpenAI-compatible server on this machine; 0: the offline rules of the playground. */
  readonly port: number
  /** How fast the offline rules speak. */
  readonly speed: number
}

export function choiceOf({ port, speed }: AnsweredBy): ModelChoice {
  if (port === 0) return { ...defaultChoice, speed }
  return { ...defaultChoice, kind: 'openai-compatible', baseURL: baseURLOf(port), modelName: 'loopback' }
}

export function baseURLOf(port: number): string {
  return `http://127.0.0.1:${port}/v1`
}
