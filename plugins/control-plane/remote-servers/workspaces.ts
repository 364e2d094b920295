/** Which workspaces may use an integration of the organisation: `GET` and `PUT /…-integrations/{id}/workspaces`. */
import {
  type DocumentDraft,
  type Fault,
  faultsError,
  GatewayError,
  isObject,
  type JsonObject,
} from '@gateway/contract'
import { kinds, type RemoteIntegrationData, slugKey } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  type ExtraRoute,
  isFileDocument,
  isOfFile,
  listAll,
  nullable,
  writerOf,
} from '../engine/index.ts'
import { exceptionOf, isUsableBy, usableBy } from '../integrations/index.ts'
import type { Integration } from './data.ts'
import type { IntegrationSpec } from './spec.ts'

const access = Type.Object({ enabled: Type.Boolean() }, { additionalProperties: false })

const body = Type.Object(
  {
    workspaces: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({ minLength: 1 }),
            enabled: Type.Boolean(),
            // Read-only; accepted so that callers can send an answer back.
            object: Type.Optional(Type.String()),
            name: Type.Optional(nullable(Type.String())),
            slug: Type.Optional(nullable(Type.String())),
          },
          { additionalProperties: false },
        ),
        { maxItems: 1000 },
      ),
    ),
    global_workspace_access: Type.Optional(nullable(access)),
    override_existing_workspace_access: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

const item = Type.Object(
  {
    object: Type.String(),
    id: Type.String(),
    name: nullable(Type.String()),
    slug: nullable(Type.String()),
    enabled: Type.Boolean(),
  },
  { additionalProperties: false },
)

const answer = Type.Object(
  {
    object: Type.Literal('list'),
    total: Type.Integer(),
    workspaces: Type.Array(item),
    data: Type.Array(item),
    global_workspace_access: nullable(access),
  },
  { additionalProperties: false },
)

export function workspaceRoutes(spec: IntegrationSpec): ExtraRoute<RemoteIntegrationData>[] {
  return [
    {
      method: 'GET',
      path: '/:id/workspaces',
      operationId: `${spec.operation}Workspaces`,
      summary: `Lists the workspaces that may use an ${spec.title}`,
      action: ['read', 'list'],
      answer,
      handle: (call, document) => presentAccess(spec, call, document),
    },
    {
      method: 'PUT',
      path: '/:id/workspaces',
      operationId: `${spec.operation}WorkspacesUpdate`,
      summary: `Sets which workspaces may use an ${spec.title}`,
      action: 'update',
      body,
      answer,
      handle: (call, document) => update(spec, call, document),
    },
  ]
}

async function presentAccess(
  { object }: IntegrationSpec,
  call: Call,
  integration: Integration,
): Promise<JsonObject> {
  const visible = await call.visibleWorkspaces()
  const said = integration.data.workspace_access ?? {}
  const own = integration.workspace_id === null ? [] : [integration.workspace_id]
  const shown = visible ?? [...own, ...Object.keys(said)]
  const workspaces: JsonObject[] = []
  for (const id of shown) {
    if (!Object.hasOwn(said, id) && !isUsableBy(integration, id)) continue
    const workspace = await call.find(kinds.workspace, id, call.organisationId)
    if (workspace === null) continue
    workspaces.push({
      object: `${object}-workspace`,
      id,
      name: workspace.name,
      slug: workspace.slug,
      enabled: isUsableBy(integration, id),
    })
  }
  return {
    object: 'list',
    total: workspaces.length,
    workspaces,
    data: workspaces,
    global_workspace_access: integration.data.global_workspace_access ?? null,
  }
}

async function update(spec: IntegrationSpec, call: Call, found: Integration): Promise<JsonObject> {
  if (isFileDocument(found)) throw isOfFile(spec.title, call.context.filePath)
  if (found.workspace_id !== null) {
    const message = 'This integration belongs to a workspace, and only that workspace can use it.'
    throw new GatewayError('invalid_body', message, { param: 'path/id' })
  }
  if (Object.keys(call.body).length === 0) {
    throw new GatewayError('invalid_body', 'The body changes nothing. Send at least one member to change.', {
      param: '/',
    })
  }
  const {
    workspaces,
    global_workspace_access: given,
    override_existing_workspace_access: overrides,
  } = call.body
  const listed = await readWorkspaces(call, workspaces)
  const data = { ...found.data, updated_by: writerOf(call) }
  if (given !== undefined)
    data.global_workspace_access = isObject(given) ? { enabled: given.enabled === true } : null
  const isOverriding = overrides === true && workspaces !== undefined
  const kept = isOverriding ? {} : { ...found.data.workspace_access }
  if (isOverriding && data.global_workspace_access?.enabled === true) {
    // If all workspaces have access by default, a workspace missing from the list must be stored to lose it.
    for (const id of await allWorkspaces(call)) kept[id] = false
  }
  data.workspace_access = { ...kept, ...listed }
  const integration: Integration = { ...found, data, last_updated_at: call.nowMs }
  await checkReferences(call, integration)
  await call.commit([{ op: 'put', document: indexed(integration), expected: found.version }], {
    action: 'update',
    resource_type: `${spec.object}-workspaces`,
    resource_id: found.id,
    before: auditOf(found),
    after: auditOf(integration),
  })
  return presentAccess(spec, call, integration)
}

const auditOf = ({ data }: Integration): JsonObject => ({
  workspaces: { ...data.workspace_access },
  global_workspace_access: data.global_workspace_access ?? null,
})

async function readWorkspaces(call: Call, written: unknown): Promise<Record<string, boolean>> {
  const faults: Fault[] = []
  const found: Record<string, boolean> = {}
  for (const [index, entry] of (Array.isArray(written) ? written : []).filter(isObject).entries()) {
    const param = `/workspaces/${index}/id`
    const workspace = await call.listedWorkspace(String(entry.id))
    if (workspace === null) {
      faults.push({ param, code: 'invalid_body', message: 'is not a workspace of this organisation' })
    } else if (Object.hasOwn(found, workspace.id)) {
      faults.push({ param, code: 'invalid_body', message: 'is named twice' })
    } else found[workspace.id] = entry.enabled === true
  }
  if (faults.length > 0) throw faultsError(faults)
  return found
}

const allWorkspaces = async (call: Call): Promise<string[]> =>
  (await listAll(call, kinds.workspace, { organisation_id: call.organisationId, statuses: ['active'] })).map(
    ({ id }) => id,
  )

/** The secret references of its credential must be available to every workspace that may use it. */
async function checkReferences(call: Call, integration: Integration): Promise<void> {
  for (const { secret_reference_id: id } of integration.data.secret_mappings) {
    const reference = await call.documents.get(kinds.secretReference, id)
    if (reference === null || reference.data.allow_all_workspaces) continue
    const { allowed_workspaces: allowed } = reference.data
    const users = Object.keys(integration.data.workspace_access ?? {}).filter((one) =>
      isUsableBy(integration, one),
    )
    const isForAll = integration.data.global_workspace_access?.enabled === true
    if (!isForAll && users.every((one) => allowed.includes(one))) continue
    const message = `The secret reference ${reference.slug} of this integration is not available to all of these workspaces. Extend its access first.`
    throw new GatewayError('invalid_body', message, { param: '/workspaces' })
  }
}

/** The document with keys and attributes, for routes that write it outside the standard routes. */
function indexed(integration: Integration): DocumentDraft<RemoteIntegrationData> {
  const { version: _, ...draft } = integration
  const { slug, organisation_id: organisationId } = integration
  const usable = usableBy(integration)
  return {
    ...draft,
    keys: slug === null || organisationId === null ? [] : [slugKey(organisationId, slug)],
    attributes: {
      ...integration.attributes,
      usable_by: usable,
      has_exceptions: [String(usable.includes(exceptionOf(integration.id)))],
    },
  }
}
