/** Deliveries of a webhook, a test of it, and rotation of its secret (management contract, section 21). */
import { randomUUID } from 'node:crypto'
import type { StoredDocument } from '@gateway/contract'
import { kinds, type WebhookData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type AnyResource,
  type Call,
  type ExtraRoute,
  index,
  isId,
  listAnswer,
  listSchema,
  notFound,
  pagingOf,
  timestamp,
  toIso,
} from '../engine/index.ts'
import { pageQuery } from '../shared/index.ts'
import {
  attempted,
  type DeliveryDocument,
  deliverySchema,
  deliveryWrite,
  newDelivery,
  payloadText,
  presentDelivery,
} from './deliveries.ts'
import { rotated } from './secrets.ts'
import { attempt } from './send.ts'

type Webhook = StoredDocument<WebhookData>

const keptNote = (webhook: Webhook, action: string) => ({
  action,
  resource_type: 'webhook',
  resource_id: webhook.id,
  workspace_id: webhook.workspace_id,
})

/**
 * Sends an event of the type `webhook.test` now, even if the webhook does not subscribe to it. The result does not
 * affect the failure count.
 */
async function test(call: Call<'send'>, webhook: Webhook) {
  const { context, nowMs, organisationId } = call
  const event = { id: randomUUID(), type: 'webhook.test' }
  const { workspace_id } = webhook
  const body = payloadText({
    ...event,
    created_at: toIso(nowMs),
    organisation_id: organisationId,
    workspace_id,
    data: { webhook_id: webhook.id },
  })
  const made = await attempt(context, webhook, body)
  const delivery = attempted(newDelivery(webhook, { ...event, body }, nowMs), made, context.now())
  const over = {
    ...delivery,
    status: made.isDelivered ? 'succeeded' : 'failed',
    attributes: { webhook_id: [webhook.id] },
    data: { ...delivery.data, next_attempt_at: null },
  }
  await call.commit([deliveryWrite(over, 0)], keptNote(webhook, 'test'))
  return {
    success: made.isDelivered,
    response_status: made.response_status,
    error: made.error,
  }
}

async function list(call: Call, webhook: Webhook) {
  const paging = pagingOf(call.query)
  const { total, documents } = await call.documents.list(
    kinds.webhookDelivery,
    { attributes: { webhook_id: [webhook.id] } },
    {
      sort: 'created_at',
      order: 'desc',
      offset: paging.current_page * paging.page_size,
      limit: paging.page_size,
    },
  )
  return listAnswer(documents.map(presentDelivery), total, paging)
}

async function redeliver(call: Call, webhook: Webhook) {
  const found = await findDelivery(call, webhook)
  const { event_id: id, type, body } = found.data
  const delivery = newDelivery(webhook, { id, type, body }, call.nowMs)
  await call.commit([deliveryWrite(delivery, 0)], {
    ...keptNote(webhook, 'start'),
    details: { event_id: id },
  })
  return presentDelivery(delivery)
}

async function findDelivery(call: Call, webhook: Webhook): Promise<DeliveryDocument> {
  const { deliveryId = '' } = call.request.params
  const found = isId(deliveryId) ? await call.documents.get(kinds.webhookDelivery, deliveryId) : null
  if (found?.data.webhook_id !== webhook.id) throw notFound('path/deliveryId', 'delivery')
  return found
}

async function rotateSecret(resource: AnyResource, call: Call, webhook: Webhook) {
  const { draft, secret, endsAt } = rotated(webhook, call.context)
  const document = { ...draft, keys: [], attributes: {}, data: { ...draft.data } }
  index(resource, document)
  await call.commit([{ op: 'put', document, expected: webhook.version }], keptNote(webhook, 'rotate'))
  return { id: webhook.id, object: 'webhook', secret, former_secret_expires_at: endsAt }
}

export const webhookRoutes = (resource: () => AnyResource): ExtraRoute<WebhookData, 'send'>[] => [
  {
    method: 'POST',
    path: '/:id/test',
    operationId: 'webhookTest',
    summary: 'Sends an event of the type webhook.test and returns whether it was accepted',
    action: 'update',
    auditAction: 'test',
    answer: Type.Object({
      success: Type.Boolean(),
      response_status: Type.Union([Type.Integer(), Type.Null()]),
      error: Type.Union([Type.String(), Type.Null()]),
    }),
    handle: test,
  },
  {
    method: 'GET',
    path: '/:id/deliveries',
    operationId: 'webhookDeliveryList',
    summary: 'Lists the deliveries of the last 7 days, newest first',
    action: 'read',
    query: pageQuery,
    answer: listSchema(deliverySchema),
    handle: list,
  },
  {
    method: 'POST',
    path: '/:id/deliveries/:deliveryId/redeliver',
    operationId: 'webhookRedeliver',
    summary: 'Sends the event of a delivery again with the same id',
    action: 'update',
    auditAction: 'start',
    answer: deliverySchema,
    handle: redeliver,
  },
  {
    method: 'POST',
    path: '/:id/rotate-secret',
    operationId: 'webhookRotateSecret',
    summary: 'Rotates the signing secret; the old one also signs for 24 hours',
    action: 'update',
    auditAction: 'rotate',
    answer: Type.Object({
      id: Type.String(),
      object: Type.Literal('webhook'),
      secret: Type.String({ description: 'The new signing secret. Only this answer contains it.' }),
      former_secret_expires_at: timestamp,
    }),
    handle: (call, webhook) => rotateSecret(resource(), call, webhook),
  },
]
