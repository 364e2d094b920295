/**
 * The ordered lists of stages: stages process a request on its way in and its answer on its way out. A stage is one
 * file in `stages/` with the same name; next to it is the condition under which a config node (`forNodes`) or a request
 * (`when`) uses it. Nothing else determines the order. Each list begins in the phase in its brackets
 * (`flow/phases.ts`), and a stage is accepted only after the list has reached the phase that it takes.
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

/** Which nodes use a stage: those with a setting, which it gets. Evaluated once per node. */
const promptOf = ({ prompt }: ConfigNode) => prompt
const overridesOf = ({ overrideParams }: ConfigNode) => overrideParams
const inputHooksOf = ({ before }: ConfigNode) => (before.length > 0 ? before : null)
const shadowOf = ({ shadow }: ConfigNode) => shadow
const cacheOf = ({ cache }: ConfigNode) => cache
const isInner = ({ targets }: ConfigNode) => targets.length > 0
const retryOf = ({ retry }: ConfigNode) => retry
/** A stream also reports the results of hooks above it. */
const outputHooksOf = ({ after, isChecked }: ConfigNode) => (after.length > 0 || isChecked ? after : null)
/** Above targets the strategy hedges. */
const hedgeOf = ({ hedge, targets }: ConfigNode) => (targets.length === 0 ? hedge : null)
const breakerOf = ({ breaker }: ConfigNode) => breaker
const queueOf = ({ queue }: ConfigNode) => queue

/** Which requests use a stage. A stored key may have its own limits. */
const isLimited = ({ caller, workspace, transport }: Routed) =>
  workspace.limits.limitsRequests || caller.key !== null || transport.origin?.budget !== undefined
const isTargetLimited = ({ workspace }: Targeted) => workspace.limits.limitsTargets
const knowsLimits = (_exchange: Targeted, { capacity }: Ports<'capacity'>) => capacity.isKnown
const hasResponses = ({ endpoint }: Resolved) => endpoint.responses !== null

/** Once per attempt at a target, repeated by `retry`. */
const attempt = nodeStages<Targeted>()
  .forNodes(hedgeOf, hedge) //            in: a second call when the first takes too long; out: the first good answer
  .forNodes(breakerOf, breaker) //        in: an open circuit answers 503; out: success or failure is counted
  .when(isTargetLimited, targetLimits) // in: reserves the target's limits; out: settles with the usage
  .when(knowsLimits, capacity) //         in: a target without room answers 429; calls are counted
  .end(call) //                           in: the body in the provider's dialect; out: its answer in ours

const checkedAttempt = nodeStages<Targeted>()
  .use(recordAttempt) //                     out: the attempt's result, for headers, logs and metrics
  .forNodes(outputHooksOf, guardrailsOut) // out: output checks and mutators; a denial becomes the answer
  .then(attempt)

/** Once per config node: an inner node ends at its strategy, which runs the same list for the target that it picks. */
export const node = nodeStages<Resolved>()
  .forNodes(promptOf, prompt) //            in: the body of the prompt that a leaf names
  .forNodes(overridesOf, overrideParams) // in: override_params over the body
  .forNodes(inputHooksOf, guardrailsIn) //  in: hooks and guardrails on the request; a denial answers
  .forNodes(shadowOf, shadow) //            out: a good answer's request is noted, to run against another config later
  .forNodes(cacheOf, cache) //              in: a stored answer answers; out: a good answer is stored
  .forNodes(queueOf, queue) //              in: waits until a target has room
  .endFor(isInner, strategyOver) //         in: picks targets, runs this list for them
  .use<Targeted>(target) //                 in: provider and credential of the leaf
  .forNodes(retryOf, retry) //              out: the attempt again while codes and waits allow
  .then(checkedAttempt)

/** Once per inference call. */
const request = stages<Routed>()
  .use<Routed>(counted)
  .use(report) //                             out: hook results and the decision trace on the answer
  .use<Routed>(parse) //                      in: the body, read once and checked against the specification
  .use<Resolved>(resolve) //                  in: the config, from the request, the key or the workspace
  .use<Resolved>(requireBody) //              in: refuses a body that no prompt of the config can complete
  .when(isLimited, limits) //                 in: reserves the caller's limits; out: settles with the usage
  .when(hasResponses, responseState) //       in: resolves references of a response request; out: stores the response
  .then(node)

/**
 * Once per config node of a call about a stored response: no model is called, so nothing is checked or cached on the
 * way in.
 */
const relay = nodeStages<Resolved>()
  .endFor(isInner, strategyOver)
  .use<Targeted>(target)
  .forNodes(retryOf, retry)
  .then(checkedAttempt)

/** Once per config node of a removal of such a response, whose answer has no text to check. */
const removal = nodeStages<Resolved>()
  .endFor(isInner, strategyOver)
  .use<Targeted>(target)
  .forNodes(retryOf, retry)
  .use(recordAttempt)
  .then(attempt)

/** Once per call about a response that a provider keeps: by the leaf whose provider stores it, if known. */
const storedResponse = stages<Routed>().use(report).use<Resolved>(resolve).use(limits).use(responseOwner)

/** Once per call about a file or a batch: no model is called, and an upload can be sent only once. */
const object = nodeStages<Resolved>()
  .endFor(isInner, strategyOver)
  .use<Targeted>(target)
  .use(recordAttempt)
  .then(attempt)

/** Once per call about objects stored by a provider, other than responses. */
const providerObject = stages<Routed>()
  .use(report)
  .use<Resolved>(resolve)
  .use(limits)
  .use(singleTarget) // in: refuses a config that does not lead to exactly one target
  .then(object)

/** For a call that is described and not run: its headers and its body. */
export const readHeaders = stages<Authenticated, Admitted>()
  .use<Admitted>(scrub)
  .end((exchange) => exchange)
export const readBody = stages<Routed, Routed>()
  .use<Routed>(parse)
  .end((exchange) => exchange)

/** Finds the config of a call that is not run, or whose endpoint answers itself. */
export const config = stages<Routed, Resolved>()
  .use<Resolved>(resolve)
  .end((exchange) => exchange)
export const checkBody = stages<Resolved, Resolved>()
  .use<Resolved>(requireBody)
  .end((exchange) => exchange)

/** Once per config node of a session; the call checks its messages. */
const session = nodeStages<Resolved>()
  .forNodes(overridesOf, overrideParams)
  .forNodes(inputHooksOf, sessionHooks)
  .endFor(isInner, strategyOver)
  .use<Targeted>(target)
  .forNodes(retryOf, retry)
  .use(recordAttempt)
  .then(attempt)

/** Once per session with a provider. */
const providerSession = stages<Routed>()
  .use(report)
  .use<Resolved>(resolve)
  .when(isLimited, limits)
  .then(session)

/** Counted to the last byte of the answer: batches yield to such requests. */
function counted<Result>(
  exchange: Routed,
  next: Next<Routed, Result>,
  { inFlight }: Ports<'inFlight'>,
): MaybePromise<Result> {
  inFlight.begin('inference')
  exchange.request.ledger.deferred.add(() => void inFlight.end('inference'))
  return next(exchange)
}

/** Once its config is known: only a prompt of the config could complete a body. */
function requireBody<Result>(exchange: Resolved, next: Next<Resolved, Result>): MaybePromise<Result> {
  const { node } = exchange
  const { bodyFault } = exchange.input
  if (bodyFault !== null && !node.hasPrompts) throw bodyFault
  return next(exchange)
}

/** The pipelines that endpoints name for their routes: with an answer at its end, or, for the last, the config. */
export const createPipelines = (ports: Runtime): Pipelines => ({
  inference: request.over(ports),
  'stored-response': storedResponse.then(relay).over(ports),
  'stored-response-removal': storedResponse.then(removal).over(ports),
  'provider-object': providerObject.over(ports),
  session: providerSession.over(ports),
  config: config.over(ports),
})

export interface Edge {
  /** Selects the handler of a request; an unknown route answers with an error. */
  find(method: string, path: string): FoundRoute
  /** The error format while the route is unknown. */
  endpointAt(path: string): Endpoint | null
  /** How a service writes its errors at a path; null: as the gateway does. */
  errorFormatAt(path: string): Route['renderError'] | null
}

/** A route that needs no caller. */
const openRoute = stages<Found<OpenTarget>>()
  .use<Found<OpenTarget> & Scrubbed>(scrub) // in: the gateway's headers read, and none left that no stage may see
  .end((exchange) => exchange.route.target.serve(exchange, exchange.route.params))

/** Unknown routes are reported only to authenticated callers. */
const callerRoute = stages<Found<CallerTarget>>()
  .use<Found<CallerTarget> & Authenticated>(auth) // in: authenticates the caller and loads their workspace
  .use<Found<CallerTarget> & Admitted>(scrub) //     in: as above
  .end((exchange) => exchange.route.target.serve(exchange, exchange.route.params))

const isOpen = (exchange: Found<OpenTarget> | Found<CallerTarget>): exchange is Found<OpenTarget> =>
  exchange.route.target.isPublic

/** Every route, management too. */
export function createEdge(ports: Runtime, { find, ...formats }: Edge): Run<Received, void> {
  const [open, called] = [openRoute.over(ports), callerRoute.over(ports)]
  const answer = (received: Received) => {
    const exchange = found(received, find(received.transport.method, received.transport.path))
    return isOpen(exchange) ? open(exchange) : called(exchange)
  }
  return stages<Received, void>()
    .use(createTelemetry(ports, formats.endpointAt)) // in: trace id and clock; out: metrics and the log line, after the last byte
    .end(createRespond(ports, formats, answer)) //      out: whatever was thrown becomes an answer; the answer to the caller, byte by byte
    .over(ports)
}
