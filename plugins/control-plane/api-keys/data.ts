/** What is stored of an API key, beside what the data path reads; and how long things about keys last. */

import type { DocumentWrite, StoredDocument } from '@gateway/contract'
import { type ApiKeyData, hashKeyOf, limitResets, type ManagedKeyData } from '@gateway/core/domain'

export type KeyDocument = StoredDocument<ManagedKeyData>

export const minTransitionMs = 1_800_000
/** How long the secret of a key created for another person can be fetched. */
export const unreadForMs = 30 * 86_400_000

/** The unique keys of a key's document: one for each live secret. */
export const secretKeys = ({ secrets }: ApiKeyData): string[] => secrets.map(({ hash }) => hashKeyOf(hash))

/** When the old secret stops, in milliseconds since the epoch; null: no transition runs. */
export function transitionEnd({ secrets }: ApiKeyData, nowMs: number): number | null {
  const ends = secrets.flatMap(({ ends_at }) => (ends_at === null ? [] : [Date.parse(ends_at)]))
  const last = Math.max(...ends, 0)
  return last > nowMs ? last : null
}

/** The status that a key has now: its time counts, whether or not the worker has noted it. */
export function statusOf(document: Pick<KeyDocument, 'status' | 'data'>, nowMs: number): string {
  const { status, data } = document
  if (status === 'archived') return status
  if (data.expires_at !== null && Date.parse(data.expires_at) <= nowMs) return 'expired'
  return status === 'expired' ? 'active' : status
}

/** A key's status after its counters are reset. */
export const resetAt = (
  { usage_limits }: ManagedKeyData,
  nowMs: number,
): Pick<ManagedKeyData, 'last_reset_at' | 'usage_limits'> => {
  const last_reset_at = isoOf(nowMs)
  return { last_reset_at, usage_limits: usage_limits.map((limit) => ({ ...limit, last_reset_at })) }
}

/** The events of a key whose limits are reset by hand. */
export const keyResets = (
  {
    id,
    organisation_id,
    workspace_id,
    data,
  }: Pick<KeyDocument, 'id' | 'organisation_id' | 'workspace_id' | 'data'>,
  nowMs: number,
): DocumentWrite[] =>
  limitResets(
    { organisation_id, workspace_id, subject: { type: 'api-key', id }, limits: data.usage_limits },
    nowMs,
  )

export const isoOf = (timeMs: number): string => new Date(timeMs).toISOString()
