import {
  type FileUIPart,
  getToolName,
  isFileUIPart,
  isReasoningUIPart,
  isTextUIPart,
  isToolUIPart,
  type UIMessage,
} from 'ai'
import { memo, type ReactElement, type ReactNode } from 'react'
import type { TodoAgent } from 'use-todo-agent'
import { findPasted } from '../tools/pasted.ts'
import { SyntheticNote } from './SyntheticNote.tsx'
import { ToolRow } from './ToolRow.tsx'

/** A text without line breaks of its own is folded from this many lines on. */
const LONG = 14

export interface MessageProps {
  readonly message: UIMessage
  /** Whether a run is working on this message right now. */
  readonly live?: boolean
  /** What it waits for, where it was not sent yet. */
  readonly waitsFor?: 'step' | 'end' | undefined
  /** Takes it back, where it was not sent yet. */
  readonly onWithdraw?: (() => void) | undefined
  readonly approve: TodoAgent['approve']
  /** Shown under an answer that is whole. */
  readonly children?: ReactNode
}

/** One message of the transcript: the person's, or the agent's with its tool calls and the kit's notes. */
export const Message = memo(function Message({
  message,
  live = false,
  waitsFor,
  onWithdraw,
  approve,
  children,
}: MessageProps): ReactElement {
  const isPerson = message.role === 'user'
  const lastPart = message.parts.length - 1
  return (
    <article
      className="pg-message"
      data-role={message.role}
      data-queued={waitsFor !== undefined || undefined}
      aria-label={isPerson ? 'You' : 'Agent'}
    >
      {message.parts.map((part, index) => {
        const key = `${message.id} ${index}`
        if (isTextUIPart(part)) {
          if (part.text.trim() === '') return null
          return isPerson ? (
            <PersonText key={key} text={part.text} />
          ) : (
            <AgentText key={key} text={part.text} live={live && index === lastPart} />
          )
        }
        if (isReasoningUIPart(part))
          return part.text.trim() === '' ? null : <Reasoning key={key} text={part.text} />
        if (isToolUIPart(part))
          return <ToolRow key={key} name={getToolName(part)} part={part} live={live} approve={approve} />
        if (isFileUIPart(part)) return <Attachment key={key} part={part} />
        if (part.type === 'steering-message') return <Interjection key={key} parts={part.parts} />
        if (part.type === 'data-synthetic') return <SyntheticNote key={key} data={part.data} />
        return null
      })}
      {waitsFor && (
        <p className="pg-aside">
          {waitsFor === 'step' ? 'Waits for the next step' : 'Waits until this run has ended'}
          {onWithdraw && (
            <button type="button" className="pg-quiet" onClick={onWithdraw}>
              Withdraw
            </button>
          )}
        </p>
      )}
      {children}
    </article>
  )
})

/** What the person said while the agent was working: it stands where it came in. */
function Interjection({ parts }: { parts: UIMessage['parts'] }): ReactElement {
  return (
    <section className="pg-interjection" aria-label="You, in between">
      {parts.map((part, index) => {
        const key = `${part.type} ${index}`
        if (isTextUIPart(part)) return <PersonText key={key} text={part.text} />
        return isFileUIPart(part) ? <Attachment key={key} part={part} /> : null
      })}
    </section>
  )
}

function Attachment({ part }: { part: FileUIPart }): ReactElement {
  const name = part.filename ?? part.mediaType
  return part.mediaType.startsWith('image/') && part.url.startsWith('data:') ? (
    <img className="pg-attachment" src={part.url} alt={name} />
  ) : (
    <p className="pg-aside">{name}</p>
  )
}

function PersonText({ text }: { text: string }): ReactElement {
  const pasted = findPasted(text)
  if (pasted) {
    const [before = '', after = ''] = text.split(pasted.content)
    const rows = pasted.content.trim().split('\n').length - (pasted.kind === 'csv' ? 1 : 0)
    return (
      <>
        <Plain text={before} />
        <Folded
          text={pasted.content}
          summary={pasted.kind === 'csv' ? `${rows} lines of CSV` : `${rows} lines of text`}
        />
        <Plain text={after} />
      </>
    )
  }
  const lines = text.split('\n').length
  return lines > LONG ? <Folded text={text} summary={`${lines} lines of text`} /> : <Plain text={text} />
}

function Plain({ text }: { text: string }): ReactElement | null {
  const trimmed = text.trim()
  return trimmed === '' ? null : (
    <p className="pg-text" dir="auto">
      {trimmed}
    </p>
  )
}

function Folded({ text, summary }: { text: string; summary: string }): ReactElement {
  return (
    <details className="pg-fold">
      <summary>{summary}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must get there. */}
      <section aria-label={summary} tabIndex={0}>
        <pre>{text}</pre>
      </section>
    </details>
  )
}

function AgentText({ text, live }: { text: string; live: boolean }): ReactElement {
  return (
    <p className="pg-text" dir="auto" data-live={live || undefined}>
      {withEmphasis(text.trim())}
    </p>
  )
}

function Reasoning({ text }: { text: string }): ReactElement {
  return (
    <details className="pg-note">
      <summary>Thinking</summary>
      <p>{text}</p>
    </details>
  )
}

// The two marks that models use all the time. Everything else of Markdown is left as it was written.
function withEmphasis(text: string): ReactNode[] {
  return text.split(/(\*\*[^*\n]+\*\*|`[^`\n]+`)/u).map((piece, index) => {
    const key = `${index} ${piece.length}`
    if (piece.length > 4 && piece.startsWith('**') && piece.endsWith('**'))
      return <strong key={key}>{piece.slice(2, -2)}</strong>
    if (piece.length > 2 && piece.startsWith('`') && piece.endsWith('`'))
      return <code key={key}>{piece.slice(1, -1)}</code>
    return piece
  })
}
