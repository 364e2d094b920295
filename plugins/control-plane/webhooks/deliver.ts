/**
 * Sends what is due. Each webhook is served by one process at a time, under a lease, so that a slow receiver delays no
 * other. An attempt whose process dies is made again: at least once.
 */
import { isGatewayError, type ServiceContext } from '@gateway/contract'
import { kinds, typedDocuments } from '@gateway/core/domain'
import { commitAsSystem, toIso } from '../engine/index.ts'
import { attempted, type DeliveryDocument, deliveryWrite, givenUp } from './deliveries.ts'
import { attempt, type WebhookDocument } from './send.ts'

/** Longer than the slowest round of one webhook. */
const leaseMs = 60_000
const perRound = 20
const atOnce = 5
const pageSize = 200
const maxPages = 5
/** Attempts in a row that pause a webhook. */
const maxFailures = 100

/** Gives the sender; `sendDue` begins what is due and resolves when all of it that this process does is over. */
export function createSender(context: ServiceContext) {
  const documents = typedDocuments(context.ports.documents)
  const { shared } = context.ports
  /** Webhooks that this process serves. */
  const busy = new Map<string, Promise<void>>()

  async function dueDeliveries(nowMs: number, without: readonly string[]): Promise<DeliveryDocument[]> {
    const due = { attribute: 'due', test: { op: 'to' as const, value: toIso(nowMs) } }
    const skipped = without.map((value) => ({
      not: { attribute: 'webhook_id', test: { op: 'equals' as const, value } },
    }))
    const found = await documents.list(
      kinds.webhookDelivery,
      { statuses: ['pending'], where: { all: [due, ...skipped] } },
      { sort: 'created_at', order: 'asc' },
      { offset: 0, limit: pageSize },
    )
    return found.documents
  }

  async function begin(nowMs: number): Promise<void> {
    const skipped = new Set(busy.keys())
    for (let page = 0; page < maxPages; page += 1) {
      const due = await dueDeliveries(nowMs, [...skipped])
      if (due.length === 0) return
      for (const [id, deliveries] of groupByWebhook(due)) {
        skipped.add(id)
        if (!(await shared.acquire(leaseOf(id), leaseMs))) continue
        const served = serve(id, deliveries.slice(0, perRound))
        busy.set(id, served)
      }
    }
  }

  async function serve(id: string, deliveries: readonly DeliveryDocument[]): Promise<void> {
    const done = context.beginWork()
    try {
      const webhook = await documents.get(kinds.webhook, id)
      for (let start = 0; start < deliveries.length; start += atOnce) {
        const some = deliveries.slice(start, start + atOnce)
        const made = await Promise.all(some.map((each) => deliver(webhook, each)))
        if (webhook !== null) await countFailures(webhook, made)
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'error'
      context.log.warn({ webhook_id: id, reason }, 'deliveries of a webhook could not be recorded')
    } finally {
      busy.delete(id)
      await shared.delete(leaseOf(id)).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : 'error'
        context.log.warn(
          { webhook_id: id, reason },
          'the lease of a webhook could not be given back; it ends by itself',
        )
      })
      done()
    }
  }

  /** Gives whether it was delivered; null: no attempt was made. */
  async function deliver(
    webhook: WebhookDocument | null,
    delivery: DeliveryDocument,
  ): Promise<boolean | null> {
    const { version, ...draft } = delivery
    if (webhook === null || webhook.status !== 'active') {
      const reason = webhook?.status === 'paused' ? 'The webhook is paused.' : 'The webhook was deleted.'
      await keep(givenUp(draft, reason, context.now()), version)
      return null
    }
    const made = await attempt(context, webhook, delivery.data.body)
    const after = attempted(draft, made, context.now())
    context.countDeliveries(
      after.status === 'pending' ? 'retried' : made.isDelivered ? 'succeeded' : 'failed',
    )
    await keep(after, version)
    return made.isDelivered
  }

  /** Somebody else has recorded it meanwhile: theirs counts. */
  async function keep(document: Omit<DeliveryDocument, 'version'>, version: number): Promise<void> {
    try {
      await documents.commit([deliveryWrite(document, version)])
    } catch (error) {
      if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
    }
  }

  async function countFailures(webhook: WebhookDocument, made: readonly (boolean | null)[]): Promise<void> {
    const known = await documents.get(kinds.webhookFailures, webhook.id)
    const before = known?.data.in_a_row ?? 0
    let inARow = before
    for (const isDelivered of made) if (isDelivered !== null) inARow = isDelivered ? 0 : inARow + 1
    if (inARow === before) return
    const nowMs = context.now()
    await documents.commit([
      {
        op: 'put',
        isQuiet: true,
        document: {
          kind: kinds.webhookFailures,
          id: webhook.id,
          organisation_id: webhook.organisation_id,
          workspace_id: webhook.workspace_id,
          slug: null,
          name: null,
          status: 'active',
          created_at: nowMs,
          last_updated_at: nowMs,
          keys: [],
          attributes: {},
          data: { in_a_row: inARow },
        },
      },
    ])
    if (inARow >= maxFailures) await pause(webhook.id)
  }

  async function pause(id: string): Promise<void> {
    const webhook = await documents.get(kinds.webhook, id)
    if (webhook?.status !== 'active') return
    const { version, ...draft } = webhook
    const reason = `${maxFailures} attempts failed in a row.`
    const data = { ...draft.data, paused_reason: reason }
    const nowMs = context.now()
    await commitAsSystem(
      context,
      webhook.organisation_id ?? '',
      [
        {
          op: 'put',
          document: { ...draft, status: 'paused', last_updated_at: nowMs, data },
          expected: version,
        },
      ],
      {
        action: 'update',
        resource_type: 'webhook',
        resource_id: id,
        workspace_id: webhook.workspace_id,
        before: { status: 'active' },
        after: { status: 'paused', paused_reason: reason },
      },
    )
  }

  return {
    begin,
    /** Resolves when no attempt of this process is under way. */
    async settled(): Promise<void> {
      await Promise.all(busy.values())
    },
  }
}

function groupByWebhook(due: readonly DeliveryDocument[]): Map<string, DeliveryDocument[]> {
  const groups = new Map<string, DeliveryDocument[]>()
  for (const delivery of due) {
    const { webhook_id: id } = delivery.data
    groups.set(id, [...(groups.get(id) ?? []), delivery])
  }
  return groups
}

const leaseOf = (webhookId: string) => `webhook:${webhookId}`
