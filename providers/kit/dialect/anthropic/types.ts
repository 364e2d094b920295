/**
 * The vendor's types, with which the compiler checks the bodies that this dialect writes.
 * Reference: https://platform.claude.com/docs/en/api/messages
 */
import type {
  MessageCreateParamsBase,
  MessageParam,
  StopReason,
  TextBlockParam,
} from '@anthropic-ai/sdk/resources/messages'
import { asJson, type JsonObject } from '@gateway/contract'

/** The API version of this dialect, sent as `anthropic-version`. */
export const anthropicVersion = '2023-06-01'

/** The SDK's types describe a later API version, which has no sampling parameters. */
export interface MessagesRequest extends MessageCreateParamsBase {
  temperature?: number
  top_p?: number
  top_k?: number
}

export interface Conversation {
  system: string | TextBlockParam[] | null
  messages: MessageParam[]
}

/** The context for translating a request, in addition to its body. */
export interface Reader {
  /** The provider's name, for messages. */
  provider: string
  /** Whether provider-specific parts are left out. */
  strict: boolean
}

/** The request as JSON: the compiler checks that it is. */
export const toJson = (request: MessagesRequest): JsonObject => asJson(request)

/** Reasons that end a message, as the vendor lists them. */
export type { StopReason }
