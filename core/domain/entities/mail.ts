/** Outgoing mail (management contract, section 21). */

/** Status `pending`, `succeeded` or `failed`. Attributes: `server`, and `due` (ISO 8601) while it is pending. */
export type MailData = {
  to: string
  /** The subject matter: an event type, or `invite`. */
  occasion: string
  /** `{subject, text, html}`, sealed, because an invite's link is a secret; null once it is complete. */
  sealed: string | null
  /** Number of attempts. */
  attempt: number
  error: string | null
  /** ISO 8601; null once it is complete. */
  next_attempt_at: string | null
}
