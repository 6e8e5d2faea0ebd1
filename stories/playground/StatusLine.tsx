import type { ReactElement } from 'react'
import type { TodoAgent } from 'use-todo-agent'
import { useStore } from 'zustand'

interface Line {
  readonly tone: 'bad' | 'quiet'
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => unknown } | undefined
}

export interface StatusLineProps {
  readonly agent: TodoAgent
  /** The panel is one closed line, so what it offers is offered here too. */
  readonly compact: boolean
}

/** What the person should know about the run, with at most one thing to do about it. */
export function StatusLine({ agent, compact }: StatusLineProps): ReactElement {
  const { driver, controls } = useStore(agent.session.store)
  const line = errorLine(agent) ?? (compact ? panelLine(agent, driver, controls) : null)
  const { action } = line ?? {}
  return (
    <div className="pg-status" role="status">
      {line && (
        <p className="pg-status-line" data-tone={line.tone}>
          <span>{line.text}</span>
          {action && (
            <button type="button" className="pg-action" onClick={() => void action.run()}>
              {action.label}
            </button>
          )}
        </p>
      )}
    </div>
  )
}

function errorLine({ error, run, status, messages, resume }: TodoAgent): Line | null {
  const isBusy =
    status === 'loading' || status === 'submitted' || status === 'streaming' || run.status === 'running'
  if (!error || isBusy) return null
  return {
    tone: 'bad',
    text: error.message,
    action: messages.length > 0 ? { label: 'Retry', run: resume } : undefined,
  }
}

type SessionView = ReturnType<TodoAgent['session']['store']['getState']>

function panelLine(
  { run }: TodoAgent,
  driver: SessionView['driver'],
  { resume, takeOver, approvePlan }: SessionView['controls'],
): Line | null {
  if (driver === 'other' && takeOver) {
    return { tone: 'quiet', text: 'Running in another tab.', action: { label: 'Take over', run: takeOver } }
  }
  if (approvePlan) {
    return {
      tone: 'quiet',
      text: 'The plan waits for you.',
      action: { label: 'Approve plan', run: approvePlan },
    }
  }
  if (!resume) return null
  const action = { label: 'Resume', run: resume }
  if (run.status === 'interrupted')
    return { tone: 'quiet', text: 'Interrupted. Everything up to here is saved.', action }
  switch (run.outcome) {
    case 'stopped':
      return { tone: 'quiet', text: 'You stopped the run.', action }
    case 'max_steps':
    case 'max_iterations':
      return { tone: 'quiet', text: 'The run reached its limit.', action }
    case 'empty_response':
      return { tone: 'quiet', text: 'The model gave no answer.', action }
    default:
      return null
  }
}
