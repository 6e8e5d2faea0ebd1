import { createOpenAICompatible } from '@ai-sdk/openai-compatible'

export function proxiedModel() {
  // The provider wants a whole address.
  const baseURL = new URL('/api/model', location.href).href
  return createOpenAICompatible({ name: 'my-app', baseURL })('chosen-by-the-server')
}
