/**
 * The vendor's types, with which the compiler checks the bodies that this dialect writes.
 * Reference: https://ai.google.dev/api/generate-content
 */

import { asJson, type Json, type JsonObject } from '@gateway/contract'
import type {
  FinishReason as SdkFinishReason,
  FunctionDeclaration as SdkFunctionDeclaration,
  GenerationConfig as SdkGenerationConfig,
  Part as SdkPart,
  ThinkingConfig as SdkThinkingConfig,
  ThinkingLevel as SdkThinkingLevel,
  ToolConfig as SdkToolConfig,
  ServiceTier,
  Tool,
} from '@google/genai'

/** The SDK's types with their enumerations as strings. */
export type Wire<Type> = Type extends string
  ? `${Type}`
  : Type extends readonly (infer Item)[]
    ? Wire<Item>[]
    : Type extends object
      ? { [Key in keyof Type]: Wire<Type[Key]> }
      : Type

export type Part = Wire<SdkPart>
export type FunctionDeclaration = Wire<SdkFunctionDeclaration>
export type GeminiTool = Wire<Pick<Tool, 'functionDeclarations' | 'googleSearch'>>
export type ToolConfig = Wire<SdkToolConfig>
export type GenerationConfig = Wire<SdkGenerationConfig>
export type ThinkingConfig = Wire<SdkThinkingConfig>
export type ThinkingLevel = Exclude<`${SdkThinkingLevel}`, 'THINKING_LEVEL_UNSPECIFIED'>
export type FinishReason = `${SdkFinishReason}`

export interface Content {
  role: 'user' | 'model'
  parts: Part[]
}

/** The body of `generateContent`; the model is in the path. */
export interface GenerateContentRequest {
  contents: Content[]
  systemInstruction?: { parts: Part[] }
  tools?: GeminiTool[]
  toolConfig?: ToolConfig
  generationConfig?: GenerationConfig
  serviceTier?: `${ServiceTier}`
  /** Unchanged from the caller's request. */
  safetySettings?: Json
  cachedContent?: Json
  labels?: Json
}

/** The context for translating a request, in addition to its body. */
export interface Reader {
  /** The provider's name, for messages. */
  provider: string
  /** Whether provider-specific parts are left out. */
  strict: boolean
  model: string
}

/** The request as JSON: the compiler checks that it is. */
export const toJson = (request: GenerateContentRequest): JsonObject => asJson(request)
