/**
 * The `data` of stored documents that the data path reads, by kind. A service may store further members beside these.
 * Every kind's `keys` hold `slug:SCOPE/SLUG` where it has a slug, SCOPE being its workspace, else its organisation.
 */
import type { JsonObject, KeyClass, OrganisationRole } from '@gateway/contract'
import type { Defaults, Limits, PricingMultipliers, RateLimit, UsageLimit } from './shared.ts'

export type * from './shared.ts'

export const kinds = {
  organisation: 'organisation',
  workspace: 'workspace',
  user: 'user',
  member: 'member',
  invite: 'invite',
  session: 'session',
  apiKey: 'api_key',
  /** How many live keys a person has in a workspace where their number is limited; its version orders those who add one. */
  userKeyCount: 'user_key_count',
  /** When a key or a session was last used; its id is theirs. */
  use: 'use',
  integration: 'integration',
  integrationAccess: 'integration_access',
  provider: 'provider',
  secretReference: 'secret_reference',
  config: 'config',
  configVersion: 'config_version',
  guardrail: 'guardrail',
  guardrailVersion: 'guardrail_version',
  rateLimitPolicy: 'rate_limit_policy',
  usageLimitPolicy: 'usage_limit_policy',
  usageLimitEntity: 'usage_limit_entity',
  audit: 'audit',
  idempotency: 'idempotency',
} as const

/** The first organisation and its default workspace: known before anything is stored. UUIDs of version 5. */
export const firstOrganisationId = '7d7a5b1c-52fb-5f0e-9c0b-2f6a6d2f1c01'
export const defaultWorkspaceId = '7d7a5b1c-52fb-5f0e-9c0b-2f6a6d2f1c02'

/** `slug:SCOPE/SLUG`, the unique key by which a document is found. */
export const slugKey = (scopeId: string, slug: string) => `slug:${scopeId}/${slug}`
/** `hash:HEX`, the unique key of a secret that is only compared. */
export const hashKeyOf = (sha256Hex: string) => `hash:${sha256Hex}`

export type OrganisationData = {
  settings: JsonObject
  auth_settings: JsonObject
  defaults: Defaults
  default_workspace_id: string
  /** Workspaces for which the organisation's guardrails of a phase do not run. */
  input_guardrail_exclusions: string[]
  output_guardrail_exclusions: string[]
}

export type WorkspaceData = Limits & {
  defaults: Defaults & { user_api_key_config: string | null }
  /** The workspace's own settings, which beat those of the organisation. */
  settings: JsonObject
  last_reset_at: string | null
}

export type WorkspaceRole = 'admin' | 'manager' | 'member'

/** Status `active`, `deactivated` or `archived`. Key: `email:ADDRESS`, lower-case. Attributes: `role`. */
export type UserData = {
  email: string
  first_name: string
  last_name: string | null
  role: OrganisationRole
  /** scrypt; null where there is none. */
  password_hash: string | null
  last_login_at: string | null
}

/** One user in one workspace. Key: `member:WORKSPACE/USER`. Attributes: `user_id`. Archived when its workspace is. */
export type MemberData = {
  user_id: string
  role: WorkspaceRole
  /** The SCIM group that gave the role. */
  source_group: string | null
}

/** A sign-in. Key: `hash:HEX` of its token. Attributes: `user_id` or `api_key_id`. An ended one has no keys. */
export type SessionData = {
  user_id: string | null
  /** Where a key signed in: the session has its rights. */
  api_key_id: string | null
  /** Sent beside the cookie; of no use without it. */
  csrf_token: string
  /** ISO 8601. */
  expires_at: string
  ip: string
  user_agent: string | null
}

/** Of the document kind `use`. */
export type UseData = {
  /** ISO 8601, to the minute. */
  last_used_at: string
}

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

/** Attributes: `ai_provider_id`. The sealed members are those of `configurations` that are secret, and `key`. */
export type IntegrationData = {
  ai_provider_id: string
  description: string | null
  /** As management answers show them, less what is secret. */
  configurations: JsonObject
  /** `{ key?, configurations? }`, sealed as one JSON text; null when there is nothing secret. */
  sealed: string | null
  masked_key: string | null
  secret_mappings: SecretMapping[]
  pricing_adjustments: { multiplier: PricingMultipliers } | null
  allow_all_models: boolean
  models: IntegrationModel[]
  global_workspace_access: (Limits & { enabled: boolean }) | null
  last_reset_at: string | null
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
  pricing_config: JsonObject | null
  pricing_adjustments: { multiplier: PricingMultipliers } | null
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
}

export type SecretReferenceData = {
  manager_type: string
  /** Less what is secret. */
  auth_config: JsonObject
  /** The secret members of `auth_config`, as JSON. */
  sealed: string | null
  secret_path: string
  secret_key: string | null
  allow_all_workspaces: boolean
  allowed_workspaces: string[]
}

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

export type PolicyCondition = { key: string; value: string | string[]; excludes?: string | string[] }
export type PolicyGroup = { key: string }

/** Status `active` or `archived`. */
export type RateLimitPolicyData = {
  conditions: PolicyCondition[]
  group_by: PolicyGroup[]
  type: 'requests' | 'tokens'
  unit: RateLimit['unit']
  value: number
  target: 'llm' | 'mcp_tools'
}

export type UsageLimitPolicyData = UsageLimit & { conditions: PolicyCondition[]; group_by: PolicyGroup[] }
