/**
 * The phases of a request. Each type has only the fields that are known in that phase:
 *
 *   Received → Authenticated → Admitted → Routed → Resolved → Targeted, and at its end Answered
 *
 * They are views of one object, the {@link Exchange}: it has all fields from construction, so that all exchanges have
 * one hidden class and none is copied from phase to phase. Its fields of later phases have initial values that no
 * earlier type shows. Only the functions below enter a phase: each sets the fields that become known and returns the
 * same object with the wider type. So a stage that reads `target` takes a `Targeted`, and can get one only from a stage
 * that makes it.
 */
import type {
  FormParts,
  GatewayError,
  Identity,
  InferencePrompt,
  JsonObject,
  ServiceCallRecord,
  StoredDocument,
  UploadedFile,
} from '@gateway/contract'
import type { KeyTerms } from '@gateway/domain'
import type { Answer } from './answer.ts'
import type { Caller } from './caller.ts'
import type { Cancellation } from './cancellation.ts'
import type { SentMark } from './capacity.ts'
import type { ConfigNode, ResolvedTarget, SavedConfig } from './config-node.ts'
import type { Endpoint } from './endpoint.ts'
import { type Exchange, required } from './exchange.ts'
import type { GatewayOptions, OwnHeaders } from './headers/request-headers.ts'
import type { CompiledHook, HookResult } from './hook-result.ts'
import type { Attempt, Ledger, RequestRecord } from './ledger.ts'
import type { Workspace } from './settings.ts'
import type { Stores } from './stores.ts'
import type { RawBody, SourceText, Transport } from './transport.ts'
import type { MaybePromise } from './waiting.ts'

/** A request that has arrived. */
export interface Received {
  /** The stores for its usage, its log entry and its responses. Replaced when a service reserves its usage. */
  stores: Stores
  /** Replaced by the router for a request that a service rewrites. */
  transport: Transport
  /** The path in the request line, even if the request is rewritten. */
  readonly requestedPath: string
  /** Fires when the client disconnects; in a fork of the cache stage, when all clients have. */
  leaving: Cancellation
  /** {@link leaving} as an AbortSignal. */
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly arrivedAt: number
  /** `performance.now()` at arrival. */
  readonly startedAt: number
  /** The trace id: the request's own id, unless the caller sends a trace id. Written by `telemetry`. */
  traceId: string
  /** Unique per call, unlike the trace id: the id of its log entry and `x-request-id` of its answer. */
  readonly requestId: string
  /** Notes for its entry in the log; shared by all forks. */
  readonly record: RequestRecord
  /** Usage of its attempts, and limits; shared by all forks. */
  ledger: Ledger
  /** The gateway's headers as received, including those from a body's `gateway_options`. */
  own: OwnHeaders
  /** The prompt that its body was rendered from, or null. Written by the route of the prompt and by `prompt`. */
  prompt: InferencePrompt | null
  /** Calls that a service made for the request, each logged; written by the service's route. */
  serviceCalls: readonly ServiceCallRecord[]
}

/** A request whose caller and workspace are known. */
export interface Authenticated extends Received {
  identity: Identity
  /** The stored key used; null for other credentials. */
  keyDocument: StoredDocument<KeyTerms> | null
  /** The configuration of their workspace at the request's arrival, kept to its end. */
  workspace: Workspace
  /** Results of input checks so far; written by `guardrails-in`, and for tool calls of services. */
  beforeResults: readonly HookResult[]
}

/** A request whose headers are read. Public routes have no caller, so `scrub` takes both phases. */
export interface Scrubbed extends Received {
  /** Lower-case names, without those that no stage may see. */
  headers: Readonly<Record<string, string>>
  /** The gateway's headers, parsed and validated. */
  options: GatewayOptions
}

/** A request whose caller is known and whose headers are read, as service routes take it. */
export interface Admitted extends Authenticated, Scrubbed {}

/** The handler of a route, and the phase that it takes. */
interface RouteTarget<Phase> {
  /** The declared path with its parameter names; null for an unknown route. */
  path: string | null
  serve(exchange: Phase, params: Readonly<Record<string, string>>): MaybePromise<Answer>
}

/** A route that needs no credential, or authenticates by itself. */
export interface OpenTarget extends RouteTarget<Scrubbed> {
  isPublic: true
}

export interface CallerTarget extends RouteTarget<Admitted> {
  isPublic: false
}

/** @typeParam Target what serves the route */
export interface FoundRoute<Target = OpenTarget | CallerTarget> {
  target: Target
  /** The path parameters, decoded. */
  params: Readonly<Record<string, string>>
}

/** A request whose route is known. The route of an unknown path answers with an error. */
export interface Found<Target> extends Received {
  route: FoundRoute<Target>
}

/** A request that calls an endpoint. */
export interface Routed extends Admitted {
  endpoint: Endpoint
  /** The members of the request's body or of its path; empty for a request with neither. */
  body: JsonObject
  /** Uploaded files of a form; written by `parse`. */
  files: readonly UploadedFile[]
  /** A form streamed to the provider; null without one. Written by the service that answers the endpoint. */
  form: FormParts | null
  /** The text of the body: the original one, written by `parse` and dropped by `guardrails-in`, or the one that was sent. */
  source: SourceText | null
  /** The raw body when bytes are forwarded; otherwise null. Written by `parse`. */
  raw: RawBody | null
  /** The response whose conversation was prepended to the input; null for none. Written by `response-state`. */
  continued: string | null
  /** Missing members that a target's prompt must supply; null for none. Written by `parse`. */
  bodyFault: GatewayError | null
}

/** The config that routes it is known. */
export interface Resolved extends Routed {
  node: ConfigNode
  /** The saved config that routes it; null for an inline config and for requests without a config. */
  readonly savedConfig: SavedConfig | null
  /** The maximum duration of a stream from the request's arrival, in milliseconds; null: unlimited. */
  readonly streamTotalMs: number | null
  /**
   * The values that `override_params` has set so far, the nearest value of each; null removes the name, also from a
   * translated body. Written by `override-params`.
   */
  overridden: JsonObject | null
  /** The input hooks of a session. Written by `session-hooks`. */
  sessionHooks: readonly CompiledHook[]
  /** Whether it is the extra call of a hedge. Written by `hedge` and by strategies that hedge. */
  isHedge: boolean
  /** The last attempt; null when no target was called. Written by `call`. */
  attempt: Attempt | null
  /** Returns the same request for one target, in the previous phase. */
  fork(node: ConfigNode): Resolved
}

/** A request whose target is known: provider, credential and host. */
export interface Targeted extends Resolved {
  target: ResolvedTarget
  /**
   * The usage that its target had been sent, including this request; null if its limits are not known. Written by
   * `capacity`.
   */
  sent: SentMark | null
}

/** A request that is over, in any phase. Members of phases that it did not reach are null. */
export type Ended = Exchange

/** A request with an answer, which may be an error of any phase. */
export interface Answered extends Ended {
  answer: Answer
}

/** Enters the phase {@link Found}. */
export function found(exchange: Received, route: FoundRoute): Found<OpenTarget> | Found<CallerTarget> {
  const known = exchange as Exchange
  known.route = route
  return exchange as Found<OpenTarget> | Found<CallerTarget>
}

/** Enters the phase {@link Authenticated}. */
export function authenticated<Phase extends Received>(
  exchange: Phase,
  { identity, key }: Pick<Caller, 'identity' | 'key'>,
  workspace: Workspace,
): Phase & Authenticated {
  const received: Received = exchange
  const known = received as Exchange
  known.identity = identity
  known.keyDocument = key
  known.workspace = workspace
  return exchange as Phase & Authenticated
}

/** Enters the phase {@link Scrubbed} and keeps everything already known. */
export function scrubbed<Phase extends Received>(
  exchange: Phase,
  headers: Scrubbed['headers'],
  options: GatewayOptions,
): Phase & Scrubbed {
  const received: Received = exchange
  const known = received as Exchange
  known.headers = headers
  known.options = options
  return exchange as Phase & Scrubbed
}

/** Enters the phase {@link Routed}. */
export function routed(exchange: Admitted, endpoint: Endpoint): Routed {
  const known = exchange as Received as Exchange
  known.endpoint = endpoint
  return known as Routed
}

/** Enters the phase {@link Resolved}. @param config the root that was chosen @param node where it begins */
export function resolved(exchange: Routed, config: ConfigNode, node: ConfigNode): Resolved {
  const known = exchange as Received as Exchange
  known.savedConfig = config.saved
  known.streamTotalMs = config.streamClocks?.totalMs ?? null
  known.node = node
  return known as Resolved
}

/** A call that the gateway itself makes for a request, such as that of a check: a fork with its own endpoint and body. */
export function innerCall(
  exchange: Admitted,
  { endpoint, node, body }: Pick<Resolved, 'endpoint' | 'node' | 'body'>,
): Resolved {
  const received: Received = exchange
  const call = (received as Exchange).fork(node) as Resolved
  call.endpoint = endpoint
  call.body = body
  call.source = null
  call.files = noFiles
  call.beforeResults = noResults
  return call
}

const noFiles: readonly UploadedFile[] = []
const noResults: readonly HookResult[] = []

/** Enters the phase {@link Targeted}. */
export function targeted(exchange: Resolved, target: ResolvedTarget): Targeted {
  const known = exchange as Received as Exchange
  known.target = target
  return known as Targeted
}

/**
 * The phase that a request reached, for code that handles the end of every request: `telemetry`, `respond` and what
 * they call.
 */
export const ended = (exchange: Received): Ended => exchange as Exchange

/** Returns the request of a route that may have no caller, where the caller is known to exist. */
export function callerOf(exchange: Ended): Admitted {
  required(exchange.options && exchange.identity, 'caller')
  return exchange as Received as Admitted
}

/** Enters the phase {@link Answered}. */
export function answered(exchange: Received, answer: Answer): Answered {
  const known = exchange as Exchange
  known.answer = answer
  return known as Answered
}
