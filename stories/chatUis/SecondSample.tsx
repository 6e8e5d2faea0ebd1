import type { LanguageModel, UIMessage } from 'ai'
import { type ReactElement, useState } from 'react'
import { TodoPanel, useTodoAgent } from 'use-todo-agent'
import 'use-todo-agent/styles.css'

export function Chat({ sessionId, model }: { sessionId: string; model: LanguageModel }): ReactElement {
  const agent = useTodoAgent({ sessionId, model, whileRunning: 'steer' })
  const [text, setText] = useState('')
  const isRunning = agent.run.status === 'running'

  function send() {
    if (text.trim() === '') return
    setText('')
    // It is refused while another tab runs the session: the words go back into the field.
    agent.send(text).catch(() => setText(text))
  }

  return (
    <main>
      <TodoPanel session={agent.session} />
      {agent.messages.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      {agent.queued.map((message) => (
        <div key={message.id}>
          <Message message={message} />
          <button type="button" onClick={() => agent.withdraw(message.id)}>
            Withdraw
          </button>
        </div>
      ))}
      {agent.error && !isRunning && <p role="alert">{agent.error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button type="submit">Send</button>
        {isRunning && (
          <button type="button" onClick={() => void agent.stop()}>
            Stop
          </button>
        )}
      </form>
    </main>
  )
}

function Message({ message }: { message: UIMessage }): ReactElement {
  return (
    <article aria-label={message.role === 'user' ? 'You' : 'Agent'}>
      {message.parts.map((part, index) => {
        const key = `${part.type} ${index}`
        if (part.type === 'text') return <p key={key}>{part.text}</p>
        // What you said while it worked stands where it came in.
        if (part.type === 'steering-message') {
          return <Message key={key} message={{ ...message, role: 'user', parts: part.parts }} />
        }
        return null
      })}
    </article>
  )
}
