/** Declares the integrations of a protocol (management contract, section 20). */
import type { DocumentFilter, JsonObject, StoredDocument } from '@gateway/contract'
import { kinds, type RemoteIntegrationData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, defineResource, description, listAll, type Resource } from '../engine/index.ts'
import { exceptionOf, isUsableBy, mappingsAnswer, mappingsInput, usableBy } from '../integrations/index.ts'
import { type ConfigurationRules, shownConfigurations, takeConfigurations } from './configurations.ts'
import type { Integration, RemoteKind } from './data.ts'
import type { IntegrationSpec } from './spec.ts'
import { workspaceRoutes } from './workspaces.ts'

export function remoteIntegration(spec: IntegrationSpec): Resource<JsonObject, 'checkUrl'> {
  const rules: ConfigurationRules = {
    title: `an ${spec.title}`,
    schema: spec.configurations,
    ...(spec.checkConfigurations === undefined ? {} : { check: spec.checkConfigurations }),
  }
  return defineResource<RemoteIntegrationData, 'checkUrl'>({
    kind: spec.kind,
    object: spec.object,
    title: spec.title,
    tag: spec.tag,
    operation: spec.operation,
    path: spec.path,
    level: 'either',
    families: [
      { family: `organisation_${spec.family}`, level: 'organisation', isShared: true },
      { family: `workspace_${spec.family}`, level: 'workspace' },
    ],
    slug: { prefix: '', scope: 'organisation' },
    fields: {
      url: { schema: Type.String({ minLength: 1, maxLength: 2048 }), isRequired: true },
      auth_type: {
        schema: Type.Unsafe({ type: 'string', enum: [...spec.authTypes] }),
        isRequired: true,
      },
      description: { schema: description },
      configurations: { schema: spec.configurations, default: {}, merge: 'one', answer: anyObject },
      secret_mappings: { schema: mappingsInput, default: [], answer: mappingsAnswer },
      ...spec.fields,
    },
    answers: {
      type: Type.Union([Type.Literal('organisation'), Type.Literal('workspace')]),
      workspaces_count: Type.Integer({ minimum: 0 }),
    },
    filters: {
      type: {
        schema: Type.Unsafe({ type: 'string', enum: ['organisation', 'workspace', 'all'] }),
        apply: byType,
      },
      auth_type: { schema: Type.String(), attribute: 'auth_type' },
    },
    hooks: {
      async prepare(write) {
        if (write.action === 'archive') {
          await spec.archive?.(write)
          return
        }
        await takeConfigurations(write, rules)
      },
      attributes: (document) => ({
        type: [typeOf(document)],
        auth_type: [document.data.auth_type],
        hidden: [String(document.data.is_hidden === true)],
        usable_by: usableBy(document),
        has_exceptions: [String(usableBy(document).includes(exceptionOf(document.id)))],
        secret_reference_id: document.data.secret_mappings.map(({ secret_reference_id: id }) => id),
      }),
      narrowList: (filter, call, workspaceId) => narrowList(spec.kind, filter, { call, workspaceId }),
      present: async (document, call) => ({
        configurations: shownConfigurations(document.data),
        secret_mappings: document.data.secret_mappings.map((mapping): JsonObject => ({ ...mapping })),
        type: typeOf(document),
        workspaces_count: await countWorkspaces(document, call),
      }),
      inUse: ({ id }, call) => liveServers(spec, call, id),
      ...(spec.after === undefined ? {} : { after: spec.after }),
    },
    routes: [...workspaceRoutes(spec), ...spec.routes],
  })
}

const anyObject = Type.Object({}, { additionalProperties: true })

const typeOf = ({ workspace_id: own }: Pick<StoredDocument, 'workspace_id'>) =>
  own === null ? ('organisation' as const) : ('workspace' as const)

function byType(written: string, filter: DocumentFilter): void {
  if (written !== 'all') filter.attributes = { ...filter.attributes, type: [written] }
}

/** Lists the integrations that the workspace may use, but not those of the config file's servers. */
async function narrowList(
  kind: RemoteKind,
  filter: DocumentFilter,
  { call, workspaceId }: { call: Call; workspaceId: string | null },
): Promise<void> {
  filter.attributes = { ...filter.attributes, hidden: ['false'] }
  if (workspaceId === null) return
  const partly = await listAll(call, kind, {
    organisation_id: call.organisationId,
    attributes: { has_exceptions: ['true'] },
  })
  const usable = partly.filter((one) => isUsableBy(one, workspaceId))
  const usable_by = [workspaceId, '*', ...usable.map(({ id }) => exceptionOf(id))]
  filter.attributes = { ...filter.attributes, usable_by }
}

async function countWorkspaces({ workspace_id: own, data }: Integration, call: Call): Promise<number> {
  if (own !== null) return 1
  const said = Object.values(data.workspace_access ?? {})
  if (data.global_workspace_access?.enabled !== true) return said.filter(Boolean).length
  const { total } = await call.documents.list(
    kinds.workspace,
    { organisation_id: call.organisationId, statuses: ['active'] },
    { offset: 0, limit: 1 },
  )
  return total - said.filter((isEnabled) => !isEnabled).length
}

async function liveServers(
  { serverKind, serverTitle }: IntegrationSpec,
  call: Call,
  id: string,
): Promise<string[]> {
  const { documents } = await call.documents.list(
    serverKind,
    { organisation_id: call.organisationId, statuses: ['active'], attributes: { integration_id: [id] } },
    { offset: 0, limit: 11 },
  )
  return documents.map(({ slug, name }) => `${serverTitle} ${slug ?? name ?? ''}`)
}
