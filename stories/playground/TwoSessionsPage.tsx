import { type ReactElement, useMemo } from 'react'
import { useTodoAgent } from 'use-todo-agent'
import type { Behaviour } from '../offlineModel/decide.ts'
import { offlineModel } from '../offlineModel/offlineModel.ts'
import { tools } from '../tools/tools.ts'
import { Chat } from './Chat.tsx'
import './playground.css'

export interface TwoSessionsPageProps {
  readonly behaviour: Behaviour
  readonly speed: number
  /** The sessions are named after it, with `-a` and `-b`. */
  readonly sessionId: string
}

/** Two agents in one page, each with its own session. */
export function TwoSessionsPage(props: TwoSessionsPageProps): ReactElement {
  return (
    <div className="pg">
      <main className="pg-main pg-two">
        <Half {...props} name="A" />
        <Half {...props} name="B" />
      </main>
    </div>
  )
}

function Half({ behaviour, speed, sessionId, name }: TwoSessionsPageProps & { name: string }): ReactElement {
  const model = useMemo(() => offlineModel({ behaviour, speed }), [behaviour, speed])
  const agent = useTodoAgent({ sessionId: `${sessionId}-${name.toLowerCase()}`, model, tools })
  return (
    <section className="pg-half" aria-label={`Session ${name}`}>
      <header className="pg-header">
        <h1>Session {name}</h1>
        <button type="button" className="pg-secondary" onClick={() => void agent.clear()}>
          New chat {name}
        </button>
      </header>
      <Chat agent={agent} name={name} compact />
    </section>
  )
}
