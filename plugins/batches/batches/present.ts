/** How answers show a batch (interface specification, Batch). */
import type { JsonObject } from '@gateway/contract'
import { unixSeconds } from '../files/present.ts'
import type { BatchTimes, BatchUsage } from '../shared/entities.ts'
import { writeId } from '../shared/ids.ts'
import type { BatchDocument } from './store.ts'

const timeNames = [
  'in_progress_at',
  'finalizing_at',
  'completed_at',
  'failed_at',
  'expired_at',
  'cancelling_at',
  'cancelled_at',
] as const satisfies readonly (keyof BatchTimes)[]

export function presentBatch(batch: BatchDocument, showsProvider = false): JsonObject {
  const { id, created_at, status, data } = batch
  const { usage, provider } = data
  return {
    id: writeId('batch', data.owner, id),
    object: 'batch',
    endpoint: data.endpoint,
    model: data.model,
    errors: data.errors === null ? null : { object: 'list', data: data.errors },
    input_file_id: data.input_file_id,
    completion_window: data.completion_window,
    status,
    output_file_id: data.output_file_id,
    error_file_id: data.error_file_id,
    created_at: unixSeconds(created_at),
    expires_at: unixSeconds(data.expires_at),
    ...Object.fromEntries(timeNames.map((name) => [name, timeOf(data.times[name])])),
    request_counts: { ...data.counts },
    metadata: data.metadata,
    usage: usage === null ? null : presentUsage(usage),
    cost: usage === null ? null : roundCents(usage.cost),
    cost_currency: 'USD',
    cost_known: usage?.cost_known ?? true,
    retry_of: data.retry_of,
    ...(showsProvider ? { provider_details: provider === null ? null : presentProvider(provider) } : {}),
  }
}

const timeOf = (ms: number | undefined): number | null => (ms === undefined ? null : unixSeconds(ms))

/** Rounded to a millionth of a cent, as in logs. */
const roundCents = (cents: number): number => Math.round(cents * 1e6) / 1e6

const presentUsage = (usage: BatchUsage): JsonObject => ({
  input_tokens: usage.input_tokens,
  input_tokens_details: { cached_tokens: usage.cached_tokens },
  output_tokens: usage.output_tokens,
  output_tokens_details: { reasoning_tokens: usage.reasoning_tokens },
  total_tokens: usage.input_tokens + usage.output_tokens,
})

const presentProvider = ({
  name,
  file_id,
  batch_id,
  details,
}: NonNullable<BatchDocument['data']['provider']>) => ({
  provider: name,
  file_id,
  batch_id,
  batch: details,
})
