/**
 * What a client dialect is: another format in which callers may speak to every chat provider (`/v1/messages`,
 * `/v1/responses`). Pure functions between its bodies and the unified chat bodies; used where the provider does not
 * speak the dialect itself.
 */
import type { JsonObject } from '@gateway/contract'

export interface DialectContext {
  /** The body in the caller's dialect. */
  request: JsonObject
  /** The provider that is asked, for messages. */
  provider: string
  /** `strict_compat_compliance`. */
  strict: boolean
  /** Milliseconds since the epoch. */
  now(): number
  /** A new id with this prefix, such as `msg_`. */
  id(prefix: string): string
}

export interface ClientDialect {
  /** Whether reasoning and other extras belong to the dialect, so that the chat answer needs them in strict mode too. */
  needsExtras: boolean
  /**
   * The caller's body as a unified chat request.
   * @throws GatewayError `invalid_body`, with the path in the caller's body, for what has no unified form
   */
  request(body: JsonObject, context: DialectContext): JsonObject
  /** A unified chat answer in the caller's dialect. */
  answer(answer: JsonObject, context: DialectContext): JsonObject
  /** A translator for one stream of unified chunks. */
  stream(context: DialectContext): ClientStream
}

/** Unified chunks in, events of the dialect out; each event is an object with a `type`. */
export interface ClientStream {
  chunk(chunk: JsonObject): JsonObject[]
  /** The unified stream is complete. */
  end(): JsonObject[]
}
