import { type ReactElement, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type TodoAgent, TodoPanel } from 'use-todo-agent'
import { useStore } from 'zustand'
import { Composer } from './Composer.tsx'
import { StatusLine } from './StatusLine.tsx'
import { sampleRequest } from './sampleRequest.ts'
import { Transcript } from './Transcript.tsx'
import { useMediaQuery } from './useMediaQuery.ts'

export interface ChatProps {
  readonly agent: TodoAgent
  /** Why nothing can be sent right now, `null` when it can. */
  readonly blocked?: string | null
  /** Tells apart what stands side by side. */
  readonly name?: string
  /** The list as one line above the composer, whatever the room. */
  readonly compact?: boolean
  /** What the example request is answered by, in words. */
  readonly footnote?: string
}

/** A conversation beside the live list of its session; on narrow screens the list is one line above the composer. */
export function Chat({ agent, blocked = null, name, compact = false, footnote }: ChatProps): ReactElement {
  const isNarrow = useMediaQuery('(max-width: 819px)')
  const isBar = compact || isNarrow
  const [text, setText] = useState('')
  const [isSheetOpen, setIsSheetOpen] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const { status, run } = agent
  const isElsewhere = useStore(agent.session.store, ({ driver }) => driver === 'other')
  const running =
    (run.status === 'running' && !isElsewhere) || status === 'submitted' || status === 'streaming'
  const of = name === undefined ? '' : ` ${name}`

  const controls = useMemo(() => ({ askForChanges: () => field.current?.focus() }), [])

  function send(message: string) {
    setText('')
    // A failure is the agent's `error` and shown as such.
    agent.send(message).catch(() => setText((current) => current || message))
  }

  // Back in the field, unless something else is being written there.
  function withdraw(id: string) {
    const parts = agent.withdraw(id)?.parts ?? []
    const words = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    setText((current) => current || words)
    field.current?.focus()
  }

  // In the field at once, so that it can be shown from its beginning: the questions, not the last of the orders.
  function fillIn() {
    flushSync(() => setText(sampleRequest))
    field.current?.focus()
    field.current?.setSelectionRange(0, 0)
    field.current?.scrollTo(0, 0)
  }

  return (
    <div className="pg-chat" data-compact={isBar || undefined}>
      <Transcript agent={agent} label={`Conversation${of}`} onWithdraw={withdraw}>
        <Welcome onTry={fillIn} />
      </Transcript>
      <aside className="pg-side" aria-label={`Progress${of}`}>
        <TodoPanel
          session={agent.session}
          variant={isBar ? 'bar' : 'card'}
          editable
          controls={controls}
          onOpenChange={setIsSheetOpen}
          title={name === undefined ? undefined : `Todos${of}`}
        />
      </aside>
      <div className="pg-foot">
        <StatusLine agent={agent} compact={isBar && !isSheetOpen} />
        <Composer
          text={text}
          onChange={setText}
          onSend={send}
          onStop={() => void agent.stop()}
          running={running}
          blocked={
            status === 'loading' ? 'Reading what is saved' : isElsewhere ? 'Running in another tab' : blocked
          }
          label={`Message${of}`}
          field={field}
        />
        {footnote && <p className="pg-aside pg-footnote">{footnote}</p>}
      </div>
    </div>
  )
}

function Welcome({ onTry }: { onTry: () => void }): ReactElement {
  return (
    <div className="pg-welcome">
      <h2>Give the agent work of several steps</h2>
      <p>
        It writes a list, works through it with its tools, and the list shows how far it is. You can stop it,
        reload the page, and go on.
      </p>
      <button type="button" className="pg-try" onClick={onTry}>
        <strong>Try this</strong>
        <span>
          Five questions about 200 orders: rows, mean and median price, top city, 17% of the total, a summary
        </span>
      </button>
    </div>
  )
}
