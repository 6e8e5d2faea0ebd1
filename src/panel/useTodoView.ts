import { useMemo, useSyncExternalStore } from 'react'
import { emptyView, type TodoSource, type TodoView } from '../core/todo.ts'
import { type TodoPanelData, toView } from './panelState.ts'

/** Either a session, or plain values. */
export type TodoPanelSource =
  | ({ session: TodoSource } & { readonly [Field in keyof TodoPanelData]?: undefined })
  | ({ session?: undefined } & TodoPanelData)

/**
 * The view of a session, live, the same object until something that a panel shows has changed; or that of
 * plain values.
 */
export function useTodoView(source: TodoPanelSource): TodoView {
  const { session } = source
  const reader = useMemo(() => (session ? readSession(session) : readNothing), [session])
  const live = useSyncExternalStore(reader.subscribe, reader.read, reader.readInitial)
  return session ? live : toView(source)
}

/**
 * All that a panel shows besides the draft. A change of anything else, such as each token of text, renders
 * nothing.
 */
const fields = [
  'todos',
  'mode',
  'run',
  'persistence',
  'persistenceDetail',
  'driver',
  'controls',
  'reasons',
] as const

function isSame(one: TodoView, other: TodoView): boolean {
  return fields.every((field) => shownOf(one, field) === shownOf(other, field))
}

// A panel has no word for a write that is under way, and one is at every step and every second of text.
function shownOf(view: TodoView, field: (typeof fields)[number]): unknown {
  return view[field] === 'saving' ? 'saved' : view[field]
}

function readSession({ store }: TodoSource) {
  if (!store)
    throw new TypeError('`session` of a panel must be a session: `agent.session`, or that of useTodoSession.')
  let last = store.getInitialState()
  return {
    subscribe(listener: () => void): () => void {
      let frame = 0
      const unsubscribe = store.subscribe((state, previous) => {
        if (!isSame(state, previous)) listener()
        // Thousands of deltas in a frame are one render. Whoever renders for another reason reads the newest
        // draft, so list and draft never disagree.
        else if (state.draft !== previous.draft) {
          frame ||= requestAnimationFrame(() => {
            frame = 0
            listener()
          })
        }
      })
      return () => {
        cancelAnimationFrame(frame)
        unsubscribe()
      }
    },
    read(): TodoView {
      const state = store.getState()
      if (state.draft !== last.draft || !isSame(state, last)) {
        last = state.persistence === 'saving' ? { ...state, persistence: 'saved' } : state
      }
      return last
    },
    readInitial: (): TodoView => store.getInitialState(),
  }
}

const readNothing: ReturnType<typeof readSession> = {
  subscribe: () => () => {},
  read: () => emptyView,
  readInitial: () => emptyView,
}
