/** Deliveries: one event for one webhook. */
import type { DocumentWrite, JsonObject } from '@gateway/contract'
import { type DocumentOf, kinds, timeOrderedId, type WebhookDeliveryData } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { nullable, timestamp, toIso } from '../engine/index.ts'
import type { EventPayload } from './format.ts'
import type { Attempt, WebhookDocument } from './send.ts'

export type DeliveryDocument = DocumentOf<'webhook_delivery'>

/** The delay before each attempt after the first. */
const retryDelaysMs: readonly number[] = [5000, 60_000, 600_000, 3_600_000, 21_600_000]

export const deliverySchema: TSchema = Type.Object({
  object: Type.Literal('webhook-delivery'),
  id: Type.String(),
  event_id: Type.String(),
  type: Type.String(),
  attempt: Type.Integer({ minimum: 0, description: 'The attempts so far, oldest first.' }),
  status: Type.Union([Type.Literal('pending'), Type.Literal('succeeded'), Type.Literal('failed')]),
  response_status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  duration_ms: nullable(Type.Integer()),
  created_at: timestamp,
  next_attempt_at: nullable(timestamp),
})

export function presentDelivery({
  id,
  status,
  created_at,
  data,
}: Omit<DeliveryDocument, 'version'>): JsonObject {
  const { event_id, type, attempt, response_status, error, duration_ms, next_attempt_at } = data
  return {
    object: 'webhook-delivery',
    id,
    event_id,
    type,
    attempt,
    status,
    response_status,
    error,
    duration_ms,
    created_at: toIso(created_at),
    next_attempt_at,
  }
}

type Draft = Omit<DeliveryDocument, 'version'>

/** A delivery that is due now. */
export function newDelivery(
  webhook: WebhookDocument,
  event: { id: string; type: string; body: string },
  nowMs: number,
): Draft {
  return {
    kind: kinds.webhookDelivery,
    id: timeOrderedId(nowMs),
    organisation_id: webhook.organisation_id,
    workspace_id: webhook.workspace_id,
    slug: null,
    name: null,
    status: 'pending',
    created_at: nowMs,
    last_updated_at: nowMs,
    keys: [],
    attributes: { webhook_id: [webhook.id], due: [toIso(nowMs)] },
    data: {
      webhook_id: webhook.id,
      event_id: event.id,
      type: event.type,
      body: event.body,
      attempt: 0,
      response_status: null,
      error: null,
      duration_ms: null,
      next_attempt_at: toIso(nowMs),
    },
  }
}

/** The result of an attempt; a failed delivery is pending until its last attempt. */
export function attempted(delivery: Draft, made: Attempt, nowMs: number): Draft {
  const { isDelivered, ...outcome } = made
  const delayMs = isDelivered ? undefined : retryDelaysMs[delivery.data.attempt]
  return ended(delivery, nowMs, {
    next: delayMs === undefined ? null : toIso(nowMs + delayMs),
    outcome: {
      ...outcome,
      attempt: delivery.data.attempt + 1,
      isDelivered,
    },
  })
}

interface EndedOptions {
  next: string | null
  outcome: Partial<WebhookDeliveryData> & { isDelivered: boolean }
}

function ended(
  { data, ...document }: Draft,
  nowMs: number,
  { next, outcome: { isDelivered, ...own } }: EndedOptions,
): Draft {
  return {
    ...document,
    status: isDelivered ? 'succeeded' : next === null ? 'failed' : 'pending',
    last_updated_at: nowMs,
    attributes: { webhook_id: [data.webhook_id], ...(next === null ? {} : { due: [next] }) },
    data: { ...data, ...own, next_attempt_at: next },
  }
}

/** A delivery that is given up without another attempt. */
export const givenUp = (delivery: Draft, reason: string, nowMs: number): Draft =>
  ended(delivery, nowMs, { next: null, outcome: { error: reason, isDelivered: false } })

export function deliveryWrite(document: Draft, expected: number): DocumentWrite {
  return { op: 'put', isQuiet: true, document: { ...document, data: { ...document.data } }, expected }
}

export const payloadText = (payload: EventPayload): string => JSON.stringify(payload)
