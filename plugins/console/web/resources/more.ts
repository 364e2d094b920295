/** Resources that support others: parts of prompts, secrets of other services, and servers of tools and agents. */
import { common, declare, description, name, optionsOf, workspace } from './declare.ts'

const template = 'You are a helpful assistant of {{company}}.'

export const partials = declare({
  path: 'partials',
  hasVersions: true,
  title: 'Partials',
  singular: 'partial',
  api: '/v1/prompts/partials',
  one: '/v1/prompts/partials/{id}',
  families: ['prompts'],
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'slug', label: 'Slug' },
    { name: 'published_version', label: 'Published' },
    { name: 'latest_version', label: 'Latest' },
    { name: 'status', label: 'Status', kind: 'status' },
  ],
  fields: [
    name,
    workspace,
    { name: 'string', label: 'Text', kind: 'area', isRequired: true, initial: template },
    { name: 'version_description', label: 'What changed', kind: 'text', on: 'edit' },
    {
      name: 'publish',
      label: 'Publish this version',
      kind: 'boolean',
      on: 'edit',
      options: [
        ['', 'No'],
        ['true', 'Yes'],
      ],
    },
  ],
  onDelete: 'Prompts that include it can no longer be rendered.',
  about: 'A partial is a versioned text that prompts include as {{>slug}}.',
  begin: 'Create one for text that several prompts share.',
  factsOf: ({ version: shown, published_version: published }) => [
    ['Version', shown === published ? `${shown}, published` : `${shown}; version ${published} is published`],
  ],
})

export const labels = declare({
  path: 'labels',
  title: 'Labels',
  singular: 'label',
  api: '/v1/labels',
  one: '/v1/labels/{id}',
  families: ['prompts'],
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'description', label: 'Description' },
    { name: 'status', label: 'Status', kind: 'status' },
    { name: 'created_at', label: 'Created', kind: 'time' },
  ],
  fields: [
    name,
    workspace,
    description,
    { name: 'color_code', label: 'Colour', kind: 'text', hint: 'Such as #1f54c4.' },
  ],
  onDelete: 'Requests that name a prompt by this label are refused.',
  about: 'A label names a version of a prompt. Requests can use slug@label.',
  begin: 'Create one for each environment, such as staging.',
})

export const collections = declare({
  path: 'collections',
  title: 'Collections',
  singular: 'collection',
  api: '/v1/collections',
  one: '/v1/collections/{id}',
  families: ['prompts'],
  columns: [{ name: 'name', label: 'Name' }, ...common],
  fields: [
    name,
    workspace,
    {
      name: 'parent_collection_id',
      label: 'Inside',
      kind: 'picker',
      picks: { api: '/v1/collections', value: 'slug' },
    },
  ],
  onDelete: 'Only an empty collection can be deleted.',
  about: 'A collection groups prompts.',
  begin: 'Create one for each team or product.',
})

export const secretReferences = declare({
  path: 'secret-references',
  title: 'Secret references',
  singular: 'secret reference',
  api: '/v1/secret-references',
  one: '/v1/secret-references/{id}',
  families: ['secret_references'],
  columns: [{ name: 'name', label: 'Name' }, { name: 'manager_type', label: 'Manager' }, ...common],
  fields: [
    name,
    description,
    {
      name: 'manager_type',
      label: 'Secret manager',
      kind: 'select',
      on: 'create',
      initial: 'aws_sm',
      options: [
        ['aws_sm', 'AWS Secrets Manager'],
        ['azure_kv', 'Azure Key Vault'],
        ['hashicorp_vault', 'HashiCorp Vault'],
      ],
    },
    {
      name: 'auth_config',
      label: 'Authentication',
      kind: 'json',
      isRequired: true,
      initial: { aws_auth_type: 'serviceRole', aws_region: 'eu-central-1' },
      hint: 'How the gateway authenticates at the secret manager. Secrets are shown masked.',
    },
    { name: 'secret_path', label: 'Path of the secret', kind: 'text', isRequired: true },
    {
      name: 'secret_key',
      label: 'Member of the secret',
      kind: 'text',
      hint: 'If the secret is a JSON object.',
    },
  ],
  onDelete: 'Credentials that refer to it can no longer be read.',
  about: 'A secret reference reads a credential from a secret manager instead of storing it here.',
  begin: 'Create one, then use it as the key of a provider.',
})

/** The API shows secrets masked. */
const configurations = {
  name: 'configurations',
  label: 'Settings',
  kind: 'json',
  hint: 'Such as {"custom_headers": {"authorization": "Bearer …"}}. Secrets are shown masked.',
} as const

const remoteUrl = { name: 'url', label: 'URL', kind: 'text', isRequired: true } as const

export const mcpIntegrations = declare({
  path: 'mcp-integrations',
  title: 'MCP integrations',
  singular: 'MCP integration',
  api: '/v1/mcp-integrations',
  one: '/v1/mcp-integrations/{id}',
  families: ['organisation_mcp_integrations', 'workspace_mcp_integrations'],
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'url', label: 'URL' },
    { name: 'auth_type', label: 'Authentication' },
    ...common,
  ],
  fields: [
    name,
    workspace,
    remoteUrl,
    {
      name: 'transport',
      label: 'Transport',
      kind: 'select',
      initial: 'http',
      options: optionsOf<'http' | 'sse'>({ http: 'Streamable HTTP', sse: 'Server-sent events' }),
    },
    {
      name: 'auth_type',
      label: 'Authentication',
      kind: 'select',
      initial: 'none',
      options: optionsOf<'none' | 'headers' | 'oauth_auto' | 'oauth_client_credentials'>({
        none: 'None',
        headers: 'Headers, in the settings',
        oauth_auto: 'OAuth, each person signs in',
        oauth_client_credentials: 'OAuth with client credentials, in the settings',
      }),
    },
    description,
    configurations,
    {
      name: 'new_capabilities_enabled',
      label: 'New tools of the server',
      kind: 'boolean',
      initial: true,
      options: [
        ['true', 'May be used at once'],
        ['false', 'Stay off until they are turned on'],
      ],
    },
  ],
  onDelete: 'Its MCP servers stop working.',
  about: 'An MCP integration is the address and the credential of a server of tools.',
  begin: 'Create one, then an MCP server that offers it to a workspace.',
})

export const agentIntegrations = declare({
  path: 'agent-integrations',
  title: 'Agent integrations',
  singular: 'agent integration',
  api: '/v1/agent-integrations',
  one: '/v1/agent-integrations/{id}',
  families: ['organisation_agent_integrations', 'workspace_agent_integrations'],
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'url', label: 'URL' },
    { name: 'auth_type', label: 'Authentication' },
    ...common,
  ],
  fields: [
    name,
    workspace,
    remoteUrl,
    {
      name: 'auth_type',
      label: 'Authentication',
      kind: 'select',
      initial: 'none',
      options: optionsOf<'none' | 'headers'>({ none: 'None', headers: 'Headers, in the settings' }),
    },
    description,
    configurations,
  ],
  onDelete: 'Its agents stop working.',
  about: 'An agent integration is the address and the credential of an agent.',
  begin: 'Create one, then an agent that offers it to a workspace.',
})

const access = {
  name: 'default_user_access',
  label: 'Users without a rule of their own',
  kind: 'select',
  initial: 'allow',
  options: optionsOf<'allow' | 'deny'>({ allow: 'May use it', deny: 'May not use it' }),
} as const

export const mcpServers = declare({
  path: 'mcp-servers',
  title: 'MCP servers',
  singular: 'MCP server',
  api: '/v1/mcp-servers',
  one: '/v1/mcp-servers/{id}',
  families: ['mcp_servers'],
  columns: [{ name: 'name', label: 'Name' }, ...common],
  fields: [
    name,
    workspace,
    {
      name: 'mcp_integration_id',
      label: 'Integration',
      kind: 'picker',
      picks: { api: '/v1/mcp-integrations', value: 'slug' },
      isRequired: true,
      on: 'create',
      hint: 'The MCP integration whose tools it offers.',
    },
    description,
    access,
  ],
  onDelete: 'Clients that use its URL are refused.',
  about: 'An MCP server makes the tools of an MCP integration available to a workspace.',
  begin: 'Create an MCP integration first, then a server that offers it.',
  factsOf: ({ url }) => (typeof url === 'string' ? [['URL', url]] : []),
})

export const agentServers = declare({
  path: 'agent-servers',
  title: 'Agents',
  singular: 'agent',
  api: '/v1/agent-servers',
  one: '/v1/agent-servers/{id}',
  families: ['agent_servers'],
  columns: [{ name: 'name', label: 'Name' }, ...common],
  fields: [
    name,
    workspace,
    {
      name: 'agent_integration_id',
      label: 'Integration',
      kind: 'picker',
      picks: { api: '/v1/agent-integrations', value: 'slug' },
      isRequired: true,
      on: 'create',
      hint: 'The agent integration that it offers.',
    },
    description,
    access,
  ],
  onDelete: 'Clients that use its URL are refused.',
  about: 'An agent offers an agent integration to a workspace.',
  begin: 'Create an agent integration first, then an agent that offers it.',
})
