/** The stored data of an API key that the request path does not read, and the durations that apply to keys. */

import type { DocumentWrite, StoredDocument } from '@gateway/contract'
import { type ApiKeyData, hashKeyOf, limitResets, type ManagedKeyData } from '@gateway/domain'

export type KeyDocument = StoredDocument<ManagedKeyData>

export const minTransitionMs = 1_800_000
/** The time for which the secret of a key created for another user can be fetched. */
export const unreadForMs = 30 * 86_400_000

/** The unique keys of an API key's document: one for each valid secret. */
export const secretKeys = ({ secrets }: ApiKeyData): string[] => secrets.map(({ hash }) => hashKeyOf(hash))

/**
 * The time when the old secret expires, in milliseconds since the epoch; null if no rotation is in its transition
 * period.
 */
export function transitionEnd({ secrets }: ApiKeyData, nowMs: number): number | null {
  const ends = secrets.flatMap(({ ends_at }) => (ends_at === null ? [] : [Date.parse(ends_at)]))
  const last = Math.max(...ends, 0)
  return last > nowMs ? last : null
}

/** The status of a key now. Its expiry counts even before the worker has recorded it. */
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

/** The events for a key whose limits are reset by a caller. */
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
