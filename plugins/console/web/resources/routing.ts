/** Resources that determine how a request is answered: providers, configs, prompts, guardrails. */
import { common, declare, expiresAt, name, workspace } from './declare.ts'
import { limits } from './limits.ts'
import { guardrailActions, modelParameters } from './members.ts'
import { reactivate, recreatePrompt, recreateProvider } from './undo.ts'

export const providers = declare({
  path: 'providers',
  undo: recreateProvider,
  title: 'Providers',
  singular: 'provider',
  api: '/v1/providers',
  one: '/v1/providers/{id}',
  families: ['providers'],
  statuses: ['active', 'exhausted', 'expired', 'archived'],
  columns: [{ name: 'name', label: 'Name' }, { name: 'provider', label: 'Provider' }, ...common],
  fields: [name, { name: 'note', label: 'Note', kind: 'text' }, ...limits, expiresAt],
  about: 'A provider is a stored credential. Requests refer to it as @slug.',
  begin: 'Connect one with the API key from its vendor, then test it.',
  factsOf: ({ provider, slug }) => [
    ['Provider', String(provider)],
    ['Model name', `@${String(slug)}/MODEL`],
  ],
})

export const configs = declare({
  path: 'configs',
  undo: reactivate(),
  title: 'Configs',
  singular: 'config',
  api: '/v1/configs',
  one: '/v1/configs/{id}',
  families: ['configs'],
  columns: [{ name: 'name', label: 'Name' }, ...common],
  fields: [
    name,
    workspace,
    {
      name: 'config',
      label: 'Config',
      kind: 'json',
      schema: 'config',
      isRequired: true,
      initial: { retry: { attempts: 2 } },
    },
    {
      name: 'publish',
      label: 'When saved',
      kind: 'boolean',
      on: 'edit',
      options: [
        ['', 'The new version is live at once'],
        ['false', 'Only save the new version, to roll it out'],
      ],
    },
  ],
  savedText: ({ version, live_version: live }) =>
    live === undefined || live === version
      ? null
      : `Saved as version ${String(version)}, which is not live: you can roll it out under Versions.`,
  about: 'A config controls how requests are routed: targets, fallbacks, retries, caching and guardrails.',
  begin: 'Create one, then send its slug in the x-gateway-config header.',
})

const chatTemplate = JSON.stringify([{ role: 'user', content: 'Hello {{name}}' }])

export const prompts = declare({
  path: 'prompts',
  hasVersions: true,
  undo: recreatePrompt,
  title: 'Prompts',
  singular: 'prompt',
  api: '/v1/prompts',
  one: '/v1/prompts/{id}',
  families: ['prompts'],
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'slug', label: 'Slug' },
    { name: 'model', label: 'Model' },
    { name: 'published_version', label: 'Published' },
    { name: 'latest_version', label: 'Latest' },
    { name: 'status', label: 'Status', kind: 'status' },
  ],
  fields: [
    name,
    workspace,
    {
      name: 'model',
      label: 'Model',
      kind: 'text',
      isRequired: true,
      proposes: 'models',
    },
    {
      name: 'string',
      label: 'Template',
      kind: 'area',
      isRequired: true,
      initial: chatTemplate,
      hint: 'Messages as JSON. {{name}} is a variable.',
    },
    {
      name: 'variables_schema',
      label: 'Variables',
      kind: 'variables',
      hint: 'Calls whose variables do not match are refused. If none are declared, every variable is an optional text.',
    },
    {
      name: 'parameters',
      label: 'Parameters',
      kind: 'members',
      members: modelParameters,
      others: 'Other parameters',
      initial: {},
      hint: 'Parameters of the model. Leave a field empty to use the default of the model.',
    },
    {
      name: 'virtual_key',
      label: 'Provider',
      kind: 'picker',
      picks: { api: '/v1/providers', value: 'slug' },
      none: 'The one in the model’s name',
    },
    { name: 'version_description', label: 'What changed', kind: 'text', on: 'edit' },
  ],
  about: 'A prompt is a versioned template that applications call by its slug.',
  begin:
    'Create one and publish a version. You can then change the text without releasing the application again.',
  factsOf: ({ prompt_version: shown, published_version: published }) => [
    ['Version', shown === published ? `${shown}, published` : `${shown}; version ${published} is published`],
  ],
})

export const guardrails = declare({
  path: 'guardrails',
  undo: reactivate(),
  title: 'Guardrails',
  singular: 'guardrail',
  api: '/v1/guardrails',
  one: '/v1/guardrails/{id}',
  families: ['guardrails', 'organisation_guardrails'],
  columns: [{ name: 'name', label: 'Name' }, ...common],
  fields: [
    name,
    workspace,
    {
      name: 'checks',
      label: 'Checks',
      kind: 'json',
      schema: 'checks',
      isRequired: true,
      initial: [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }],
    },
    {
      name: 'actions',
      label: 'Actions',
      kind: 'members',
      members: guardrailActions,
      isMerged: true,
      initial: { deny: true },
    },
    {
      name: 'fail_closed',
      label: 'If a check cannot run',
      kind: 'boolean',
      initial: false,
      options: [
        ['false', 'Ignore the check'],
        ['true', 'Count the check as failed'],
      ],
    },
  ],
  about: 'A guardrail checks requests and responses.',
  begin: 'Create one, try it on a text, then add its slug to a config.',
})
