import type { LanguageModel } from 'ai'

// The types of `@ai-sdk/provider`, taken from `ai`: it is the one our users have installed themselves.

/** The model interface of the AI SDK. */
export type ModelV4 = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>

/** What a model is asked: prompt, tools and settings. */
export type ModelRequest = Parameters<ModelV4['doStream']>[0]

export type StreamResult = Awaited<ReturnType<ModelV4['doStream']>>

/** One part of a streamed response. */
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never

/** One message of a request. */
export type ModelRequestMessage = ModelRequest['prompt'][number]

export type GenerateResult = Awaited<ReturnType<ModelV4['doGenerate']>>

export type FinishWord = GenerateResult['finishReason']['unified']

export type ProviderMetadata = NonNullable<GenerateResult['providerMetadata']>
