/**
 * The documents with an exhausted usage limit, for lists by status: `exhausted` is not stored but computed from the
 * counters. Only documents with counters are checked.
 */

import { isGatewayError } from '@gateway/contract'
import { type DocumentOf, isOfKind, limitOwners, usageCounterKey, usageState } from '@gateway/domain'
import type { Call } from '../engine/index.ts'

interface Limited<Kind extends string> {
  kind: Kind
  owner: 'apiKey' | 'provider'
  /** Whether the object is otherwise active: an expired one is shown as expired. */
  isLive(document: DocumentOf<Kind>, nowMs: number): boolean
}

const countersAtOnce = 1000
const idsAtOnce = 500

/**
 * Ids of the caller's organisation. Empty while shared counters are unavailable; the objects then show no usage either.
 */
export async function exhaustedIds<Kind extends 'api_key' | 'provider'>(
  { kind, owner, isLive }: Limited<Kind>,
  call: Call<'counters'>,
): Promise<string[]> {
  const { nowMs, organisationId: organisation_id, documents } = call
  const ownerOf = limitOwners[owner]
  const used = await usedUnder(`usage:${ownerOf('')}`, call)
  const ids = [...new Set([...used.keys()].map(idIn))]
  const isExhausted = (document: DocumentOf<Kind>) =>
    isLive(document, nowMs) &&
    document.data.usage_limits.some((limit) => {
      const count = used.get(usageCounterKey(ownerOf(document.id), limit, nowMs))
      return count !== undefined && usageState(limit, count, nowMs).status === 'exhausted'
    })
  const known = new Set(ids)
  const found = call.context
    .fileDocuments()
    .filter((one) => isOfKind(one, kind))
    .filter((one) => one.organisation_id === organisation_id && known.has(one.id))
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const filter = {
      organisation_id,
      statuses: ['active', 'exhausted'],
      ids: ids.slice(start, start + idsAtOnce),
    }
    found.push(...(await documents.list(kind, filter, { offset: 0, limit: idsAtOnce })).documents)
  }
  return found.filter(isExhausted).map(({ id }) => id)
}

/** The id in `usage:OWNERS/ID:TYPE:PERIOD`. */
const idIn = (key: string) => key.slice(key.indexOf('/') + 1).split(':')[0] ?? ''

/** Usage by counter key. */
async function usedUnder(prefix: string, { context }: Call<'counters'>): Promise<Map<string, number>> {
  const used = new Map<string, number>()
  try {
    for (let after: string | null = null; ; ) {
      const page = await context.counters.list(prefix, after, countersAtOnce)
      for (const { key, used: count } of page) if (count > 0) used.set(key, count)
      if (page.length < countersAtOnce) return used
      after = page.at(-1)?.key ?? null
    }
  } catch (error) {
    if (isGatewayError(error) && error.status === 503) return new Map()
    throw error
  }
}
