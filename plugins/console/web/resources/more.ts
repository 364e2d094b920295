/** What supports the other kinds: parts of prompts, secrets of other services, and servers of tools and agents. */
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
  about: 'A label names a version of a prompt, so that requests can use slug@label.',
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
      kind: 'text',
      hint: 'The slug of another collection. Leave empty for none.',
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
      kind: 'text',
      isRequired: true,
      on: 'create',
      hint: 'The slug of an MCP integration.',
    },
    description,
    access,
  ],
  onDelete: 'Clients that use its URL are refused.',
  about: 'An MCP server makes the tools of an MCP integration available to a workspace.',
  begin: 'Create an MCP integration with the management API, then a server for it.',
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
      kind: 'text',
      isRequired: true,
      on: 'create',
      hint: 'The slug of an agent integration.',
    },
    description,
    access,
  ],
  onDelete: 'Clients that use its URL are refused.',
  about: 'An agent server makes an agent available to a workspace.',
  begin: 'Create an agent integration with the management API, then a server for it.',
})
