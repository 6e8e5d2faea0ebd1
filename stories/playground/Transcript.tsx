import type { UIMessage } from 'ai'
import type { ReactElement } from 'react'
import type { TodoAgent } from 'use-todo-agent'
import { Log } from './Log.tsx'
import { Message } from './Message.tsx'

/** Ends of a run after which there is an answer. After the others, going on is what is offered. */
const endings: readonly TodoAgent['outcome'][] = ['completed', 'finished_with_open_todos', 'blocked']

export interface TranscriptProps {
  readonly agent: TodoAgent
  /** Name of the conversation. */
  readonly label: string
  /** Takes back a message that waits. */
  readonly onWithdraw: (id: string) => void
  /** Shown while there is no message. */
  readonly children?: ReactElement
}

/** The conversation. */
export function Transcript({ agent, label, onWithdraw, children }: TranscriptProps): ReactElement {
  const { messages, queued, steering, status, run, approve } = agent
  const isRunning = run.status === 'running' || status === 'submitted' || status === 'streaming'
  const last = messages.at(-1)
  const mayAnswerAgain =
    status === 'ready' && run.status === 'idle' && last?.role === 'assistant' && endings.includes(run.outcome)
  return (
    <Log label={label}>
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
        <Message
          key={message.id}
          message={message}
          waitsFor={steering.includes(message.id) ? 'step' : 'end'}
          onWithdraw={() => onWithdraw(message.id)}
          approve={approve}
        />
      ))}
    </Log>
  )
}

// A run that failed before its first word leaves a message with nothing to see in it.
function hasContent({ parts }: UIMessage): boolean {
  return parts.some((part) => part.type !== 'step-start' && part.type !== 'data-todos')
}
