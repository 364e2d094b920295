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
import { Canceller, Exchange, type Run, required } from '../../flow/index.ts'
import { type LimitPreview, policySubjectOf } from '../../metering/index.ts'
import { pipelines, readRequest } from '../../pipeline.ts'
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
export async function dryRun(asking: Exchange, asked: DryRunCall): Promise<DryRun> {
  const call = await promptCall(asking, asked)
  const { endpoint, path } = findEndpoint(call.endpoint, call.method)
  const buffers = new RequestBuffers(asking.runtime.buffers)
  try {
    const exchange = open(asking, call, path, buffers)
    exchange.endpoint = endpoint
    const errors = [...(await faultsOf(readRequest, exchange))]
    // Faults of the body should not hide its routing.
    if (errors.length > 0 && exchange.options !== null) exchange.body = call.body
    if (exchange.options !== null) errors.push(...(await faultsOf(pipelines.config, exchange)))
    return await describe(exchange, errors)
  } finally {
    buffers.release()
  }
}

function open(
  asking: Exchange,
  { method, headers, body, prompt }: PlannedCall,
  path: string,
  buffers: RequestBuffers,
): Exchange {
  const { runtime, settings, identity, keyDocument, transport } = asking
  const caller = required(identity, 'identity')
  const leaving = new Canceller()
  const dry = new InProcessTransport({
    method,
    url: path,
    headers: { 'content-type': 'application/json', ...headers },
    body,
    raw: null,
    clientIp: transport.clientIp,
    caller: async () => ({ identity: caller, key: keyDocument, allowsAddress: null }),
    origin: { ...(prompt === undefined ? {} : { prompt }) },
    buffers,
    leaving,
    answered: () => undefined,
  })
  const exchange = new Exchange(runtime, dry, leaving, asking.traceId)
  exchange.settings = settings
  exchange.identity = caller
  exchange.keyDocument = keyDocument
  return exchange
}

/** Faults, returned instead of thrown. */
async function faultsOf(run: Run, exchange: Exchange): Promise<GatewayError[]> {
  try {
    await run(exchange)
    return []
  } catch (error) {
    if (!isGatewayError(error) || error.status >= 500) throw error
    return [error]
  }
}

async function describe(exchange: Exchange, errors: readonly GatewayError[]): Promise<DryRun> {
  const { identity, options, node } = exchange
  const caller = required(identity, 'identity')
  const nowMs = Date.now()
  const planned = node === null ? null : await planTargets(exchange, nowMs)
  const isValid = errors.length === 0
  const endpoint = required(exchange.endpoint, 'endpoint')
  const answer: JsonObject = {
    object: 'dry_run',
    valid: isValid,
    errors: errors.flatMap(describeError),
    credential: {
      type: caller.type,
      id: caller.keyId ?? caller.userId ?? null,
      scopes_ok: caller.scopes.has('*') || endpoint.scopes.some((scope) => caller.scopes.has(scope)),
    },
    config: describeConfig(exchange),
    metadata: { ...options?.metadata },
    targets: planned?.targets ?? [],
    guardrails: node === null ? { input: [], output: [] } : describeGuardrails(exchange),
    cache: planned?.cache ?? { mode: null, would: 'disabled' },
    queue: planned?.queue ?? null,
    limits: planned?.limits ?? [],
    policies_not_matching: planned?.policies ?? [],
    forwarded_headers: node === null ? [] : forwardedHeaders(exchange),
  }
  return { valid: isValid, answer, config: configOf(exchange) }
}

function describeError({ code, param, message, details }: GatewayError): JsonObject[] {
  if (details === null || details.length === 0) return [{ param: param ?? null, code, message }]
  return details.map((detail) => ({ param: detail.param, code: detail.code, message: detail.message }))
}

function describeConfig({ ledger, savedConfig }: Exchange): JsonObject {
  const source = ledger.decisions.find(({ step }) => step === 'config')?.source
  return {
    source: typeof source === 'string' ? source : 'none',
    id: savedConfig?.id ?? null,
    slug: savedConfig?.slug ?? null,
    version: savedConfig?.version ?? null,
    resolved: null,
  }
}

function configOf({ savedConfig, options }: Exchange): DryRun['config'] {
  if (savedConfig !== null) return { savedId: savedConfig.id, version: savedConfig.version }
  const written = options?.config ?? null
  return written === null ? null : { inline: written }
}

interface CachingNode {
  exchange: Exchange
  probability: number
}

async function planTargets(exchange: Exchange, nowMs: number) {
  const caching: CachingNode[] = []
  /** The outermost first. */
  const queues: JsonObject[] = []
  const leaves = await planLeaves(exchange, nowMs, (at, { probability }) => {
    if (at.node?.cache != null) caching.push({ exchange: at, probability })
    if (at.node?.queue != null) queues.push(describeQueue(at))
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
    targets.push(await describeTarget(leaf, ofRequest.refusal, nowMs))
    for (const preview of own) note(preview, leaf.isTried)
    if (target !== null) subjects.push(policySubjectOf(leaf.exchange, { target, body: leaf.exchange.body }))
  }
  return {
    targets,
    limits: [...limits.values()],
    policies: policiesNotMatching(exchange, subjects),
    cache: await describeCache(caching),
    queue: queues[0] ?? null,
  }
}

/** The outermost cache on the path to the likeliest target. */
async function describeCache(caching: readonly CachingNode[]): Promise<JsonObject> {
  const { exchange } = caching.find(({ probability }) => probability > 0) ?? caching[0] ?? { exchange: null }
  const cache = exchange?.node?.cache
  if (exchange === null || cache == null) return { mode: null, would: 'disabled' }
  const { semanticCache } = exchange.settings
  const isSemantic = cache.mode === 'semantic' && semanticCache !== null
  const described = { mode: cache.mode, ...(isSemantic ? { agreement: semanticCache.agreement } : {}) }
  if (exchange.endpoint?.mayCache(exchange.body) === false) return { ...described, would: 'disabled' }
  if (required(exchange.options, 'options').cacheForceRefresh) return { ...described, would: 'miss' }
  const stored = await exchange.runtime.answers.get(cacheKeyOf(exchange))
  const isFresh = stored !== undefined && freshHead(exchange, stored) !== null
  return { ...described, would: isFresh ? 'hit' : 'miss' }
}

/** Only names, because a value may be a secret. */
function forwardedHeaders(exchange: Exchange): string[] {
  const { options, headers } = exchange
  const node = required(exchange.node, 'config node')
  const named = [...(options?.forwardHeaders ?? forwardedBelow(node)), ...passedHeaders(exchange)]
  return [...new Set(named)].filter((name) => Object.hasOwn(headers, name))
}

const forwardedBelow = (node: NonNullable<Exchange['node']>): readonly string[] => [
  ...node.forwardHeaders,
  ...node.targets.flatMap(forwardedBelow),
]
