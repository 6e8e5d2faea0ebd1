import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Todo, TodoRequest } from '../../core/todo.ts'

/** ms after the end of a run until its unanswered requests are let go: the next run may begin at once. */
const PATIENCE = 1000

interface Waiting {
  readonly request: TodoRequest
  /** The list at the time. */
  readonly before: readonly Todo[]
}

export interface Requests {
  /** What the person asked for and the list does not show yet, one for each item. */
  readonly waiting: readonly TodoRequest[]
  /** The same function at all times, so that no row renders for it. */
  readonly ask: (request: TodoRequest) => void
}

/**
 * What the person asked for. It changes nothing of the list: it waits until the model has changed the item, or
 * a run that began with it or after it has ended.
 */
export function useRequests(
  todos: readonly Todo[],
  running: boolean,
  send: ((request: TodoRequest) => void) | undefined,
): Requests {
  const [asked, setAsked] = useState<readonly Waiting[]>([])
  // The same array as long as it is the same, since each row looks into it.
  const waiting = useMemo(
    () => asked.filter((it) => isOpen(it, todos)).map((it) => it.request),
    [asked, todos],
  )
  const latest = useRef({ todos, send })
  useEffect(() => {
    latest.current = { todos, send }
  })

  const ask = useCallback((request: TodoRequest) => {
    latest.current.send?.(request)
    const next = { request, before: latest.current.todos }
    setAsked((all) => [...all.filter((it) => idOf(it.request) !== idOf(request) || !idOf(request)), next])
  }, [])

  const ran = useRef(false)
  const answered = asked.length > 0 && waiting.length === 0
  useEffect(
    function letGo() {
      if (answered) setAsked([])
      if (running) ran.current = asked.length > 0
      if (running || !ran.current) return
      const timer = setTimeout(() => {
        ran.current = false
        setAsked([])
      }, PATIENCE)
      return () => clearTimeout(timer)
    },
    [answered, running, asked],
  )
  return { waiting, ask }
}

/** The item that a request is about, `undefined` for a new one. */
export function idOf(request: TodoRequest): number | undefined {
  return request.type === 'add' ? undefined : request.id
}

function isOpen({ request, before }: Waiting, todos: readonly Todo[]): boolean {
  const id = idOf(request)
  if (id === undefined) {
    const known = new Set(before.map((todo) => todo.id))
    return todos.every((todo) => known.has(todo.id))
  }
  const was = before.find((todo) => todo.id === id)
  const is = todos.find((todo) => todo.id === id)
  return !!is && is.content === was?.content && is.status === was.status
}
