/** A request as the handler of a route gets it. */
import type { Identity } from '../identity.ts'
import type { JsonObject } from '../json.ts'
import type { DataPath, GuardrailSubject } from './data-path.ts'
import type { InferenceAnswer, InferenceCall } from './inference.ts'
import type { DryRun, DryRunCall } from './routing.ts'

export interface ServiceRequest {
  /** Null on a public route. */
  identity: Identity | null
  traceId: string
  method: string
  /** As it was called, without the query. */
  path: string
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** The query as it was written, with its question mark; empty where there is none. */
  search: string
  /** Lower-case names, scrubbed. */
  headers: Readonly<Record<string, string>>
  /** Of the gateway's own headers, without their prefix: `workspace-id`, `csrf`. */
  own: ReadonlyMap<string, string>
  /** Of those that `Route.cookies` names; every other cookie is a credential, which no service sees. */
  cookies: ReadonlyMap<string, string>
  /** The prefix that the gateway's own headers have in this request, for those of its answer. */
  prefix: string
  /** Validated against `Route.body`; null when there is none. */
  body: unknown
  /**
   * The body as it arrives, for a route with `streamsBody`; null for every other route. It can be read once. Whoever stops
   * reading may still answer. Errors while reading: `client_closed_request`.
   */
  bodyStream: AsyncIterable<Buffer> | null
  /** Fires when the caller leaves before the last byte of the answer. */
  signal: AbortSignal
  clientIp: string
  /** Runs a guardrail, written as in a config, and gives its hook result. Errors: what is wrong with it, at its paths. */
  runGuardrail(guardrail: JsonObject, subject: GuardrailSubject): Promise<JsonObject>
  /**
   * Runs an inference request in the place of this one: for its caller, with its headers, under its trace and request
   * ids. It ends when the caller leaves. Its log entry and its metrics are the only ones.
   */
  runInference(call: InferenceCall): Promise<InferenceAnswer>
  /**
   * Says what would happen to an inference request of this caller, without calling, counting, storing or logging
   * anything. Errors: `invalid_body` at `/endpoint` for what is no inference route.
   */
  dryRun(call: DryRunCall): Promise<DryRun>
  /**
   * Finds who calls, on a route that authenticates by itself. From then on the request has the settings of the caller's
   * workspace. Errors: 401 as on every other route; 404 for a workspace that is not the credential's.
   */
  authenticate(options?: AuthenticateOptions): Promise<Identity>
  /** The body, on such a route: read when it is asked for, once. Errors: 413 `body_too_large`, by `server.body_limit`. */
  readBody(): Promise<Buffer>
  /** `Authorization: Basic`, decoded: of clients that are known to a service alone. Null: none. */
  readonly basic: string | null
  /** A JWT that the request carries as its credential, or as a bearer token beside it; null: none. */
  readonly jwt: string | null
  /** Whether the request carries a credential of the gateway. */
  readonly hasKey: boolean
  /** What the caller of {@link authenticate} does, for the guardrails, the limits and the log of the data path. */
  readonly dataPath: DataPath
}

export interface AuthenticateOptions {
  /** Whether the handler itself makes sure that a page of the gateway sent the request: a cookie then needs no csrf token. */
  checksCsrf?: boolean
  /** Whom an access token with the prefix `gwo_` stands for. Errors: `invalid_api_key`. */
  subjectOf?(token: string): Promise<TokenSubject>
  /** The workspace that the request names outside its headers, by id or slug. */
  workspace?: string | undefined
  /** The workspace to act in, by id, for a credential that is bound to none; null: the one that the request names. */
  workspaceOf?(identity: Identity): Promise<string | null>
}

/** In whose name a token was given: a person, or an API key that signed in. */
export interface TokenSubject {
  organisationId: string
  workspaceId: string
  userId: string | null
  keyId: string | null
}
