/** Configs, guardrails, and the versions of their content. */
import type { JsonObject } from '@gateway/contract'

export type ConfigData = {
  /** The live version's content. */
  config: JsonObject
  /** The live version, from 1. */
  config_version: number
  version_id: string
  /** The newest version; absent: the live one. */
  latest_version?: number
  /** The last rollout; absent if there never was one. */
  rollout?: RolloutData
}

/** The conditions that end a rollout: rates from 0 to 1, cost in US cents. */
export type RolloutMetric = 'error_rate' | 'cost_per_request' | 'p95_ms' | 'denial_rate'

/** A rollout of a version: its share of the sessions grows step by step. Times in milliseconds since the epoch. */
export type RolloutData = {
  id: string
  /** The version that was live when it began, and the version that it is to make live. */
  from: number
  to: number
  status: 'running' | 'completed' | 'aborted' | 'cancelled'
  /** The share of the sessions that get the new version. */
  percent: number
  /** Ascending, including the first percentage. */
  steps: number[]
  hold_minutes: number
  /** Upper bounds: a larger value ends the rollout. */
  abort_if: Partial<Record<RolloutMetric, number>>
  /**
   * The reason why a rollout was aborted. `invalid_config`: the new version refers to something that no longer exists.
   */
  reason: { metric: RolloutMetric | 'invalid_config'; value: number; bound: number } | null
  started_at: number
  /** When the current percentage began. */
  stepped_at: number
  ended_at: number | null
  started_by: string | null
  /** The objects that the new version refers to, which count as in use while the rollout runs. */
  references: { providers: string[]; guardrails: string[]; prompts: string[]; configs: string[] }
}

export type GuardrailData = {
  checks: { id: string; name?: string; is_enabled: boolean; parameters: JsonObject }[]
  actions: { deny: boolean; async: boolean; on_success?: JsonObject; on_fail?: JsonObject }
  fail_closed: boolean
  type: 'guardrail' | 'mutator'
  guardrail_version: number
  version_id: string
}

/** A version of a config's or a guardrail's content, never changed. Key: `version:DOCUMENT/NUMBER`. Attributes: `of_id`. */
export type VersionData = {
  /** The document that it is a version of. */
  of_id: string
  version: number
  content: JsonObject
  updated_by: string | null
}

/** Id: derived from the organisation and the plugin. Workspace: none. */
export type PluginSettingsData = {
  /** The first half of the ids of its checks. */
  plugin: string
  /** Non-secret members. */
  settings: JsonObject
  /** The other members, masked. */
  masked_settings: JsonObject
  /** The secret members, sealed together, or null. */
  sealed: string | null
}
