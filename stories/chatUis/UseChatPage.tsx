import { useChat } from '@ai-sdk/react'
import { type FileUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { type ReactElement, useMemo, useRef, useState } from 'react'
import { TodoChatTransport, type TodoDataParts, TodoPanel, useTodoChat } from 'use-todo-agent'
import { Composer } from '../playground/Composer.tsx'
import { Log } from '../playground/Log.tsx'
import { Message } from '../playground/Message.tsx'
import { useMediaQuery } from '../playground/useMediaQuery.ts'
import { useModel } from '../playground/useModel.ts'
import { tools } from '../tools/tools.ts'
import { type AnsweredBy, choiceOf } from './serverChoice.ts'
import '../playground/playground.css'
import './chatUis.css'

/** The host's own: when a message was sent and whether the answer was good, and the page it was sent from. */
type HostMessage = UIMessage<
  { readonly sentAt?: number; readonly useful?: boolean },
  TodoDataParts & { page: { readonly title: string } }
>

const chats = ['Chat 1', 'Chat 2']
const askingTools = { ...tools, calculate: { ...tools.calculate, needsApproval: true } }

/** Several chats of the AI SDK's `useChat`, each with its list. */
export function UseChatPage(answeredBy: AnsweredBy): ReactElement {
  const [name, setName] = useState('Chat 1')
  return (
    <div className="pg">
      <header className="pg-header">
        <h1>useChat</h1>
        <nav className="cu-chats" aria-label="Chats">
          {chats.map((chat) => (
            <button
              key={chat}
              type="button"
              className="pg-secondary"
              aria-current={chat === name ? 'page' : undefined}
              onClick={() => setName(chat)}
            >
              {chat}
            </button>
          ))}
        </nav>
      </header>
      <main className="pg-main">
        <OneChat key={name} id={`use-chat ${name}`} {...answeredBy} />
      </main>
    </div>
  )
}

function OneChat({ id, port, speed }: AnsweredBy & { readonly id: string }): ReactElement {
  const { model, reason } = useModel(useMemo(() => choiceOf({ port, speed }), [port, speed]))
  const transport = useMemo(() => new TodoChatTransport<HostMessage>({ model, tools: askingTools }), [model])
  const chat = useChat<HostMessage>({
    id,
    transport,
    experimental_queue: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const session = useTodoChat(chat, transport)

  const [text, setText] = useState('')
  const [files, setFiles] = useState<readonly FileUIPart[]>([])
  const [edited, setEdited] = useState<string | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const isNarrow = useMediaQuery('(max-width: 819px)')
  const isRunning = chat.status === 'submitted' || chat.status === 'streaming'
  const last = chat.messages.at(-1)

  function send(words: string) {
    void chat.sendMessage({
      role: 'user',
      metadata: { sentAt: Date.now() },
      parts: [
        { type: 'data-page', data: { title: document.title } },
        ...files,
        { type: 'text', text: words },
      ],
      ...(edited === null ? {} : { messageId: edited }),
    })
    setText('')
    setFiles([])
    setEdited(null)
  }

  function edit(message: HostMessage) {
    setEdited(message.id)
    setText(message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
    field.current?.focus()
  }

  function markUseful(id: string) {
    const marked = chat.messages.map((message) =>
      message.id === id ? { ...message, metadata: { ...message.metadata, useful: true } } : message,
    )
    chat.setMessages(marked)
    void session.saveMessages(marked as UIMessage[])
  }

  return (
    <div className="pg-chat" data-compact={isNarrow || undefined}>
      <Log label="Conversation">
        {chat.messages.map((message) => (
          <Message
            key={message.id}
            message={message as UIMessage}
            live={isRunning && message === last}
            approve={chat.addToolApprovalResponse}
          >
            <Marks message={message} />
            {!isRunning && message.role === 'user' && (
              <button type="button" className="pg-quiet" onClick={() => edit(message)}>
                Edit
              </button>
            )}
            {!isRunning && message.role === 'assistant' && message === last && (
              <div className="cu-row">
                <button type="button" className="pg-quiet" onClick={() => void chat.regenerate()}>
                  Answer again
                </button>
                <button type="button" className="pg-quiet" onClick={() => markUseful(message.id)}>
                  Useful
                </button>
              </div>
            )}
          </Message>
        ))}
        {chat.experimental_queuedMessages.map((message) => (
          <Message
            key={message.id}
            message={message as UIMessage}
            waitsFor="end"
            onWithdraw={() => chat.experimental_removeQueuedMessage(message.id)}
            approve={chat.addToolApprovalResponse}
          />
        ))}
      </Log>
      <aside className="pg-side" aria-label="Progress">
        <TodoPanel session={session} variant={isNarrow ? 'bar' : 'card'} />
      </aside>
      <div className="pg-foot">
        {chat.error && (
          <p className="pg-status-line" role="alert" data-tone="bad">
            {chat.error.message}
          </p>
        )}
        <Composer
          text={text}
          onChange={setText}
          onSend={send}
          onStop={() => void chat.stop()}
          running={isRunning}
          blocked={reason}
          label={edited === null ? 'Message' : 'Message, edited'}
          field={field}
        />
        <label className="cu-attach">
          {files.length === 0 ? 'Attach a picture' : files.map(({ filename }) => filename).join(', ')}
          <input
            type="file"
            accept="image/*"
            onChange={(event) => void toParts(event.target.files).then(setFiles)}
          />
        </label>
      </div>
    </div>
  )
}

function Marks({ message: { metadata, parts } }: { readonly message: HostMessage }): ReactElement | null {
  const page = parts.find((part) => part.type === 'data-page')?.data.title
  const marks = [
    metadata?.sentAt !== undefined &&
      `Sent at ${new Date(metadata.sentAt).toLocaleTimeString([], { timeStyle: 'short' })}`,
    page && `from “${page}”`,
    metadata?.useful && 'Marked useful',
  ].filter(Boolean)
  return marks.length === 0 ? null : <p className="pg-aside">{marks.join(' ')}</p>
}

async function toParts(list: FileList | null): Promise<FileUIPart[]> {
  return Promise.all(
    [...(list ?? [])].map(async (file) => ({
      type: 'file' as const,
      mediaType: file.type,
      filename: file.name,
      url: await toDataURL(file),
    })),
  )
}

function toDataURL(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
