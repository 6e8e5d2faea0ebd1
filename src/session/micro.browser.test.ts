import { createStore, promisifyRequest, set } from 'idb-keyval'
import { test } from 'vitest'
import { addTodos } from '../core/list.ts'
import { createTodoSession } from './createTodoSession.ts'
import { indexedDbStorage } from './indexedDb.ts'
import { createSync } from './sync.ts'

test('micro', async () => {
  const n = 20
  const st = createStore('micro3', 'records')
  const seed = (d: any) => ({ ...d, list: addTodos(d.list, Array.from({ length: n }, (_, i) => ({ title: `todo number ${i} with some text` })), 1).list })
  const change = (k: number) => (d: any) => {
    const todos = [...d.list.todos]
    todos[k % n] = { ...todos[k % n], status: k % 2 ? 'pending' : 'completed' }
    return { ...d, list: { ...d.list, todos } }
  }
  let last: any
  const inner = indexedDbStorage({ databaseName: 'micro-s3' })
  const s = createTodoSession({ id: 'b', storage: { ...inner, write: (r, e, w) => { last = r; return inner.write(r, e, w) } } })
  await s.commit(seed)
  for (let k = 0; k < 20; k++) await s.commit(change(k))
  const sync = createSync<any>({ id: 'b', storage: indexedDbStorage({ databaseName: 'micro-s5' }), now: Date.now, saveTimeout: 2000, retryDelays: [], historyLimit: 500, onUpdate() {}, onStored() {}, onAdopt() {}, onProblem() {} })
  await sync.start()
  const op = (change: any) => sync.submit({ change, at: Date.now(), cause: null, parent: null, changes: [] })
  await op(seed)
  const nul = createTodoSession({ id: 'b', storage: { ...inner, read: async () => undefined, readMessages: async () => [], write: async () => ({ written: true }) } })
  await nul.commit(seed)
  const direct = indexedDbStorage({ databaseName: 'micro-s4' })
  await direct.write({ ...last, revision: 1, writeIds: ['w0'] }, null)
  let rev = 1
  const kinds: Record<string, (k: number) => Promise<unknown>> = {
    bare: () => set(['session', 'x'], last, st),
    getheadput: () => st('readwrite', (s) => { s.get(['head', 'x']); s.put({ revision: 5, w: ['dssdfsdf.1'] }, ['head', 'x']);s.put(last, ['session', 'x']); return promisifyRequest(s.transaction) }),
    getheadputcommit: () => st('readwrite', (s) => { s.get(['head', 'x']).onsuccess = () => s.transaction.commit(); s.put({ revision: 5, w: ['dssdfsdf.1'] }, ['head', 'x']);s.put(last, ['session', 'x']); return promisifyRequest(s.transaction) }),
    direct: () => { const w = rev; rev++; return direct.write({ ...last, revision: rev, writeIds: ['w' + (w - 1), 'w' + w] }, w, {}) },
    commit: (k) => s.commit(change(k)),
    directT: async () => { const w = rev; rev++; const t = setTimeout(() => {}, 2000), t2 = setTimeout(() => {}, 30000); await direct.write({ ...last, revision: rev, writeIds: ['w' + (w - 1), 'w' + w] }, w, { signal: new AbortController().signal, history: { puts: [{ n: w, revision: w, at: 5, cause: null, parent: null, changes: [], undo: { todos: [last.list.todos[0]], order: null, nextId: 9 } }] } }); clearTimeout(t); clearTimeout(t2) },
    sync: (k) => op(change(k)),
    nul: (k) => nul.commit(change(k)),
  }
  const times: Record<string, number[]> = {}
  for (let k = 0; k < 60; k++) for (const [name, run] of Object.entries(kinds)) {
    const t = performance.now()
    for (let j = 0; j < 5; j++) await run(k * 5 + j)
    ;(times[name] ??= []).push((performance.now() - t) / 5)
  }
  throw new Error(Object.entries(times).map(([n, a]) => { a.sort((x, y) => x - y); return `${n} ${a[30]!.toFixed(2)} p25 ${a[15]!.toFixed(2)} min ${a[1]!.toFixed(2)}` }).join('\n'))
}, 60000)
