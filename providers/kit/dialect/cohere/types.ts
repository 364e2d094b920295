/**
 * The bodies of API v2, with which the compiler checks the bodies that this dialect writes: the members that it uses,
 * and those of the answers that the tests compare.
 * Reference: https://docs.cohere.com/reference/chat, https://docs.cohere.com/reference/embed,
 * https://docs.cohere.com/reference/rerank
 */
import { asJson, type JsonObject } from '@gateway/contract'

export interface TextPart {
  type: 'text'
  text: string
}

interface ThinkingPart {
  type: 'thinking'
  thinking: string
}

interface ImagePart {
  type: 'image_url'
  image_url: { url: string; detail?: 'auto' | 'low' | 'high' }
}

interface DocumentPart {
  type: 'document'
  document: { data: Record<string, unknown>; id?: string }
}

interface ToolCall {
  id: string
  type: 'function'
  function?: { name?: string; arguments?: string }
}

interface Citation {
  start?: number
  end?: number
  text?: string
  content_index?: number
  type?: 'TEXT_CONTENT' | 'THINKING_CONTENT' | 'PLAN'
  sources?: (
    | { type: 'tool'; id?: string; tool_output?: Record<string, unknown> }
    | { type: 'document'; id?: string; document?: Record<string, unknown> }
  )[]
}

export type UserPart = TextPart | ImagePart

export interface AssistantMessage {
  role: 'assistant'
  content?: string | (TextPart | ThinkingPart)[]
  tool_plan?: string
  tool_calls?: ToolCall[]
  citations?: Citation[]
}

export interface ToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string | (TextPart | DocumentPart)[]
}

export type ChatMessage =
  | { role: 'system'; content: string | TextPart[] }
  | { role: 'user'; content: string | UserPart[] }
  | AssistantMessage
  | ToolMessage

export interface Tool {
  type: 'function'
  function?: { name: string; description?: string; parameters: Record<string, unknown> }
}

export interface ChatRequest {
  model: string
  messages: ChatMessage[]
  stream?: boolean
  tools?: Tool[]
  tool_choice?: 'REQUIRED' | 'NONE'
  strict_tools?: boolean
  response_format?: { type: 'text' } | { type: 'json_object'; json_schema?: Record<string, unknown> }
  thinking?: { type: 'enabled' | 'disabled'; token_budget?: number }
  max_tokens?: number
  stop_sequences?: string[]
  temperature?: number
  seed?: number
  frequency_penalty?: number
  presence_penalty?: number
  k?: number
  p?: number
  logprobs?: boolean
  documents?: (string | { data: Record<string, unknown>; id?: string })[]
  citation_options?: { mode?: string }
  safety_mode?: 'CONTEXTUAL' | 'STRICT' | 'OFF'
  priority?: number
}

export type EndReason = 'COMPLETE' | 'STOP_SEQUENCE' | 'MAX_TOKENS' | 'TOOL_CALL' | 'ERROR' | 'TIMEOUT'

interface Usage {
  billed_units?: { input_tokens?: number; output_tokens?: number; search_units?: number }
  tokens?: { input_tokens?: number; output_tokens?: number }
  cached_tokens?: number
}

interface Logprobs {
  text?: string
  token_ids: number[]
  logprobs?: number[]
}

export interface ChatResponse {
  id: string
  finish_reason: EndReason
  message: {
    role: 'assistant'
    content?: (TextPart | ThinkingPart)[]
    tool_plan?: string
    tool_calls?: ToolCall[]
    citations?: Citation[]
  }
  usage?: Usage
  logprobs?: Logprobs[]
}

type MessageDelta<Members> = { message?: Members }

export type ChatEvent =
  | { type: 'message-start'; id?: string; delta?: MessageDelta<{ role?: 'assistant' }> }
  | {
      type: 'content-start'
      index?: number
      delta?: MessageDelta<{ content?: { type?: 'text' | 'thinking'; text?: string; thinking?: string } }>
    }
  | {
      type: 'content-delta'
      index?: number
      delta?: MessageDelta<{ content?: { text?: string; thinking?: string } }>
      logprobs?: Logprobs
    }
  | { type: 'content-end'; index?: number }
  | { type: 'tool-plan-delta'; delta?: MessageDelta<{ tool_plan?: string }> }
  | { type: 'tool-call-start'; index?: number; delta?: MessageDelta<{ tool_calls?: ToolCall }> }
  | {
      type: 'tool-call-delta'
      index?: number
      delta?: MessageDelta<{ tool_calls?: { function?: { arguments?: string } } }>
    }
  | { type: 'tool-call-end'; index?: number }
  | { type: 'citation-start'; index?: number; delta?: MessageDelta<{ citations?: Citation }> }
  | { type: 'citation-end'; index?: number }
  | {
      type: 'message-end'
      id?: string
      delta?: { error?: string; finish_reason?: EndReason; usage?: Usage }
    }
  | { type: 'debug'; prompt?: string }

export type EmbeddingType = 'float' | 'int8' | 'uint8' | 'binary' | 'ubinary' | 'base64'

export interface EmbedRequest {
  model: string
  input_type: 'search_document' | 'search_query' | 'classification' | 'clustering' | 'image'
  texts?: string[]
  images?: string[]
  output_dimension?: number
  embedding_types?: EmbeddingType[]
  truncate?: 'NONE' | 'START' | 'END'
}

interface Meta {
  api_version?: { version: string }
  billed_units?: { images?: number; input_tokens?: number; image_tokens?: number; search_units?: number }
}

export interface EmbedResponse {
  id: string
  embeddings: { [Type in EmbeddingType]?: Type extends 'base64' ? string[] : number[][] }
  texts?: string[]
  meta?: Meta
}

export interface RerankRequest {
  model: string
  query: string
  documents: string[]
  top_n?: number
  max_tokens_per_doc?: number
  priority?: number
}

export interface RerankResponse {
  id?: string
  results: { index: number; relevance_score: number }[]
  meta?: Meta
}

/** The context for translating a request, in addition to its body. */
export interface Reader {
  /** The provider's name, for messages. */
  provider: string
  /** Whether provider-specific parts are left out. */
  strict: boolean
}

/** A request as JSON: the compiler checks that it is. */
export const toJson = (request: ChatRequest | EmbedRequest): JsonObject => asJson(request)
