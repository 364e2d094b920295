/**
 * Plans an inference request without running it: its config, targets with their probabilities and refusals, guardrails,
 * cache and limits. It runs the stages that read the request, and asks the rooms of the others what they would do:
 * nothing is called, counted, cached or logged.
 */
import {
  type GatewayError,
  type InferencePlan,
  type InferencePlanning,
  isGatewayError,
  type PlannedCall,
  type PlannedFault,
  type PlannedTarget,
} from '@gateway/contract'
import {
  type Admitted,
  type Authenticated,
  authenticated,
  Canceller,
  type ConfigNode,
  changeInput,
  createExchange,
  type Endpoint,
  type MaybePromise,
  type Ports,
  RequestBuffers,
  type RequestContext,
  type Resolved,
  type RoutingPorts,
  type Runtime,
  routed,
} from '@gateway/flow'
import { passedHeaders } from '@gateway/upstream'
import { policySubjectOf } from '../../metering/index.ts'
import { checkBody, config, readBody, readHeaders } from '../../pipeline.ts'
import { InProcessTransport } from '../in-process/transport.ts'
import { findEndpoint } from './find-endpoint.ts'
import { type CachingNode, planCache } from './plan-cache.ts'
import { planGuardrails } from './plan-guardrails.ts'
import { planLeaves } from './plan-leaves.ts'
import { collectLimits, policiesNotMatching, requestLimits } from './plan-limits.ts'
import { planQueue } from './plan-queue.ts'
import { faultOf, planTarget } from './plan-target.ts'

/** The caller of a planned request, and what the plan takes from the request that asks for it. */
interface Asking extends Pick<Authenticated, 'caller' | 'workspace'>, Pick<RequestContext, 'stores'> {
  clientIp: string
  /** Null: a new one. */
  traceId: string | null
}

/** Plans a request of a caller who sent another one. Errors: `invalid_body` at `/endpoint`. */
export function planCall(ports: Runtime, asking: Admitted, call: PlannedCall): Promise<InferencePlan> {
  const { caller, workspace, transport } = asking
  const { stores, traceId } = asking.request
  return plan(ports, { caller, stores, workspace, clientIp: transport.clientIp, traceId }, call)
}

/** Plans a request of a service. Errors: as above, and those of the caller's identity. */
export async function planInference(ports: Runtime, planning: InferencePlanning): Promise<InferencePlan> {
  const caller = await ports.identities.findAgain(planning.identity)
  const workspace = await ports.workspaces.settingsOf(caller.identity.workspaceId)
  const { clientIp } = planning
  return plan(ports, { caller, stores: ports.stores, workspace, clientIp, traceId: null }, planning)
}

async function plan(ports: Runtime, asking: Asking, call: PlannedCall): Promise<InferencePlan> {
  const { endpoint, path } = findEndpoint(ports.endpoints, call.path, call.method ?? 'POST')
  const buffers = new RequestBuffers(ports.buffers)
  try {
    const caller = open(asking, call, { path, buffers })
    const errors: GatewayError[] = []
    const admitted = await tried(() => readHeaders.over(ports)(caller), errors)
    const exchange = admitted === null ? null : routed(admitted, endpoint)
    // An invalid body should not hide the routing.
    if (exchange !== null && (await tried(() => readBody.over(ports)(exchange), errors)) === null)
      changeInput(exchange, { body: call.body ?? {} })
    const resolved = exchange === null ? null : await tried(() => config.over(ports)(exchange), errors)
    if (resolved !== null) await tried(() => checkBody.over(ports)(resolved), errors)
    return {
      faults: errors.flatMap(faultsOf),
      missingScope: missingScope(caller, endpoint),
      config: namedConfig(caller, admitted, resolved),
      metadata: { ...admitted?.options.metadata },
      ...(resolved === null ? unrouted : await planRouting(ports, resolved, call.tokens)),
    }
  } finally {
    buffers.release()
  }
}

function open(
  { caller, stores, workspace, clientIp, traceId }: Asking,
  { method = 'POST', headers, body, prompt }: PlannedCall,
  { path, buffers }: { path: string; buffers: RequestBuffers },
): Authenticated {
  const leaving = new Canceller()
  const transport = new InProcessTransport({
    method,
    url: path,
    headers: { 'content-type': 'application/json', ...headers },
    body,
    raw: null,
    clientIp,
    caller: async () => ({ ...caller, allowsAddress: null }),
    origin: { ...(prompt === undefined ? {} : { prompt }) },
    buffers,
    leaving,
    answered: () => undefined,
  })
  const exchange = createExchange({ stores, workspace, transport, leaving, traceId })
  return authenticated(exchange, caller, workspace)
}

/** Null if the request is invalid; an error is then added. */
async function tried<T>(work: () => MaybePromise<T>, errors: GatewayError[]): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (!isGatewayError(error) || error.status >= 500) throw error
    errors.push(error)
    return null
  }
}

function faultsOf(error: GatewayError): PlannedFault[] {
  const { details } = error
  if (details === null || details.length === 0) return [faultOf(error)]
  return details.map(({ param, code, message }) => ({ param, code, message }))
}

function missingScope({ caller }: Authenticated, endpoint: Endpoint): PlannedFault | null {
  const { scopes } = caller.identity
  if (scopes.has('*') || endpoint.scopes.some((scope) => scopes.has(scope))) return null
  const message = `The API key lacks the scope ${endpoint.scopes.join(' or ')}.`
  return { code: 'missing_scope', param: null, message }
}

function namedConfig(
  { request: { ledger } }: Authenticated,
  admitted: Admitted | null,
  resolved: Resolved | null,
): InferencePlan['config'] {
  const source = ledger.decisions.find(({ step }) => step === 'config')?.source
  const saved = resolved?.config.saved ?? null
  return {
    source: typeof source === 'string' ? source : 'none',
    saved,
    inline: saved === null ? (admitted?.options.config ?? null) : null,
  }
}

type Routing = Omit<InferencePlan, 'faults' | 'missingScope' | 'config' | 'metadata'>

/** Of a request that an error prevents from being routed. */
const unrouted: Routing = {
  targets: [],
  guardrails: { input: [], output: [] },
  cache: null,
  queue: null,
  limits: [],
  policiesNotMatching: [],
  forwardedHeaders: [],
}

async function planRouting(
  ports: RoutingPorts & Ports<'answers' | 'log' | 'metrics' | 'services'>,
  exchange: Resolved,
  tokens: PlannedCall['tokens'],
): Promise<Routing> {
  const nowMs = Date.now()
  const caching: CachingNode[] = []
  /** The outermost first. */
  const queueing: Resolved[] = []
  const leaves = await planLeaves(ports, exchange, {
    nowMs,
    visit: (at, { probability }) => {
      if (at.node.cache !== null) caching.push({ exchange: at, probability })
      if (at.node.queue !== null) queueing.push(at)
    },
  })
  const queue = queueing[0] === undefined ? null : planQueue(ports, queueing[0])
  const ofRequest = await requestLimits(exchange, nowMs)
  const targets: PlannedTarget[] = []
  const subjects = [policySubjectOf(exchange, null)]
  for (const leaf of leaves) {
    const { target } = leaf.inspected
    targets.push(await planTarget(leaf, { ofRequest: ofRequest.refusal, nowMs, tokens }))
    if (target !== null)
      subjects.push(policySubjectOf(leaf.exchange, { target, body: leaf.exchange.input.body }))
  }
  return {
    targets,
    guardrails: planGuardrails(exchange),
    cache: await planCache(ports, caching),
    queue,
    limits: collectLimits(ofRequest.limits, leaves, nowMs),
    policiesNotMatching: policiesNotMatching(exchange, subjects),
    forwardedHeaders: forwardedHeaders(exchange),
  }
}

/** Only names, because a value may be a secret. */
function forwardedHeaders(exchange: Resolved): string[] {
  const { options, headers, node } = exchange
  const named = [...(options?.forwardHeaders ?? forwardedBelow(node)), ...passedHeaders(exchange)]
  return [...new Set(named)].filter((name) => Object.hasOwn(headers, name))
}

const forwardedBelow = (node: ConfigNode): readonly string[] => [
  ...node.forwardHeaders,
  ...node.targets.flatMap(forwardedBelow),
]
