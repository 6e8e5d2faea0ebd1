import type { ModelMessage, UIMessage } from 'ai'
import type { MessageBuilder } from './messageBuilder.ts'
import { hasAnsweredApproval } from './transcript.ts'

/** The messages of a run's requests. Each request is the one before it and what came since, so that prompt caches hold. */
export interface RequestLog {
  /** The messages of the next request. */
  next(): Promise<readonly ModelMessage[]>
  /** Starts over from other messages: the next request holds these and the parts from `at` on. @default what comes from now on */
  restart(messages: readonly ModelMessage[], at?: number): void
}

/**
 * Converts each part of the transcript once. An answered approval is the exception: its tool runs with the next request and changes a part
 * that lies before it, so that the request after that is made anew.
 */
export function createRequestLog(
  builder: MessageBuilder,
  transcript: () => readonly UIMessage[],
  convert: (messages: readonly UIMessage[]) => Promise<ModelMessage[]>,
): RequestLog {
  let base: { readonly messages: readonly ModelMessage[]; readonly at: number } | null = null
  let messages: readonly ModelMessage[] = []
  let converted = 0
  let stale = true
  const since = (at: number) => convert([builder.turnFrom(at)])

  return {
    async next() {
      if (!stale) messages = [...messages, ...(await since(converted))]
      else messages = base ? [...base.messages, ...(await since(base.at))] : await convert(transcript())
      converted = builder.length
      stale = hasAnsweredApproval(transcript())
      return messages
    },
    restart(first, at = builder.length) {
      base = { messages: first, at }
      stale = true
    },
  }
}
