/** A route of a service package, and what it answers. */
import type { TSchema } from '@sinclair/typebox'
import type { GatewayError } from '../errors.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ServiceRequest } from './request.ts'
import type { RouteMethod } from './route-method.ts'

/** `main` routes are served on both listeners, `admin` routes on the admin listener alone, where there is one. */
export type Listener = 'main' | 'admin'

export interface ServiceAnswer {
  status: number
  headers?: Readonly<Record<string, string>>
  /**
   * Text and streams are sent as they are, with the content type of `headers`; everything else as JSON. A stream is read
   * at the caller's pace. An error before its first bytes is answered as an error; one after them breaks the connection.
   */
  body: Json | { text: string } | { stream: AsyncIterable<Uint8Array> }
}

export interface Route {
  method: RouteMethod
  /** Below the root, with parameters: `/v1/things/:thingId`. */
  path: string
  /** Other paths of the same handler. */
  aliases?: readonly string[]
  /** Unique in the OpenAPI document. */
  operationId: string
  /** In the third person and without a full stop: `Creates an API key`. */
  summary: string
  /** More than the summary says, for the OpenAPI document; Markdown. */
  description?: string
  /** An example of the body, valid by its schema. Default: one is made from the schema. */
  example?: JsonObject
  tag: string
  /** What the credential needs; several: any of them; null: any valid key; `public`: no credential at all. */
  scope: string | readonly string[] | null | 'public'
  body?: TSchema
  query?: TSchema
  /** Of the answer with status 200. */
  answer?: TSchema
  /** Of answers with other statuses that have a shape of their own. */
  otherAnswers?: Readonly<Record<number, TSchema>>
  /** Content types where they are not JSON alone, for the OpenAPI document. */
  media?: { body?: readonly string[]; answer?: readonly string[]; error?: string }
  /**
   * Whether the handler itself finds out who calls, by `request.authenticate`: no credential and no body is looked at
   * before it.
   */
  authenticates?: boolean
  /** Whether the handler itself checks scopes: which one it takes depends on the request. The gateway then checks none. */
  checksScopes?: boolean
  /** Whether the handler itself checks query and body, in its own order. The gateway then only reads the body. */
  checksInput?: boolean
  /**
   * The largest body, in bytes: larger ones are refused before they are parsed. `server.body_limit` is that of inference.
   * Default: 64 KiB on a public route, else 1 MiB; never more than `server.body_limit`, but where a number is given.
   */
  bodyLimit?: number | 'server.body_limit'
  /** Whether no body, or an empty one, is the same as `{}`. */
  isBodyOptional?: boolean
  /**
   * Whether the handler reads the body itself, as `ServiceRequest.bodyStream`: it is neither parsed nor bounded before,
   * and `server.body_limit` does not apply. The handler bounds it.
   */
  streamsBody?: boolean
  /** Cookies of the route's own, by name. */
  cookies?: readonly string[]
  /**
   * Where it is served once `server.admin_listener` is set; `admin` is then unknown on the main listener. Default by its
   * scope: what applications call, and what is public, is on `main`, all else on `admin`.
   */
  listener?: Listener
  handle(request: ServiceRequest): Promise<ServiceAnswer>
  /** Paths, such as `/scim/v2`, below which errors of unknown paths are written by `renderError` as well. */
  rendersErrorsBelow?: readonly string[]
  /** How errors are written where the clients of a standard expect a shape of its own. */
  renderError?(error: GatewayError): { contentType: string; body: JsonObject }
  /** Hears of a request that never reached `handle`: no credential (`identity` is null), no scope, no JSON. */
  refused?(request: ServiceRequest, error: GatewayError): Promise<void>
}

/** What is told of a route that is served. */
export type RouteDescription = Omit<Route, 'handle'>
