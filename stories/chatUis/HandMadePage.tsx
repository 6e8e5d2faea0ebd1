import { type ReactElement, useMemo } from 'react'
import { useModel } from '../playground/useModel.ts'
import { Chat } from './SecondSample.tsx'
import { type AnsweredBy, choiceOf } from './serverChoice.ts'
import './chatUis.css'

/** The second sample of the README, as it stands there. */
export function HandMadePage({ port, speed }: AnsweredBy): ReactElement {
  const { model } = useModel(useMemo(() => choiceOf({ port, speed }), [port, speed]))
  return (
    <div className="cu-plain">
      <Chat sessionId="hand-made" model={model} />
    </div>
  )
}
