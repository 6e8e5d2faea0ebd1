import type { DynamicToolUIPart, ToolUIPart } from 'ai'
import { type ReactElement, useState } from 'react'
import type { TodoAgent } from 'use-todo-agent'

type ToolPart = ToolUIPart | DynamicToolUIPart

type Sign = 'working' | 'asking' | 'ok' | 'error' | 'off'

export interface ToolRowProps {
  readonly name: string
  readonly part: ToolPart
  readonly live: boolean
  readonly approve: TodoAgent['approve']
}

/** A tool call in one line: name, arguments in short, how it went. Opens to show all of it. */
export function ToolRow({ name, part, live, approve }: ToolRowProps): ReactElement {
  const [reason, setReason] = useState('')
  const { sign, word } = howItWent(part, live)
  return (
    <div className="pg-tool" data-sign={sign}>
      <details>
        <summary>
          <span className="pg-tool-sign" aria-hidden="true" />
          <code className="pg-tool-name">{name}</code>
          <span className="pg-tool-input">
            {sign === 'error'
              ? part.errorText
              : part.state === 'input-streaming'
                ? ''
                : inShort(name, part.input)}
          </span>
          <span className="pg-tool-word">{word}</span>
        </summary>
        <Whole title="Arguments" value={part.input} />
        {part.state === 'output-available' && <Whole title="Result" value={part.output} />}
        {part.state === 'output-error' && <Whole title="Error" value={part.errorText} />}
      </details>
      {part.state === 'approval-requested' && (
        <fieldset className="pg-approval">
          <legend>
            Run <code>{name}</code>?
          </legend>
          <button
            type="button"
            className="pg-primary"
            onClick={() => void approve({ id: part.approval.id, approved: true })}
          >
            Approve
          </button>
          <button
            type="button"
            className="pg-secondary"
            onClick={() =>
              void approve({
                id: part.approval.id,
                approved: false,
                ...(reason.trim() && { reason: reason.trim() }),
              })
            }
          >
            Deny
          </button>
          <input
            className="pg-reason"
            value={reason}
            aria-label="Why not"
            placeholder="Why not? The agent reads it"
            onChange={(event) => setReason(event.target.value)}
          />
        </fieldset>
      )}
    </div>
  )
}

function Whole({ title, value }: { title: string; value: unknown }): ReactElement | null {
  if (value === undefined) return null
  return (
    <>
      <p className="pg-tool-title">{title}</p>
      <pre>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </>
  )
}

function howItWent(part: ToolPart, live: boolean): { sign: Sign; word: string } {
  switch (part.state) {
    case 'input-streaming':
    case 'input-available':
      return live
        ? { sign: 'working', word: part.state === 'input-streaming' ? 'writing' : 'running' }
        : { sign: 'off', word: 'interrupted' }
    case 'approval-requested':
      return { sign: 'asking', word: 'asks' }
    case 'approval-responded':
      return part.approval.approved ? { sign: 'working', word: 'approved' } : { sign: 'off', word: 'denied' }
    case 'output-available':
      return { sign: 'ok', word: 'ok' }
    case 'output-error':
      return { sign: 'error', word: 'error' }
    case 'output-denied':
      return { sign: 'off', word: 'denied' }
    default:
      return part satisfies never
  }
}

function inShort(name: string, input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  if (name === 'write_todos' && 'todos' in input && Array.isArray(input.todos))
    return listInShort(input.todos)
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  if (entries.length === 1 && typeof entries[0]?.[1] === 'string') return oneLine(entries[0][1])
  return entries
    .map(([key, value]) => `${key}: ${oneLine(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join(', ')
}

function listInShort(todos: readonly unknown[]): string {
  const done = todos.filter((todo) => (todo as { status?: unknown } | null)?.status === 'completed').length
  return `${todos.length} ${todos.length === 1 ? 'item' : 'items'}, ${done} done`
}

// Far more than a line shows; the rest would only cost layout.
function oneLine(text: string): string {
  return text.slice(0, 200).replace(/\s+/gu, ' ')
}
