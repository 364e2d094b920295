/** Sends deliveries that are due, counts consecutive failures, and pauses a webhook that only fails. */
import type { ServiceContext } from '@gateway/contract'
import { kinds, typedDocuments } from '@gateway/domain'
import { commitAsSystem } from '../engine/index.ts'
import { createOutbox, unlessOvertaken } from '../shared/index.ts'
import { attempted, type DeliveryDocument, deliveryWrite, givenUp } from './deliveries.ts'
import { attempt, type WebhookDocument } from './send.ts'

/** The number of consecutive failures that pauses a webhook. */
const maxFailures = 100

export function createSender(
  context: ServiceContext<
    'beginWork' | 'countDeliveries' | 'documents' | 'log' | 'now' | 'sealer' | 'send' | 'shared'
  >,
) {
  const documents = typedDocuments(context.documents)
  return createOutbox(context, {
    kind: kinds.webhookDelivery,
    receiver: {
      attribute: 'webhook_id',
      of: ({ data }) => data.webhook_id,
      lease: (webhookId) => `webhook:${webhookId}`,
    },
    async send(webhookId, deliveries) {
      const webhook = await documents.get(kinds.webhook, webhookId)
      const made = await Promise.all(deliveries.map((each) => deliver(webhook, each)))
      if (webhook !== null) await countFailures(webhook, made)
    },
  })

  /** Returns whether it was delivered. Null: no attempt was made. */
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

  function keep(document: Omit<DeliveryDocument, 'version'>, version: number): Promise<void> {
    return unlessOvertaken(() => documents.commit([deliveryWrite(document, version)]))
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
    const reason = `${maxFailures} consecutive attempts failed.`
    const data = { ...draft.data, paused_reason: reason }
    const nowMs = context.now()
    await commitAsSystem(context, webhook.organisation_id ?? '', {
      writes: [
        {
          op: 'put',
          document: { ...draft, status: 'paused', last_updated_at: nowMs, data },
          expected: version,
        },
      ],
      note: {
        action: 'update',
        resource_type: 'webhook',
        resource_id: id,
        workspace_id: webhook.workspace_id,
        before: { status: 'active' },
        after: { status: 'paused', paused_reason: reason },
      },
    })
  }
}
