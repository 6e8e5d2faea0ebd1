import type { LanguageModel } from 'ai'
import type { Behaviour } from '../offlineModel/decide.ts'
import { offlineModel } from '../offlineModel/offlineModel.ts'

export type ModelKind = 'offline' | 'openai-compatible' | 'anthropic' | 'browser'

/** What the person chose. Values of the other kinds are kept, so that going back to one finds them again. */
export interface ModelChoice {
  readonly kind: ModelKind
  readonly behaviour: Behaviour
  readonly speed: number
  readonly baseURL: string
  readonly modelName: string
  readonly key: string
  readonly anthropicModelName: string
  readonly anthropicKey: string
}

export const defaultChoice: ModelChoice = {
  kind: 'offline',
  behaviour: 'steady',
  speed: 1,
  baseURL: 'http://localhost:11434/v1',
  modelName: '',
  key: '',
  anthropicModelName: 'claude-sonnet-4-5',
  anthropicKey: '',
}

/** What has to be filled in before the model can be used; `null` when nothing is missing. */
export function missingIn(choice: ModelChoice): string | null {
  switch (choice.kind) {
    case 'offline':
    case 'browser':
      return null
    case 'openai-compatible':
      if (!isAddress(choice.baseURL)) return 'The base URL must begin with http:// or https://.'
      return choice.modelName.trim() === '' ? 'Name the model that the server should use.' : null
    case 'anthropic':
      if (choice.anthropicModelName.trim() === '') return 'Name the model.'
      return choice.anthropicKey.trim() === '' ? 'Enter your Anthropic key.' : null
    default:
      return choice.kind satisfies never
  }
}

/** The chosen model in a few words. */
export function nameOf(choice: ModelChoice): string {
  switch (choice.kind) {
    case 'offline':
      return 'Offline rules, no LLM'
    case 'openai-compatible':
      return choice.modelName.trim() || 'OpenAI-compatible server'
    case 'anthropic':
      return choice.anthropicModelName.trim() || 'Anthropic'
    case 'browser':
      return 'Built-in model'
    default:
      return choice.kind satisfies never
  }
}

/** The chosen model where it needs no loading; `null` for the others. */
export function modelAtHand({ kind, behaviour, speed }: ModelChoice): LanguageModel | null {
  return kind === 'offline' ? offlineModel({ behaviour, speed }) : null
}

/** The chosen model. The code of a provider is loaded only now that it was chosen. */
export async function loadModel(choice: ModelChoice): Promise<LanguageModel> {
  switch (choice.kind) {
    case 'offline':
      return offlineModel(choice)
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const apiKey = choice.key.trim()
      const provider = createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: choice.baseURL.trim(),
        ...(apiKey && { apiKey }),
      })
      return provider(choice.modelName.trim())
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      const provider = createAnthropic({
        apiKey: choice.anthropicKey.trim(),
        // Without it the server refuses a page: the key would usually be the site's, and here it is the person's own.
        headers: { 'anthropic-dangerous-direct-browser-access': 'true' },
      })
      return provider(choice.anthropicModelName.trim())
    }
    case 'browser': {
      const { builtInModel } = await import('../browserModels/builtInModel.ts')
      return builtInModel()
    }
    default:
      return choice.kind satisfies never
  }
}

/** Stands in where there is no model to use yet: it says why. */
export function noModel(reason: string): Exclude<LanguageModel, string> {
  const refuse = async () => {
    throw new Error(reason)
  }
  return {
    specificationVersion: 'v4',
    provider: 'none',
    modelId: 'none',
    supportedUrls: {},
    doGenerate: refuse,
    doStream: refuse,
  }
}

/** What the browser says about a model of its own. */
export interface BrowserModel {
  readonly usable: boolean
  readonly note: string
}

/** Asks the browser for its built-in model. Asking downloads nothing. */
export async function findBrowserModel(): Promise<BrowserModel> {
  const { LanguageModel } = globalThis as {
    LanguageModel?: { availability(options: object): Promise<string> }
  }
  if (!LanguageModel) {
    return {
      usable: false,
      note: 'This browser has none. Chrome and Edge on the desktop offer one (the Prompt API).',
    }
  }
  const availability = await LanguageModel.availability({
    expectedOutputs: [{ type: 'text', languages: ['en'] }],
  }).catch(() => 'unavailable')
  if (availability === 'unavailable') {
    return { usable: false, note: 'This browser knows the Prompt API but has no model for this computer.' }
  }
  return {
    usable: true,
    note:
      availability === 'available'
        ? 'Runs on this computer. Small models lose track sooner, and the list shows when they do.'
        : 'The browser downloads its model, some gigabytes, at the first message.',
  }
}

function isAddress(text: string): boolean {
  return /^https?:$/u.test(URL.parse(text.trim())?.protocol ?? '')
}
