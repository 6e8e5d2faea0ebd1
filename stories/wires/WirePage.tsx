import { type LanguageModel, tool } from 'ai'
import { type ReactElement, useEffect, useState } from 'react'
import { type TodoAgent, useTodoAgent } from 'use-todo-agent'
import { z } from 'zod'
import { Chat } from '../playground/Chat.tsx'
import { loadWireModel, type WireChoice } from './wireModel.ts'
import '../playground/playground.css'

/** What a test opens: a server, a session, and how patient the agent is. */
export interface Wire extends WireChoice {
  readonly sessionId: string
  readonly stepTimeout?: number
  readonly maxRetries?: number
}

declare global {
  /** Opens a conversation with a server, in place of the one before. */
  var openWire: ((wire: Wire) => Promise<void>) | undefined
  /** The agent of that conversation. */
  var wired: TodoAgent | undefined
}

const tools = {
  search: tool({
    description: 'Searches',
    inputSchema: z.object({ q: z.string() }),
    execute: async ({ q }) => ({ found: q }),
  }),
}

/** A chat whose server a test chooses, again and again. */
export function WirePage(): ReactElement {
  const [opened, setOpened] = useState<{ wire: Wire; model: LanguageModel } | null>(null)
  useEffect(() => {
    globalThis.openWire = async (wire) => {
      const model = await loadWireModel(wire)
      setOpened({ wire, model })
    }
  }, [])
  return opened ? <WireChat key={opened.wire.sessionId} {...opened} /> : <p>No server is chosen.</p>
}

function WireChat({ wire, model }: { wire: Wire; model: LanguageModel }): ReactElement {
  const { sessionId, dialect, stepTimeout = 10_000, maxRetries = 0 } = wire
  const agent = useTodoAgent({
    sessionId,
    model,
    tools,
    stepTimeout,
    alternateRoles: dialect === 'llama.cpp',
    settings: { maxRetries },
  })
  useEffect(() => {
    globalThis.wired = agent
  })
  return (
    <div className="pg">
      <Chat agent={agent} />
    </div>
  )
}
