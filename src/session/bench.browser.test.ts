import { createStore, set } from 'idb-keyval'
import { test } from 'vitest'
import { addTodos } from '../core/list.ts'
import { createTodoSession } from './createTodoSession.ts'
import { indexedDbStorage } from './indexedDb.ts'

const q = (a: number[], p = 0.5) => [...a].sort((x, y) => x - y)[Math.floor(a.length * p)] ?? 0
test('bench', async () => {
  const lines: string[] = []
  for (const n of [20, 90, 200, 1000]) {
    const inner = indexedDbStorage({ databaseName: `bench-${n}` })
    let w0 = 0, wt = 0, last: any = null
    const storage = { ...inner, async write(...args: Parameters<typeof inner.write>) { last = args[0]; w0 = performance.now(); const r = await inner.write(...args); wt = performance.now() - w0; return r } }
    const s = createTodoSession({ id: 'b', storage })
    const bare = createStore(`bare-${n}`, 'records')
    await s.ready()
    await s.commit((d) => ({ ...d, list: addTodos(d.list, Array.from({ length: n }, (_, i) => ({ title: `todo number ${i} with some text` })), 1).list }))
    const record: any = await storage.read('b')
    const a: number[] = [], b: number[] = [], before: number[] = [], write: number[] = []
    const change = (k: number) => s.commit((d) => {
        const todos = [...d.list.todos]
        todos[k % n] = { ...todos[k % n]!, status: k % 2 ? 'pending' : 'completed' }
        return { ...d, list: { ...d.list, todos } }
      })
    for (let k = 0; k < 300; k++) {
      let t = performance.now()
      await set(['session', 'x'], last, bare)
      a.push(performance.now() - t)
      t = performance.now()
      await change(k)
      b.push(performance.now() - t)
      before.push(w0 - t)
      write.push(wt)
    }
    lines.push(`${n}: bare ${q(a).toFixed(2)} commit ${q(b).toFixed(2)} before ${q(before).toFixed(2)} write ${q(write).toFixed(2)}; p25 bare ${q(a,.25).toFixed(2)} commit ${q(b,.25).toFixed(2)} write ${q(write,.25).toFixed(2)} ratio ${(q(b) / q(a)).toFixed(2)} ${(q(b,.25) / q(a,.25)).toFixed(2)}`)
  }
  throw new Error(lines.join('\n'))
}, 60000)
