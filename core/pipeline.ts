/**
 * The ordered lists of stages: stages process a request on its way in and its answer on its way out. Every request runs
 * the lists of `createEdge`, at the end of this file, and then the list of its endpoint. For a chat request that is
 * `inference`, which runs `node` for nodes of the config, `attempt` for each attempt at a target, and `targetCall` for
 * each call.
 *
 * A stage is a file in `stages/` named after it (`createRespond`, `createTelemetry` and `strategyOver` are in
 * `respond.ts`, `telemetry.ts` and `strategy.ts`); two small ones are in this file. Next to a stage is the condition
 * under which a config node (`forNodes`) or a request (`when`) uses it.
 *
 * The first type in the brackets of a list is the phase in which it begins (`flow/phases.ts`); the second is its result
 * if that is not an answer. `use<X>` names the phase that a stage makes. A stage compiles only where the list has
 * reached the phase that it takes. Stages that take the same phase could be swapped without an error: their order is the
 * behaviour.
 *
 * A stage contains what only it does. What several places use is in a room: a folder of core whose `index.ts` describes
 * it. Those imported by name (`@gateway/…`) are packages, which cannot import the other rooms.
 *
 *   flow         phases, answers, the gateway's headers    tenancy        callers, workspaces, their secrets
 *   config-file  the config file, the schema of configs    metering       limits, budgets, prices
 *   config       compiled configs, mandatory guardrails    guardrails     hooks and checks
 *   routing      choice of targets, capacity, breakers     caching        cache keys, semantic cache
 *   upstream     calls, host guard, provider errors        observability  log, metrics, decisions
 *   streaming    streams, usage, the compatible format     server         routes, scopes, connections
 *   endpoints    endpoints, translation between formats    discovery      packages found at the start
 *
 * Outside core are packages that `discovery` finds and that core does not name: providers (`providers/`), checks, other
 * client formats (`plugins/dialect-*`), external stores, and the management API (`plugins/control-plane`).
 * `CONTRIBUTING.md` says what to change where.
 */
import type { Route } from '@gateway/contract'
import {
  type Admitted,
  type Authenticated,
  type CallerTarget,
  type ConfigNode,
  type Endpoint,
  type Found,
  type FoundRoute,
  found,
  type MaybePromise,
  type Next,
  nodeStages,
  type OpenTarget,
  type Ports,
  type Received,
  type Resolved,
  type Routed,
  type Run,
  type Runtime,
  type Scrubbed,
  stages,
  type Targeted,
} from '@gateway/flow'
import type { Pipelines } from './endpoints/index.ts'
import { auth } from './stages/auth.ts'
import { breaker } from './stages/breaker.ts'
import { cache } from './stages/cache.ts'
import { call } from './stages/call.ts'
import { capacity } from './stages/capacity.ts'
import { guardrailsIn } from './stages/guardrails-in.ts'
import { guardrailsOut } from './stages/guardrails-out.ts'
import { hedge } from './stages/hedge.ts'
import { limits } from './stages/limits.ts'
import { overrideParams } from './stages/override-params.ts'
import { parse } from './stages/parse.ts'
import { prompt } from './stages/prompt.ts'
import { queue } from './stages/queue.ts'
import { recordAttempt } from './stages/record-attempt.ts'
import { report } from './stages/report.ts'
import { resolve } from './stages/resolve.ts'
import { createRespond } from './stages/respond.ts'
import { responseOwner } from './stages/response-owner.ts'
import { responseState } from './stages/response-state.ts'
import { retry } from './stages/retry.ts'
import { scrub } from './stages/scrub.ts'
import { sessionHooks } from './stages/session-hooks.ts'
import { shadow } from './stages/shadow.ts'
import { singleTarget } from './stages/single-target.ts'
import { strategyOver } from './stages/strategy.ts'
import { target } from './stages/target.ts'
import { targetLimits } from './stages/target-limits.ts'
import { createTelemetry } from './stages/telemetry.ts'

/*
 * Each of these returns a node's setting for a stage, or null if the node does not use the stage. Evaluated once per
 * node.
 */

const promptOf = ({ prompt }: ConfigNode) => prompt
const overridesOf = ({ overrideParams }: ConfigNode) => overrideParams
const inputHooksOf = ({ before }: ConfigNode) => (before.length > 0 ? before : null)
const shadowOf = ({ shadow }: ConfigNode) => shadow
const cacheOf = ({ cache }: ConfigNode) => cache
const queueOf = ({ queue }: ConfigNode) => queue
const retryOf = ({ retry }: ConfigNode) => retry
/** Also where input checks ran: the stage writes their results into a stream. */
const outputHooksOf = ({ after, isChecked }: ConfigNode) => (after.length > 0 || isChecked ? after : null)
/** Only at a leaf, because at other nodes the strategy hedges. */
const hedgeOf = ({ hedge, targets }: ConfigNode) => (targets.length === 0 ? hedge : null)
const breakerOf = ({ breaker }: ConfigNode) => breaker

/* Whether a node, or a request, uses a stage. */

const isInner = ({ targets }: ConfigNode) => targets.length > 0
/** Stored keys, and requests of services, may bring their own limits. */
const isLimited = ({ caller, workspace, transport }: Routed) =>
  workspace.limits.limitsRequests || caller.key !== null || transport.origin?.budget !== undefined
const hasTargetLimits = ({ workspace }: Targeted) => workspace.limits.limitsTargets
const isCapacityKnown = (_exchange: Targeted, { capacity }: Ports<'capacity'>) => capacity.isKnown
const hasResponses = ({ endpoint }: Resolved) => endpoint.responses !== null

/** The call within an attempt; below `hedge` it may run twice. */
const targetCall = nodeStages<Targeted>()
  .forNodes(hedgeOf, hedge) //            in: a second call when the first takes too long; out: the first good answer
  .forNodes(breakerOf, breaker) //        in: answers 503 while the circuit is open; out: counts success or failure
  .when(hasTargetLimits, targetLimits) // in: reserves the target's limits and budgets, or refuses; out: settles them by actual usage
  .when(isCapacityKnown, capacity) //     in: answers 429 if the target has no room; counts calls
  .end(call) //                           in: the body in the provider's format; out: the answer in the caller's format

/** Once per attempt at a target; `retry` repeats it. */
const attempt = nodeStages<Targeted>()
  .use(recordAttempt) //                     out: the attempt's result, for headers, logs and metrics
  .forNodes(outputHooksOf, guardrailsOut) // out: output checks and mutators; a denial becomes the answer
  .then(targetCall)

/**
 * Once per config node: an inner node ends at its strategy, which runs the same list for each target (child node) that it
 * picks. A leaf goes on to `target`, the provider and the credential that it calls. The stages before that run at the
 * node that has their setting; leaves inherit the settings of `retry` and most of what follows.
 */
export const node = nodeStages<Resolved>()
  .forNodes(promptOf, prompt) //            in: renders the prompt named by a leaf into the body
  .forNodes(overridesOf, overrideParams) // in: applies override_params to the body
  .forNodes(inputHooksOf, guardrailsIn) //  in: runs hooks and guardrails on the request; a denial becomes the answer
  .forNodes(shadowOf, shadow) //            out: notes a request with a good answer, to run it later against another config
  .forNodes(cacheOf, cache) //              in: answers from the cache; out: stores a good answer
  .forNodes(queueOf, queue) //              in: waits until a target has room; out: waits again if the call was refused for lack of room
  .endFor(isInner, strategyOver) //         in: picks targets, runs this list for them
  .use<Targeted>(target) //                 in: provider and credential of the leaf
  .forNodes(retryOf, retry) //              out: waits and repeats the attempt after retryable answers
  .then(attempt)

/** Once per inference call. */
const inference = stages<Routed>()
  .use<Routed>(counted)
  .use(report) //                             in: may the caller see the decision trace?; out: adds it and hook results to the answer
  .use<Routed>(parse) //                      in: the body, read once and checked against the specification
  .use<Resolved>(resolve) //                  in: the config, from the request, the key or the workspace, with their mandatory guardrails
  .use<Resolved>(requireBody) //              in: refuses a body that no prompt of the config can complete
  .when(isLimited, limits) //                 in: reserves the caller's rate limits and budgets, or refuses with 412 or 429; out: settles them by actual usage
  .when(hasResponses, responseState) //       in: resolves references of a response request; out: stores the response
  .then(node)

/**
 * Once per config node of a call about a stored response: no model generates anything, so nothing is checked or cached
 * on the way in.
 */
const storedResponseNode = nodeStages<Resolved>()
  .endFor(isInner, strategyOver)
  .use<Targeted>(target)
  .forNodes(retryOf, retry)
  .then(attempt)

/** The same for the removal of a stored response, whose answer has no text to check. */
const removalNode = nodeStages<Resolved>()
  .endFor(isInner, strategyOver)
  .use<Targeted>(target)
  .forNodes(retryOf, retry)
  .use(recordAttempt)
  .then(targetCall)

/** Once per call about a stored response. */
const storedResponse = stages<Routed>()
  .use(report)
  .use<Resolved>(resolve)
  .when(isLimited, limits)
  .use(responseOwner) // in: picks the leaf whose provider stores the response, if known

/**
 * Once per config node of a call about a file, a batch or a fine-tuning job. Not retried: an upload can be sent only
 * once.
 */
const objectNode = nodeStages<Resolved>()
  .endFor(isInner, strategyOver)
  .use<Targeted>(target)
  .use(recordAttempt)
  .then(targetCall)

/** Once per call about objects stored by a provider, other than responses. */
const providerObject = stages<Routed>()
  .use(report)
  .use<Resolved>(resolve)
  .when(isLimited, limits)
  .use(singleTarget) // in: refuses a config that does not lead to exactly one target
  .then(objectNode)

/**
 * The parts of a dry run, which describes a call without making it: reads headers, reads a body, checks that it is
 * complete.
 */
export const readHeaders = stages<Authenticated, Admitted>()
  .use<Admitted>(scrub)
  .end((exchange) => exchange)
export const readBody = stages<Routed, Routed>()
  .use<Routed>(parse)
  .end((exchange) => exchange)
export const checkBody = stages<Resolved, Resolved>()
  .use<Resolved>(requireBody)
  .end((exchange) => exchange)

/** Finds the config of a dry run, or of a call that its endpoint answers itself. */
export const config = stages<Routed, Resolved>()
  .use<Resolved>(resolve)
  .end((exchange) => exchange)

/** Once per config node of a session; `call` checks its messages with the hooks that `sessionHooks` collects. */
const sessionNode = nodeStages<Resolved>()
  .forNodes(overridesOf, overrideParams)
  .forNodes(inputHooksOf, sessionHooks)
  .endFor(isInner, strategyOver)
  .use<Targeted>(target)
  .forNodes(retryOf, retry)
  .use(recordAttempt)
  .then(targetCall)

/** Once per session with a provider. */
const providerSession = stages<Routed>()
  .use(report)
  .use<Resolved>(resolve)
  .when(isLimited, limits)
  .then(sessionNode)

/** Counts a request as in flight until the last byte of its answer; batches yield to such requests. */
function counted<Result>(
  exchange: Routed,
  next: Next<Routed, Result>,
  { inFlight }: Ports<'inFlight'>,
): MaybePromise<Result> {
  inFlight.begin('inference')
  exchange.request.ledger.deferred.add(() => void inFlight.end('inference'))
  return next(exchange)
}

/** Refuses an incomplete body unless a prompt of the config may complete it. */
function requireBody<Result>(exchange: Resolved, next: Next<Resolved, Result>): MaybePromise<Result> {
  const { node } = exchange
  const { bodyFault } = exchange.input
  if (bodyFault !== null && !node.hasPrompts) throw bodyFault
  return next(exchange)
}

/** The pipelines that endpoints name for their routes. Each ends with an answer, except `config`. */
export const createPipelines = (ports: Runtime): Pipelines => ({
  inference: inference.over(ports),
  'stored-response': storedResponse.then(storedResponseNode).over(ports),
  'stored-response-removal': storedResponse.then(removalNode).over(ports),
  'provider-object': providerObject.over(ports),
  session: providerSession.over(ports),
  config: config.over(ports),
})

export interface Edge {
  /** Selects the handler of a request; an unknown route answers with an error. */
  find(method: string, path: string): FoundRoute
  /** The endpoint at a path, for requests that fail before they are routed: for their error format and log entry. */
  endpointAt(path: string): Endpoint | null
  /** How a service writes its errors at a path; null: as the gateway does. */
  errorFormatAt(path: string): Route['renderError'] | null
}

/** A route that needs no caller. */
const openRoute = stages<Found<OpenTarget>>()
  .use<Found<OpenTarget> & Scrubbed>(scrub) // in: reads the gateway's headers, and removes those that stages must not see
  .end((exchange) => exchange.route.target.serve(exchange, exchange.route.params))

/**
 * A route that needs a caller. Most unknown paths are such routes, so only authenticated callers learn that they are
 * unknown. The target of an endpoint's route checks the key's scope and runs the endpoint's list (`server/routes.ts`).
 */
const callerRoute = stages<Found<CallerTarget>>()
  .use<Found<CallerTarget> & Authenticated>(auth) // in: authenticates the caller and loads their workspace
  .use<Found<CallerTarget> & Admitted>(scrub) //     in: reads the gateway's headers, and removes those that stages must not see
  .end((exchange) => exchange.route.target.serve(exchange, exchange.route.params))

const isPublicRoute = (exchange: Found<OpenTarget> | Found<CallerTarget>): exchange is Found<OpenTarget> =>
  exchange.route.target.isPublic

/** Runs every request, also those of the management API. */
export function createEdge(ports: Runtime, { find, ...formats }: Edge): Run<Received, void> {
  const [open, called] = [openRoute.over(ports), callerRoute.over(ports)]
  const answer = (received: Received) => {
    const exchange = found(received, find(received.transport.method, received.transport.path))
    return isPublicRoute(exchange) ? open(exchange) : called(exchange)
  }
  return stages<Received, void>()
    .use(createTelemetry(ports, formats.endpointAt)) // in: the trace id; out: metrics, log line and log entry, after the last byte
    .end(createRespond(ports, formats, answer)) //      out: turns errors into answers; sends the answer to its last byte
    .over(ports)
}
