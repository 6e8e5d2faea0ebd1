import { type ReactElement, type ReactNode, useEffect, useId, useState } from 'react'
import type { Toolset } from 'use-todo-agent/core'
import { type Behaviour, offlineModelNotice } from '../offlineModel/decide.ts'
import { type BrowserModel, findBrowserModel, type ModelChoice, type ModelKind } from './modelChoice.ts'

/** How the agent works, apart from its model. */
export interface AgentSettings {
  readonly toolset: Toolset
  /** @default whether the session has a mode: a plan that was made before a reload can still be approved */
  readonly planFirst: boolean | null
  readonly untilDone: boolean
  readonly askFirst: boolean
  readonly whileRunning: 'queue' | 'steer'
}

export const defaultSettings: AgentSettings = {
  toolset: 'write_todos',
  planFirst: null,
  untilDone: false,
  askFirst: false,
  whileRunning: 'queue',
}

const behaviours: Record<Behaviour, string> = {
  steady: 'Keeps its list and finishes it.',
  forgetful: 'Answers before it has closed its last two items; the guard sends it back.',
  lazy: 'Stops after each item until it is sent on.',
  hopeless: 'Writes a list and never closes an item; the guard gives up in the end.',
}

const speeds: readonly (readonly [number, string])[] = [
  [1, 'To read along'],
  [4, 'Fast'],
  [Number.POSITIVE_INFINITY, 'No waiting'],
]

export interface SettingsProps {
  readonly id: string
  readonly choice: ModelChoice
  readonly onChoice: (choice: ModelChoice) => void
  readonly settings: AgentSettings
  readonly onSettings: (settings: AgentSettings) => void
  readonly mode: string | null
  readonly onMode: (mode: string) => void
}

/** Which model answers, and how the agent works. Nothing of it is saved. */
export function Settings({
  id,
  choice,
  onChoice,
  settings,
  onSettings,
  mode,
  onMode,
}: SettingsProps): ReactElement {
  const change = (part: Partial<ModelChoice>) => onChoice({ ...choice, ...part })
  const changeAgent = (part: Partial<AgentSettings>) => onSettings({ ...settings, ...part })
  const browserModel = useBrowserModel()
  const kind = (value: ModelKind, label: string, note: string, fields?: ReactNode, disabled = false) => (
    <Kind
      value={value}
      label={label}
      note={note}
      checked={choice.kind === value}
      disabled={disabled}
      onChoose={() => change({ kind: value })}
    >
      {fields}
    </Kind>
  )

  return (
    <section className="pg-settings" id={id} aria-label="Settings">
      <fieldset>
        <legend>Model</legend>
        {kind(
          'offline',
          'Offline rules',
          `No LLM, no key, no network. ${offlineModelNotice}`,
          <>
            <Choice
              label="Behaviour"
              value={choice.behaviour}
              options={Object.keys(behaviours).map((value) => [value, value])}
              onChange={(value) => change({ behaviour: value as Behaviour })}
              note={behaviours[choice.behaviour]}
            />
            <Choice
              label="Speed"
              value={String(choice.speed)}
              options={speedOptions(choice.speed)}
              onChange={(value) => change({ speed: Number(value) })}
            />
          </>,
        )}
        {kind(
          'openai-compatible',
          'OpenAI-compatible server',
          'Ollama, LM Studio, llama.cpp, vLLM or a hosted one. It must allow requests from this page (CORS).',
          <>
            <Field
              label="Base URL"
              type="url"
              value={choice.baseURL}
              onChange={(baseURL) => change({ baseURL })}
            />
            <Field
              label="Model name"
              value={choice.modelName}
              placeholder="as the server calls it"
              onChange={(modelName) => change({ modelName })}
            />
            <Field
              label="Key (optional)"
              type="password"
              value={choice.key}
              onChange={(key) => change({ key })}
            />
          </>,
        )}
        {kind(
          'anthropic',
          'Anthropic',
          'With your own key, straight from this page.',
          <>
            <Field
              label="Model name"
              value={choice.anthropicModelName}
              onChange={(anthropicModelName) => change({ anthropicModelName })}
            />
            <Field
              label="Key"
              type="password"
              value={choice.anthropicKey}
              onChange={(anthropicKey) => change({ anthropicKey })}
            />
          </>,
        )}
        {kind('browser', "Chrome's built-in model", browserModel.note, undefined, !browserModel.usable)}
        <p className="pg-aside">
          Keys stay in the memory of this page. They are saved nowhere, sent only to the server they are for,
          and gone after a reload.
        </p>
      </fieldset>

      <fieldset>
        <legend>Agent</legend>
        <Choice
          label="Tools for the list"
          value={settings.toolset}
          options={[
            ['write_todos', 'write_todos'],
            ['todos', 'todos'],
          ]}
          onChange={(value) => changeAgent({ toolset: value as Toolset })}
          note={
            settings.toolset === 'todos'
              ? 'Five tools that work by id.'
              : 'One tool that writes the whole list.'
          }
        />
        <Choice
          label="Mode"
          value={settings.planFirst ? 'plan' : 'off'}
          options={[
            ['off', 'Off'],
            ['plan', 'Plan first'],
          ]}
          onChange={(value) => changeAgent({ planFirst: value === 'plan' })}
          note={
            settings.planFirst ? 'The agent makes a plan, and you approve it.' : 'The agent starts at once.'
          }
        />
        {settings.planFirst && (
          <Choice
            label="It is now in"
            value={mode ?? 'plan'}
            options={[
              ['plan', 'plan'],
              ['execute', 'execute'],
            ]}
            onChange={onMode}
          />
        )}
        <Choice
          label="Loop"
          value={settings.untilDone ? 'done' : 'off'}
          options={[
            ['off', 'Off'],
            ['done', 'Until done'],
          ]}
          onChange={(value) => changeAgent({ untilDone: value === 'done' })}
          note={
            settings.untilDone
              ? 'Runs again until every item is closed, ten times at most.'
              : 'One run for each message.'
          }
        />
        <Choice
          label="Calculator"
          value={settings.askFirst ? 'ask' : 'run'}
          options={[
            ['run', 'Runs by itself'],
            ['ask', 'Asks you first'],
          ]}
          onChange={(value) => changeAgent({ askFirst: value === 'ask' })}
        />
        <Choice
          label="During a run"
          value={settings.whileRunning}
          options={[
            ['queue', 'Messages wait'],
            ['steer', 'Messages steer'],
          ]}
          onChange={(value) => changeAgent({ whileRunning: value as AgentSettings['whileRunning'] })}
          note={
            settings.whileRunning === 'steer'
              ? 'The agent reads them before its next step.'
              : 'They are sent when the run has ended.'
          }
        />
        <p className="pg-aside">Changes hold from the next message on.</p>
      </fieldset>
    </section>
  )
}

function useBrowserModel(): BrowserModel {
  const [found, setFound] = useState<BrowserModel>({ usable: false, note: 'Asking the browser.' })
  useEffect(function ask() {
    let isCurrent = true
    void findBrowserModel().then((model) => isCurrent && setFound(model))
    return () => {
      isCurrent = false
    }
  }, [])
  return found
}

interface KindProps {
  readonly value: ModelKind
  readonly label: string
  readonly note: string
  readonly checked: boolean
  readonly disabled: boolean
  readonly onChoose: () => void
  readonly children: ReactNode
}

function Kind({ value, label, note, checked, disabled, onChoose, children }: KindProps): ReactElement {
  const id = useId()
  return (
    <div className="pg-kind" data-checked={checked || undefined} data-disabled={disabled || undefined}>
      <input
        type="radio"
        name={`${id}kind`}
        id={`${id}radio`}
        value={value}
        checked={checked}
        disabled={disabled}
        onChange={onChoose}
        aria-describedby={`${id}note`}
      />
      <label htmlFor={`${id}radio`}>{label}</label>
      <p className="pg-aside" id={`${id}note`}>
        {note}
      </p>
      {checked && children && <div className="pg-fields">{children}</div>}
    </div>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly type?: 'text' | 'url' | 'password'
  readonly placeholder?: string
  readonly onChange: (value: string) => void
}

function Field({ label, value, type = 'text', placeholder, onChange }: FieldProps): ReactElement {
  const id = useId()
  return (
    <div className="pg-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        placeholder={placeholder}
        onChange={(event) => onChange(event.target.value)}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
    </div>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  readonly onChange: (value: string) => void
  readonly note?: string
}

function Choice({ label, value, options, onChange, note }: ChoiceProps): ReactElement {
  const id = useId()
  return (
    <div className="pg-field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-describedby={note && `${id}note`}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {note && (
        <p className="pg-aside" id={`${id}note`}>
          {note}
        </p>
      )}
    </div>
  )
}

// A story may be opened with a speed of its own.
function speedOptions(speed: number): readonly (readonly [string, string])[] {
  const known = speeds.map(([value, text]) => [String(value), text] as const)
  return speeds.some(([value]) => value === speed) ? known : [...known, [String(speed), `${speed} times`]]
}
