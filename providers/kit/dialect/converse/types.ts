/**
 * The vendor's own types in their JSON form, so that the compiler checks what this dialect writes: bytes are base64
 * text, and the model is in the path.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
import type {
  CachePointBlock,
  ContentBlock,
  ConverseStreamRequest,
  Message,
  SystemContentBlock,
  Tool,
  ToolConfiguration,
  ToolResultContentBlock,
} from '@aws-sdk/client-bedrock-runtime'
import { asJson, type Json, type JsonObject } from '@gateway/contract'
import type { DocumentNames } from './document-names.ts'

/** Any JSON value, as in the SDK. */
type Document = Exclude<ConverseStreamRequest['additionalModelRequestFields'], undefined>

/** A type of the SDK in JSON. */
export type Wire<Type> = [Document] extends [Type] ? Json : WireEach<Type>

type WireEach<Type> = Type extends Uint8Array
  ? string
  : Type extends (infer Item)[]
    ? Wire<Item>[]
    : Type extends object
      ? { [Key in keyof Type]: Wire<Type[Key]> }
      : Type

export type WireBlock = Wire<ContentBlock>
export type WireMessage = Wire<Message>
export type WireSystemBlock = Wire<SystemContentBlock>
export type WireTool = Wire<Tool>
export type WireToolConfig = Wire<ToolConfiguration>
export type WireResultBlock = Wire<ToolResultContentBlock>

export type WireRequest = Wire<Omit<ConverseStreamRequest, 'modelId'>>

/** Blocks that messages, the system prompt and (the second) lists of tools have in common. */
export interface TextBlock {
  text: string
}
export interface CachePoint {
  cachePoint: Wire<CachePointBlock>
}

/** The context for translating a request, in addition to its body. */
export interface Reader {
  /** The provider's name, for messages. */
  provider: string
  /** Whether provider-specific parts are left out. */
  strict: boolean
  /** Names given to the documents of this request. */
  names: DocumentNames
  /**
   * Whether tool calls and results of the conversation have their own blocks. The API accepts those only together
   * with tools; without tools they are sent as text.
   */
  hasTools: boolean
}

/** The request as JSON: the compiler checks that it is. */
export const toJson = (request: WireRequest): JsonObject => asJson(request)
