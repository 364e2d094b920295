/** Declares the servers that workspaces create from integrations (management contract, section 20). */
import { GatewayError, type JsonObject } from '@gateway/contract'
import type { RemoteServerData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { defineResource, isId, type Resource, unknownInBody, type Write } from '../engine/index.ts'
import { integrationIdOf, integrationOf, isUsable } from './data.ts'
import type { ServerSpec } from './spec.ts'
import { userAccessRoutes } from './user-access.ts'

export function remoteServer(spec: ServerSpec): Resource<JsonObject, 'publicUrl'> {
  const { integrationField: field } = spec
  return defineResource<RemoteServerData, 'publicUrl'>({
    kind: spec.kind,
    object: spec.object,
    title: spec.title,
    tag: spec.tag,
    operation: spec.operation,
    path: spec.path,
    level: 'workspace',
    families: [{ family: spec.family }],
    slug: { prefix: '', scope: 'organisation', minChars: 3, maxChars: 50 },
    fields: {
      [field]: { schema: Type.String({ minLength: 1 }), isRequired: true, writable: 'create' },
      description: { schema: Type.String({ maxLength: 500 }) },
      default_user_access: {
        schema: Type.Unsafe({ type: 'string', enum: ['allow', 'deny'] }),
        default: 'allow',
      },
    },
    answers: { url: Type.String({ description: 'The URL of the server at the gateway, for clients.' }) },
    filters: { [field]: { schema: Type.String(), attribute: 'integration_id' } },
    hooks: {
      async prepare(write) {
        if (write.action === 'archive') await spec.archive?.(write)
        if (write.action === 'create') await chooseIntegration(spec, write)
      },
      attributes: ({ data }) => ({ integration_id: [integrationIdOf(data)] }),
      present: ({ slug }, call): JsonObject => ({ url: spec.urlOf(call.context.publicUrl(), slug ?? '') }),
    },
    routes: [...userAccessRoutes(spec), ...spec.routes],
  })
}

async function chooseIntegration(
  { integrationKind, integrationTitle, integrationField: field }: ServerSpec,
  { call, draft }: Write<RemoteServerData>,
): Promise<void> {
  const named = draft.data[field] ?? ''
  // Ids and slugs are unique in the organisation; an integration may be a workspace's own.
  const id = isId(named) ? named : (await call.find(integrationKind, named, call.organisationId))?.id
  const integration = id === undefined ? null : await integrationOf(call, integrationKind, id)
  const isSeen =
    integration !== null &&
    integration.status === 'active' &&
    (integration.workspace_id === null || integration.workspace_id === draft.workspace_id)
  if (!isSeen) {
    const reference = { kind: integrationKind, written: named, workspaceId: draft.workspace_id }
    throw await unknownInBody(call, `/${field}`, reference)
  }
  if (!isUsable(integration, draft.workspace_id ?? '')) {
    const message = `The ${integrationTitle} "${integration.slug}" is not enabled for this workspace.`
    throw new GatewayError('invalid_body', message, { param: `/${field}` })
  }
  draft.data[field] = integration.id
}
