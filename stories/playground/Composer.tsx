import type { KeyboardEvent, ReactElement, RefObject } from 'react'

export interface ComposerProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onSend: (text: string) => void
  readonly onStop: () => void
  readonly running: boolean
  /** Why nothing can be sent right now, `null` when it can. */
  readonly blocked: string | null
  readonly label: string
  readonly field: RefObject<HTMLTextAreaElement | null>
}

/** Where the person writes. Enter sends, Shift+Enter makes a new line; what is sent during a run waits. */
export function Composer({
  text,
  onChange,
  onSend,
  onStop,
  running,
  blocked,
  label,
  field,
}: ComposerProps): ReactElement {
  const maySend = text.trim() !== '' && blocked === null

  function send() {
    if (maySend) onSend(text)
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>) {
    // Enter also ends the composition of a word in Chinese or Japanese.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <form
      className="pg-composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        rows={2}
        value={text}
        aria-label={label}
        placeholder={
          running ? 'What you send now waits for the agent' : 'Ask for something that takes several steps'
        }
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        spellCheck={false}
      />
      <div className="pg-composer-actions">
        {blocked === null ? (
          <span className="pg-aside pg-hint">Enter sends, Shift+Enter makes a new line</span>
        ) : (
          <span className="pg-aside">{blocked}</span>
        )}
        {running && (
          <button type="button" className="pg-secondary" onClick={onStop}>
            Stop
          </button>
        )}
        {(!running || text.trim() !== '') && (
          <button type="submit" className="pg-primary" disabled={!maySend}>
            Send
          </button>
        )}
      </div>
    </form>
  )
}
