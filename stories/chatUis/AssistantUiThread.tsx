import {
  ActionBarPrimitive,
  ComposerPrimitive,
  type DataMessagePartProps,
  MessagePrimitive,
  ThreadListItemPrimitive,
  ThreadListPrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from '@assistant-ui/react'
import type { ReactElement, ReactNode } from 'react'
import { type Todo, TodoPanel } from 'use-todo-agent'
import { SyntheticNote } from '../playground/SyntheticNote.tsx'

/** The saved threads, and a way to begin another. */
export function Threads(): ReactElement {
  return (
    <nav className="cu-threads" aria-label="Threads">
      <ThreadListPrimitive.Root>
        <ThreadListPrimitive.New className="pg-secondary">New thread</ThreadListPrimitive.New>
        <ThreadListPrimitive.Items components={{ ThreadListItem }} />
      </ThreadListPrimitive.Root>
    </nav>
  )
}

function ThreadListItem(): ReactElement {
  return (
    <ThreadListItemPrimitive.Root className="cu-thread">
      <ThreadListItemPrimitive.Trigger className="pg-quiet">
        <ThreadListItemPrimitive.Title fallback="New thread" />
      </ThreadListItemPrimitive.Trigger>
    </ThreadListItemPrimitive.Root>
  )
}

/** The open thread, made of assistant-ui's primitives as its own components are. `children` stand above the composer. */
export function Thread({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <ThreadPrimitive.Root className="cu-aui-thread">
      <ThreadPrimitive.Viewport
        className="pg-log cu-aui-log"
        role="log"
        aria-live="off"
        aria-label="Conversation"
      >
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
      </ThreadPrimitive.Viewport>
      {children}
      <ComposerPrimitive.Root className="pg-composer">
        <ComposerPrimitive.Input
          aria-label="Message"
          placeholder="Ask for something that takes several steps"
        />
        <div className="pg-composer-actions">
          <ThreadPrimitive.If running>
            <ComposerPrimitive.Cancel className="pg-secondary">Stop</ComposerPrimitive.Cancel>
          </ThreadPrimitive.If>
          <ThreadPrimitive.If running={false}>
            <ComposerPrimitive.Send className="pg-primary">Send</ComposerPrimitive.Send>
          </ThreadPrimitive.If>
        </div>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  )
}

function UserMessage(): ReactElement {
  return (
    <MessagePrimitive.Root className="pg-message" data-role="user" role="article" aria-label="You">
      <MessagePrimitive.Parts components={{ Text }} />
    </MessagePrimitive.Root>
  )
}

function AssistantMessage(): ReactElement {
  return (
    <MessagePrimitive.Root className="pg-message" data-role="assistant" role="article" aria-label="Agent">
      <MessagePrimitive.Parts
        components={{
          Text,
          data: { by_name: { synthetic: Synthetic } },
          tools: { by_name: { write_todos: ListThen }, Fallback: Tool },
        }}
      />
      <ActionBarPrimitive.Root hideWhenRunning autohide="not-last">
        <ActionBarPrimitive.Reload className="pg-quiet pg-again">Answer again</ActionBarPrimitive.Reload>
      </ActionBarPrimitive.Root>
      <MessagePrimitive.Error>
        <p className="pg-status-line" role="alert" data-tone="bad">
          The answer was cut short. The panel offers to go on.
        </p>
      </MessagePrimitive.Error>
    </MessagePrimitive.Root>
  )
}

function Text({ text }: { readonly text: string }): ReactElement | null {
  return text.trim() === '' ? null : (
    <p className="pg-text" dir="auto">
      {text}
    </p>
  )
}

/** The list as the model wrote it in this call. */
function ListThen({ result, isError }: ToolCallMessagePartProps): ReactElement | null {
  const { todos } = (result ?? {}) as { todos?: readonly Pick<Todo, 'id' | 'content' | 'status'>[] }
  return isError || !todos ? null : <TodoPanel variant="inline" todos={todos} />
}

function Tool({
  toolName,
  isError,
  result,
  approval,
  respondToApproval,
}: ToolCallMessagePartProps): ReactElement {
  const isOpen = approval !== undefined && approval.approved === undefined
  return (
    <p className="pg-aside">
      {`${toolName}: ${isOpen ? 'asks' : isError ? 'error' : result === undefined ? 'running' : 'ok'} `}
      {isOpen && (
        <>
          <button
            type="button"
            className="pg-primary"
            onClick={() => void respondToApproval({ approved: true })}
          >
            Approve
          </button>
          <button
            type="button"
            className="pg-secondary"
            onClick={() => void respondToApproval({ approved: false })}
          >
            Deny
          </button>
        </>
      )}
    </p>
  )
}

function Synthetic({ data }: DataMessagePartProps): ReactElement {
  return <SyntheticNote data={data} />
}
