import { type ReactElement, useEffect, useRef, useState } from 'react'

/** ms without news before the news is told: what happens in quick succession is one sentence. */
const GATHER = 1000

/**
 * The one live region of a panel. Says a short sentence when the list moved on, a run ended, or a save
 * failed; never what was there before the panel was mounted or the session was read from storage.
 *
 * @param standing how the list stands or how its run ended, in words
 * @param saving what is wrong with saving, in words
 */
export function Announcer(props: { standing: string; saving: string; loading: boolean }): ReactElement {
  const { standing, saving, loading } = props
  const [message, setMessage] = useState('')
  const said = useRef<readonly string[] | null>(null)

  useEffect(
    function tell() {
      if (loading) return
      const now = [standing, saving]
      const before = said.current
      if (!before) {
        said.current = now
        return
      }
      const timer = setTimeout(() => {
        said.current = now
        const news = now.filter((text, index) => text && text !== before[index])
        if (news.length > 0) setMessage(news.join('. '))
      }, GATHER)
      return () => clearTimeout(timer)
    },
    [standing, saving, loading],
  )

  return (
    <div className="todo-panel-sr" role="status">
      {message}
    </div>
  )
}
