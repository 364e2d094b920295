/** Webhooks and what is on its way to them (management contract, section 21). */

export type WebhookFormat = 'standard' | 'slack' | 'teams' | 'pagerduty'

/** Status `active`, `paused` or `archived`. Attributes: `events`. */
export type WebhookData = {
  url: string
  /** Event types; `*` stands for all. */
  events: string[]
  format: WebhookFormat
  description: string | null
  paused_reason: string | null
  /** The signing secrets, newest first; sealed together. */
  sealed: string
  /** Until when the former secret signs as well, ISO 8601; null when there is none. */
  former_secret_ends_at: string | null
}

/** Status `pending`, `succeeded` or `failed`. Attributes: `webhook_id`, and `due` (ISO 8601) while it is pending. */
export type WebhookDeliveryData = {
  webhook_id: string
  event_id: string
  type: string
  /** What is sent: `{id, type, created_at, organisation_id, workspace_id, data}` as JSON. */
  body: string
  /** Attempts that were made. */
  attempt: number
  response_status: number | null
  error: string | null
  duration_ms: number | null
  /** ISO 8601; null once it is over. */
  next_attempt_at: string | null
}

export type WebhookFailuresData = { in_a_row: number }

export type WebhookFloodData = {
  /** When the minute began, milliseconds since the epoch. */
  from: number
  sent: number
  /** Events that were left out since the last that was sent, by type. */
  suppressed: Record<string, number>
  /** Deliveries that were dropped because too many waited. */
  dropped: number
}
