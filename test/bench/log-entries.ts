/** Log entries for measuring the size and speed of the log engines: columns only, without bodies. */
import { randomUUID } from 'node:crypto'
import type { Log, LogEntry } from '@gateway/contract'
import { defaultWorkspaceId, firstOrganisationId, timeOrderedId } from '@gateway/domain'

const MODELS = ['gpt-5', 'gpt-5-mini', 'claude-sonnet-5', 'gemini-3-pro', 'mistral-large', 'llama-4'].flatMap(
  (model) => [model, `${model}-eu`],
)
const STATUSES = [200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 400, 429, 429, 500]
const CACHE = ['DISABLED', 'DISABLED', 'MISS', 'MISS', 'HIT']
const PER_APPEND = 5000

const one = <Item>(items: readonly Item[]): Item | null =>
  items[Math.floor(Math.random() * items.length)] ?? null
const below = (most: number) => Math.floor(Math.random() * most)
/** Skewed as times and token counts are: many small ones, few large ones. */
const skewed = (typical: number) => Math.round(typical * Math.exp((Math.random() + Math.random() - 1) * 2.5))

/** Fills a log evenly and in order up to now; returns the id of a trace near the middle. */
export async function fillLog(
  log: Log,
  { entries, days, metadataOf }: { entries: number; days: number; metadataOf?: () => LogEntry['metadata'] },
): Promise<string> {
  const [endsAt, lengthMs] = [Date.now(), days * 86_400_000]
  let trace = ''
  for (let start = 0; start < entries; start += PER_APPEND) {
    const made = Array.from({ length: Math.min(PER_APPEND, entries - start) }, (_, index) =>
      entryOf(Math.floor(endsAt - (1 - (start + index) / entries) * lengthMs), metadataOf?.() ?? {}),
    )
    if (start <= entries / 2) trace = String(made[0]?.fields.trace_id)
    await log.append(made, { isDurable: true })
  }
  return trace
}

function entryOf(at: number, metadata: LogEntry['metadata']): LogEntry {
  const id = timeOrderedId(at)
  const model = one(MODELS)
  const cache = one(CACHE)
  const isHit = cache === 'HIT'
  const [input, output, time] = [skewed(900), skewed(250), isHit ? below(20) : skewed(1200)]
  return {
    id,
    created_at: at,
    organisation_id: firstOrganisationId,
    workspace_id: defaultWorkspaceId,
    fields: {
      // Every other caller sends a trace id; a call without one uses its own id.
      trace_id: Math.random() < 0.5 ? id : randomUUID(),
      api_key_id: `key-${below(200)}`,
      end_user: `user-${below(5000)}`,
      endpoint_type: 'chatComplete',
      request_url: '/v1/chat/completions',
      request_method: 'POST',
      response_status_code: one(STATUSES),
      ai_org: one(['openai', 'anthropic', 'google']),
      provider: one(['main', 'backup']),
      provider_id: 'provider-1',
      ai_model: model,
      requested_model: model,
      mode: 'fallback',
      config: 'production',
      config_id: 'config-1',
      config_version: 3,
      last_used_option: 'config.targets[0]',
      cache_status: cache,
      stream: Math.random() < 0.5,
      is_partial: false,
      retry_count: Math.random() < 0.03 ? 1 : 0,
      hedge_count: 0,
      is_fallback: Math.random() < 0.02,
      req_units: isHit ? 0 : input,
      res_units: isHit ? 0 : output,
      total_units: isHit ? 0 : input + output,
      cost: isHit ? 0 : (input * 0.25 + output) / 10_000,
      cost_known: true,
      is_estimate: false,
      response_time: time,
      time_to_first_token: Math.floor(time / 3),
      upstream_time: isHit ? null : time - 1,
      gateway_time: below(2000) / 1000,
      source: 'gateway',
    },
    metadata,
    details: {},
    bodies: null,
  }
}
