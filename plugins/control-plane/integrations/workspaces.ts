/** Which workspaces may use an integration: `GET` and `PUT /integrations/{id}/workspaces` (management contract, section 11). */

import {
  type DocumentWrite,
  type Fault,
  faultsError,
  GatewayError,
  isGatewayError,
  type JsonObject,
  type StoredDocument,
} from '@gateway/contract'
import {
  type IntegrationAccessData,
  type IntegrationData,
  kinds,
  limitOwners,
  limitResets,
  resetUsage,
  slugPattern,
  timeOrderedId,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  conflict,
  type ExtraRoute,
  isFileDocument,
  isOfFile,
  listAll,
  nullable,
  writerOf,
} from '../engine/index.ts'
import {
  accessInput,
  accessKey,
  accessListAnswer,
  accessTemplateInput,
  presentAccesses,
  presentTemplate,
} from './access.ts'
import { type GivenAccess, readAccesses, takeTemplate, withdrawn } from './access-input.ts'
import { indexIntegration } from './attributes.ts'
import { isCovered, isUsableBy } from './data.ts'
import { defaultProvider } from './default-provider.ts'

type Integration = StoredDocument<IntegrationData>

const body = Type.Object(
  {
    workspaces: Type.Optional(Type.Array(accessInput, { maxItems: 1000 })),
    global_workspace_access: Type.Optional(nullable(accessTemplateInput)),
    override_existing_workspace_access: Type.Optional(Type.Boolean()),
    create_default_provider: Type.Optional(Type.Boolean()),
    default_provider_slug: Type.Optional(nullable(Type.String({ pattern: slugPattern }))),
  },
  { additionalProperties: false },
)

export const workspaceRoutes: readonly ExtraRoute<IntegrationData, 'counters'>[] = [
  {
    method: 'GET',
    path: '/:id/workspaces',
    operationId: 'integrationWorkspaces',
    summary: 'Lists the workspaces that may use an integration',
    action: ['read', 'list'],
    answer: accessListAnswer,
    handle: async (call, document) => presentAccesses(call, document, await accessesOf(call, document.id)),
  },
  {
    method: 'PUT',
    path: '/:id/workspaces',
    operationId: 'integrationWorkspacesUpdate',
    summary: 'Sets which workspaces may use an integration and their limits',
    action: 'update',
    body,
    answer: accessListAnswer,
    handle: update,
  },
]

const accessesOf = (call: Call, integrationId: string): Promise<StoredDocument<IntegrationAccessData>[]> =>
  listAll(call, kinds.integrationAccess, {
    organisation_id: call.organisationId,
    statuses: ['active'],
    attributes: { integration_id: [integrationId] },
  })

async function update(call: Call<'counters'>, found: Integration): Promise<JsonObject> {
  if (isFileDocument(found)) throw isOfFile('integration', call.context.filePath)
  if (found.workspace_id !== null) {
    const message = 'This integration belongs to a workspace, and only that workspace can use it.'
    throw new GatewayError('invalid_body', message, { param: 'path/id' })
  }
  if (Object.keys(call.body).length === 0) {
    throw new GatewayError('invalid_body', 'The body changes nothing. Send at least one member to change.', {
      param: '/',
    })
  }
  for (let attempt = 1; ; attempt += 1) {
    const current = await call.documents.get(kinds.integration, found.id)
    try {
      return await updateOnce(call, current ?? found)
    } catch (error) {
      if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
      if (attempt === 5)
        throw conflict('This integration is being changed by other requests. Send the request again.')
    }
  }
}

async function updateOnce(call: Call<'counters'>, before: Integration): Promise<JsonObject> {
  const faults: Fault[] = []
  const accesses = new Map(
    (await accessesOf(call, before.id)).map((access) => [access.workspace_id ?? '', access]),
  )
  const integration: Integration = { ...before, data: { ...before.data }, last_updated_at: call.nowMs }
  takeTemplate(call, integration, faults)
  const given = await readAccesses(call, accesses, faults)
  if (faults.length > 0) throw faultsError(faults)
  const isOverriding =
    call.body.override_existing_workspace_access === true && Array.isArray(call.body.workspaces)
  // If all workspaces have access by default, a workspace missing from the list must be stored to lose it.
  if (isOverriding && integration.data.global_workspace_access?.enabled === true) {
    for (const id of await others(call, given)) given.set(id, withdrawn(id, accesses.get(id)))
  }
  const dropped = isOverriding ? [...accesses.keys()].filter((id) => !given.has(id)) : []
  const said = { ...before.data.workspace_access }
  for (const id of dropped) delete said[id]
  for (const [id, { data }] of given) said[id] = data.enabled
  integration.data.workspace_access = said
  integration.data.updated_by = writerOf(call)
  await checkReferences(call, integration)
  const providers = await defaultProviders(call, before, { after: integration, given })
  const writes: DocumentWrite[] = [
    { op: 'put', document: indexIntegration(integration), expected: before.version },
    ...[...given].map(([id, access]) =>
      putAccess(call, integration, { workspaceId: id, access, before: accesses.get(id) }),
    ),
    ...dropped.flatMap((id): DocumentWrite[] => {
      const access = accesses.get(id)
      return access === undefined ? [] : [{ op: 'remove', kind: kinds.integrationAccess, id: access.id }]
    }),
    ...providers,
    ...accessResets(call, integration, given),
  ]
  await resetAll(call, integration, given)
  await call.commit(writes, {
    action: 'update',
    resource_type: 'integration-workspaces',
    resource_id: before.id,
    before: auditOf(before),
    after: auditOf(integration),
  })
  return presentAccesses(call, integration, await accessesOf(call, before.id))
}

const auditOf = ({ data }: Integration): JsonObject => ({
  workspaces: { ...data.workspace_access },
  global_workspace_access: presentTemplate(data.global_workspace_access),
})

/** The secret references of its credential must be available to every workspace that may use it. */
async function checkReferences(call: Call, integration: Integration): Promise<void> {
  for (const { secret_reference_id: id } of integration.data.secret_mappings) {
    const reference = await call.documents.get(kinds.secretReference, id)
    if (reference === null) continue
    const { allow_all_workspaces: isForAll, allowed_workspaces: allowed } = reference.data
    if (isForAll || isCovered(integration, allowed)) continue
    const message = `The secret reference ${reference.slug} of this integration is not available to all of these workspaces. Extend its access first.`
    throw new GatewayError('invalid_body', message, { param: '/workspaces' })
  }
}

/** Live workspaces that are not in the list. */
async function others(call: Call, given: ReadonlyMap<string, GivenAccess>): Promise<string[]> {
  const all = await listAll(call, kinds.workspace, {
    organisation_id: call.organisationId,
    statuses: ['active'],
  })
  return all.map(({ id }) => id).filter((id) => !given.has(id))
}

interface PutAccessOptions {
  workspaceId: string
  access: GivenAccess
  before: StoredDocument<IntegrationAccessData> | undefined
}

function putAccess(
  call: Call,
  integration: Integration,
  { workspaceId, access: { data }, before }: PutAccessOptions,
): DocumentWrite {
  const stored: IntegrationAccessData = { ...data, integration_id: integration.id }
  return {
    op: 'put',
    document: {
      kind: kinds.integrationAccess,
      id: before?.id ?? timeOrderedId(call.nowMs),
      organisation_id: integration.organisation_id,
      workspace_id: workspaceId,
      slug: null,
      name: null,
      status: 'active',
      created_at: before?.created_at ?? call.nowMs,
      last_updated_at: call.nowMs,
      keys: [accessKey(integration.id, workspaceId)],
      attributes: { integration_id: [integration.id], enabled: [String(data.enabled)] },
      data: stored,
    },
  }
}

/** A provider for each workspace that gains access and has no provider of this integration. */
async function defaultProviders(
  call: Call,
  before: Integration,
  { after, given }: { after: Integration; given: ReadonlyMap<string, GivenAccess> },
): Promise<DocumentWrite[]> {
  const ofAll = call.body.create_default_provider !== false
  const slugOfAll =
    typeof call.body.default_provider_slug === 'string' ? call.body.default_provider_slug : null
  const isNewForAll =
    after.data.global_workspace_access?.enabled === true &&
    before.data.global_workspace_access?.enabled !== true
  const candidates = new Set(given.keys())
  if (isNewForAll && ofAll) for (const id of await others(call, given)) candidates.add(id)
  const gaining = [...candidates].filter((id) => isUsableBy(after, id) && !isUsableBy(before, id))
  if (gaining.length === 0) return []
  const having = await listAll(call, kinds.provider, {
    organisation_id: call.organisationId,
    statuses: ['active', 'exhausted', 'expired'],
    attributes: { integration_id: [after.id] },
  })
  const taken = new Set(having.map(({ workspace_id }) => workspace_id))
  const writes: DocumentWrite[] = []
  for (const workspaceId of gaining) {
    const access = given.get(workspaceId)
    if (taken.has(workspaceId) || !(access?.createsProvider ?? ofAll)) continue
    const document = await defaultProvider(call, {
      integration: after,
      workspaceId,
      slug: access === undefined ? slugOfAll : access.providerSlug,
      param: access?.param ?? '/default_provider_slug',
    })
    writes.push({ op: 'put', document, expected: 0 })
  }
  return writes
}

/** The events for limits that a caller resets. */
function accessResets(
  call: Call,
  { id, organisation_id }: Integration,
  given: ReadonlyMap<string, GivenAccess>,
): DocumentWrite[] {
  return [...given].flatMap(([workspace_id, { data, resets }]) => {
    const limits = resets ? (data.usage_limits ?? []) : []
    const subject = { type: 'integration', id }
    return limitResets({ organisation_id, workspace_id, subject, limits }, call.nowMs)
  })
}

async function resetAll(
  call: Call<'counters'>,
  { id }: Integration,
  given: ReadonlyMap<string, GivenAccess>,
): Promise<void> {
  for (const [workspaceId, { data, resets }] of given) {
    if (!resets) continue
    await resetUsage(call.context.counters, limitOwners.integration(id, workspaceId), {
      limits: data,
      nowMs: call.nowMs,
    })
  }
}
