/** Objects shared by several document kinds (management contract, section 4). Field names are those of the API. */
import type { JsonObject, PricedUnit, TokenClass } from '@gateway/contract'

/** USD for `cost`; otherwise a whole number. */
export type UsageLimit = {
  type: 'cost' | 'tokens' | 'requests'
  credit_limit: number
  alert_threshold: number | null
  periodic_reset: 'weekly' | 'monthly' | null
  periodic_reset_days: number | null
  /** ISO 8601; null when it never resets. */
  next_usage_reset_at: string | null
  last_reset_at: string | null
  /** The start of the current period when it is not the calendar's: see `usagePeriod`. */
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
  /** Ids or slugs of guardrails, or null. */
  input_guardrails: string[] | null
  output_guardrails: string[] | null
}

/** Price multipliers by token class; `default` for all other classes. */
export type Multipliers = { [Name in TokenClass]?: number } & {
  default?: number
  image?: { default?: number }
  additional_units?: { [Unit in PricedUnit]?: number }
}

/** Tags of credentials: an object of texts, or a list of them. */
export type Tags = JsonObject | string[] | null

/** Metadata that the management API adds to every document, and the mark of config file documents. */
export type Authored = {
  owner_id?: string | null
  updated_by?: string | null
  source?: 'file'
}
