import type { LanguageModel } from 'ai'

/** A server that the page is to talk to. */
export interface WireChoice {
  /** The name of the dialect that it speaks. */
  readonly dialect: string
  readonly baseURL: string
}

/** Keys are given for the two whose providers want one. */
export const wireKeys = { openAI: 'sk-openai-1234', anthropic: 'sk-ant-1234' } as const

/** The model of a provider package, as an app would make it for such a server. */
export async function loadWireModel({ dialect, baseURL }: WireChoice): Promise<LanguageModel> {
  switch (dialect) {
    case 'OpenAI chat completions': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ apiKey: wireKeys.openAI, baseURL }).chat('gpt-4.1')
    }
    case 'OpenAI responses': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ apiKey: wireKeys.openAI, baseURL }).responses('gpt-5')
    }
    case 'Anthropic messages': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      const headers = { 'anthropic-dangerous-direct-browser-access': 'true' }
      return createAnthropic({ apiKey: wireKeys.anthropic, baseURL, headers })('claude-sonnet-4-5')
    }
    case 'Ollama':
    case 'llama.cpp': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ name: dialect, baseURL })('qwen3:8b')
    }
    default:
      throw new TypeError(`There is no provider for "${dialect}".`)
  }
}
