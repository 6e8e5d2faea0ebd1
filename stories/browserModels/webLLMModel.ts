import { webLLM } from '@browser-ai/web-llm'
import { type LanguageModel, simulateStreamingMiddleware, wrapLanguageModel } from 'ai'

/**
 * A model that WebLLM runs in the page, by WebGPU. Its weights are downloaded at the first message, and kept by the browser. Tools are described in
 * the system prompt and a call is read out of the answer, one per step.
 *
 * An answer comes as a whole: where a piece of a stream ends within the fence around a call, the provider (3.0.3) never comes out of its parser.
 *
 * @param modelId one of the ids that WebLLM lists, such as `Qwen3-4B-q4f16_1-MLC`
 */
export function webLLMModel(modelId: string): LanguageModel {
  return wrapLanguageModel({ model: webLLM(modelId), middleware: simulateStreamingMiddleware() })
}
