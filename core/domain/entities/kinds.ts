/** The kinds of stored documents, and the keys by which documents are found. */

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
  mcpIntegration: 'mcp_integration',
  mcpServer: 'mcp_server',
  /** What the last sync of an MCP integration found. */
  mcpCatalogue: 'mcp_catalogue',
  agentIntegration: 'agent_integration',
  agentServer: 'agent_server',
  config: 'config',
  configVersion: 'config_version',
  guardrail: 'guardrail',
  guardrailVersion: 'guardrail_version',
  /** What an organisation has set for a guardrail plugin. */
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
  /** What happened, until it is handed over to webhooks and mail. */
  event: 'event',
  webhook: 'webhook',
  /** One event on its way to one webhook. */
  webhookDelivery: 'webhook_delivery',
  /** How often a webhook failed in a row; its id is the webhook's. */
  webhookFailures: 'webhook_failures',
  /** How many events of a flood a webhook got; its id is the webhook's. */
  webhookFlood: 'webhook_flood',
  /** A message on its way. */
  mail: 'mail',
  idempotency: 'idempotency',
  /** What an identity provider calls the SCIM endpoints with. */
  scimToken: 'scim_token',
  scimGroup: 'scim_group',
  /** One user in one group; its id is derived from theirs. */
  scimGroupMember: 'scim_group_member',
  /** That members of a group have a role in a workspace. */
  scimMapping: 'scim_mapping',
  /** Of a store that was brought up to date. */
  migration: 'migration',
} as const

/** The first organisation and its default workspace: known before anything is stored. UUIDs of version 5. */
export const firstOrganisationId = '7d7a5b1c-52fb-5f0e-9c0b-2f6a6d2f1c01'
export const defaultWorkspaceId = '7d7a5b1c-52fb-5f0e-9c0b-2f6a6d2f1c02'

/** `slug:SCOPE/SLUG`, the unique key by which a document is found. */
export const slugKey = (scopeId: string, slug: string) => `slug:${scopeId}/${slug}`
/** `version:DOCUMENT/NUMBER`, the unique key of a version of a document's content. */
export const versionKey = (documentId: string, version: number) => `version:${documentId}/${version}`
/** `hash:HEX`, the unique key of a secret that is only compared. */
export const hashKeyOf = (sha256Hex: string) => `hash:${sha256Hex}`
