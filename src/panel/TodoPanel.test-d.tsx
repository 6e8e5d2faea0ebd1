import type { TodoSource, TodoView } from '../core/todo.ts'
import { TodoPanel } from './TodoPanel.tsx'

declare const session: TodoSource<TodoView & { readonly messages: readonly string[] }>

export const ofSession = <TodoPanel session={session} data-testid="mine" onClick={() => {}} />
export const ofValues = (
  <TodoPanel todos={[{ id: 'a', content: 'Read', status: 'pending' }]} run={{ outcome: 'stopped' }} />
)
export const withoutApproval = <TodoPanel session={session} controls={{ approvePlan: undefined }} />

// @ts-expect-error either a session or todos
export const ofBoth = <TodoPanel session={session} todos={[]} />

// @ts-expect-error one of them
export const ofNothing = <TodoPanel />

// @ts-expect-error its children are its parts
export const withChildren = <TodoPanel session={session}>text</TodoPanel>
