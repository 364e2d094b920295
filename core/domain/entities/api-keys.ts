/** API keys, and the last use of keys and sessions. */
import type { KeyClass } from '@gateway/contract'
import type { Defaults, Limits } from './shared.ts'

/** Status `active`, `exhausted`, `expired` or `archived`. Keys: `hash:HEX` of each live secret. Attributes: `type`, `user_id`. */
export type ApiKeyData = Limits & {
  type: KeyClass
  user_id: string | null
  scopes: string[]
  defaults: Defaults
  description: string | null
  /** ISO 8601. */
  expires_at: string | null
  alert_emails: string[]
  /** Addresses and networks that may use it; null or absent: any. */
  allowed_ips?: string[] | null
  /** The live secrets, newest first: at most two. */
  secrets: {
    key_version: number
    hash: string
    prefix: string
    first: string
    last: string
    ends_at: string | null
  }[]
  rotation_policy: {
    rotation_period: 'weekly' | 'monthly' | null
    next_rotation_at: string | null
    key_transition_period_ms: number
  } | null
  last_reset_at: string | null
}

/** The part of an API key, or of a JWT used instead, that affects requests. */
export type KeyTerms = Pick<ApiKeyData, 'usage_limits' | 'rate_limits' | 'defaults'>

/** Members of an API key that only management reads. */
export type ManagedKeyData = ApiKeyData & {
  creation_mode: 'ui' | 'api' | 'auto'
  /** ISO 8601. */
  last_rotated_at: string | null
  /** A secret that has not been shown yet: sealed, and kept until a time (ISO 8601). */
  unread: { sealed: string; until: string } | null
  /** Warnings already sent, each once: `rotation:TIME`, `expiry:TIME:days`. */
  notices: string[]
}

/** Data of the document kind `user_key_count`. */
export type UserKeyCountData = { user_id: string; live_keys: number }

/** Data of the document kind `use`. */
export type UseData = {
  /** ISO 8601, to the minute. */
  last_used_at: string
}
