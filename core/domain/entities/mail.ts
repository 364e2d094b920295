/** Mail on its way (management contract, section 21). */

/** Status `pending`, `succeeded` or `failed`. Attributes: `server`, and `due` (ISO 8601) while it is pending. */
export type MailData = {
  to: string
  /** What it is about: an event type, or `invite`. */
  occasion: string
  /** `{subject, text, html}`, sealed; null once it is over. An invite holds a link that is a secret. */
  sealed: string | null
  /** Attempts that were made. */
  attempt: number
  error: string | null
  /** ISO 8601; null once it is over. */
  next_attempt_at: string | null
}
