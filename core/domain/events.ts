/**
 * Events for webhooks and mail. Each is a document that is committed together with its cause, so no event is lost. One
 * process delivers and removes it.
 */
import {
  type DocumentWrite,
  type GatewayEvent,
  isObject,
  type JsonObject,
  type StoredDocument,
} from '@gateway/contract'
import type { AuditNote } from './audit/record.ts'
import { kinds } from './entities/kinds.ts'
import type { UsageLimit } from './entities/shared.ts'
import { timeOrderedId } from './time-ordered-id.ts'

export const eventTypes = [
  'api_key.created',
  'api_key.rotated',
  'api_key.rotation_upcoming',
  'api_key.transition_expiring',
  'api_key.expiring',
  'api_key.expired',
  'api_key.archived',
  'usage_limit.threshold',
  'usage_limit.exhausted',
  'usage_limit.reset',
  'batch.completed',
  'batch.failed',
  'batch.expired',
  'batch.cancelled',
  'fine_tuning.job.succeeded',
  'fine_tuning.job.failed',
  'fine_tuning.job.cancelled',
  'breaker.opened',
  'breaker.closed',
  'guardrail.denied',
  'prompt.published',
  'config.updated',
  'config.rollout_aborted',
  'user.joined',
  'user.removed',
  'export.completed',
  'webhook.test',
] as const

type EventType = (typeof eventTypes)[number]

/** An event as a write, for its cause's commit; quiet, because no request needs it. */
export function eventWrite(
  { type, organisation_id, workspace_id, data }: GatewayEvent,
  nowMs: number,
  snapshot: StoredDocument | null = null,
): DocumentWrite {
  // Documents of the store are JSON.
  const own: JsonObject = { type, data, snapshot: snapshot as JsonObject | null }
  return {
    op: 'put',
    isQuiet: true,
    expected: 0,
    document: {
      kind: kinds.event,
      id: timeOrderedId(nowMs),
      organisation_id,
      workspace_id,
      slug: null,
      name: null,
      status: 'active',
      created_at: nowMs,
      last_updated_at: nowMs,
      keys: [],
      attributes: {},
      data: own,
    },
  }
}

/** A snapshot of the event's object; null for events without an object. */
export function snapshotOf({ data }: StoredDocument): StoredDocument | null {
  const { snapshot } = data
  return isStoredDocument(snapshot) ? snapshot : null
}

function isStoredDocument(value: unknown): value is StoredDocument {
  return (
    isObject(value) && typeof value.kind === 'string' && typeof value.id === 'string' && isObject(value.data)
  )
}

const byKind: Readonly<Record<string, { created: EventType; archived: EventType }>> = {
  [kinds.apiKey]: { created: 'api_key.created', archived: 'api_key.archived' },
  [kinds.user]: { created: 'user.joined', archived: 'user.removed' },
}

/** By `resource_type` and `action` of the audit record. */
const byNote: Readonly<Record<string, EventType>> = {
  'api-key rotate': 'api_key.rotated',
  'api-key rotation_upcoming': 'api_key.rotation_upcoming',
  'api-key transition_expiring': 'api_key.transition_expiring',
  'api-key expiring': 'api_key.expiring',
  'api-key expire': 'api_key.expired',
  'config update': 'config.updated',
  'config rollback': 'config.updated',
  'config rollout_complete': 'config.updated',
  'config rollout_abort': 'config.rollout_aborted',
  'prompt publish': 'prompt.published',
}

interface Commit {
  organisationId: string
  nowMs: number
  writes: readonly DocumentWrite[]
  note: AuditNote
}

/** The events that follow from a commit of the management API. */
export function eventsOf({ organisationId, nowMs, writes, note }: Commit): DocumentWrite[] {
  const events: DocumentWrite[] = []
  const add = (type: EventType, written: DocumentWrite | undefined, data: JsonObject) => {
    const snapshot = written?.op === 'put' ? { ...written.document, version: 0 } : null
    const workspace_id = snapshot?.workspace_id ?? note.workspace_id ?? null
    events.push(eventWrite({ type, organisation_id: organisationId, workspace_id, data }, nowMs, snapshot))
  }
  for (const write of writes) {
    const types = write.op === 'put' ? byKind[write.document.kind] : undefined
    if (write.op !== 'put' || types === undefined) continue
    if (write.document.status === 'archived') add(types.archived, write, {})
    else if (write.expected === 0) add(types.created, write, {})
  }
  const type = byNote[`${note.resource_type} ${note.action}`]
  if (type !== undefined) {
    const own = writes.find((write) => write.op === 'put' && write.document.id === note.resource_id)
    add(type, own, { ...note.details })
  }
  return events
}

interface ResetLimits {
  organisation_id: string | null
  workspace_id: string | null
  /** The owner of the limits, as in {@link LimitAlert}. */
  subject: { type: string; id: string }
  limits: readonly Pick<UsageLimit, 'type' | 'credit_limit' | 'alert_threshold'>[]
  /** The group of a policy. */
  valueKey?: string
}

/** The events of usage limits that reset, one per limit, for the commit of the reset. */
export function limitResets(
  { organisation_id, workspace_id, subject, limits, valueKey }: ResetLimits,
  nowMs: number,
): DocumentWrite[] {
  return limits.map(({ type, credit_limit, alert_threshold }) => {
    const limit = { type, credit_limit, alert_threshold, value_key: valueKey ?? null }
    const data = { subject, limit, current_usage: 0 }
    const place = { organisation_id: organisation_id ?? '', workspace_id }
    return eventWrite({ type: 'usage_limit.reset', ...place, data }, nowMs)
  })
}
