import { type ReactElement, useMemo } from 'react'
import { TodoAgentProvider } from 'use-todo-agent'
import { useModel } from '../playground/useModel.ts'
import { tools } from '../tools/tools.ts'
import { Chat } from './SecondSample.tsx'
import { type AnsweredBy, choiceOf } from './serverChoice.ts'
import './chatUis.css'

/** The second sample of the README, as it stands there. Its tools come from around it. */
export function HandMadePage({ port, speed }: AnsweredBy): ReactElement {
  const { model } = useModel(useMemo(() => choiceOf({ port, speed }), [port, speed]))
  return (
    <div className="cu-plain">
      <TodoAgentProvider tools={tools}>
        <Chat sessionId="hand-made" model={model} />
      </TodoAgentProvider>
    </div>
  )
}
