/** A route of a service package, and its answers. */
import type { TSchema } from '@sinclair/typebox'
import type { GatewayError } from '../errors.ts'
import type { Json, JsonObject } from '../json.ts'
import type { InferencePrompt } from './inference.ts'
import type { ServiceRequest } from './request.ts'
import type { RouteMethod } from './route-method.ts'

/** `main` routes are served on both listeners, `admin` routes only on the admin listener, if there is one. */
export type Listener = 'main' | 'admin'

export interface ServiceAnswer {
  status: number
  headers?: Readonly<Record<string, string>>
  /**
   * Text and streams are sent as they are, with the content type of `headers`; everything else as JSON. A stream is
   * sent with backpressure. An error before its first bytes becomes an error answer; a later one closes the connection.
   */
  body: Json | { text: string } | { stream: AsyncIterable<Uint8Array> }
}

/**
 * An inference request that a handler returns instead of an answer. It runs as the rest of this request: for the same
 * caller, with the same headers, trace id and request id, as one log entry.
 */
export interface RewrittenRequest {
  /** The path of an inference route with the method POST: `/v1/chat/completions`. */
  path: string
  body: JsonObject
  /** The body as JSON. */
  text: string
  /** The prompt that the body was rendered from. */
  prompt?: InferencePrompt
  /** Rewrites the answer's text. Default: the text is sent unchanged. Streams are always sent unchanged. */
  rewriteText?(head: { status: number; headers: Readonly<Record<string, string>> }, text: string): string
}

export interface Route {
  method: RouteMethod
  /** Path with parameters: `/v1/things/:thingId`. */
  path: string
  /** Other paths of the same handler. */
  aliases?: readonly string[]
  /** Unique in the OpenAPI document. */
  operationId: string
  /** In the third person and without a full stop: `Creates an API key`. */
  summary: string
  /** Details in addition to the summary, for the OpenAPI document; Markdown. */
  description?: string
  /** An example of the body, valid by its schema. Default: one is made from the schema. */
  example?: JsonObject
  tag: string
  /** The required scope. A list: any of these scopes is sufficient. Null: any valid key. `public`: no credential. */
  scope: string | readonly string[] | null | 'public'
  body?: TSchema
  query?: TSchema
  /** The schema of the answer with status 200. */
  answer?: TSchema
  /** Schemas of answers with other statuses, when they differ. */
  otherAnswers?: Readonly<Record<number, TSchema>>
  /** The schema of one event's data, if the answer may be a stream of events. */
  event?: TSchema
  /** Content types other than JSON, for the OpenAPI document. */
  media?: { body?: readonly string[]; answer?: readonly string[]; error?: string }
  /**
   * Whether the handler authenticates the caller itself, with `request.authenticate`; neither credential nor body is
   * read before.
   */
  authenticates?: boolean
  /** Whether the handler checks scopes itself, because the required scope depends on the request. */
  checksScopes?: boolean
  /** Whether the handler validates query and body itself, in its own order. The gateway then only reads the body. */
  checksInput?: boolean
  /**
   * The largest body, in bytes: larger ones are refused before parsing. Default: 64 KiB on a public route, else 1 MiB,
   * and at most `server.body_limit`, the limit of inference bodies.
   */
  bodyLimit?: number | 'server.body_limit'
  /** Whether a missing or empty body counts as `{}`. */
  isBodyOptional?: boolean
  /**
   * Whether the handler reads the body itself, as `ServiceRequest.bodyStream`: it is not parsed, and
   * `server.body_limit` does not apply. The handler must limit it.
   */
  streamsBody?: boolean
  /** Cookies that the route may read, by name. */
  cookies?: readonly string[]
  /**
   * The listener that serves it when `server.admin_listener` is set; the main listener then answers 404 for `admin`
   * routes. Default by scope: application and public routes on `main`, all others on `admin`.
   */
  listener?: Listener
  handle(request: ServiceRequest): Promise<ServiceAnswer | RewrittenRequest>
  /** Path prefixes, such as `/scim/v2`, where `renderError` also renders errors of unknown paths. */
  rendersErrorsBelow?: readonly string[]
  /** Renders errors in the format of a standard whose clients expect it. */
  renderError?(error: GatewayError): { contentType: string; body: JsonObject }
  /** Called for a request refused before `handle`: no credential (`identity` is null), missing scope, invalid JSON. */
  refused?(request: ServiceRequest, error: GatewayError): Promise<void>
}

/** The public description of a route. */
export type RouteDescription = Omit<Route, 'handle'>
