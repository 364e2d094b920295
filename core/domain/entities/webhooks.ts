/** Webhooks and their deliveries (management contract, section 21). */

export type WebhookFormat = 'standard' | 'slack' | 'teams' | 'pagerduty'

/** Status `active`, `paused` or `archived`. Attributes: `events`. */
export type WebhookData = {
  url: string
  /** Event types; `*` means all. */
  events: string[]
  format: WebhookFormat
  description: string | null
  paused_reason: string | null
  /** The signing secrets, newest first; sealed together. */
  sealed: string
  /** Until when the previous secret also signs, ISO 8601; null without a previous secret. */
  former_secret_ends_at: string | null
}

/** Status `pending`, `succeeded` or `failed`. Attributes: `webhook_id`, and `due` (ISO 8601) while it is pending. */
export type WebhookDeliveryData = {
  webhook_id: string
  event_id: string
  type: string
  /** The payload: `{id, type, created_at, organisation_id, workspace_id, data}` as JSON. */
  body: string
  /** Number of attempts. */
  attempt: number
  response_status: number | null
  error: string | null
  duration_ms: number | null
  /** ISO 8601; null once it is complete. */
  next_attempt_at: string | null
}

export type WebhookFailuresData = { in_a_row: number }

export type WebhookFloodData = {
  /** Start of the minute, milliseconds since the epoch. */
  from: number
  sent: number
  /** Events skipped since the last one sent, by type. */
  suppressed: Record<string, number>
  /** Deliveries dropped because the queue was full. */
  dropped: number
}
