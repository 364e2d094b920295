/**
 * MCP servers and agents: integrations (an upstream and its credential), and the servers that workspaces create from
 * them.
 */
import type { JsonObject } from '@gateway/contract'
import type { SecretMapping } from './integrations.ts'

/** Attributes: `type`, `hidden`, `usable_by`, `has_exceptions`, `secret_reference_id`. */
export type RemoteIntegrationData = {
  url: string
  auth_type: 'none' | 'headers' | 'oauth_auto' | 'oauth_client_credentials'
  /** The transport of MCP servers. */
  transport?: 'http' | 'sse'
  /** The protocol of agents. */
  protocol?: 'a2a'
  description: string | null
  /** Without secrets. */
  configurations: JsonObject
  masked_configurations?: JsonObject
  /** The secret members of `configurations`, sealed as one JSON text. */
  sealed: string | null
  secret_mappings: SecretMapping[]
  global_workspace_access?: { enabled: boolean } | null
  workspace_access?: Record<string, boolean>
  /** Whether capabilities newly found by a sync are enabled. */
  new_capabilities_enabled?: boolean
  /** Explicitly enabled or disabled capabilities, as `TYPE:NAME`. */
  switches?: Record<string, boolean>
  /** Created for a server of the config file. */
  is_hidden?: boolean
  updated_by?: string | null
}

/** Attributes: `integration_id`. */
export type RemoteServerData = {
  mcp_integration_id?: string
  agent_integration_id?: string
  description: string | null
  default_user_access: 'allow' | 'deny'
  /** By user id; all others use `default_user_access`. */
  user_access?: Record<string, boolean>
  switches?: Record<string, boolean>
}

/** The result of a sync, under the integration's id. */
export type McpCatalogueData = {
  server_name: string | null
  server_version: string | null
  protocol_version: string | null
  capability_flags: JsonObject
  instructions: string | null
  sync_status: 'never' | 'ok' | 'failed'
  /** ISO 8601. */
  last_synced_at: string | null
  sync_error: string | null
  capabilities: { type: McpCapabilityType; name: string; definition: JsonObject }[]
}

export type McpCapabilityType = 'tool' | 'prompt' | 'resource' | 'resource_template'
