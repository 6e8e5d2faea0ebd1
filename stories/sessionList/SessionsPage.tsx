import { type ReactElement, useState } from 'react'
import { type SessionStorage, TodoPanel, useTodoSession } from 'use-todo-agent'
import { SessionList } from './SessionList.tsx'

/** A side bar of saved sessions, and the one that is open beside it. */
export function SessionsPage({ storage }: { readonly storage: SessionStorage }): ReactElement {
  const [openId, setOpenId] = useState<string | null>(null)
  return (
    <div className="sl-page">
      <SessionList storage={storage} openId={openId} onOpen={setOpenId} />
      <main className="sl-main">
        {openId === null ? (
          <p className="sl-empty">Choose a session.</p>
        ) : (
          <OpenSession key={openId} id={openId} storage={storage} />
        )}
      </main>
    </div>
  )
}

function OpenSession({
  id,
  storage,
}: {
  readonly id: string
  readonly storage: SessionStorage
}): ReactElement {
  const session = useTodoSession(id, { storage })
  return <TodoPanel session={session} />
}
