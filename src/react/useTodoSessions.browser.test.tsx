import { MutationCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, useRef } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { addTodos } from '../core/list.ts'
import { indexedDbStorage } from '../session/indexedDb.ts'
import type { SessionData } from '../session/record.ts'
import { getTodoSession } from '../session/registry.ts'
import { memoryStorage, type SessionStorage } from '../session/storage.ts'
import { faultyStorage } from '../testing/faultyStorage.ts'
import { TodoAgentProvider } from './TodoAgentProvider.tsx'
import { type TodoSessions, type UseTodoSessionsOptions, useTodoSessions } from './useTodoSessions.ts'

const add = (title: string) => (data: SessionData) => ({
  ...data,
  list: addTodos(data.list, [{ title }], 1).list,
})

async function save(storage: SessionStorage, ...titles: readonly string[]) {
  for (const title of titles) {
    await getTodoSession(title.toLowerCase(), { storage }).commit((data) => ({ ...add('A')(data), title }))
    // Times order the list, and are in ms.
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

let api: TodoSessions

function List(options: UseTodoSessionsOptions & { label?: string }) {
  const { label = 'saved', ...rest } = options
  const renders = useRef(0)
  renders.current += 1
  api = useTodoSessions(rest)
  return (
    <p data-testid={label} data-renders={renders.current}>
      {api.status} {api.sessions.map(({ title, id }) => title ?? id).join(', ')} {api.error?.code}
    </p>
  )
}

const shown = (label = 'saved') => expect.element(page.getByTestId(label))
let storage: SessionStorage

beforeEach(() => {
  storage = memoryStorage()
})

describe('the list', () => {
  test('is read without a QueryClientProvider, newest first', async () => {
    await save(storage, 'One', 'Two')
    await render(
      <StrictMode>
        <List storage={storage} />
      </StrictMode>,
    )
    await shown().toHaveTextContent('success Two, One')
  })

  test('takes the storage of the TodoAgentProvider', async () => {
    await save(storage, 'One')
    await render(
      <TodoAgentProvider storage={storage}>
        <List />
      </TodoAgentProvider>,
    )
    await shown().toHaveTextContent('success One')
  })

  test('lives in the QueryClient of the host, and in the given one before that', async () => {
    await save(storage, 'One')
    const [host, given] = [new QueryClient(), new QueryClient()]
    await render(
      <QueryClientProvider client={host}>
        <List storage={storage} />
        <List storage={storage} queryClient={given} label="given" />
      </QueryClientProvider>,
    )
    await shown().toHaveTextContent('success One')
    await shown('given').toHaveTextContent('success One')
    const queries = (client: QueryClient) => client.getQueryCache().getAll().length
    expect([queries(host), queries(given)]).toEqual([1, 1])
  })

  test('is read once for several components, and does not render for what it does not show', async () => {
    const faulty = faultyStorage(storage)
    await save(faulty, 'One', 'Two')
    await render(
      <>
        <List storage={faulty} />
        <List storage={faulty} label="second" />
      </>,
    )
    await shown('second').toHaveTextContent('success Two, One')
    const lists = () => faulty.calls.filter(({ method }) => method === 'list').length
    expect(lists()).toBe(1)
    await getTodoSession('one', { storage: faulty }).commit((data) => ({ ...data, title: 'First' }))
    await shown().toHaveTextContent('success First, Two')
    expect(lists()).toBe(1)
    expect(Number(page.getByTestId('saved').element().getAttribute('data-renders'))).toBeLessThanOrEqual(8)
  })

  test('two storages in one client are two lists', async () => {
    const other = memoryStorage()
    await save(storage, 'One')
    await save(other, 'Other')
    const client = new QueryClient()
    await render(
      <>
        <List storage={storage} queryClient={client} />
        <List storage={other} queryClient={client} label="other" />
      </>,
    )
    await shown().toHaveTextContent('success One')
    await shown('other').toHaveTextContent('success Other')
  })

  test('keeps what was read when reading fails, says so, and recovers', async () => {
    const faulty = faultyStorage(storage)
    await save(faulty, 'One')
    await render(<List storage={faulty} />)
    await shown().toHaveTextContent('success One')
    faulty.setPlan(() => ({ error: 'UnknownError' }))
    await api.refetch()
    await shown().toHaveTextContent('error One storage_failed')
    faulty.setPlan(() => null)
    await api.refetch()
    await shown().toHaveTextContent('success One')
  })

  test('heeds no default of the host that is made for servers', async () => {
    const client = new QueryClient({
      defaultOptions: {
        queries: {
          enabled: false,
          staleTime: Number.POSITIVE_INFINITY,
          throwOnError: true,
          networkMode: 'online',
        },
        mutations: { networkMode: 'online', retry: 3 },
      },
    })
    const faulty = faultyStorage(storage, () => ({ error: 'UnknownError' }))
    await render(<List storage={faulty} queryClient={client} />)
    await shown().toHaveTextContent('error storage_failed')
    const before = faulty.calls.length
    await expect(api.rename('one', 'First')).rejects.toMatchObject({ code: 'storage_failed' })
    expect(faulty.calls.slice(before).filter(({ id }) => id === 'one')).toHaveLength(1)
  })
})

describe('offline (g50)', () => {
  const onLine = vi.spyOn(navigator, 'onLine', 'get')
  beforeEach(() => {
    onLine.mockReturnValue(false)
    window.dispatchEvent(new Event('offline'))
  })
  afterEach(() => {
    onLine.mockRestore()
    window.dispatchEvent(new Event('online'))
  })

  test('the list is read and everything can be done', async () => {
    await save(storage, 'One', 'Two')
    await render(<List storage={storage} />)
    await shown().toHaveTextContent('success Two, One')
    await api.rename('one', 'First')
    await shown().toHaveTextContent('success First, Two')
    await api.remove('two')
    await shown().toHaveTextContent('success First')
  })
})

describe('the functions', () => {
  test('do what they say, and keep their identity', async () => {
    await save(storage, 'One', 'Two')
    await render(<List storage={storage} />)
    await shown().toHaveTextContent('success Two, One')
    const { sessions: _, status: __, error: ___, ...before } = api
    await api.rename('one', 'First')
    await shown().toHaveTextContent('First, Two')
    const copy = await api.duplicate('two', { title: 'Two (copy)' })
    await shown().toHaveTextContent('Two (copy), First, Two')
    expect(api.sessions[0]).toMatchObject({ id: copy, total: 1 })
    await api.remove('two')
    await shown().toHaveTextContent(/^success Two \(copy\), First$/)
    const file = await api.exportSession(copy)
    await api.removeAll()
    await shown().toHaveTextContent(/^success$/)
    expect(await api.importSession(JSON.stringify(file), { id: 'back' })).toEqual({
      id: 'back',
      problems: [],
    })
    await shown().toHaveTextContent('success Two (copy)')
    expect(api).toMatchObject(before)
  })

  test('reject with what went wrong, and leave the list as it is', async () => {
    await save(storage, 'One')
    await render(<List storage={storage} />)
    await shown().toHaveTextContent('success One')
    await expect(api.importSession('{}')).rejects.toMatchObject({ code: 'invalid_import', path: 'format' })
    await expect(api.rename('absent', 'X')).rejects.toMatchObject({ code: 'unknown_session' })
    await expect(api.duplicate('absent')).rejects.toMatchObject({ code: 'unknown_session' })
    await shown().toHaveTextContent('success One')
  })

  test('go on when the component is gone, and are mutations of the client (g51)', async () => {
    await save(storage, 'One')
    const settled = vi.fn()
    const client = new QueryClient({ mutationCache: new MutationCache({ onSettled: settled }) })
    const slow = faultyStorage(storage, ({ method }) => (method === 'write' ? { delay: 100 } : null))
    const view = await render(<List storage={slow} queryClient={client} />)
    await shown().toHaveTextContent('success One')
    const renamed = api.rename('one', 'First')
    expect(client.isMutating()).toBe(1)
    await view.unmount()
    await renamed
    expect(settled).toHaveBeenCalledOnce()
    await render(<List storage={slow} queryClient={client} />)
    await shown().toHaveTextContent('success First')
  })
})

test('shows what another tab does', async () => {
  const databaseName = `sessions-${crypto.randomUUID()}`
  const here = indexedDbStorage({ databaseName })
  const there = indexedDbStorage({ databaseName })
  await save(there, 'One')
  await render(<List storage={here} />)
  await shown().toHaveTextContent('success One')
  await save(there, 'Two')
  await shown().toHaveTextContent('success Two, One')
  await getTodoSession('one', { storage: there }).delete()
  await expect.element(page.getByTestId('saved')).toHaveTextContent(/^success Two$/)
  indexedDB.deleteDatabase(databaseName)
})
