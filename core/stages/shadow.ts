/**
 * Selects a sample of requests that also run against another config, the node's `shadow`, once their answer has been
 * sent. Only requests without side effects are selected, and only after a 2xx answer of a target: no cached answers,
 * denials or errors. They run in `core/server/in-process/shadows.ts`.
 */
import { createHash } from 'node:crypto'
import type { JsonObject } from '@gateway/contract'
import { isSame, runsTools } from '@gateway/domain'
import type { Answer, Next, Resolved, Shadow, WithSetting } from '@gateway/flow'

export async function shadow(
  exchange: Resolved,
  next: Next<Resolved>,
  { setting: declared }: WithSetting<Shadow>,
): Promise<Answer> {
  const { body, overridden } = exchange.input
  const { record, traceId } = exchange.request
  if (!isInSample(traceId, declared.samplePercent) || !isRepeatable(exchange) || evadesLimits(exchange))
    return next(exchange)
  const answer = await next(exchange)
  if (!isGood(answer)) return answer
  const own = overridden === null ? body : withoutOverrides(body, overridden, record.asked ?? {})
  record.shadows = [...(record.shadows ?? []), { shadow: declared, body: own }]
  return answer
}

/** Whether a request is no shadow, no replay and no line of a provider's batch, and its answer is its only effect. */
function isRepeatable({ endpoint, transport, input: { body } }: Resolved): boolean {
  const { origin } = transport
  if (origin !== null && (origin.source !== undefined || origin.provider !== undefined)) return false
  const isStored = body.previous_response_id != null || body.conversation != null || body.background === true
  return endpoint.isRepeatable && !isStored && !runsTools(body)
}

/**
 * Whether a caller with limits sent the config. Shadows are not charged to the caller, so such a config could be used to
 * exceed the limits.
 */
function evadesLimits({ caller, workspace, config }: Resolved): boolean {
  return config.saved === null && workspace.limits.of(caller) !== null
}

const isGood = ({ cacheStatus, fault, status }: Answer): boolean =>
  fault === null && status >= 200 && status <= 299 && cacheStatus !== 'HIT' && cacheStatus !== 'SEMANTIC HIT'

/** The same for all attempts and replicas. */
function isInSample(traceId: string, percent: number): boolean {
  if (percent >= 100) return true
  const hash = createHash('sha256').update(`shadow|${traceId}`).digest()
  return (hash.readUIntBE(0, 6) / 2 ** 48) * 100 < percent
}

/** Members with the caller's text, which mutators may have changed: the original text must not reappear. */
const texts: ReadonlySet<string> = new Set([
  ...['messages', 'system', 'instructions', 'prompt', 'input', 'tools', 'suffix'],
  ...['contents', 'systemInstruction'],
])

/** The other config has its own `override_params`: this config's do not apply to it. */
function withoutOverrides(body: JsonObject, overridden: JsonObject, asked: JsonObject): JsonObject {
  const own = { ...body }
  for (const [name, value] of Object.entries(overridden)) {
    if (texts.has(name) || !isSame(own[name] ?? null, value ?? null)) continue
    if (asked[name] === undefined) delete own[name]
    else own[name] = asked[name]
  }
  return own
}
