import type { ReactElement } from 'react'
import type { SyntheticMessage } from 'use-todo-agent/core'

const words: Record<SyntheticMessage['source'], string> = {
  todo_guard: 'The kit asked the model to continue',
  todo_blocked: 'The kit asked the model to say why it could not finish',
  todo_stale_reminder: 'The kit reminded the model of its list',
  todo_validation_error: 'The kit told the model what was wrong with its list',
  todo_parallel_error: 'The kit told the model to write its list once per step',
  empty_response: 'The kit asked again, since the answer was empty',
  mode_change: 'The kit told the model that you changed the mode',
  loop_feedback: 'The kit started another round for what is open',
  resume: 'The kit told the model to go on where it was',
}

/** A message that the kit wrote to the model: a quiet line, and on demand what it says. */
export function SyntheticNote({ data }: { data: unknown }): ReactElement {
  const { source, text } = data as SyntheticMessage
  return (
    <details className="pg-note" data-source={source}>
      <summary>{words[source] ?? 'The kit wrote to the model'}</summary>
      <p>{text}</p>
    </details>
  )
}
