import { tool } from 'ai'
import { type ReactElement, useEffect, useMemo } from 'react'
import { getTodoSession, TodoPanel, useTodoAgent } from 'use-todo-agent'
import type { Toolset } from 'use-todo-agent/core'
import { type ModelRequest, type ScriptedStep, scriptedModel } from 'use-todo-agent/testing'
import { z } from 'zod'

export interface DrivenPageProps {
  /** Where the test listens on this machine. */
  readonly port: number
  readonly sessionId: string
  readonly toolset: Toolset
}

/** What a page tells the test that drives it. Each is a POST to the path of its name, with the body as JSON. */
export interface DrivenReports {
  /** A request to the model. The test answers with a step. */
  readonly step: Reporter & { readonly prompt: ModelRequest['prompt'] }
  /** A tool of the host has begun. The test answers with its result. */
  readonly tool: Reporter & { readonly callId: string; readonly n: number }
}

interface Reporter {
  /** Names the page. A reloaded one is another. */
  readonly page: string
  /** When the run began that this comes from. */
  readonly run: number
}

declare global {
  /** The agent of the page, for the test to call. */
  var driven: ReturnType<typeof useTodoAgent> | undefined
}

const page = Math.random().toString(36).slice(2, 8)

/** An agent whose model and tools are a test on this machine, which is told of everything that they are told. */
export function DrivenPage({ port, sessionId, toolset }: DrivenPageProps): ReactElement {
  const { model, tools } = useMemo(() => drivenAgent(port, sessionId), [port, sessionId])
  const agent = useTodoAgent({ sessionId, toolset, model, tools, settings: { maxRetries: 0 }, maxSteps: 500 })
  useEffect(() => {
    globalThis.driven = agent
  })
  return <TodoPanel session={agent.session} />
}

function drivenAgent(port: number, sessionId: string) {
  async function report<Name extends keyof DrivenReports>(
    name: Name,
    facts: Omit<DrivenReports[Name], keyof Reporter>,
    signal?: AbortSignal,
  ): Promise<Response> {
    const run = getTodoSession(sessionId).store.getState().run.startedAt
    const body = JSON.stringify({ page, run, ...facts })
    return fetch(`http://127.0.0.1:${port}/${name}`, { method: 'POST', body, ...(signal ? { signal } : {}) })
  }

  const model = scriptedModel(
    [
      async ({ prompt, abortSignal }) => {
        const response = await report('step', { prompt }, abortSignal)
        return (await response.json()) as ScriptedStep
      },
    ],
    { atEnd: 'repeat', validate: false, chunkSize: 200 },
  )
  const work = tool({
    description: 'Does one piece of work.',
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }, { toolCallId: callId }) => (await report('tool', { callId, n })).text(),
  })
  return { model, tools: { work } }
}
