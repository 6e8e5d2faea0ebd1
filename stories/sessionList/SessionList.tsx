import {
  type ChangeEvent,
  type ReactElement,
  useCallback,
  useDeferredValue,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type SavedSession, type SessionStorage, useTodoSessions } from 'use-todo-agent'
import { download } from './files.ts'
import { SessionRow } from './SessionRow.tsx'
import { useGrowing } from './useGrowing.ts'
import { titleOf } from './words.ts'
import './sessionList.css'

export interface SessionListProps {
  readonly storage: SessionStorage
  /** The session that is shown beside the list. */
  readonly openId: string | null
  readonly onOpen: (id: string) => void
}

/** The sessions that are saved in this browser, to go back to and to tidy up. */
export function SessionList({ storage, openId, onOpen }: SessionListProps): ReactElement {
  const saved = useTodoSessions({ storage })
  const { sessions, status, error, rename, remove, duplicate, exportSession } = saved
  const [failure, setFailure] = useState<string | null>(null)
  const [search, setSearch] = useState('')
  const found = useFound(sessions, useDeferredValue(search))
  const { shown, end } = useGrowing(20, 60)

  const attempt = useCallback((work: Promise<unknown>) => {
    work.then(() => setFailure(null)).catch((thrown: Error) => setFailure(thrown.message))
  }, [])
  const onRename = useCallback((id: string, title: string) => attempt(rename(id, title)), [attempt, rename])
  const onRemove = useCallback((id: string) => attempt(remove(id)), [attempt, remove])
  const onExport = useCallback(
    (id: string) => attempt(exportSession(id).then(download)),
    [attempt, exportSession],
  )
  const onDuplicate = useCallback(
    (session: SavedSession) => attempt(duplicate(session.id, { title: `${titleOf(session)} (copy)` })),
    [attempt, duplicate],
  )

  return (
    <aside className="sl" aria-label="Sessions" data-status={status}>
      <header className="sl-header">
        <h2 className="sl-heading">Sessions</h2>
        <span className="sl-count">{status === 'pending' ? '' : sessions.length}</span>
      </header>
      {sessions.length > 12 && (
        <input
          type="search"
          className="sl-search"
          aria-label="Search sessions"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <p className="sl-failure" role="alert">
        {failure ?? error?.message}
      </p>
      {found.length > 0 ? (
        <ul className="sl-list">
          {found.slice(0, shown).map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              isOpen={session.id === openId}
              onOpen={onOpen}
              onRename={onRename}
              onRemove={onRemove}
              onDuplicate={onDuplicate}
              onExport={onExport}
            />
          ))}
          {found.length > shown && <li ref={end} key={shown} className="sl-end" aria-hidden="true" />}
        </ul>
      ) : (
        status === 'success' && (
          <p className="sl-empty">
            {sessions.length === 0 ? 'Nothing saved yet.' : 'None has that in its title.'}
          </p>
        )
      )}
      <Footer
        count={sessions.length}
        onImport={(text) => attempt(saved.importSession(text))}
        onRemoveAll={() => attempt(saved.removeAll())}
      />
    </aside>
  )
}

function useFound(sessions: readonly SavedSession[], search: string): readonly SavedSession[] {
  const wanted = search.trim().toLowerCase()
  return useMemo(
    () =>
      wanted === ''
        ? sessions
        : sessions.filter((session) => titleOf(session).toLowerCase().includes(wanted)),
    [sessions, wanted],
  )
}

interface FooterProps {
  readonly count: number
  readonly onImport: (text: Promise<string> | string) => void
  readonly onRemoveAll: () => void
}

function Footer({ count, onImport, onRemoveAll }: FooterProps): ReactElement {
  const [asks, setAsks] = useState(false)
  const picker = useRef<HTMLInputElement>(null)

  async function readFile({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0]
    if (file) onImport(await file.text())
    // The same file can be chosen again.
    target.value = ''
  }

  return (
    <footer className="sl-footer">
      {asks ? (
        <>
          <span className="sl-question">Delete all {count} for good?</span>
          <button
            type="button"
            className="sl-danger"
            onClick={() => {
              setAsks(false)
              onRemoveAll()
            }}
          >
            Delete all
          </button>
          <button type="button" onClick={() => setAsks(false)}>
            Keep
          </button>
        </>
      ) : (
        <>
          <button type="button" onClick={() => picker.current?.click()}>
            Import
          </button>
          <input
            ref={picker}
            type="file"
            accept="application/json,.json"
            aria-label="File to import"
            hidden
            onChange={readFile}
          />
          {count > 0 && (
            <button type="button" className="sl-danger" onClick={() => setAsks(true)}>
              Delete all
            </button>
          )}
        </>
      )}
    </footer>
  )
}
