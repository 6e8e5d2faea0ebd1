import { useChat } from '@ai-sdk/react'
import { useAISDKRuntime } from '@assistant-ui/ai-sdk'
import { AssistantRuntimeProvider } from '@assistant-ui/react'
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { type ReactElement, useEffect, useMemo, useState } from 'react'
import { TodoChatTransport, TodoPanel, useTodoChat, useTodoSessions } from 'use-todo-agent'
import { useMediaQuery } from '../playground/useMediaQuery.ts'
import { useModel } from '../playground/useModel.ts'
import { tools } from '../tools/tools.ts'
import { Thread, Threads } from './AssistantUiThread.tsx'
import { type AnsweredBy, choiceOf } from './serverChoice.ts'
import '../playground/playground.css'
import './chatUis.css'

const prefix = 'assistant-ui '
const openKey = 'assistant-ui-open'
const newId = () => prefix + crypto.randomUUID()

/** A thread of assistant-ui for each session: its list in the transcript as a tool of the model, and live beside it. */
export function AssistantUiPage({ port, speed }: AnsweredBy): ReactElement {
  const [id, setId] = useState(() => localStorage.getItem(openKey) ?? newId())
  const { model } = useModel(useMemo(() => choiceOf({ port, speed }), [port, speed]))
  const transport = useMemo(() => new TodoChatTransport({ model, tools }), [model])
  const chat = useChat({
    id,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const session = useTodoChat(chat, transport)
  const { sessions, remove } = useTodoSessions()
  const isNarrow = useMediaQuery('(max-width: 819px)')

  useEffect(
    function keepOpen() {
      localStorage.setItem(openKey, id)
    },
    [id],
  )

  const saved = sessions.filter((one) => one.id.startsWith(prefix))
  const threads = saved.map((one) => ({
    id: one.id,
    status: 'regular' as const,
    title: one.title ?? 'Untitled',
  }))
  const runtime = useAISDKRuntime(chat, {
    adapters: {
      threadList: {
        threadId: id,
        threads,
        onSwitchToNewThread: () => setId(newId()),
        onSwitchToThread: setId,
        onDelete: remove,
      },
    },
  })

  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <div className="pg cu-aui">
        <header className="pg-header">
          <h1>assistant-ui</h1>
        </header>
        <main className="pg-main cu-aui-main">
          <Threads />
          <Thread>{isNarrow && <TodoPanel session={session} variant="bar" />}</Thread>
          {!isNarrow && (
            <aside className="cu-aui-side" aria-label="Progress">
              <TodoPanel session={session} />
            </aside>
          )}
        </main>
      </div>
    </AssistantRuntimeProvider>
  )
}
