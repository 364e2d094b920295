/** Configs, guardrails, and the versions of their content. */
import type { JsonObject } from '@gateway/contract'

export type ConfigData = {
  config: JsonObject
  /** Of the content, from 1. */
  config_version: number
  version_id: string
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
  /** The secret members, sealed together; null when there are none. */
  sealed: string | null
}
