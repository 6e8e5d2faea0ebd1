import { useChat } from '@ai-sdk/react'
import { type LanguageModel, lastAssistantMessageIsCompleteWithApprovalResponses, type ToolSet } from 'ai'
import { useState } from 'react'
import { TodoChatTransport, TodoPanel, useTodoChat } from 'use-todo-agent'
import 'use-todo-agent/styles.css'

export function ChatPanel({ id, model, tools }: { id: string; model: LanguageModel; tools: ToolSet }) {
  const [transport] = useState(() => new TodoChatTransport({ model, tools }))
  const chat = useChat({
    id,
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const session = useTodoChat(chat, transport)
  return (
    <>
      <TodoPanel session={session} />
      <button type="button" onClick={() => chat.sendMessage({ text: 'Compare the three offers' })}>
        Compare
      </button>
    </>
  )
}
