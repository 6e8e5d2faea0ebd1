import type { ModelMessage, UIMessage } from 'ai'
import type { MessageBuilder } from './messageBuilder.ts'
import { hasAnsweredApproval } from './transcript.ts'

/** The messages of a run's requests. Each request is the one before it and what came since, so that prompt caches hold. */
export interface RequestLog {
  /** The messages of the next request. */
  next(): Promise<readonly ModelMessage[]>
  /** Starts over from other messages: the next request holds these and what comes from now on. */
  restart(messages: readonly ModelMessage[]): void
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
  let messages: readonly ModelMessage[] = []
  let converted = 0
  let stale = true

  return {
    async next() {
      messages = stale
        ? await convert(transcript())
        : [...messages, ...(await convert([builder.turnFrom(converted)]))]
      converted = builder.length
      stale = hasAnsweredApproval(transcript())
      return messages
    },
    restart(base) {
      messages = base
      converted = builder.length
      stale = false
    },
  }
}
