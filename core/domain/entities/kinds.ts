/** The kinds of stored documents, and the keys by which documents are found. */

export const kinds = {
  organisation: 'organisation',
  workspace: 'workspace',
  user: 'user',
  member: 'member',
  invite: 'invite',
  session: 'session',
  apiKey: 'api_key',
  /** A person's number of active keys in a workspace that limits it; its version serializes additions. */
  userKeyCount: 'user_key_count',
  /** The last use of a key or a session, under the same id. */
  use: 'use',
  integration: 'integration',
  integrationAccess: 'integration_access',
  provider: 'provider',
  secretReference: 'secret_reference',
  mcpIntegration: 'mcp_integration',
  mcpServer: 'mcp_server',
  /** The result of an MCP integration's last sync. */
  mcpCatalogue: 'mcp_catalogue',
  agentIntegration: 'agent_integration',
  agentServer: 'agent_server',
  config: 'config',
  configVersion: 'config_version',
  guardrail: 'guardrail',
  guardrailVersion: 'guardrail_version',
  /** An organisation's settings of a guardrail plugin. */
  pluginSettings: 'plugin_settings',
  prompt: 'prompt',
  promptVersion: 'prompt_version',
  promptPartial: 'prompt_partial',
  promptPartialVersion: 'prompt_partial_version',
  promptLabel: 'prompt_label',
  collection: 'collection',
  rateLimitPolicy: 'rate_limit_policy',
  usageLimitPolicy: 'usage_limit_policy',
  usageLimitEntity: 'usage_limit_entity',
  audit: 'audit',
  /** Events waiting for delivery to webhooks and mail. */
  event: 'event',
  webhook: 'webhook',
  /** The delivery of one event to one webhook. */
  webhookDelivery: 'webhook_delivery',
  /** A webhook's consecutive failures, under the webhook's id. */
  webhookFailures: 'webhook_failures',
  /** A webhook's flood counter, under the webhook's id. */
  webhookFlood: 'webhook_flood',
  /** An outgoing message. */
  mail: 'mail',
  idempotency: 'idempotency',
  /** Tokens of identity providers for the SCIM endpoints. */
  scimToken: 'scim_token',
  scimGroup: 'scim_group',
  /** One user in one group; its id is derived from theirs. */
  scimGroupMember: 'scim_group_member',
  /** Maps a group to a role in a workspace. */
  scimMapping: 'scim_mapping',
  /** Marks a completed store migration. */
  migration: 'migration',
  /** The fingerprint of the master key that encrypts the store's secrets. */
  encryptionKey: 'encryption_key',
} as const

/** The first organisation and its default workspace, known in advance. UUIDs of version 5. */
export const firstOrganisationId = '7d7a5b1c-52fb-5f0e-9c0b-2f6a6d2f1c01'
export const defaultWorkspaceId = '7d7a5b1c-52fb-5f0e-9c0b-2f6a6d2f1c02'

/** `slug:SCOPE/SLUG`, the unique key by which a document is found. */
export const slugKey = (scopeId: string, slug: string) => `slug:${scopeId}/${slug}`
/** `version:DOCUMENT/NUMBER`, the unique key of a version of a document's content. */
export const versionKey = (documentId: string, version: number) => `version:${documentId}/${version}`
/** `hash:HEX`, the unique key of a secret stored only as a hash. */
export const hashKeyOf = (sha256Hex: string) => `hash:${sha256Hex}`
