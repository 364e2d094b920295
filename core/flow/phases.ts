/**
 * The phases of a request, and what becomes known in each:
 *
 *   Received       request    its ids, times, stores, log record and ledger
 *                  transport  the connection to the client
 *                  leaving    fires when the client disconnects
 *   Found          route      what serves the path
 *   Authenticated  caller     identity and stored key
 *                  workspace  the caller's workspace and its configuration
 *   Scrubbed       headers    those that stages may see
 *                  options    the gateway's headers, parsed
 *   Admitted       (Authenticated and Scrubbed)
 *   Routed         endpoint   its declaration, whose members say what stages do; they compare no ids
 *                  input      the body and what it was made from: empty until `parse`, replaced by `changeInput`,
 *                             in the client's format until `call`
 *   Resolved       config     the root of the config
 *                  node       the node that runs
 *                  attempt    the last call of a target
 *   Targeted       target     provider, credential and host
 *   Answered       answer     at the end, of a request in any phase
 *
 * They are views of one object, the {@link Exchange}: it has all members from construction, so that all exchanges have
 * one hidden class and none is copied from phase to phase. Members of later phases have initial values; earlier types do
 * not have these members. Only the functions below and `fork` enter a phase: each function sets the members that become
 * known and returns the same object with the wider type. So a stage that reads `target` takes a `Targeted`, and can get
 * one only from a stage that makes it.
 */
import type { Answer } from './answer.ts'
import type { KnownCaller } from './caller.ts'
import type { Cancellation } from './cancellation.ts'
import type { ConfigNode, ResolvedTarget } from './config-node.ts'
import type { Endpoint } from './endpoint.ts'
import {
  type AttemptState,
  changeInput,
  Exchange,
  type Input,
  noInput,
  type RequestContext,
  required,
} from './exchange.ts'
import type { GatewayOptions } from './headers/request-headers.ts'
import { createLedger } from './ledger.ts'
import type { Workspace } from './settings.ts'
import type { Transport } from './transport.ts'
import type { MaybePromise } from './waiting.ts'

/** A request that has arrived. */
export interface Received {
  readonly request: RequestContext
  /** Replaced by the router for a request that a service rewrites. */
  transport: Transport
  /**
   * Fires when the client disconnects. The cache replaces it with one that fires when all waiting clients have
   * disconnected, and hedging with one for each of its calls.
   */
  leaving: Cancellation
}

/** A request whose caller and workspace are known. */
export interface Authenticated extends Received {
  caller: KnownCaller
  /** The configuration of their workspace as `auth` loaded it. A session loads it again before each response. */
  workspace: Workspace
}

/** A request whose headers are read. Public routes have no caller, so `scrub` takes requests with and without one. */
export interface Scrubbed extends Received {
  /** Lower-case names, without those that no stage may see. */
  headers: Readonly<Record<string, string>>
  /** The gateway's headers, parsed; a config among them is compiled by `resolve`. */
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
  input: Input
}

/** A request whose config is known. */
export interface Resolved extends Routed {
  /** The root of the config. */
  readonly config: ConfigNode
  /** The node of the config that runs. */
  node: ConfigNode
  attempt: AttemptState
  /** Returns a copy for another node of the config: the same request, without a target or an answer yet. */
  fork(node: ConfigNode): Resolved
}

/** A request whose target is known: provider, credential and host. */
export interface Targeted extends Resolved {
  target: ResolvedTarget
}

/**
 * A request that ended in any phase. Members of phases that it did not reach are null, or have their initial values:
 * `workspace`, `headers`, `input` and `attempt`.
 */
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
  caller: KnownCaller,
  workspace: Workspace,
): Phase & Authenticated {
  const received: Received = exchange
  const known = received as Exchange
  known.caller = caller
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
  const { prompt } = exchange.transport
  if (prompt !== null) changeInput(known, { prompt })
  return known as Routed
}

/**
 * Enters the phase {@link Resolved}.
 * @param config the root that was chosen
 * @param node where it begins
 */
export function resolved(exchange: Routed, config: ConfigNode, node: ConfigNode): Resolved {
  const known = exchange as Received as Exchange
  known.config = config
  known.node = node
  return known as Resolved
}

/** The maximum duration of a stream from the request's arrival, in milliseconds; null: unlimited. */
export const streamTotalMs = ({ config }: Pick<Resolved, 'config'>): number | null =>
  config.streamClocks?.totalMs ?? null

/**
 * A call that the gateway itself makes for a request, such as that of a check: a fork with its own endpoint and body.
 * Its usage is not the request's.
 */
export function innerCall(
  exchange: Admitted,
  { endpoint, node, body }: Pick<Resolved, 'endpoint' | 'node'> & Pick<Input, 'body'>,
): Resolved {
  const received: Received = exchange
  const call = (received as Exchange).fork(node)
  const { request } = exchange
  call.request = { ...request, ledger: createLedger(request.ledger.deferred) }
  call.endpoint = endpoint
  changeInput(call, { body, source: null, files: noInput.files, beforeResults: noInput.beforeResults })
  return call as Resolved
}

/** The same request once more, to be answered for another caller. */
export function copyOf(exchange: Received): Received {
  const known = exchange as Exchange
  return new Exchange(known.request, known, known)
}

/** Enters the phase {@link Targeted}. */
export function targeted(exchange: Resolved, target: ResolvedTarget): Targeted {
  const known = exchange as Received as Exchange
  known.target = target
  return known as Targeted
}

/**
 * The view with all members, for code that handles requests of any phase: `telemetry`, `respond` and what they call.
 */
export const ended = (exchange: Received): Ended => exchange as Exchange

/** The request as {@link Admitted}, where its route guarantees a caller. Throws without one, which is a bug. */
export function callerOf(exchange: Ended): Admitted {
  required(exchange.options && exchange.caller, 'caller')
  return exchange as Received as Admitted
}

/** Enters the phase {@link Answered}. */
export function answered(exchange: Received, answer: Answer): Answered {
  const known = exchange as Exchange
  known.answer = answer
  return known as Answered
}
