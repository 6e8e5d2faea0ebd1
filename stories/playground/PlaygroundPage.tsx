import { type KeyboardEvent, type ReactElement, useId, useMemo, useRef, useState } from 'react'
import { useTodoAgent, useTodos } from 'use-todo-agent'
import { todosCompleted } from 'use-todo-agent/core'
import type { Behaviour } from '../offlineModel/decide.ts'
import { tools } from '../tools/tools.ts'
import { Chat } from './Chat.tsx'
import { defaultChoice, nameOf } from './modelChoice.ts'
import { type AgentSettings, defaultSettings, Settings } from './Settings.tsx'
import { useModel } from './useModel.ts'
import './playground.css'

export interface PlaygroundPageProps {
  /** How the offline model behaves at first. */
  readonly behaviour: Behaviour
  /** How fast it speaks at first: 1 is a pace to read along with. */
  readonly speed: number
  /** Names the session that is kept in this browser. */
  readonly sessionId: string
}

/** The whole of it: a chat with an agent that keeps a list, and what it can be set to. */
export function PlaygroundPage({ behaviour, speed, sessionId }: PlaygroundPageProps): ReactElement {
  const [choice, setChoice] = useState({ ...defaultChoice, behaviour, speed })
  const [settings, setSettings] = useState(defaultSettings)
  const [isOpen, setIsOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const settingsId = useId()
  const { model, reason } = useModel(choice)
  const { mode } = useTodos(sessionId)
  const planFirst = settings.planFirst ?? mode !== null
  const options = useMemo(() => agentOptions({ ...settings, planFirst }), [settings, planFirst])
  const agent = useTodoAgent({ sessionId, model, ...options })

  function closeOnEscape(event: KeyboardEvent) {
    if (event.key !== 'Escape' || !isOpen) return
    opener.current?.focus()
    setIsOpen(false)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the settings, wherever in them the focus is.
    <div className="pg" onKeyDown={closeOnEscape}>
      <header className="pg-header">
        <h1>Playground</h1>
        <button
          type="button"
          className="pg-secondary pg-model"
          ref={opener}
          aria-expanded={isOpen}
          aria-controls={isOpen ? settingsId : undefined}
          onClick={() => setIsOpen(!isOpen)}
        >
          <span className="pg-model-label">Settings</span>
          <span className="pg-model-name">{nameOf(choice)}</span>
        </button>
        <button type="button" className="pg-secondary" onClick={() => void agent.clear()}>
          New chat
        </button>
        {isOpen && (
          <Settings
            id={settingsId}
            choice={choice}
            onChoice={setChoice}
            settings={{ ...settings, planFirst }}
            onSettings={setSettings}
            mode={agent.mode}
            onMode={(mode) => void agent.setMode(mode)}
          />
        )}
      </header>
      <main className="pg-main">
        <Chat
          agent={agent}
          blocked={reason}
          footnote={
            choice.kind === 'offline'
              ? 'Answered by rules: no LLM, no key, no network.'
              : `Answered by ${nameOf(choice)}.`
          }
        />
      </main>
    </div>
  )
}

function agentOptions({ toolset, planFirst, untilDone, askFirst, whileRunning }: AgentSettings) {
  return {
    toolset,
    whileRunning,
    tools: askFirst ? { ...tools, calculate: { ...tools.calculate, needsApproval: true } } : tools,
    ...(planFirst && { modes: true as const }),
    ...(untilDone && { loop: { evaluators: [todosCompleted()] } }),
  }
}
