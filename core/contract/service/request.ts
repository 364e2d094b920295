/** A request as passed to a route's handler. */
import type { Identity } from '../identity.ts'
import type { JsonObject } from '../json.ts'
import type { DataPath, GuardrailSubject } from './data-path.ts'
import type { InferencePlan, PlannedCall } from './plan.ts'

export interface ServiceRequest {
  /** Null on a public route. */
  identity: Identity | null
  traceId: string
  method: string
  /** The requested path, without the query. */
  path: string
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** The raw query with its question mark; empty without a query. */
  search: string
  /** Lower-case names, scrubbed. */
  headers: Readonly<Record<string, string>>
  /** The gateway's own headers, without their prefix: `workspace-id`, `csrf`. */
  own: ReadonlyMap<string, string>
  /** The cookies listed in `Route.cookies`; other cookies are credentials and not visible to services. */
  cookies: ReadonlyMap<string, string>
  /** The prefix of the gateway's own headers in this request, to use for those of its answer. */
  prefix: string
  /** Validated against `Route.body`; null for a route without a body. */
  body: unknown
  /**
   * The body as it arrives, for a route with `streamsBody`; null for every other route. It can be read once. The
   * handler may still answer after it stops reading. Errors while reading: `client_closed_request`.
   */
  bodyStream: AsyncIterable<Buffer> | null
  /** Fires when the client disconnects before the last byte of the answer. */
  signal: AbortSignal
  clientIp: string
  /**
   * Runs a guardrail, written as in a config, and returns its hook result. Errors: those of its validation, with paths.
   */
  runGuardrail(guardrail: JsonObject, subject: GuardrailSubject): Promise<JsonObject>
  /**
   * What would happen to an inference request of this caller. Nothing is called, counted, cached or logged. Errors:
   * `invalid_body` at `/endpoint` for a path that is not an inference route.
   */
  plan(call: PlannedCall): Promise<InferencePlan>
  /**
   * Authenticates the caller, on a route that authenticates by itself. From then on the request has the settings of the
   * caller's workspace. Errors: 401 as on every other route; 404 for a workspace that is not the credential's.
   */
  authenticate(options?: AuthenticateOptions): Promise<Identity>
  /** The body, on such a route: read once, on request. Errors: 413 `body_too_large`, by `server.body_limit`. */
  readBody(): Promise<Buffer>
  /** Decoded credentials of `Authorization: Basic`, for clients known only to a service; null if absent. */
  readonly basic: string | null
  /** A JWT sent as the credential or as an additional bearer token; null if absent. */
  readonly jwt: string | null
  /** A bearer token of any form, sent in addition to the gateway credential; null if absent. */
  readonly bearer: string | null
  /** Whether the request has a gateway credential. */
  readonly hasKey: boolean
  /** Guardrails, limits and logging for the caller that {@link authenticate} found. */
  readonly dataPath: DataPath
}

export interface AuthenticateOptions {
  /**
   * Whether the handler itself verifies that a page of the gateway sent the request; a cookie then needs no CSRF token.
   */
  checksCsrf?: boolean
  /** The identity behind an access token with the prefix `gwo_`. Errors: `invalid_api_key`. */
  subjectOf?(token: string): Promise<TokenSubject>
  /** The workspace that the request specifies outside its headers, by id or slug. */
  workspace?: string | undefined
  /**
   * The id of the workspace to use for a credential that is not bound to a workspace; null: the workspace that the
   * request specifies.
   */
  workspaceOf?(identity: Identity): Promise<string | null>
}

/** The subject of a token: a person, or an API key that signed in. */
export interface TokenSubject {
  organisationId: string
  workspaceId: string
  userId: string | null
  keyId: string | null
}
