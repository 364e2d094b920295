/** Objects that several kinds of documents hold (management contract, section 4). Field names are those of the wire. */

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

export type PricingMultipliers = { [tokenClass: string]: number | { [unit: string]: number } }
