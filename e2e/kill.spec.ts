import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyList, type TodoList, type TodoStatus, type Toolset } from '../src/core/todo.ts'
import { runTodosTool, type TodosToolName } from '../src/core/todosTools.ts'
import { writeTodos } from '../src/core/writeTodos.ts'
import type { ScriptedStep } from '../src/testing/scriptedModel.ts'
import type {} from '../stories/driven/DrivenPage.tsx'
import { type Prompt, randomOf, resultsIn, startDrivenServer } from './drivenServer.ts'
import { expect, type Page, test } from './fixtures.ts'
import { startOwnBrowser } from './ownBrowser.ts'

const isLong = Boolean(process.env.LONG)
const KILLS = isLong ? 40 : 8
const COMMITS = 60
const SEED = Number(process.env.SEED ?? 7)

// WORK

interface Call {
  readonly name: string
  readonly input: unknown
}

interface Work {
  readonly toolset: Toolset
  /** The call that makes each commit. */
  readonly calls: readonly Call[]
  /** The list before the first commit, and after each. */
  readonly lists: readonly string[]
}

/** Sixty writes of one list that grows while its items are done. */
function writes(): Work {
  const calls = Array.from({ length: COMMITS }, (_, index): Call => {
    const size = 4 + Math.floor(index / 6)
    const isLast = index === COMMITS - 1
    const statusOf = (item: number): TodoStatus => {
      const current = Math.floor((index * size) / COMMITS)
      if (item < current || isLast) return 'completed'
      return item === current ? 'in_progress' : 'pending'
    }
    const todos = Array.from({ length: size }, (_, item) => ({
      // The text of what is not done changes, so that each write is a change.
      content: statusOf(item) === 'completed' ? `Part ${item}` : `Part ${item}, seen ${index}`,
      status: statusOf(item),
    }))
    return { name: 'write_todos', input: { todos } }
  })
  return workOf('write_todos', calls, (list, { input }) => writeTodos(list, input, { now: 1 }))
}

/** Sixty calls by id: two items are added, one of the oldest is completed, now and then one is removed. */
function callsById(): Work {
  const calls = Array.from({ length: COMMITS }, (_, index): Call => {
    const isLast = index === COMMITS - 1
    const ids = isLast ? Array.from({ length: 2 * COMMITS }, (_, id) => id + 1) : [Math.floor(index / 3) + 1]
    const items = ids.map((id) => ({ id, reason: `done at ${index}` }))
    if (isLast || index % 3 === 1) return { name: 'todos_complete', input: { items } }
    if (index % 15 === 5) return { name: 'todos_remove', input: { ids: [Math.floor(index / 3)] } }
    return {
      name: 'todos_add',
      input: { todos: [0, 1].map((n) => ({ title: `Item ${index}.${n}`, description: 'x'.repeat(200) })) },
    }
  })
  return workOf('todos', calls, (list, { name, input }) =>
    runTodosTool(name as TodosToolName, list, input, { now: 1 }),
  )
}

type Made = { readonly ok: boolean; readonly update?: { readonly list: TodoList } }

function workOf(toolset: Toolset, calls: readonly Call[], make: (list: TodoList, call: Call) => Made): Work {
  const lists = [emptyList]
  for (const call of calls) {
    const made = make(lists.at(-1) ?? emptyList, call)
    if (!made.ok || !made.update) throw new Error(`A call of the test is refused: ${JSON.stringify(call)}`)
    lists.push(made.update.list)
  }
  return { toolset, calls, lists: lists.map(describeList) }
}

function describeList({ todos }: { readonly todos: TodoList['todos'] }): string {
  return todos.map(({ id, content, status }) => `${id} ${status} ${content}`).join('\n')
}

/** How many commits the model has been told of. */
function acknowledged(prompt: Prompt): number {
  return resultsIn(prompt).filter(({ tool, failed }) => tool !== 'work' && !failed).length
}

/** The next step: every second commit needs a piece of work before it, and every fifth is made in one step with it. */
function nextStep({ calls }: Work, prompt: Prompt, newId: () => string): ScriptedStep {
  const done = acknowledged(prompt)
  const call = calls[done]
  if (!call) return { text: 'All of it is done.' }
  const work = { name: 'work', input: { n: done }, id: newId() }
  if (done % 5 === 0) return { toolCalls: [work, { ...call, id: newId() }] }
  const hasWorked = resultsIn(prompt).some(({ value }) => value === `did ${done}`)
  return done % 2 === 0 && !hasWorked
    ? { text: `Working on ${done}.`, toolCalls: [work] }
    : { toolCalls: [{ ...call, id: newId() }] }
}

// PAGE

async function openDriven(page: Page, port: number, sessionId: string, toolset: Toolset): Promise<void> {
  const { baseURL } = test.info().project.use
  const args = `port:${port};sessionId:${sessionId};toolset:${toolset}`
  await page.goto(`${baseURL}/iframe.html?id=killtest--driven&viewMode=story&args=${args}`)
  await page.waitForFunction(() => globalThis.driven && globalThis.driven.status !== 'loading')
}

function readPage(page: Page) {
  return page.evaluate(() => {
    const { todos, data, messages, problems } = globalThis.driven?.session.store.getState() ?? {}
    const parts = messages?.flatMap((message) => message.parts as { type: string; state?: string }[]) ?? []
    return {
      todos: todos ?? [],
      run: data?.run,
      problems: problems?.map(({ code }) => code),
      commits: parts.filter(
        ({ type, state }) => /^tool-(?:write_todos|todos_)/u.test(type) && state === 'output-available',
      ).length,
      open: parts.filter(({ state }) => state === 'input-available').length,
    }
  })
}

// TEST

test(`a browser that is killed in the middle of a run loses nothing that the model was told (${KILLS} kills)`, async () => {
  test.setTimeout(KILLS * 60_000)
  const profile = await mkdtemp(join(tmpdir(), 'use-todo-agent-'))
  const random = randomOf(SEED)
  const works = [writes(), callsById()]
  let work = works[0] as Work
  let told = 0
  let nextId = 0
  const server = await startDrivenServer((prompt) => {
    told = acknowledged(prompt)
    nextId += 1
    return nextStep(work, prompt, () => `call-${nextId++}`)
  })
  let browser = await startOwnBrowser(profile)
  const outcomes: string[] = []

  try {
    for (let trial = 0; trial < KILLS; trial += 1) {
      work = works[trial % works.length] as Work
      told = 0
      const sessionId = `kill-${trial}`
      await openDriven(browser.page, server.port, sessionId, work.toolset)
      await browser.page.evaluate(() => void globalThis.driven?.send('Do all of it'))
      // A run tells of about a hundred things. It is killed between two of them, or while one is being dealt with.
      await server.reached(server.events.length + 2 + Math.floor(random() * 88))
      await new Promise((resolve) => setTimeout(resolve, random() * 25))
      await browser.kill()

      const toldLast = told
      browser = await startOwnBrowser(profile)
      await openDriven(browser.page, server.port, sessionId, work.toolset)
      const found = await readPage(browser.page)
      const list = describeList(found)
      const at = [toldLast, toldLast + 1].find((commit) => work.lists[commit] === list)
      outcomes.push(`${trial}: told of ${toldLast}, found ${at ?? `\n${list}\n`}`)
      expect(at, `the list after the kill (seed ${SEED}): ${outcomes.at(-1)}`).toBeDefined()
      expect(found.commits, 'the results in the transcript are those of the list').toBe(at)
      expect(found.run?.status).toBe('interrupted')
      expect(found.problems).toEqual([])

      await browser.page.evaluate(() => globalThis.driven?.resume())
      const end = await readPage(browser.page)
      expect(end.run).toMatchObject({ status: 'idle', outcome: 'completed' })
      expect(describeList(end)).toBe(work.lists.at(-1))
      expect(server.problems).toEqual([])
    }
  } finally {
    console.log(
      `survived ${outcomes.filter((outcome) => !outcome.includes('\n')).length} of ${outcomes.length} kills`,
    )
    await browser.kill()
    await server.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
})
