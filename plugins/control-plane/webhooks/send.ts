/** One attempt to deliver an event. Any 2xx is success; redirects are not followed and count as failures. */
import { isGatewayError, isObject, type ServiceContext } from '@gateway/contract'
import type { DocumentOf } from '@gateway/domain'
import { openSecrets } from '../engine/index.ts'
import { bodyFor, type EventPayload } from './format.ts'
import { signatureHeaders } from './sign.ts'

const timeoutMs = 10_000

export interface Attempt {
  isDelivered: boolean
  response_status: number | null
  error: string | null
  duration_ms: number
}

export type WebhookDocument = DocumentOf<'webhook'>
export type WebhookSender = ServiceContext<'now' | 'sealer' | 'send'>

/** The secrets that sign now: the newest, and the previous one until it expires. */
function signingSecrets(
  webhook: WebhookDocument,
  { sealer, now }: Pick<WebhookSender, 'sealer' | 'now'>,
): string[] {
  const { secret, former_secret: former } = openSecrets(webhook, sealer)
  const endsAt = Date.parse(webhook.data.former_secret_ends_at ?? '')
  return [secret, endsAt > now() ? former : null].filter((each) => typeof each === 'string')
}

/** @param body the event as JSON, in the standard format */
export async function attempt(
  context: WebhookSender,
  webhook: WebhookDocument,
  body: string,
): Promise<Attempt> {
  const { url, format } = webhook.data
  const payload = readPayload(body)
  const text = format === 'standard' ? body : bodyFor(format, payload, url)
  const startedAt = context.now()
  const timestamp = Math.floor(startedAt / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'gateway-webhooks/1',
    ...signatureHeaders({ id: payload.id, timestamp, body: text }, signingSecrets(webhook, context)),
  }
  const outcome = (response_status: number | null, error: string | null): Attempt => ({
    isDelivered: error === null,
    response_status,
    error,
    duration_ms: context.now() - startedAt,
  })
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const answer = await context.send({ method: 'POST', url, headers, body: text }, signal)
    answer.dump()
    const { status } = answer
    return outcome(
      status,
      status >= 200 && status < 300 ? null : `The receiver answered with status ${status}.`,
    )
  } catch (error) {
    if (signal.aborted) return outcome(null, 'The receiver did not answer within 10 seconds.')
    if (isGatewayError(error)) return outcome(null, error.message)
    throw error
  }
}

/** The body was written by this service. */
function readPayload(body: string): EventPayload {
  const payload: unknown = JSON.parse(body)
  if (!isEventPayload(payload)) throw new TypeError('The stored body of a delivery is not an event.')
  return payload
}

function isEventPayload(value: unknown): value is EventPayload {
  if (!isObject(value) || !isObject(value.data)) return false
  const texts = [value.id, value.type, value.created_at, value.organisation_id]
  const { workspace_id } = value
  return (
    texts.every((text) => typeof text === 'string') &&
    (workspace_id === null || typeof workspace_id === 'string')
  )
}
