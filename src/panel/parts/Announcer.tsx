import { type ReactElement, useEffect, useRef, useState } from 'react'
import type { TodoPanelLabels } from '../labels.ts'
import { news, type Standing, type TodoPanelVerbosity } from '../panelState.ts'

/** ms without news before the news is told: what happens in quick succession is one sentence. */
const GATHER = 1000

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
  const [message, setMessage] = useState('')
  const said = useRef<Standing | null>(null)
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
      const timer = setTimeout(() => {
        said.current = now
        const sentence = news(before, now, labels, verbosity)
        if (sentence) setMessage(sentence)
      }, GATHER)
      return () => clearTimeout(timer)
    },
    [standing, labels, verbosity, loading],
  )

  return (
    <div className="todo-panel-sr" role="status">
      {message}
    </div>
  )
}
