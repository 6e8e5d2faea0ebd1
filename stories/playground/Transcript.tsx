import type { UIMessage } from 'ai'
import { type ReactElement, useRef } from 'react'
import type { TodoAgent } from 'use-todo-agent'
import { Message } from './Message.tsx'
import { useStickToEnd } from './useStickToEnd.ts'

/** Ends of a run after which there is an answer. After the others, going on is what is offered. */
const endings: readonly TodoAgent['outcome'][] = ['completed', 'finished_with_open_todos', 'blocked']

export interface TranscriptProps {
  readonly agent: TodoAgent
  /** Name of the conversation. */
  readonly label: string
  /** Shown while there is no message. */
  readonly children?: ReactElement
}

/** The conversation. It speaks no word of its own to screen readers: the panel announces what matters. */
export function Transcript({ agent, label, children }: TranscriptProps): ReactElement {
  const scroller = useRef<HTMLDivElement>(null)
  useStickToEnd(scroller)
  const { messages, queued, status, run, approve } = agent
  const isRunning = run.status === 'running' || status === 'submitted' || status === 'streaming'
  const last = messages.at(-1)
  const mayAnswerAgain =
    status === 'ready' && run.status === 'idle' && last?.role === 'assistant' && endings.includes(run.outcome)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must get there.
    <div className="pg-log" role="log" aria-live="off" aria-label={label} tabIndex={0} ref={scroller}>
      <div className="pg-log-content">
        {messages.length === 0 && status !== 'loading' && children}
        {messages.filter(hasContent).map((message) => (
          <Message key={message.id} message={message} live={isRunning && message === last} approve={approve}>
            {mayAnswerAgain && message === last && (
              <button type="button" className="pg-quiet pg-again" onClick={() => void agent.regenerate()}>
                Answer again
              </button>
            )}
          </Message>
        ))}
        {isRunning && (last?.role === 'user' || (last && !hasContent(last))) && (
          <p className="pg-aside pg-thinking">Thinking</p>
        )}
        {queued.map((message) => (
          <Message key={message.id} message={message} queued approve={approve} />
        ))}
      </div>
    </div>
  )
}

// A run that failed before its first word leaves a message with nothing to see in it.
function hasContent({ parts }: UIMessage): boolean {
  return parts.some((part) => part.type !== 'step-start' && part.type !== 'data-todos')
}
