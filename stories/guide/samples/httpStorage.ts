import type { SessionStorage } from 'use-todo-agent'

export function httpStorage(url: string): SessionStorage {
  async function ask(method: string, args: readonly unknown[], signal?: AbortSignal) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ method, args }),
      ...(signal ? { signal } : {}),
    })
    if (!response.ok) throw new Error(`${url} answered ${response.status}.`)
    return (await response.json()).result
  }

  return {
    scope: url,
    read: (id) => ask('read', [id]),
    readMessages: (id) => ask('readMessages', [id]),
    readHistory: (id) => ask('readHistory', [id]),
    write: (record, expected, { signal, ...writes } = {}) => ask('write', [record, expected, writes], signal),
    setAside: (id, revision, at) => ask('setAside', [id, revision, at]),
    list: () => ask('list', []),
    delete: (id) => ask('delete', [id]),
  }
}
