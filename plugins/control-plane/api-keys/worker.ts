/**
 * The job for API keys, which runs every minute in one process at a time: ends transitions, rotates and expires keys,
 * records warnings (management contract, section 10). Several missed runs are made up for by one. It sends no mail:
 * each warning is an audit record.
 */

import { type DocumentWrite, isGatewayError, type Job, type ServiceContext } from '@gateway/contract'
import {
  type AuditNote,
  isOfKind,
  kinds,
  type ManagedKeyData,
  recordOf,
  typedDocuments,
} from '@gateway/domain'
import { commitAsSystem } from '../engine/index.ts'
import { isoOf, type KeyDocument, minTransitionMs, statusOf, transitionEnd } from './data.ts'
import { currentNotices, dayOf, dueEver, timeOf, warnBeforeMs, warnExpiryBeforeMs } from './due.ts'
import { afterRotation } from './policy.ts'
import { apiKeys } from './resource.ts'
import { changedKey } from './rotation.ts'
import { rotateSecrets, withoutOldSecrets } from './secret.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const pageSize = 500

/** One change of a key, with its entry for the audit log. */
interface Act {
  changed: Partial<ManagedKeyData>
  status?: string
  note: Pick<AuditNote, 'action' | 'details'>
}

/** The action that is due for a key, or null. One action at a time, because each has its own record. */
function dueAct(
  document: KeyDocument,
  nowMs: number,
  context: ServiceContext<'keyPrefix' | 'sealer'>,
): Act | null {
  const { data } = document
  if (document.status === 'archived') return null
  const [, ...old] = data.secrets
  if (old.length > 0 && transitionEnd(data, nowMs) === null) {
    return {
      changed: { secrets: withoutOldSecrets(data), unread: null },
      note: { action: 'end_transition' },
    }
  }
  if (statusOf(document, nowMs) === 'expired') {
    return document.status === 'expired'
      ? null
      : { changed: {}, status: 'expired', note: { action: 'expire' } }
  }
  const unreadUntil = timeOf(data.unread?.until)
  if (unreadUntil !== null && unreadUntil <= nowMs) {
    return { changed: { unread: null }, note: { action: 'forget_unread' } }
  }
  return rotation(document, nowMs, context) ?? warning(data, nowMs)
}

/** Only active keys rotate, and only after the last transition has ended: at most two secrets are valid. */
function rotation(
  document: KeyDocument,
  nowMs: number,
  { keyPrefix, sealer }: ServiceContext<'keyPrefix' | 'sealer'>,
): Act | null {
  const { status, data } = document
  const { rotation_policy: policy } = data
  const next = timeOf(policy?.next_rotation_at)
  if (next === null || next > nowMs || status !== 'active' || transitionEnd(data, nowMs) !== null) return null
  const { changed, text, endsAt } = rotateSecrets(data, {
    prefix: keyPrefix,
    nowMs,
    transitionMs: policy?.key_transition_period_ms ?? minTransitionMs,
  })
  return {
    changed: {
      ...changed,
      rotation_policy: afterRotation(policy, nowMs),
      unread: { sealed: sealer.seal(text, recordOf(document)), until: endsAt },
    },
    note: { action: 'rotate', details: { rotation_mode: 'auto' } },
  }
}

function warning(data: ManagedKeyData, nowMs: number): Act | null {
  const given = data.notices ?? []
  for (const { name, at, action } of warningsOf(data, nowMs)) {
    if (given.includes(name)) continue
    return {
      changed: { notices: [...currentNotices(data), name] },
      note: { action, details: { at } },
    }
  }
  return null
}

function* warningsOf(
  data: ManagedKeyData,
  nowMs: number,
): Iterable<{ name: string; at: string; action: string }> {
  const isNear = (timeMs: number | null, beforeMs: number): timeMs is number =>
    timeMs !== null && nowMs < timeMs && nowMs >= timeMs - beforeMs
  const next = timeOf(data.rotation_policy?.next_rotation_at)
  if (isNear(next, warnBeforeMs)) {
    yield { name: `rotation:${isoOf(next)}`, at: isoOf(next), action: 'rotation_upcoming' }
  }
  const ends = transitionEnd(data, nowMs)
  const lengthMs = ends === null ? 0 : ends - (timeOf(data.last_rotated_at) ?? ends)
  // For a shorter transition the record of the rotation is warning enough.
  if (isNear(ends, warnBeforeMs) && lengthMs > warnBeforeMs) {
    yield { name: `transition:${isoOf(ends)}`, at: isoOf(ends), action: 'transition_expiring' }
  }
  const expiry = timeOf(data.expires_at)
  // Only the nearest warning: a key that lives for an hour gets one warning, not two.
  const nearest = [...warnExpiryBeforeMs].reverse().find((beforeMs) => isNear(expiry, beforeMs))
  if (nearest !== undefined && expiry !== null) {
    yield { name: `expiry:${isoOf(expiry)}:${nearest / dayMs}`, at: isoOf(expiry), action: 'expiring' }
  }
}

/** More actions than this for one key in one run indicate a loop. */
const maxActs = 6

async function tend(
  context: ServiceContext<'documents' | 'keyPrefix' | 'now' | 'sealer'>,
  found: KeyDocument,
  nowMs: number,
): Promise<void> {
  let document = found
  for (let acts = 0; acts < maxActs; acts += 1) {
    const act = dueAct(document, nowMs, context)
    if (act === null) return
    const draft = changedKey(() => apiKeys, { document, changed: act.changed, nowMs })
    const write: DocumentWrite = {
      op: 'put',
      document: act.status === undefined ? draft : { ...draft, status: act.status },
      expected: document.version,
    }
    try {
      const [stored] = await commitAsSystem(context, document.organisation_id ?? '', {
        writes: [write],
        note: {
          ...act.note,
          resource_type: apiKeys.object,
          resource_id: document.id,
          workspace_id: document.workspace_id,
        },
      })
      if (stored === undefined || !isOfKind(stored, kinds.apiKey)) return
      document = stored
    } catch (error) {
      // Changed concurrently: check again in a minute.
      if (isGatewayError(error) && error.code === 'precondition_failed') return
      throw error
    }
  }
}

/**
 * The job. Its first run in a process looks at all keys with anything due at any time, later runs at those of the day.
 */
export function createKeyWorker(context: ServiceContext<'documents' | 'keyPrefix' | 'now' | 'sealer'>): Job {
  let hasRun = false
  return {
    name: 'api-keys',
    intervalMs: minuteMs,
    async run(nowMs) {
      const due = hasRun ? [dayOf(nowMs - dayMs), dayOf(nowMs)] : [dueEver]
      const ids = await listIds(context, due)
      for (const id of ids) {
        const document = await typedDocuments(context.documents).get(kinds.apiKey, id)
        if (document !== null) await tend(context, document, nowMs)
      }
      hasRun = true
    },
  }
}

/** Ids are read before anything changes, because a change moves a key within the list. */
async function listIds(context: ServiceContext<'documents'>, due: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const { documents } = await context.documents.list(
      kinds.apiKey,
      { statuses: ['active', 'exhausted', 'expired'], attributes: { due } },
      { sort: 'id', order: 'asc', offset: ids.length, limit: pageSize },
    )
    ids.push(...documents.map(({ id }) => id))
    if (documents.length < pageSize) return ids
  }
}
