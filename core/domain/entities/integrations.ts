/** Integrations, workspaces' access to them, providers (virtual keys) and secret references. */
import type { JsonObject, PricingConfig } from '@gateway/contract'
import type { Limits, Multipliers, Tags } from './shared.ts'

/** Attributes: `ai_provider_id`. The sealed members are those of `configurations` that are secret, and `key`. */
export type IntegrationData = {
  ai_provider_id: string
  description: string | null
  /** As management answers show them, without secrets. */
  configurations: JsonObject
  /** `{ key?, configurations? }`, sealed as one JSON text; null if nothing is secret. */
  sealed: string | null
  masked_key: string | null
  secret_mappings: SecretMapping[]
  pricing_adjustments: { multiplier: Multipliers } | null
  allow_all_models: boolean
  models: IntegrationModel[]
  global_workspace_access: (Limits & { enabled: boolean }) | null
  last_reset_at: string | null
  /** The masked form of sealed members of `configurations`. */
  masked_configurations?: JsonObject
  /**
   * Workspaces with explicit access settings; all others use `global_workspace_access`. Organisation integrations only.
   */
  workspace_access?: Record<string, boolean>
  /** Created for a virtual key, and archived with it. */
  is_hidden?: boolean
  tags?: Tags
  updated_by?: string | null
}

export type SecretMapping = {
  /** `key` or `configurations.NAME`. */
  target_field: string
  secret_reference_id: string
  secret_key: string | null
  value_format: 'string' | 'json'
}

export type IntegrationModel = {
  slug: string
  enabled: boolean
  name: string | null
  is_custom: boolean
  is_finetune: boolean
  base_model_slug: string | null
  configurations: { custom_host?: string; custom_headers?: Record<string, string> } | null
  pricing_config: PricingConfig | null
  pricing_adjustments: { multiplier: Multipliers } | null
}

/** One workspace's access to an integration of the organisation. Key: `access:INTEGRATION/WORKSPACE`. Attributes: `integration_id`. */
export type IntegrationAccessData = Limits & {
  integration_id: string
  enabled: boolean
  last_reset_at: string | null
}

/** A provider, which is a virtual key. Status `active`, `exhausted`, `expired` or `archived`. Attributes: `integration_id`. */
export type ProviderData = Limits & {
  integration_id: string
  /** Its provider's name. */
  provider: string
  note: string | null
  expires_at: string | null
  last_reset_at: string | null
  tags?: Tags
}

export type SecretReferenceData = {
  manager_type: string
  /** Without secrets. */
  auth_config: JsonObject
  /** The secret members of `auth_config`, as JSON. */
  sealed: string | null
  secret_path: string
  secret_key: string | null
  allow_all_workspaces: boolean
  allowed_workspaces: string[]
}
