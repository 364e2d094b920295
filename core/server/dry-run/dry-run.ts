/**
 * Describes what would happen to an inference request, without running it: its config, targets with their
 * probabilities and refusals, guardrails, cache and limits (contract section 8). Nothing is called, counted, cached
 * or logged.
 */
import {
  type DryRun,
  type DryRunCall,
  type GatewayError,
  isGatewayError,
  type JsonObject,
} from '@gateway/contract'
import { freshHead } from '../../caching/index.ts'
import {
  type Admitted,
  type Authenticated,
  authenticated,
  Canceller,
  type ConfigNode,
  type Endpoint,
  Exchange,
  type Ledger,
  type MaybePromise,
  type Ports,
  type Resolved,
  type RoutingPorts,
  type Runtime,
  routed,
  type SavedConfig,
} from '../../flow/index.ts'
import { type LimitPreview, policySubjectOf } from '../../metering/index.ts'
import { checkBody, config, readBody, readHeaders } from '../../pipeline.ts'
import { RequestBuffers } from '../../shared/index.ts'
import { cacheKeyOf, passedHeaders } from '../../upstream/index.ts'
import { InProcessTransport } from '../in-process/transport.ts'
import { describeGuardrails } from './describe-guardrails.ts'
import { planLeaves } from './describe-leaves.ts'
import { describeLimit, policiesNotMatching, requestLimits } from './describe-limits.ts'
import { describeQueue } from './describe-queue.ts'
import { describeTarget } from './describe-target.ts'
import { findEndpoint } from './find-endpoint.ts'
import { type PlannedCall, promptCall } from './prompt-call.ts'

/** @param asking the dry run's own request, whose caller is used. Errors: `invalid_body` at `/endpoint`. */
export async function dryRun(ports: Runtime, asking: Admitted, asked: DryRunCall): Promise<DryRun> {
  const call = await promptCall(ports, asking, asked)
  const { endpoint, path } = findEndpoint(ports.endpoints, call.endpoint, call.method)
  const buffers = new RequestBuffers(ports.buffers)
  try {
    const caller = open(asking, call, path, buffers)
    const errors: GatewayError[] = []
    const admitted = await tried(() => readHeaders.over(ports)(caller), errors)
    const exchange = admitted === null ? null : routed(admitted, endpoint)
    // An invalid body should not hide the routing.
    if (exchange !== null && (await tried(() => readBody.over(ports)(exchange), errors)) === null)
      exchange.body = call.body
    const resolved = exchange === null ? null : await tried(() => config.over(ports)(exchange), errors)
    if (resolved !== null) await tried(() => checkBody.over(ports)(resolved), errors)
    return await describe(ports, { caller, admitted, resolved, endpoint, tokens: call.tokens }, errors)
  } finally {
    buffers.release()
  }
}

function open(
  asking: Admitted,
  { method, headers, body, prompt }: PlannedCall,
  path: string,
  buffers: RequestBuffers,
): Authenticated {
  const { workspace, stores, identity, keyDocument, transport } = asking
  const key = keyDocument
  const leaving = new Canceller()
  const dry = new InProcessTransport({
    method,
    url: path,
    headers: { 'content-type': 'application/json', ...headers },
    body,
    raw: null,
    clientIp: transport.clientIp,
    caller: async () => ({ identity, key, allowsAddress: null }),
    origin: { ...(prompt === undefined ? {} : { prompt }) },
    buffers,
    leaving,
    answered: () => undefined,
  })
  const exchange = new Exchange({ stores, workspace, transport: dry, leaving, traceId: asking.traceId })
  return authenticated(exchange, { identity, key }, workspace)
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

/** The phases that a request has reached; those that an error prevents are null. */
interface Reached {
  caller: Authenticated
  admitted: Admitted | null
  resolved: Resolved | null
  endpoint: Endpoint
  /** That targets are priced for. */
  tokens: DryRunCall['tokens']
}

async function describe(
  ports: RoutingPorts & Ports<'answers' | 'services'>,
  reached: Reached,
  errors: readonly GatewayError[],
): Promise<DryRun> {
  const { admitted, endpoint, resolved, tokens } = reached
  const { identity } = reached.caller
  const nowMs = Date.now()
  const planned = resolved === null ? null : await planTargets(ports, resolved, { nowMs, tokens })
  const isValid = errors.length === 0
  const answer: JsonObject = {
    object: 'dry_run',
    valid: isValid,
    errors: errors.flatMap(describeError),
    credential: {
      type: identity.type,
      id: identity.keyId ?? identity.userId ?? null,
      scopes_ok: identity.scopes.has('*') || endpoint.scopes.some((scope) => identity.scopes.has(scope)),
    },
    config: describeConfig(reached.caller.ledger, resolved?.savedConfig ?? null),
    metadata: { ...admitted?.options.metadata },
    targets: planned?.targets ?? [],
    guardrails: resolved === null ? { input: [], output: [] } : describeGuardrails(resolved),
    cache: planned?.cache ?? { mode: null, would: 'disabled' },
    queue: planned?.queue ?? null,
    limits: planned?.limits ?? [],
    policies_not_matching: planned?.policies ?? [],
    forwarded_headers: resolved === null ? [] : forwardedHeaders(resolved),
  }
  return { valid: isValid, answer, config: configOf(resolved?.savedConfig ?? null, admitted) }
}

function describeError({ code, param, message, details }: GatewayError): JsonObject[] {
  if (details === null || details.length === 0) return [{ param: param ?? null, code, message }]
  return details.map((detail) => ({ param: detail.param, code: detail.code, message: detail.message }))
}

function describeConfig(ledger: Ledger, savedConfig: SavedConfig | null): JsonObject {
  const source = ledger.decisions.find(({ step }) => step === 'config')?.source
  return {
    source: typeof source === 'string' ? source : 'none',
    id: savedConfig?.id ?? null,
    slug: savedConfig?.slug ?? null,
    version: savedConfig?.version ?? null,
    resolved: null,
  }
}

function configOf(savedConfig: SavedConfig | null, admitted: Admitted | null): DryRun['config'] {
  if (savedConfig !== null) return { savedId: savedConfig.id, version: savedConfig.version }
  const written = admitted?.options.config ?? null
  return written === null ? null : { inline: written }
}

interface CachingNode {
  exchange: Resolved
  probability: number
}

async function planTargets(
  ports: RoutingPorts & Ports<'answers' | 'services'>,
  exchange: Resolved,
  { nowMs, tokens }: { nowMs: number; tokens: DryRunCall['tokens'] },
) {
  const caching: CachingNode[] = []
  /** The outermost first. */
  const queues: JsonObject[] = []
  const leaves = await planLeaves(ports, exchange, nowMs, (at, { probability }) => {
    if (at.node.cache !== null) caching.push({ exchange: at, probability })
    if (at.node.queue !== null) queues.push(describeQueue(ports, at, at.node.queue))
  })
  const ofRequest = await requestLimits(exchange, nowMs)
  const targets: JsonObject[] = []
  const limits = new Map<string, JsonObject>()
  const note = (preview: LimitPreview, applies: boolean) => {
    const key = `${preview.applied.limit.kind} ${preview.applied.key}`
    if (limits.get(key)?.applies !== true) limits.set(key, describeLimit(preview, applies, nowMs))
  }
  for (const preview of ofRequest.limits) note(preview, true)
  const subjects = [policySubjectOf(exchange, null)]
  for (const leaf of leaves) {
    const { limits: own, target } = leaf.inspected
    targets.push(await describeTarget(leaf, { ofRequest: ofRequest.refusal, nowMs, tokens }))
    for (const preview of own) note(preview, leaf.isTried)
    if (target !== null) subjects.push(policySubjectOf(leaf.exchange, { target, body: leaf.exchange.body }))
  }
  return {
    targets,
    limits: [...limits.values()],
    policies: policiesNotMatching(exchange, subjects),
    cache: await describeCache(ports, caching),
    queue: queues[0] ?? null,
  }
}

/** The outermost cache on the path to the likeliest target. */
async function describeCache(ports: Ports<'answers'>, caching: readonly CachingNode[]): Promise<JsonObject> {
  const { exchange } = caching.find(({ probability }) => probability > 0) ?? caching[0] ?? { exchange: null }
  const cache = exchange?.node.cache
  if (exchange === null || cache == null) return { mode: null, would: 'disabled' }
  const { semanticCache } = exchange.workspace
  const isSemantic = cache.mode === 'semantic' && semanticCache !== null
  const described = { mode: cache.mode, ...(isSemantic ? { agreement: semanticCache.agreement } : {}) }
  if (!exchange.endpoint.mayCache(exchange.body)) return { ...described, would: 'disabled' }
  if (exchange.options.cacheForceRefresh) return { ...described, would: 'miss' }
  const stored = await ports.answers.get(cacheKeyOf(exchange))
  const isFresh = stored !== undefined && freshHead(exchange, stored) !== null
  return { ...described, would: isFresh ? 'hit' : 'miss' }
}

/** Only names, because a value may be a secret. */
function forwardedHeaders(exchange: Resolved): string[] {
  const { options, headers } = exchange
  const node = exchange.node
  const named = [...(options?.forwardHeaders ?? forwardedBelow(node)), ...passedHeaders(exchange)]
  return [...new Set(named)].filter((name) => Object.hasOwn(headers, name))
}

const forwardedBelow = (node: ConfigNode): readonly string[] => [
  ...node.forwardHeaders,
  ...node.targets.flatMap(forwardedBelow),
]
