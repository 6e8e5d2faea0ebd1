import type { UIMessage } from 'ai'
import type { TodoSession } from '../session/createTodoSession.ts'

/**
 * Brings a session in line with the transcript that a run is given. Where that leaves out or changes something that the session had (a
 * message was regenerated or edited, the person went back), list, ids, guard and mode go back to what they were at the last message that
 * both share.
 */
export async function syncTranscript(session: TodoSession, messages: readonly UIMessage[]): Promise<void> {
  const saved = await session.savedMessages()
  const split = saved.findIndex((message, index) => !isSame(message, messages[index]))
  if (split === -1) return
  await session.rewind(split === 0 ? null : (messages[split - 1]?.id ?? null), { messages: [...messages] })
}

// What the agent wrote keeps its id while it grows; what the person wrote is another message once its text is.
function isSame(one: UIMessage, two: UIMessage | undefined): boolean {
  return (
    two !== undefined &&
    one.id === two.id &&
    (one.role !== 'user' || one === two || JSON.stringify(one.parts) === JSON.stringify(two.parts))
  )
}
