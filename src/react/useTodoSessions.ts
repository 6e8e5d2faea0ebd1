import { QueryClient, QueryClientContext, useQuery } from '@tanstack/react-query'
import { useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import type { TodoAgentError } from '../core/errors.ts'
import { defaultStorage } from '../session/indexedDb.ts'
import { deleteAllSessions, deleteSession, renameSession } from '../session/registry.ts'
import { type SavedSession, sessionListOf } from '../session/sessionList.ts'
import type { SessionStorage } from '../session/storage.ts'
import {
  duplicateSession,
  type ExportedSession,
  exportSession,
  type ImportedSession,
  importSession,
} from '../session/transfer.ts'
import { useTodoAgentDefaults } from './TodoAgentProvider.tsx'

// TYPES

/** Options of {@link useTodoSessions}. */
export interface UseTodoSessionsOptions {
  /** @default that of the `TodoAgentProvider` around it, else the browser's IndexedDB */
  readonly storage?: SessionStorage
  /** @default that of the `QueryClientProvider` around it, else one of the kit's own */
  readonly queryClient?: QueryClient
}

/**
 * The saved sessions, and what can be done with them. The functions keep their identity. They work offline, go on when the component is gone,
 * and resolve when the list was read again. They reject with a `TodoAgentError`: `unknown_session`, `read_only`, `storage_failed`.
 */
export interface TodoSessions {
  /** The one changed last first. A session keeps its object until something of it has changed. Empty until the first read. */
  readonly sessions: readonly SavedSession[]
  /** `pending` until the first read; `error`: reading failed, and `sessions` is what was read before. */
  readonly status: 'pending' | 'success' | 'error'
  /** Code `storage_failed`; `null` while reading works. */
  readonly error: TodoAgentError | null
  /** Gives a session another title. */
  readonly rename: (id: string, title: string) => Promise<void>
  /** Deletes all of a session; a run of it is stopped first. */
  readonly remove: (id: string) => Promise<void>
  /** Deletes all sessions. */
  readonly removeAll: () => Promise<void>
  /** Saves a session a second time and resolves with the new id. */
  readonly duplicate: (id: string, options?: { readonly title?: string }) => Promise<string>
  /** A session as a plain JSON object. */
  readonly exportSession: (id: string) => Promise<ExportedSession>
  /** Saves an exported session, as text or parsed. Rejects with `invalid_import` and the `path` of what is wrong. */
  readonly importSession: (json: unknown, options?: { readonly id?: string }) => Promise<ImportedSession>
  /** Reads the list anew. It is kept up to date without that, across tabs too. */
  readonly refetch: () => Promise<void>
}

// HOOK

/**
 * The saved sessions of this browser, live: what a run, another component or another tab changes shows at once. With TanStack Query, in the
 * host's QueryClient where there is one. Only the records of sessions are read, no transcripts.
 *
 * @example
 * ```tsx
 * function History({ onOpen }) {
 *   const { sessions, remove } = useTodoSessions()
 *   return sessions.map(({ id, title, done, total, driver }) => (
 *     <li key={id}>
 *       <button onClick={() => onOpen(id)}>{title ?? 'Untitled'}, {done} of {total}</button>
 *       {driver === 'other' && 'running in another tab'}
 *       <button onClick={() => remove(id)}>Delete</button>
 *     </li>
 *   ))
 * }
 * ```
 */
export function useTodoSessions(options: UseTodoSessionsOptions = {}): TodoSessions {
  const defaults = useTodoAgentDefaults()
  const storage = options.storage ?? defaults.storage ?? defaultStorage()
  // Not useQueryClient: without a provider it throws.
  const around = useContext(QueryClientContext)
  const client = useMemo(
    () => options.queryClient ?? around ?? ownQueryClient(),
    [options.queryClient, around],
  )
  const actions = useMemo(() => createActions(client, storage), [client, storage])
  useEffect(
    function followChanges() {
      return follow(client, storage)
    },
    [client, storage],
  )
  const query = useQuery<readonly SavedSession[], TodoAgentError>(
    {
      queryKey: keyOf(storage),
      queryFn: () => sessionListOf(storage).read(),
      // All said here, since the host's defaults are made for servers.
      networkMode: 'always',
      retry: false,
      staleTime: 0,
      refetchOnMount: 'always',
      refetchOnWindowFocus: true,
      refetchOnReconnect: false,
      refetchInterval: false,
      structuralSharing: false,
      throwOnError: false,
      enabled: true,
    },
    client,
  )
  // What another part of the page has read already must not show in a markup that is being hydrated.
  const hydrated = useSyncExternalStore(never, yes, no)
  const { data, status, error } = query
  return {
    sessions: (hydrated ? data : undefined) ?? none,
    status: hydrated ? status : 'pending',
    error: hydrated ? error : null,
    ...actions,
  }
}

// CLIENT

let own: QueryClient | undefined

/** One per page, so that all lists of it share what they read; on a server one per call, so that requests share nothing. */
function ownQueryClient(): QueryClient {
  if (typeof document === 'undefined') return new QueryClient()
  own ??= new QueryClient()
  return own
}

const keys = new WeakMap<SessionStorage, readonly unknown[]>()
let storages = 0

function keyOf(storage: SessionStorage): readonly unknown[] {
  let key = keys.get(storage)
  if (!key) {
    storages += 1
    key = ['use-todo-agent', 'sessions', storage.scope ?? 'storage', storages]
    keys.set(storage, key)
  }
  return key
}

const follows = new WeakMap<QueryClient, Map<SessionStorage, { count: number; stop: () => void }>>()

/** Reads the list again when it has changed: once per client and storage, however many components show it. */
function follow(client: QueryClient, storage: SessionStorage): () => void {
  const followed = follows.get(client) ?? new Map<SessionStorage, { count: number; stop: () => void }>()
  follows.set(client, followed)
  const entry = followed.get(storage) ?? { count: 0, stop: start(client, storage) }
  followed.set(storage, entry)
  entry.count += 1
  return () => {
    entry.count -= 1
    if (entry.count > 0) return
    followed.delete(storage)
    entry.stop()
  }
}

function start(client: QueryClient, storage: SessionStorage): () => void {
  const unwatch = sessionListOf(storage).watch(() => void invalidate(client, storage))
  if (client !== own) return unwatch
  // A provider does this for the host's: without it nothing is read anew when the window gets the focus.
  client.mount()
  return () => {
    unwatch()
    client.unmount()
  }
}

function invalidate(client: QueryClient, storage: SessionStorage): Promise<void> {
  return client.invalidateQueries({ queryKey: keyOf(storage), exact: true })
}

// ACTIONS

type Actions = Omit<TodoSessions, 'sessions' | 'status' | 'error'>

function createActions(client: QueryClient, storage: SessionStorage): Actions {
  /** A mutation of the client that no component owns, so that an unmount takes nothing from it. */
  function mutate<Result>(name: string, mutationFn: () => Promise<Result>): Promise<Result> {
    const mutation = client.getMutationCache().build<Result, Error, void, unknown>(client, {
      mutationKey: [...keyOf(storage), name],
      mutationFn,
      networkMode: 'always',
      retry: false,
      onSettled: () => invalidate(client, storage),
    })
    return mutation.execute()
  }
  return {
    rename: (id, title) => mutate('rename', () => renameSession(id, title, storage)),
    remove: (id) => mutate('remove', () => deleteSession(id, storage)),
    removeAll: () => mutate('removeAll', () => deleteAllSessions(storage)),
    duplicate: (id, options) => mutate('duplicate', () => duplicateSession(id, storage, options)),
    exportSession: (id) => exportSession(id, storage),
    importSession: (json, options) => mutate('importSession', () => importSession(json, storage, options)),
    refetch: () => invalidate(client, storage),
  }
}

// HELPERS

const none: readonly SavedSession[] = Object.freeze([])
const never = () => () => {}
const yes = () => true
const no = () => false
