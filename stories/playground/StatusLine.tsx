import type { ReactElement } from 'react'
import type { TodoAgent } from 'use-todo-agent'

interface Line {
  readonly tone: 'bad' | 'quiet'
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => Promise<void> }
}

export interface StatusLineProps {
  readonly agent: TodoAgent
  /** The panel is one closed line, so its actions are offered here too. */
  readonly compact: boolean
}

/** What the person should know about the run, with at most one thing to do about it. */
export function StatusLine({ agent, compact }: StatusLineProps): ReactElement {
  const line = lineOf(agent, compact)
  return (
    <div className="pg-status" role="status">
      {line && (
        <p className="pg-status-line" data-tone={line.tone}>
          <span>{line.text}</span>
          {line.action && (
            <button type="button" className="pg-action" onClick={() => void line.action?.run()}>
              {line.action.label}
            </button>
          )}
        </p>
      )}
    </div>
  )
}

function lineOf(
  { error, run, mode, todos, status, messages, resume, chat }: TodoAgent,
  compact: boolean,
): Line | null {
  if (status === 'loading' || status === 'submitted' || status === 'streaming' || run.status === 'running')
    return null
  if (error) {
    const again = messages.length > 0 ? { action: { label: 'Retry', run: resume } } : {}
    return { tone: 'bad', text: error.message, ...again }
  }
  if (run.status === 'interrupted') {
    return compact
      ? {
          tone: 'quiet',
          text: 'Interrupted. Everything up to here is saved.',
          action: { label: 'Resume', run: resume },
        }
      : null
  }
  if (compact && mode === 'plan' && todos.length > 0) {
    return {
      tone: 'quiet',
      text: 'The plan waits for you.',
      action: { label: 'Approve plan', run: () => chat.approvePlan() },
    }
  }
  switch (run.outcome) {
    case 'stopped':
      return { tone: 'quiet', text: 'You stopped the run.', action: { label: 'Go on', run: resume } }
    case 'max_steps':
    case 'max_iterations':
      return { tone: 'quiet', text: 'The run reached its limit.', action: { label: 'Go on', run: resume } }
    case 'empty_response':
      return {
        tone: 'quiet',
        text: 'The model gave no answer.',
        action: { label: 'Try again', run: resume },
      }
    default:
      return null
  }
}
