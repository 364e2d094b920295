/**
 * Secret references (management contract, section 12): the location of a credential's secret in a secret manager. The
 * credentials for the secret manager are stored encrypted here; the secret itself is never stored.
 */

import { isObject, type JsonObject, type SecretManager, type StoredDocument } from '@gateway/contract'
import {
  type IntegrationData,
  kinds,
  mustBeOneOf,
  type RemoteIntegrationData,
  type SecretReferenceData,
  splitSecrets,
  type Tags,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  commaList,
  conflict,
  defineResource,
  description,
  invalidQuery,
  listAll,
  sealTogether,
  timestamp,
  type Write,
} from '../engine/index.ts'
import { isCovered } from '../integrations/index.ts'
import {
  isKeptElsewhere,
  isMoved,
  keptSecrets,
  mergeMembers,
  strayMasks,
  tagAttributes,
  tagsFilter,
  tagsSchema,
} from '../shared/index.ts'
import { openAuthConfig } from './auth-config.ts'
import { testReference } from './test.ts'

type StoredReference = SecretReferenceData & { masked_auth_config?: JsonObject; tags: Tags }

export const secretReferences = defineResource<
  StoredReference,
  'checkUrl' | 'fetch' | 'isTrusted' | 'secretManagers'
>({
  kind: kinds.secretReference,
  object: 'secret-reference',
  title: 'secret reference',
  tag: 'Secret references',
  operation: 'secretReference',
  path: '/secret-references',
  level: 'organisation',
  families: [{ family: 'secret_references' }],
  slug: { prefix: '' },
  fields: {
    description: { schema: description },
    manager_type: {
      schema: Type.String({ minLength: 1, maxLength: 64 }),
      isRequired: true,
      writable: 'create',
    },
    auth_config: { schema: Type.Object({}, { additionalProperties: true }), isRequired: true, merge: 'one' },
    secret_path: { schema: Type.String({ minLength: 1, maxLength: 1024 }), isRequired: true },
    secret_key: { schema: Type.String({ minLength: 1, maxLength: 255 }) },
    allow_all_workspaces: { schema: Type.Boolean(), default: true },
    allowed_workspaces: {
      schema: Type.Array(Type.String({ minLength: 1 }), { maxItems: 1000 }),
      default: [],
      answer: Type.Array(Type.String()),
    },
    tags: { schema: tagsSchema },
  },
  filters: {
    manager_type: { schema: Type.String(), attribute: 'manager_type', apply: checkManagers },
    tags: tagsFilter,
  },
  hooks: {
    prepare,
    attributes: ({ data }) => ({ manager_type: [data.manager_type], ...tagAttributes(data.tags) }),
    present: ({ data }) => ({ auth_config: { ...data.auth_config, ...data.masked_auth_config } }),
    inUse: async ({ id }, call) => (await usersOf(id, call)).map(nameOf),
  },
  routes: [
    {
      method: 'POST',
      path: '/:id/test',
      operationId: 'secretReferenceTest',
      summary: 'Tests whether the secret can be fetched, without returning it',
      action: 'read',
      answer: Type.Object(
        { success: Type.Boolean(), error: Type.Optional(Type.String()), fetched_at: timestamp },
        { additionalProperties: false },
      ),
      handle: testReference,
    },
  ],
})

function checkManagers(written: string, _filter: unknown, { context }: Call<'secretManagers'>): void {
  const known = [...context.secretManagers().keys()]
  if (commaList(written).every((type) => known.includes(type))) return
  throw invalidQuery('manager_type', `must be a comma-separated list of ${known.join(', ')}`)
}

async function prepare(write: Write<StoredReference, 'checkUrl' | 'secretManagers'>): Promise<void> {
  if (write.action === 'archive') return
  const { draft, call } = write
  const manager = call.context.secretManagers().get(draft.data.manager_type)
  if (manager === undefined) {
    write.fault(
      '/manager_type',
      mustBeOneOf([...call.context.secretManagers().keys()], draft.data.manager_type),
    )
    return
  }
  if (write.isGiven('auth_config')) takeAuthConfig(write, manager)
  await takeWorkspaces(write)
  await checkNarrowing(write)
}

/** Encrypted members are merged with the new ones, validated together, and encrypted again. */
function takeAuthConfig(
  { before, draft, body, call, fault }: Write<StoredReference, 'checkUrl'>,
  manager: SecretManager,
): void {
  const { sealer, validator, checkUrl } = call.context
  const stored = before === null ? {} : openAuthConfig(before, sealer)
  const given = isObject(body.auth_config) ? body.auth_config : {}
  const authConfig = { ...defaultsIn(manager.authConfig), ...mergeMembers(stored, given) }
  const write = { stored, given, merged: authConfig, known: manager.secretFields, param: '/auth_config' }
  if (before !== null && isMoved(write)) {
    for (const param of keptSecrets(write)) fault(param, isKeptElsewhere)
  }
  for (const each of validator(manager.authConfig, 'invalid_body', '/auth_config')(authConfig)) {
    fault(each.param, each.message, each.code)
  }
  for (const param of strayMasks(authConfig, '/auth_config'))
    fault(param, 'is a masked value: send the secret itself')
  const url = manager.urlField === null ? undefined : authConfig[manager.urlField]
  const reason = typeof url === 'string' ? checkUrl(url) : null
  if (reason !== null) fault(`/auth_config/${manager.urlField}`, reason, 'host_not_allowed')
  const { open, secret, masked } = splitSecrets(authConfig, manager.secretFields)
  draft.data.auth_config = open
  draft.data.masked_auth_config = masked
  draft.data.sealed = sealTogether(secret, draft, sealer)
}

/** Defaults of members that are not set. */
function defaultsIn({ properties }: SecretManager['authConfig']): JsonObject {
  const members = Object.entries(isObject(properties) ? properties : {})
  return Object.fromEntries(
    members.flatMap(([name, schema]) =>
      isObject(schema) && schema.default !== undefined ? [[name, schema.default]] : [],
    ),
  )
}

/** Either all workspaces or some: the one that is sent replaces the other. The list is empty when all are allowed. */
async function takeWorkspaces({ draft, body, call, fault, isGiven }: Write<StoredReference>): Promise<void> {
  const hasList = Array.isArray(body.allowed_workspaces) && body.allowed_workspaces.length > 0
  const isEmptied = isGiven('allowed_workspaces') && !hasList && body.allow_all_workspaces !== true
  if (hasList && body.allow_all_workspaces === true) {
    fault('/allowed_workspaces', 'must be omitted when allow_all_workspaces is true')
    return
  }
  if (hasList) {
    const names = draft.data.allowed_workspaces
    const found = await Promise.all(names.map((name) => call.listedWorkspace(name)))
    for (const [index, workspace] of found.entries()) {
      const param = `/allowed_workspaces/${index}`
      if (workspace === null) fault(param, (await call.unknownWorkspace(names[index] ?? '', param)).message)
    }
    draft.data.allowed_workspaces = [...new Set(found.flatMap((workspace) => workspace?.id ?? []))]
    draft.data.allow_all_workspaces = false
  } else if (body.allow_all_workspaces === true) draft.data.allowed_workspaces = []
  else if (isEmptied || (!draft.data.allow_all_workspaces && draft.data.allowed_workspaces.length === 0)) {
    fault('/allowed_workspaces', 'must name at least one workspace when not all are allowed')
  }
}

/** A workspace that uses the reference cannot be removed from it. */
async function checkNarrowing({ before, draft, call }: Write<StoredReference>): Promise<void> {
  const { allow_all_workspaces: isForAll, allowed_workspaces: allowed } = draft.data
  if (before === null || isForAll) return
  const losing = (await usersOf(draft.id, call)).filter((integration) => !isCovered(integration, allowed))
  if (losing.length === 0) return
  const names = losing.slice(0, 10).map(nameOf).join(', ')
  throw conflict(
    `These workspaces use this secret reference and would lose access to it: ${names}.`,
    '/allowed_workspaces',
  )
}

type User = StoredDocument<IntegrationData | RemoteIntegrationData>

/** Integrations whose credentials use it: of providers, MCP servers and agents. */
async function usersOf(id: string, call: Call): Promise<User[]> {
  const found = await Promise.all(
    userKinds.map((kind) =>
      listAll(call, kind, {
        organisation_id: call.organisationId,
        statuses: ['active'],
        attributes: { secret_reference_id: [id] },
      }),
    ),
  )
  return found.flat()
}

const userKinds = [kinds.integration, kinds.mcpIntegration, kinds.agentIntegration] as const

const titles: Readonly<Record<string, string>> = {
  [kinds.integration]: 'integration',
  [kinds.mcpIntegration]: 'MCP integration',
  [kinds.agentIntegration]: 'agent integration',
}

const nameOf = ({ kind, slug, name, id }: User) => `${titles[kind] ?? 'integration'} ${slug ?? name ?? id}`
