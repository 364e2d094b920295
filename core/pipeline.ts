/**
 * The ordered lists of stages: what happens to a request, inwards, and to its answer, outwards. A stage is one file in
 * `stages/` with the same name; next to it is the condition under which a config node (`forNodes`) or a request
 * (`forRequests`) uses it. Nothing else determines the order.
 */
import type { Route } from '@gateway/contract'
import type { PipelineName } from './endpoints/index.ts'
import {
  type ConfigNode,
  type Endpoint,
  type Exchange,
  type FoundRoute,
  type Run,
  required,
  type Stage,
} from './flow/index.ts'
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

/** Which nodes use a stage, evaluated once per node. */
const isBesidePrompts = ({ prompt }: ConfigNode) => prompt !== null
const overrides = ({ overrideParams }: ConfigNode) => overrideParams !== null
const checksRequests = ({ before }: ConfigNode) => before.length > 0
const shadows = ({ shadow }: ConfigNode) => shadow !== null
const caches = ({ cache }: ConfigNode) => cache !== null
const isInner = ({ targets }: ConfigNode) => targets.length > 0
const retries = ({ retry }: ConfigNode) => retry !== null
/** A stream also reports the results of hooks above it. */
const checksAnswers = ({ after, isChecked }: ConfigNode) => after.length > 0 || isChecked
/** Above targets the strategy hedges. */
const hedges = ({ hedge, targets }: ConfigNode) => hedge !== null && targets.length === 0
const breaks = ({ breaker }: ConfigNode) => breaker !== null
const queues = ({ queue }: ConfigNode) => queue !== null

/** Which requests use a stage. A stored key may have its own limits. */
const isLimited = ({ settings, keyDocument, transport }: Exchange) =>
  settings.limits.limitsRequests || keyDocument !== null || transport.origin?.budget !== undefined
const isTargetLimited = ({ settings }: Exchange) => settings.limits.limitsTargets
const knowsLimits = ({ runtime }: Exchange) => runtime.capacity.isKnown
/** Unknown routes are reported only to authenticated callers. */
const needsCaller = ({ route }: Exchange) => route === null || !route.target.isPublic
const recallsResponses = ({ endpoint }: Exchange) => endpoint?.recallsResponses === true

// The strategies of the lists below, which run their own list for the target that they pick.
const strategy = strategyOver(() => node)
const relayStrategy = strategyOver(() => relay)
const removalStrategy = strategyOver(() => removal)
const objectStrategy = strategyOver(() => object)
const sessionStrategy = strategyOver(() => session)

/** Stages that run once per attempt at a target, repeated by `retry`. */
const attempt = [
  forNodes(hedges, hedge), //             in: a second call when the first takes too long; out: the first good answer
  forNodes(breaks, breaker), //           in: an open circuit answers 503; out: success or failure is counted
  forRequests(isTargetLimited, targetLimits), // in: reserves the target's limits; out: settles with the usage
  forRequests(knowsLimits, capacity), //  in: a target without room answers 429; calls are counted
  call, //                                in: the body in the provider's dialect; out: its answer in ours
]
const checkedAttempt = [
  recordAttempt, //                       out: the attempt's result, for headers, logs and metrics
  forNodes(checksAnswers, guardrailsOut), // out: output checks and mutators; a denial becomes the answer
  ...attempt,
]

/** Once per config node: an inner node ends at its strategy, which runs the same list for the target that it picks. */
export const node: Run = composeForNodes(
  forNodes(isBesidePrompts, prompt), //      in: the body of the prompt that a leaf names
  forNodes(overrides, overrideParams), //    in: override_params over the body
  forNodes(checksRequests, guardrailsIn), // in: hooks and guardrails on the request; a denial answers
  forNodes(shadows, shadow), //              out: a good answer's request is noted, to run against another config later
  forNodes(caches, cache), //                in: a stored answer answers; out: a good answer is stored
  forNodes(queues, queue), //                 in: waits until a target has room
  forNodes(isInner, strategy), //             in: picks targets, runs this list for them
  target, //                                 in: provider and credential of the leaf
  forNodes(retries, retry), //               out: the attempt again while codes and waits allow
  ...checkedAttempt,
)

/** Once per inference call. */
const request: Run = compose(
  report, //                                  out: hook results and gateway headers on the answer
  parse, //                                   in: the body, read once and checked against the specification
  resolve, //                                 in: the config, from the request, the key or the workspace
  forRequests(isLimited, limits), //          in: reserves the caller's limits; out: settles with the usage
  forRequests(recallsResponses, responseState), // in: resolves references of a response request; out: stores the response
  (exchange) => node(exchange),
)

/**
 * Once per config node of a call about a stored response: no model is called, so nothing is checked or cached on the
 * way in.
 */
const relay: Run = composeForNodes(
  forNodes(isInner, relayStrategy),
  target,
  forNodes(retries, retry),
  ...checkedAttempt,
)

/** As above, for its removal, whose answer has no text to check. */
const removal: Run = composeForNodes(
  forNodes(isInner, removalStrategy),
  target,
  forNodes(retries, retry),
  recordAttempt,
  ...attempt,
)

/** Once per call about a response that a provider keeps. */
const storedResponse = (run: Run): Run =>
  compose(
    report,
    resolve,
    limits,
    responseOwner, // in: the leaf whose provider stores it, if known
    run,
  )

/** Once per call about a file or a batch: no model is called, and an upload can be sent only once. */
const object: Run = composeForNodes(forNodes(isInner, objectStrategy), target, recordAttempt, ...attempt)

/** Once per call about objects stored by a provider, other than responses. */
const providerObject: Run = compose(
  report,
  resolve,
  limits,
  singleTarget, // in: refuses a config that does not lead to exactly one target
  (exchange) => object(exchange),
)

/** Of a call that is described and not run: its headers and its body. */
export const readRequest: Run = compose(scrub, parse)

/** Once per config node of a session; the call checks its messages. */
const session: Run = composeForNodes(
  forNodes(overrides, overrideParams),
  forNodes(checksRequests, sessionHooks),
  forNodes(isInner, sessionStrategy),
  target,
  forNodes(retries, retry),
  recordAttempt,
  ...attempt,
)

/** Once per session with a provider. */
const providerSession: Run = compose(report, resolve, forRequests(isLimited, limits), (exchange) =>
  session(exchange),
)

/** Counted to the last byte of the answer: batches yield to such requests. */
const counted =
  (run: Run): Run =>
  (exchange) => {
    const done = exchange.runtime.inFlight.beginInference()
    exchange.ledger.deferred.add(() => void done())
    return run(exchange)
  }

/** What endpoints name as the pipeline of their routes. */
export const pipelines: Readonly<Record<PipelineName, Run>> = {
  inference: counted(request),
  'stored-response': storedResponse((exchange) => relay(exchange)),
  'stored-response-removal': storedResponse((exchange) => removal(exchange)),
  'provider-object': providerObject,
  session: counted(providerSession),
  config: compose(resolve),
  local: compose(),
}

interface Behind {
  /** What serves a request; null for an unknown route. */
  find(method: string, path: string): FoundRoute | null
  /** Serves it, or says that its route is unknown. */
  dispatch: Run
  /** The error format while the route is unknown. */
  endpointAt(path: string): Endpoint | null
  /** How a service writes its errors at a path; null: as the gateway does. */
  errorFormatAt(path: string): Route['renderError'] | null
}

/** Every route, management too. */
export const createEdge = ({ find, dispatch, ...formats }: Behind): Run =>
  compose(
    createTelemetry(formats.endpointAt), // in: trace id and clock; out: metrics and the log line, after the last byte
    createRespond(formats), // out: whatever was thrown becomes an answer; the answer to the caller, byte by byte
    (exchange, next) => {
      exchange.route = find(exchange.transport.method, exchange.transport.path)
      return next(exchange)
    },
    forRequests(needsCaller, auth), // in: authenticates the caller and loads their workspace
    scrub, //                        in: the gateway's headers read, and none left that no stage may see
    dispatch,
  )

/** Makes one function of a list, once and not per request: each stage runs around the rest of the list. */
function compose(...stages: readonly Stage[]): Run {
  return stages.reduceRight<Run>(
    (rest, stage) => (exchange) => stage(exchange, rest),
    () => undefined,
  )
}

/** A stage for some requests; for others the rest of the list runs at once. */
function forRequests(isNeeded: (exchange: Exchange) => boolean, stage: Stage): Stage {
  return (exchange, next) => (isNeeded(exchange) ? stage(exchange, next) : next(exchange))
}

/** A stage that some config nodes use; the lists of others do not have it. */
interface NodeStage {
  isUsed(node: ConfigNode): boolean
  stage: Stage
}

function forNodes(isUsed: NodeStage['isUsed'], stage: Stage): NodeStage {
  return { isUsed, stage }
}

/** Makes one function of a list that runs for config nodes. The stages that a node uses are chosen once a node. */
function composeForNodes(...list: readonly (Stage | NodeStage)[]): Run {
  const runs = new WeakMap<ConfigNode, Run>()

  function runOf(node: ConfigNode): Run {
    const stages = list.flatMap((entry) => {
      if (typeof entry === 'function') return entry
      return entry.isUsed(node) ? entry.stage : []
    })
    const run = compose(...stages)
    runs.set(node, run)
    return run
  }

  return (exchange) => {
    const node = required(exchange.node, 'config node')
    return (runs.get(node) ?? runOf(node))(exchange)
  }
}
