/**
 * An endpoint's declaration of its bodies: validation, texts for guardrails, streaming, usage, and how a provider
 * without the endpoint serves it. All of it is data and pure functions. Endpoints of core declare the same, and more.
 */
import type { TSchema } from '@sinclair/typebox'
import type { EndpointId } from '../endpoint.ts'
import type { TextPart } from '../guardrail.ts'
import type { JsonObject } from '../json.ts'
import type { BodyDialect, ClientDialect } from './client-dialect.ts'
import type { RequestSocket } from './request-socket.ts'
import type { ResponseState } from './response-state.ts'
import type { SessionProtocol } from './session.ts'
import type { StreamFormat } from './stream-format.ts'
import type { Usage } from './usage.ts'

/** Adds the texts of a body to `parts`, in order. */
export type TextReader = (body: JsonObject, parts: TextPart[]) => void

/** How to serve the endpoint with another endpoint of the provider. */
export type Translation = {
  /** The provider endpoints to translate to; one of them is sufficient. */
  readonly needs: readonly EndpointId[]
} /** As a request of this endpoint of the unified format. */ & (
  | { readonly kind: 'chat'; readonly dialect: ClientDialect }
  | { readonly kind: 'embed'; readonly dialect: BodyDialect }
  /** The gateway answers without a call, and marks the answer as an estimate. */
  | { readonly kind: 'estimate'; answer(body: JsonObject): JsonObject }
)

export interface AnswerList {
  readonly member: string
  /** Whether every answer has the list. If false, an answer without it must have another member. */
  readonly isRequired: boolean
}

export interface EndpointTraits {
  /** The required scopes; any of them. */
  readonly scopes: readonly string[]
  /** Whether a session must specify its workspace; false: it acts in all of its workspaces at once. */
  readonly needsWorkspace: boolean

  /** The schema of the request body; null when any JSON object is accepted. */
  readonly request: TSchema | null
  /**
   * Adds the data of the path to a JSON body and normalizes the body for the schema; null when the body alone is the request.
   * Such a body is not forwarded as its original text.
   */
  readonly completeBody: ((body: JsonObject, path: string) => JsonObject) | null

  /** The texts of a request for guardrails and estimates; null when it has none. */
  readonly requestTexts: TextReader | null
  /** The texts of an answer for guardrails; null when it has none. */
  readonly answerTexts: TextReader | null
  /** The request member that contains the conversation's messages; null for endpoints without a conversation. */
  readonly conversation: string | null

  /**
   * The list that every whole answer has: a 2xx answer without it counts as a failure, such as the `{}` of an overloaded
   * server. Null: answers have no such list.
   */
  readonly answerList: AnswerList | null

  /** The protocol of its WebSocket sessions; null for endpoints without sessions. */
  readonly session: SessionProtocol | null
  /** The WebSocket whose messages are its requests; null for endpoints without one. */
  readonly requestSocket: RequestSocket | null

  /** How its requests continue stored responses; null if they cannot. */
  readonly responses: ResponseState | null

  /** Whether an answer can be a stream of events. */
  readonly streams: boolean
  /** The format of streams and errors. */
  readonly format: StreamFormat
  /** Whether a stream reports usage only on request. */
  readonly asksForUsage: boolean

  /** Reads the usage of a whole answer; returns null if the answer reports none. Default: the format's reader. */
  readonly readUsage: ((body: JsonObject) => Usage | null) | null
  /** Whether a model is called, so that limits reserve tokens. */
  readonly isMetered: boolean
  /** Whether calls have an entry in the log. */
  readonly isLogged: boolean
  /** Whether a request has no effect other than its answer, so it can run again for a comparison. */
  readonly isRepeatable: boolean

  /** The size limit of a buffered answer, if higher than `upstream.max_answer_bytes`; otherwise null. */
  readonly maxAnswerBytes: number | null
  /** Whether the answer to this request may be stored in the cache. */
  mayCache(body: JsonObject): boolean
  /** Null when only a provider with this endpoint can answer. */
  readonly translation: Translation | null
}
