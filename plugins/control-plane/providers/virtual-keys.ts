/**
 * Virtual keys (management contract, section 12), the older form of providers: the same objects, but the body may
 * contain the credential. A hidden workspace integration stores it, and is archived together with the virtual key.
 */

import { type Fault, isObject, type JsonObject, type StoredDocument } from '@gateway/contract'
import {
  hidden,
  type IntegrationData,
  isSame,
  kinds,
  type ProviderData,
  timeOrderedId,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type DraftOf, defineResource, nullable, type Write, writerOf } from '../engine/index.ts'
import {
  emptyIntegration,
  fromOlderMembers,
  indexIntegration,
  knownMembers,
  mappingsAnswer,
  mappingsInput,
  providerAttributes,
  renamedFaults,
  shownConfigurations,
  summaryOf,
  takeCredential,
  withAuthKind,
} from '../integrations/index.ts'
import {
  configsNaming,
  exhaustedProviders,
  forgetIntegration,
  preloadIntegrations,
  presentVirtualKey,
} from './present.ts'
import { providerAnswers, providerFields, providerFilters, providerStatuses } from './resource.ts'
import { archiveHidden, integrationOf, takeCommon, takeIntegration } from './write.ts'

const anyObject = Type.Object({}, { additionalProperties: true })
const created = { writable: 'create', isTransient: true, isNullable: true } as const
const text = Type.String({ minLength: 1, maxLength: 2048 })

export const virtualKeys = defineResource<ProviderData, 'checkCredential' | 'counters' | 'providers'>({
  kind: kinds.provider,
  object: 'virtual-key',
  title: 'virtual key',
  tag: 'Virtual keys',
  operation: 'virtualKey',
  path: '/virtual-keys',
  level: 'workspace',
  families: [{ family: 'virtual_keys' }],
  slug: { prefix: '' },
  fields: {
    integration_id: { schema: Type.String({ minLength: 1 }), isNullable: false },
    ...providerFields,
    provider: { schema: Type.String({ minLength: 1, maxLength: 255 }), ...created },
    key: { schema: Type.String({ minLength: 1, maxLength: 65_536 }), isTransient: true, isNullable: true },
    model_config: { schema: anyObject, isTransient: true, isNullable: true },
    secret_mappings: { schema: mappingsInput, isTransient: true },
    apiVersion: { schema: text, ...created },
    resourceName: { schema: text, ...created },
    deploymentName: { schema: text, ...created },
    deploymentConfig: { schema: Type.Array(anyObject, { minItems: 1, maxItems: 100 }), ...created },
  },
  answers: {
    ...providerAnswers,
    masked_key: nullable(Type.String()),
    model_config: anyObject,
    secret_mappings: mappingsAnswer,
  },
  filters: providerFilters,
  statuses: providerStatuses,
  hooks: {
    prepare,
    attributes: ({ data }) => providerAttributes(data),
    preload: preloadIntegrations,
    present: presentVirtualKey,
    exhausted: exhaustedProviders,
    inUse: configsNaming,
  },
})

type VirtualKeyWrite = Write<ProviderData, 'checkCredential' | 'counters' | 'providers'>

/** The paths in this body of the members in errors of the credential. */
const bodyNames = { '/configurations': '/model_config', '/ai_provider_id': '/provider' }

async function prepare(write: VirtualKeyWrite): Promise<void> {
  const { action, body, draft, call } = write
  if (action === 'archive') return archiveHidden(write)
  if (typeof body.integration_id === 'string') await takeIntegration(write, body.integration_id)
  else if (action === 'create') await makeIntegration(write)
  if (action !== 'create' || typeof body.integration_id === 'string') await changeCredential(write)
  await takeCommon(write)
  forgetIntegration(call, draft.data.integration_id)
}

async function makeIntegration(write: VirtualKeyWrite): Promise<void> {
  const { body, draft, call } = write
  if (typeof body.provider !== 'string') {
    write.fault('/provider', 'is required without integration_id')
    return
  }
  const integration: DraftOf<IntegrationData> = {
    kind: kinds.integration,
    id: timeOrderedId(call.nowMs),
    organisation_id: draft.organisation_id,
    workspace_id: draft.workspace_id,
    slug: null,
    name: draft.name,
    status: 'active',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    keys: [],
    attributes: {},
    data: {
      ...emptyIntegration,
      ai_provider_id: body.provider,
      description: null,
      configurations: {},
      secret_mappings: [],
      pricing_adjustments: null,
      allow_all_models: true,
      is_hidden: true,
      updated_by: writerOf(call),
    },
  }
  const summary = summaryOf(call, body.provider)
  const known = summary === undefined ? [] : Object.keys(knownMembers(summary))
  const given = { ...fromOlderMembers(body), ...(isObject(body.model_config) ? body.model_config : {}) }
  await take(write, integration, { before: null, configurations: withAuthKind(given, known) })
  draft.data.integration_id = integration.id
  draft.data.provider = body.provider
  write.also.push({ op: 'put', document: indexIntegration({ ...integration, version: 0 }), expected: 0 })
}

/** Changes the credential that was created for this virtual key. A shared one must be changed on its integration. */
async function changeCredential(write: VirtualKeyWrite): Promise<void> {
  const { body, draft, call } = write
  const before = await integrationOf(call, draft.data.integration_id)
  if (before === null) return
  const isGiven = (name: 'key' | 'model_config' | 'secret_mappings') =>
    write.isGiven(name) && body[name] !== null && !isAsShown(before, name, body)
  const given = (['key', 'model_config', 'secret_mappings'] as const).filter(isGiven)
  if (given.length === 0) return
  if (before.data.is_hidden !== true) {
    for (const name of given) write.fault(`/${name}`, 'belongs to the integration: change it there')
    return
  }
  const { version, ...rest } = before
  const integration: DraftOf<IntegrationData> = {
    ...rest,
    keys: [],
    attributes: {},
    last_updated_at: call.nowMs,
    data: { ...before.data, updated_by: writerOf(call) },
  }
  const configurations =
    given.includes('model_config') && isObject(body.model_config) ? body.model_config : null
  await take(write, integration, { before, configurations, hasMappings: given.includes('secret_mappings') })
  write.also.push({ op: 'put', document: indexIntegration({ ...integration, version }), expected: version })
}

/** Values read and sent back unchanged have no effect. */
function isAsShown({ data }: StoredDocument<IntegrationData>, name: string, body: JsonObject): boolean {
  if (name === 'key') return typeof body.key === 'string' && body.key.includes(hidden)
  if (name === 'model_config') return isSame(shownConfigurations(data), body.model_config)
  const shown = data.secret_mappings.map((mapping) => ({
    ...mapping,
    target_field: mapping.target_field.replace(/^configurations\./, 'model_config.'),
  }))
  return isSame(shown, body.secret_mappings)
}

interface TakeOptions {
  before: StoredDocument<IntegrationData> | null
  configurations: JsonObject | null
  hasMappings?: boolean
}

async function take(
  { body, call, fault }: VirtualKeyWrite,
  draft: DraftOf<IntegrationData>,
  { before, configurations, hasMappings = body.secret_mappings !== undefined }: TakeOptions,
): Promise<void> {
  const faults: Fault[] = []
  await takeCredential(
    { before, draft, call },
    {
      provider: draft.data.ai_provider_id,
      configurations,
      mappings: hasMappings ? (body.secret_mappings ?? []) : undefined,
      prefix: 'model_config',
      ...(typeof body.key === 'string' ? { key: body.key } : {}),
      faults,
    },
  )
  for (const { param, message, code } of renamedFaults(faults, bodyNames)) fault(param, message, code)
}
