import {
  type FormEvent,
  type KeyboardEvent,
  memo,
  type ReactElement,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { SavedSession } from 'use-todo-agent'
import { noteOf, progressOf, titleOf, whenOf } from './words.ts'

export interface SessionRowProps {
  readonly session: SavedSession
  readonly isOpen: boolean
  readonly onOpen: (id: string) => void
  readonly onRename: (id: string, title: string) => void
  readonly onDuplicate: (session: SavedSession) => void
  readonly onExport: (id: string) => void
  readonly onRemove: (id: string) => void
}

type State = 'rest' | 'actions' | 'rename' | 'confirm'

/** One session. What can be done with it comes up under it, so that nothing lies over the list. */
export const SessionRow = memo(function SessionRow(props: SessionRowProps): ReactElement {
  const { session, isOpen, onOpen, onRename } = props
  const [state, setState] = useState<State>('rest')
  const opener = useRef<HTMLButtonElement>(null)
  const title = titleOf(session)
  const note = noteOf(session)

  function rest() {
    setState('rest')
    opener.current?.focus()
  }

  function closeOnEscape(event: KeyboardEvent) {
    if (event.key === 'Escape' && state !== 'rest') rest()
  }

  return (
    <li
      className="sl-row"
      data-open={isOpen || undefined}
      data-driver={session.driver === 'none' ? undefined : session.driver}
      onKeyDown={closeOnEscape}
    >
      {state === 'rename' ? (
        <RenameForm
          title={session.title ?? ''}
          onDone={(next) => {
            if (next !== null) onRename(session.id, next)
            rest()
          }}
        />
      ) : (
        <button
          type="button"
          className="sl-open"
          aria-current={isOpen || undefined}
          onClick={() => onOpen(session.id)}
        >
          <Ring {...session} />
          <span className="sl-title" dir="auto">
            {title}
          </span>
          <span className="sl-meta">
            {progressOf(session)} · {whenOf(session.updatedAt, Date.now())}
          </span>
          {note && <span className="sl-note">{note}</span>}
        </button>
      )}
      <button
        type="button"
        ref={opener}
        className="sl-more"
        aria-label={`Actions for ${title}`}
        aria-expanded={state !== 'rest'}
        onClick={() => setState(state === 'rest' ? 'actions' : 'rest')}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <g fill="currentColor">
            <circle cx="3" cy="8" r="1.4" />
            <circle cx="8" cy="8" r="1.4" />
            <circle cx="13" cy="8" r="1.4" />
          </g>
        </svg>
      </button>
      <Actions {...props} state={state} onState={setState} />
    </li>
  )
})

function Actions({
  session,
  state,
  onState,
  onDuplicate,
  onExport,
  onRemove,
}: SessionRowProps & { state: State; onState: (state: State) => void }): ReactElement | null {
  if (state === 'confirm') {
    return (
      <fieldset className="sl-actions" aria-label="Delete it?">
        <span className="sl-question">Delete it for good?</span>
        <button
          type="button"
          className="sl-danger"
          onClick={(event) => {
            focusBeside(event.currentTarget)
            onRemove(session.id)
          }}
        >
          Delete
        </button>
        <button
          type="button"
          // biome-ignore lint/a11y/noAutofocus: the question answers a click, and what had the focus is gone.
          autoFocus
          onClick={() => onState('rest')}
        >
          Keep
        </button>
      </fieldset>
    )
  }
  if (state !== 'actions') return null
  const run = (action: () => void) => () => {
    onState('rest')
    action()
  }
  return (
    <fieldset className="sl-actions" aria-label={`Actions for ${titleOf(session)}`}>
      {session.readable && (
        <>
          <button type="button" onClick={() => onState('rename')}>
            Rename
          </button>
          <button type="button" onClick={run(() => onDuplicate(session))}>
            Duplicate
          </button>
          <button type="button" onClick={run(() => onExport(session.id))}>
            Export
          </button>
        </>
      )}
      <button type="button" className="sl-danger" onClick={() => onState('confirm')}>
        Delete
      </button>
    </fieldset>
  )
}

function RenameForm({
  title,
  onDone,
}: {
  title: string
  onDone: (title: string | null) => void
}): ReactElement {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.select(), [])
  return (
    <form
      className="sl-rename"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        const next = input.current?.value.trim() ?? ''
        onDone(next === '' || next === title ? null : next)
      }}
    >
      <input ref={input} aria-label="Title" defaultValue={title} />
      <button type="submit">Save</button>
    </form>
  )
}

function Ring({ done, total }: Pick<SavedSession, 'done' | 'total'>): ReactElement {
  const share = total === 0 ? 0 : done / total
  return (
    <svg className="sl-ring" viewBox="0 0 18 18" width="18" height="18" aria-hidden="true">
      <circle className="sl-ring-ground" cx="9" cy="9" r="6.5" />
      {share > 0 && (
        <circle
          className="sl-ring-done"
          cx="9"
          cy="9"
          r="6.5"
          pathLength="1"
          strokeDasharray={`${share} 1`}
        />
      )}
    </svg>
  )
}

/** The row goes away: the focus moves to the next one, or the one before. */
function focusBeside(element: Element): void {
  const row = element.closest('li')
  const beside =
    row?.nextElementSibling?.querySelector('button') ?? row?.previousElementSibling?.querySelector('button')
  beside?.focus()
}
