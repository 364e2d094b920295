/** Organisations and workspaces. */
import type { JsonObject } from '@gateway/contract'
import type { Defaults, Limits } from './shared.ts'

export type OrganisationData = {
  settings: JsonObject
  auth_settings: JsonObject
  defaults: Defaults
  default_workspace_id: string
  /** Workspaces exempt from the organisation's guardrails of a phase. */
  input_guardrail_exclusions: string[]
  output_guardrail_exclusions: string[]
  /** `{ client_secret }` of `auth_settings.oidc`, sealed. */
  sealed?: string | null
}

export type WorkspaceData = Limits & {
  defaults: Defaults & { user_api_key_config: string | null }
  /** The workspace's settings, which override the organisation's. */
  settings: JsonObject
  last_reset_at: string | null
}
