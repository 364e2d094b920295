/** A plan as `POST /v1/dry-run` answers it. */
import type {
  Identity,
  InferencePlan,
  JsonObject,
  PlannedCall,
  PlannedLimit,
  PlannedTarget,
} from '@gateway/contract'
import { toIso } from '@gateway/control-plane/engine'

export interface Shown {
  identity: Identity
  plan: InferencePlan
  /** Shown and priced instead of the estimate. */
  tokens: PlannedCall['tokens']
  /** The config as stored or sent, with its secrets masked; null for none. */
  resolved: JsonObject | null
}

export function present({ identity, plan, tokens, resolved }: Shown): JsonObject {
  const { config, cache, queue } = plan
  return {
    object: 'dry_run',
    valid: plan.faults.length === 0,
    errors: plan.faults.map((fault) => ({ ...fault })),
    credential: {
      type: identity.type,
      id: identity.keyId ?? identity.userId ?? null,
      scopes_ok: plan.missingScope === null,
    },
    config: {
      source: config.source,
      id: config.saved?.id ?? null,
      slug: config.saved?.slug ?? null,
      version: config.saved?.version ?? null,
      resolved,
    },
    metadata: { ...plan.metadata },
    targets: plan.targets.map((target) => presentTarget(target, tokens)),
    guardrails: {
      input: plan.guardrails.input.map((each) => ({ ...each })),
      output: plan.guardrails.output.map((each) => ({ ...each })),
    },
    cache:
      cache === null
        ? { mode: null, would: 'disabled' }
        : {
            mode: cache.mode,
            ...(cache.agreement === null ? {} : { agreement: cache.agreement }),
            would: cache.would,
          },
    queue:
      queue === null
        ? null
        : {
            path: queue.path,
            priority: queue.priority,
            max_wait_ms: queue.maxWaitMs,
            waiting: queue.waiting,
            would_wait: queue.wouldWait,
            room_at: queue.roomAt === null ? null : toIso(queue.roomAt),
          },
    limits: plan.limits.map(presentLimit),
    policies_not_matching: plan.policiesNotMatching.map((each) => ({ ...each })),
    forwarded_headers: [...plan.forwardedHeaders],
  }
}

const presentTarget = (target: PlannedTarget, tokens: PlannedCall['tokens']): JsonObject => ({
  path: target.path,
  provider: target.provider,
  virtual_key: target.virtualKey,
  model: target.model,
  host_kind: target.hostKind,
  probability: round(target.probability),
  order: target.order,
  ...(target.condition === undefined ? {} : { condition: target.condition }),
  breaker: target.breaker,
  allowed: target.refusals.length === 0,
  refusals: target.refusals.map((refusal) => ({ ...refusal })),
  left_out: [...target.leftOut],
  estimate:
    tokens === undefined
      ? { input_tokens: target.inputTokens, max_output_tokens: target.maxOutputTokens, cost: target.cents }
      : { input_tokens: tokens.input, max_output_tokens: tokens.output, cost: target.centsOfTokens },
})

const round = (probability: number) => Math.round(probability * 1e12) / 1e12

const presentLimit = (limit: PlannedLimit): JsonObject => ({
  param: limit.param,
  type: limit.measure,
  ...(limit.unit === null ? {} : { unit: limit.unit }),
  bucket: limit.bucket,
  limit: limit.limit,
  used: limit.used,
  reserved: limit.reserved,
  remaining: Math.max(0, limit.limit - limit.used - limit.reserved),
  reset_at: limit.resetsAt === null ? null : toIso(limit.resetsAt),
  applies: limit.applies,
  refused: limit.isRefused,
})
