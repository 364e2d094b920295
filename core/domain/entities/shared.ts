/** Objects that several kinds of documents hold (management contract, section 4). Field names are those of the wire. */
import type { JsonObject, PricedUnit, TokenClass } from '@gateway/contract'

/** USD for `cost`, else a whole number. */
export type UsageLimit = {
  type: 'cost' | 'tokens' | 'requests'
  credit_limit: number
  alert_threshold: number | null
  periodic_reset: 'weekly' | 'monthly' | null
  periodic_reset_days: number | null
  /** ISO 8601; null when it never resets. */
  next_usage_reset_at: string | null
  last_reset_at: string | null
  /** When the period began in which it counts now, where that is not its calendar's: see `usagePeriod`. */
  period_started_at?: string | null
}

export type RateLimit = {
  type: 'requests' | 'tokens'
  unit: 'rps' | 'rpm' | 'rph' | 'rpd' | 'rpw'
  value: number
}

export type Limits = {
  usage_limits: UsageLimit[]
  rate_limits: RateLimit[]
}

export type Defaults = {
  metadata: Record<string, string> | null
  config_id: string | null
  allow_config_override: boolean
  /** Ids or slugs of guardrails; null: none. */
  input_guardrails: string[] | null
  output_guardrails: string[] | null
}

/** By which prices are multiplied: each class of tokens, `default` for those that are not named. */
export type Multipliers = { [Name in TokenClass]?: number } & {
  default?: number
  image?: { default?: number }
  additional_units?: { [Unit in PricedUnit]?: number }
}

/** Tags of credentials: an object of texts, or a list of them. */
export type Tags = JsonObject | string[] | null

/** What the management API notes of every document that it writes, and what marks those of the config file. */
export type Authored = {
  owner_id?: string | null
  updated_by?: string | null
  source?: 'file'
}
