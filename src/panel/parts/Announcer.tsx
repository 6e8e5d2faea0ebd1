import { type ReactElement, useEffect, useRef, useState } from 'react'
import type { TodoPanelLabels } from '../labels.ts'
import { news, type Standing, type TodoPanelVerbosity } from '../panelState.ts'

/** ms without news before the news is told: what happens in quick succession is one sentence. */
const GATHER = 1000
/** ms after which it is told all the same: an agent that never rests must not keep the panel silent. */
const PATIENCE = 4000

/**
 * The one live region of a panel. Says a short sentence at what `verbosity` names; never what was there before
 * the panel was mounted or the session was read from storage.
 */
export function Announcer(props: {
  standing: Standing
  labels: TodoPanelLabels
  verbosity: TodoPanelVerbosity
  loading: boolean
}): ReactElement {
  const { labels, verbosity, loading } = props
  const [message, setMessage] = useState({ text: '', turn: 0 })
  const said = useRef<Standing | null>(null)
  const due = useRef(0)
  // As text, since each draft renders a panel and must not put off what there is to say.
  const standing = JSON.stringify(props.standing)

  useEffect(
    function tell() {
      if (loading) return
      const now: Standing = JSON.parse(standing)
      const before = said.current
      if (!before) {
        said.current = now
        return
      }
      due.current ||= Date.now() + PATIENCE
      const timer = setTimeout(
        () => {
          due.current = 0
          said.current = now
          const text = news(before, now, labels, verbosity)
          if (text) setMessage(({ turn }) => ({ text, turn: turn + 1 }))
        },
        Math.min(GATHER, due.current - Date.now()),
      )
      return () => clearTimeout(timer)
    },
    [standing, labels, verbosity, loading],
  )

  return (
    <div className="todo-panel-sr" role="status">
      {/* Another element, or the same sentence would not be heard a second time. */}
      <span key={message.turn}>{message.text}</span>
    </div>
  )
}
