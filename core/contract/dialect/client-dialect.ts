/**
 * A client dialect: another format in which callers can use every chat provider (`/v1/messages`, `/v1/responses`). Pure
 * functions between its bodies and the unified chat bodies, for providers without native support.
 */
import type { JsonObject } from '../json.ts'
import type { WebSearch } from '../provider.ts'

export interface DialectContext {
  /** The body in the caller's dialect. */
  request: JsonObject
  /** The called provider, for messages. */
  provider: string
  /** The provider's web search capabilities; null if it cannot search. */
  webSearch: WebSearch | null
  /** The chat parameters that the provider defines in addition to those that all chat APIs share. */
  parameters: ReadonlySet<string>
  /** `strict_compat_compliance`. */
  strict: boolean
  /** Paths in the caller's body that the translated request lacks; `request` adds to it. */
  leftOut: string[]
  /** The share of the texts to send, from 0 to 1: less than 1 after the model refused a request that may be shortened. */
  share: number
  /** Milliseconds since the epoch. */
  now(): number
  /** A new id with this prefix, such as `msg_`. */
  id(prefix: string): string
}

/** The dialect of an endpoint without streams. */
export interface BodyDialect {
  /**
   * Whether reasoning and other extras are part of the dialect, so that the chat answer needs them even in strict mode.
   */
  needsExtras: boolean
  /** Members of the caller's body that `request` reads or drops. All others are unknown and never forwarded. */
  members: ReadonlySet<string>
  /** The paths in the caller's body that parameters of the chat request are read from; default: the member of the same name. */
  paths?: Readonly<Record<string, string>>
  /**
   * Translates the caller's body to a unified chat request.
   * @throws GatewayError `invalid_body`, with the path in the caller's body, for features without a unified form
   */
  request(body: JsonObject, context: DialectContext): JsonObject
  /** Whether a body that is too long for its model may be sent again with less of its texts. Default: never. */
  mayShorten?(body: JsonObject): boolean
  /** Translates a unified chat answer to the caller's dialect. */
  answer(answer: JsonObject, context: DialectContext): JsonObject
}

export interface ClientDialect extends BodyDialect {
  /** Creates the translator of one stream of unified chunks. */
  stream(context: DialectContext): ClientStream
}

/** Translates unified chunks to events of the dialect, objects with a `type`. */
export interface ClientStream {
  chunk(chunk: JsonObject): JsonObject[]
  /** Called when the unified stream is complete. */
  end(): JsonObject[]
}
