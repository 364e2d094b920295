/**
 * The vendor's own types, so that the compiler checks what this dialect writes. The SDK uses camel case and sends
 * snake case; {@link Wire} is a type of the SDK in its JSON form.
 * Reference: https://docs.cohere.com/reference/chat
 */
import { asJson, type JsonObject } from '@gateway/contract'
import type { Cohere } from 'cohere-ai'

type Snake<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name

/** A type of the SDK as its JSON. */
type Wire<Type> = Type extends readonly (infer Item)[]
  ? Wire<Item>[]
  : Type extends object
    ? { [Name in keyof Type as Name extends string ? Snake<Name> : Name]: Wire<Type[Name]> }
    : Type

export type ChatRequest = Wire<Cohere.V2ChatRequest> & { stream?: boolean }
export type ChatMessage = Wire<Cohere.ChatMessageV2>
export type UserPart = Wire<Cohere.Content>
export type TextPart = Extract<UserPart, { type: 'text' }>
export type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>
export type ToolMessage = Extract<ChatMessage, { role: 'tool' }>
export type Tool = Wire<Cohere.ToolV2>
export type EmbedRequest = Wire<Cohere.V2EmbedRequest>
export type EmbeddingType = Cohere.EmbeddingType
export type EndReason = Cohere.ChatFinishReason
export type ChatEvent = Wire<Cohere.V2ChatStreamResponse>
export type ChatResponse = Wire<Cohere.V2ChatResponse>
export type EmbedResponse = Wire<Cohere.EmbedByTypeResponse>
export type RerankRequest = Wire<Cohere.V2RerankRequest>
export type RerankResponse = Wire<Cohere.V2RerankResponse>

/** The context for translating a request besides its body. */
export interface Reader {
  /** The provider's name, for messages. */
  provider: string
  /** Whether provider-specific parts are left out. */
  strict: boolean
}

/** A request as JSON: the compiler checks that it is. */
export const toJson = (request: ChatRequest | EmbedRequest): JsonObject => asJson(request)
