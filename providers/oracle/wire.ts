/**
 * The bodies of the inference service that this adapter writes: three formats of one call. The vendor's SDK is not a
 * dependency; names and values are those of its reference.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/ChatResult/Chat
 */
import type { JsonObject } from '@gateway/contract'

export type ApiFormat = 'GENERIC' | 'COHERE' | 'COHEREV2'

export interface ChatDetails {
  compartmentId?: string
  servingMode:
    | { servingType: 'ON_DEMAND'; modelId: string }
    | { servingType: 'DEDICATED'; endpointId: string }
  chatRequest: GenericRequest | CohereRequest | CohereV2Request
}

export interface Sampling {
  maxTokens?: number
  temperature?: number
  topK?: number
  topP?: number
  frequencyPenalty?: number
  presencePenalty?: number
  seed?: number
}

interface Streaming {
  isStream?: boolean
  streamOptions?: { isIncludeUsage: boolean }
}

export type GenericContent =
  | { type: 'TEXT'; text: string }
  | { type: 'IMAGE'; imageUrl: { url: string } }
  | { type: 'AUDIO'; audioUrl: { url: string } }
  | { type: 'VIDEO'; videoUrl: { url: string } }
  | { type: 'DOCUMENT'; documentUrl: { url: string } }

interface GenericCall {
  type: 'FUNCTION'
  id: string
  name: string
  arguments: string
}

export interface GenericMessage {
  role: 'SYSTEM' | 'DEVELOPER' | 'USER' | 'ASSISTANT' | 'TOOL'
  name?: string
  /** Null, not empty, next to calls. */
  content: GenericContent[] | null
  toolCalls?: GenericCall[]
  toolCallId?: string
}

export interface GenericRequest extends Sampling, Streaming {
  apiFormat: 'GENERIC'
  messages: GenericMessage[]
  maxCompletionTokens?: number
  numGenerations?: number
  stop?: string[]
  logProbs?: number
  logitBias?: JsonObject
  metadata?: JsonObject
  reasoningEffort?: string
  verbosity?: string
  responseFormat?: { type: 'TEXT' | 'JSON_OBJECT' } | { type: 'JSON_SCHEMA'; jsonSchema: JsonSchemaFormat }
  tools?: { type: 'FUNCTION'; name: string; description?: string; parameters: JsonObject }[]
  toolChoice?: { type: 'AUTO' | 'NONE' | 'REQUIRED' } | { type: 'FUNCTION'; name: string }
  isParallelToolCalls?: boolean
  webSearchOptions?: JsonObject
}

interface JsonSchemaFormat {
  name: string
  description?: string
  schema?: JsonObject
  isStrict?: boolean
}

export interface CohereCall {
  name: string
  parameters: JsonObject
}

export interface CohereToolResult {
  call: CohereCall
  outputs: JsonObject[]
}

export type CohereMessage =
  | { role: 'USER'; message: string }
  | { role: 'CHATBOT'; message: string; toolCalls?: CohereCall[] }
  | { role: 'TOOL'; toolResults: CohereToolResult[] }

export interface CohereTool {
  name: string
  description: string
  parameterDefinitions?: Record<string, { type: string; description?: string; isRequired: boolean }>
}

type CohereFormat = { type: 'TEXT' } | { type: 'JSON_OBJECT'; schema?: JsonObject }

export interface CohereRequest extends Sampling, Streaming {
  apiFormat: 'COHERE'
  message: string
  chatHistory?: CohereMessage[]
  preambleOverride?: string
  toolResults?: CohereToolResult[]
  tools?: CohereTool[]
  stopSequences?: string[]
  responseFormat?: CohereFormat
}

export type CohereContent =
  | { type: 'TEXT'; text: string }
  | { type: 'IMAGE_URL'; imageUrl: { url: string; detail?: 'AUTO' | 'HIGH' | 'LOW' } }

export interface CohereV2Message {
  role: 'SYSTEM' | 'USER' | 'ASSISTANT' | 'TOOL'
  content: CohereContent[]
  toolCalls?: { type: 'FUNCTION'; id: string; function: { name: string; arguments: string } }[]
  toolCallId?: string
}

export interface CohereV2Request extends Sampling, Streaming {
  apiFormat: 'COHEREV2'
  messages: CohereV2Message[]
  stopSequences?: string[]
  responseFormat?: CohereFormat
  tools?: { type: 'FUNCTION'; function: { name: string; description?: string; parameters: JsonObject } }[]
  toolsChoice?: 'REQUIRED' | 'NONE'
  isStrictToolsEnabled?: boolean
  isLogProbsEnabled?: boolean
  thinking?: { type: 'ENABLED' | 'DISABLED'; tokenBudget?: number }
}
