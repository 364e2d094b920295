/**
 * Distributes events to the webhooks that subscribe to them: the commit that creates the deliveries removes the event,
 * so that each webhook gets it once in its queue. Runs in one process at a time.
 */
import { type DocumentWrite, isGatewayError, type JsonObject, type StoredDocument } from '@gateway/contract'
import { kinds, typedDocuments, type WebhookFloodData } from '@gateway/domain'
import { type ManagementContext, toIso } from '../engine/index.ts'
import { deliveryWrite, newDelivery, payloadText } from './deliveries.ts'
import { eventData } from './event-data.ts'
import type { WebhookDocument } from './send.ts'

const pageSize = 100
const maxPages = 20
const minuteMs = 60_000
/** The limit per webhook for events that can occur in floods. */
const maxPerMinute = 60
export const isFlood = (type: string): boolean => type === 'guardrail.denied' || type.startsWith('breaker.')
/** The most deliveries that wait for one webhook. */
const maxWaiting = 10_000

/** Further writes for an event in the same commit, such as mail. */
export type EventListener = (event: StoredDocument, data: JsonObject) => Promise<DocumentWrite[]>

export function createFanOut(
  context: ManagementContext<'countDeliveries' | 'counters'>,
  listeners: readonly EventListener[],
) {
  const documents = typedDocuments(context.documents)

  async function webhooksFor(event: StoredDocument, type: string): Promise<WebhookDocument[]> {
    const found = await documents.list(
      kinds.webhook,
      {
        organisation_id: event.organisation_id,
        statuses: ['active'],
        workspace_ids: event.workspace_id === null ? [null] : [null, event.workspace_id],
        attributes: { events: [type, '*'] },
      },
      { sort: 'id', order: 'asc', offset: 0, limit: 1000 },
    )
    // A new webhook does not get the events that were still waiting when it was created.
    return found.documents.filter(({ created_at }) => created_at <= event.created_at)
  }

  async function handOver(event: StoredDocument): Promise<void> {
    const nowMs = context.now()
    const type = String(event.data.type)
    const data = await eventData(context, event)
    const writes: DocumentWrite[] = [
      { op: 'remove', kind: kinds.event, id: event.id, expected: event.version },
    ]
    for (const webhook of await webhooksFor(event, type)) {
      const shown = isFlood(type) ? await admit(webhook, type, { data, nowMs, writes }) : data
      if (shown === null) continue
      const body = payloadText({
        id: event.id,
        type,
        created_at: toIso(event.created_at),
        organisation_id: event.organisation_id ?? '',
        workspace_id: event.workspace_id,
        data: shown,
      })
      writes.push(deliveryWrite(newDelivery(webhook, { id: event.id, type, body }, nowMs), 0))
      writes.push(...(await dropped(webhook, nowMs)))
    }
    for (const listen of listeners) writes.push(...(await listen(event, data)))
    await documents.commit(writes)
  }

  /** The data with the number of events omitted before. Null if this event is omitted too. */
  async function admit(
    webhook: WebhookDocument,
    type: string,
    { data, nowMs, writes }: { data: JsonObject; nowMs: number; writes: DocumentWrite[] },
  ): Promise<JsonObject | null> {
    const known = await documents.get(kinds.webhookFlood, webhook.id)
    const before: WebhookFloodData = known?.data ?? { from: nowMs, sent: 0, suppressed: {}, dropped: 0 }
    const flood = nowMs - before.from >= minuteMs ? { ...before, from: nowMs, sent: 0 } : before
    const own = typeof data.suppressed === 'number' ? data.suppressed : 0
    const suppressed = (flood.suppressed[type] ?? 0) + own
    const isAdmitted = flood.sent < maxPerMinute
    const after: WebhookFloodData = {
      ...flood,
      sent: flood.sent + (isAdmitted ? 1 : 0),
      suppressed: { ...flood.suppressed, [type]: isAdmitted ? 0 : suppressed + 1 },
    }
    const { organisation_id, workspace_id } = webhook
    writes.push({
      op: 'put',
      isQuiet: true,
      document: {
        ...{
          kind: kinds.webhookFlood,
          id: webhook.id,
          organisation_id,
          workspace_id,
          slug: null,
          name: null,
        },
        ...{
          status: 'active',
          created_at: nowMs,
          last_updated_at: nowMs,
          keys: [],
          attributes: {},
          data: { ...after },
        },
      },
    })
    return isAdmitted ? { ...data, suppressed } : null
  }

  /** Removes the oldest deliveries when too many wait. */
  async function dropped(webhook: WebhookDocument, nowMs: number): Promise<DocumentWrite[]> {
    const { total, documents: oldest } = await documents.list(
      kinds.webhookDelivery,
      { statuses: ['pending'], attributes: { webhook_id: [webhook.id] } },
      { sort: 'created_at', order: 'asc', offset: 0, limit: 1 },
    )
    if (total < maxWaiting) return []
    context.countDeliveries('dropped', oldest.length)
    context.log.warn(
      { webhook_id: webhook.id, at: toIso(nowMs) },
      'webhook queue full: dropped the oldest delivery',
    )
    return oldest.map(({ kind, id }) => ({ op: 'remove', kind, id }))
  }

  return async function fanOut(): Promise<void> {
    for (let page = 0; page < maxPages; page += 1) {
      const found = await context.documents.list(
        kinds.event,
        {},
        { sort: 'created_at', order: 'asc', offset: 0, limit: pageSize },
      )
      for (const event of found.documents) {
        try {
          await handOver(event)
        } catch (error) {
          // Another process has distributed it.
          if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
        }
      }
      if (found.documents.length < pageSize) return
    }
  }
}
