import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'

const browserOnly = [
  'window',
  'document',
  'navigator',
  'indexedDB',
  'localStorage',
  'sessionStorage',
  'location',
  'BroadcastChannel',
  'requestAnimationFrame',
  'matchMedia',
  'addEventListener',
] as const

/** Calls `report` with who looks at a global that only a browser has. To look for it is to find none. */
function watchGlobals(report: (touched: string) => void): () => void {
  const before = browserOnly.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  for (const name of browserOnly) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        report(`${name} ${new Error('touched').stack?.split('\n')[2]?.trim()}`)
        return undefined
      },
    })
  }
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
    }
  }
}

test('importing every entry on a server touches no browser API', async () => {
  vi.resetModules()
  const touched: string[] = []
  const restore = watchGlobals((what) => touched.push(what))
  try {
    await import('../index.ts')
    await import('../core/index.ts')
    await import('../agent/index.ts')
    await import('../panel/index.ts')
    await import('../testing/index.ts')
  } finally {
    restore()
  }
  // React and zod look, with typeof, where they are.
  expect(touched.filter((what) => !what.includes('node_modules'))).toEqual([])
})

async function load() {
  const kit = await import('../index.ts')
  const { scriptedModel } = await import('../testing/index.ts')
  const model = scriptedModel(['Hello.'])
  function App({ sessionId, onAgent }: { sessionId: string; onAgent?: (agent: unknown) => void }) {
    const agent = kit.useTodoAgent({ sessionId, model })
    const { sessions, status } = kit.useTodoSessions()
    onAgent?.(agent.session)
    return (
      <main>
        <kit.TodoPanel session={agent.session} />
        {agent.status} {status} {sessions.length}
      </main>
    )
  }
  return { ...kit, App }
}

test('a server renders the empty panel, the same for each request', async () => {
  const { App } = await load()
  const first = renderToString(<App sessionId="s" />)
  expect(first).toContain('data-persistence="loading"')
  expect(first).toContain('loading<!-- --> <!-- -->pending<!-- --> <!-- -->0')
  expect(renderToString(<App sessionId="s" />)).toBe(first)
})

test('two requests share no session, and what one does is not in the other', async () => {
  const { App } = await load()
  const sessions: { setMessages(messages: readonly unknown[]): void; store: { getState(): unknown } }[] = []
  const before = renderToString(<App sessionId="s" onAgent={(session) => sessions.push(session as never)} />)
  sessions[0]?.setMessages([{ id: 'm', role: 'user', parts: [] }])
  const after = renderToString(<App sessionId="s" onAgent={(session) => sessions.push(session as never)} />)
  expect(sessions[0]).not.toBe(sessions[1])
  expect(sessions[1]?.store.getState()).toMatchObject({ messages: [], todos: [] })
  expect(after).toBe(before)
})
