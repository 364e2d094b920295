/**
 * The vendor's types, with which the compiler checks the bodies that this dialect writes. The server supports more than the
 * SDK's types: ids of tool calls and of their results.
 * Reference: https://docs.ollama.com/api/chat
 */
import { asJson, type JsonObject } from '@gateway/contract'
import type * as sdk from 'ollama'

interface ToolCall extends sdk.ToolCall {
  id?: string
}

export interface Message extends Omit<sdk.Message, 'images' | 'tool_calls'> {
  role: 'system' | 'user' | 'assistant' | 'tool'
  /** Base64, without a `data:` prefix. */
  images?: string[]
  tool_calls?: ToolCall[]
  tool_call_id?: string
}

export interface ChatRequest extends Omit<sdk.ChatRequest, 'messages' | 'format'> {
  messages: Message[]
  /** `json`, or a JSON Schema. */
  format?: string | JsonObject
}

export type Tool = sdk.Tool
export type Think = NonNullable<sdk.ChatRequest['think']>
export type Options = Partial<sdk.Options>
export type EmbedRequest = sdk.EmbedRequest
export type ChatResponse = sdk.ChatResponse

/** The context for translating a request, in addition to its body. */
export interface Reader {
  /** The provider's name, for messages. */
  provider: string
  /** Whether provider-specific parts are left out. */
  strict: boolean
}

/** A request as JSON: the compiler checks that it is. */
export const toJson = (request: ChatRequest | EmbedRequest): JsonObject => asJson(request)
