/** Metadata, sync and test of integrations and servers, and automatic syncs. */
import type { DocumentWrite, Job, JsonObject } from '@gateway/contract'
import {
  type Call,
  commitAsSystem,
  type ExtraRoute,
  notFound,
  nullable,
  type Write,
} from '@gateway/control-plane/engine'
import { integrationIdOf, integrationOf } from '@gateway/control-plane/remote-servers'
import {
  isOfKind,
  kinds,
  type McpCatalogueData,
  type RemoteIntegrationData,
  type RemoteServerData,
  typedDocuments,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import type { Integration } from '../directory.ts'
import { personOf } from '../relay/visit-target.ts'
import type { McpRuntime } from '../runtime.ts'
import { UpstreamRefusal } from '../upstream/refusal.ts'
import { UpstreamUnauthorized } from '../upstream/target.ts'
import type { TargetOptions } from '../upstream/target-of.ts'
import { askUpstream, emptyCatalogue, sync, syncOptions } from './sync.ts'

const metadata = Type.Object(
  {
    server_name: nullable(Type.String()),
    server_version: nullable(Type.String()),
    protocol_version: nullable(Type.String()),
    capability_flags: Type.Object({}, { additionalProperties: true }),
    sync_status: Type.Unsafe({ type: 'string', enum: ['never', 'ok', 'failed'] }),
    last_synced_at: nullable(Type.String()),
    sync_error: nullable(Type.String()),
  },
  { additionalProperties: false },
)

const trial = Type.Object(
  {
    success: Type.Boolean(),
    status_code: Type.Optional(Type.Integer()),
    response_time_ms: Type.Integer(),
    error: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

type Of<Data> = (call: Call, document: Parameters<ExtraRoute<Data>['handle']>[1]) => Promise<Integration>

function routesFor<Data>(
  runtime: McpRuntime,
  { operation, title }: { operation: string; title: string },
  find: Of<Data>,
): ExtraRoute<Data>[] {
  return [
    {
      method: 'GET',
      path: '/:id/metadata',
      operationId: `${operation}Metadata`,
      summary: `Returns what is known about the upstream of an ${title} and when it was last synced`,
      action: 'read',
      answer: metadata,
      async handle(call, document) {
        const { id } = await find(call, document)
        return shownMetadata((await call.documents.get(kinds.mcpCatalogue, id))?.data ?? emptyCatalogue)
      },
    },
    {
      method: 'POST',
      path: '/:id/sync',
      operationId: `${operation}Sync`,
      summary: `Syncs the capabilities of an ${title} with its upstream`,
      action: 'update',
      answer: metadata,
      async handle(call, document) {
        const integration = await find(call, document)
        const before = await call.documents.get(kinds.mcpCatalogue, integration.id)
        const { writes, catalogue, error } = await sync(runtime, integration, {
          before,
          options: optionsOf(call),
        })
        const note = { action: 'sync', resource_type: 'mcp-integration', resource_id: integration.id }
        await call.commit(writes, note)
        if (error !== null) throw error
        return shownMetadata(catalogue)
      },
    },
    {
      method: 'POST',
      path: '/:id/test',
      operationId: `${operation}Test`,
      summary: `Tests the connection to the upstream of an ${title}`,
      action: 'read',
      answer: trial,
      handle: async (call, document) => tryUpstream(runtime, await find(call, document), optionsOf(call)),
    },
  ]
}

/** Calls the upstream as the caller, whose own connection is used if the upstream requires a user's. */
const optionsOf = ({ identity, request }: Call): TargetOptions => ({
  person: personOf(identity, request.jwt),
  workspaceId: null,
  headers: request.headers,
  caller: { identity, token: request.jwt },
  server: null,
})

async function tryUpstream(
  runtime: McpRuntime,
  integration: Integration,
  options: TargetOptions,
): Promise<JsonObject> {
  const startedAt = performance.now()
  const fault = await askUpstream(runtime, integration, options).then(
    () => null,
    (error: unknown) => error,
  )
  const response_time_ms = Math.round(performance.now() - startedAt)
  if (fault === null) return { success: true, status_code: 200, response_time_ms }
  const status_code = statusOf(fault)
  return {
    success: false,
    ...(status_code === null ? {} : { status_code }),
    response_time_ms,
    error: fault instanceof Error ? fault.message : 'The MCP server did not answer.',
  }
}

/** The HTTP status from the upstream, or null. */
function statusOf(fault: unknown): number | null {
  if (fault instanceof UpstreamUnauthorized) return 401
  return fault instanceof UpstreamRefusal ? fault.upstreamStatus : null
}

export const integrationSyncRoutes = (runtime: McpRuntime): ExtraRoute<RemoteIntegrationData>[] =>
  routesFor<RemoteIntegrationData>(
    runtime,
    { operation: 'mcpIntegration', title: 'MCP integration' },
    async (_, document) => document,
  )

export const serverSyncRoutes = (runtime: McpRuntime): ExtraRoute<RemoteServerData>[] =>
  routesFor<RemoteServerData>(
    runtime,
    { operation: 'mcpServer', title: 'MCP server' },
    async (call, { data }) => {
      const found = await integrationOf(call, kinds.mcpIntegration, integrationIdOf(data))
      if (found === null) throw notFound('path/id', 'MCP integration')
      return found
    },
  )

function shownMetadata(catalogue: McpCatalogueData): JsonObject {
  const { capabilities: _, instructions: __, ...shown } = catalogue
  return shown
}

/** Whether it can be called without a user. */
export const isImpersonal = ({ data }: Integration) => data.auth_type !== 'oauth_auto'

/**
 * Syncs after creation, and after a change of the upstream. A failure is recorded in the metadata and does not fail the
 * write.
 */
export async function syncAfterWrite(
  runtime: McpRuntime,
  write: Write<RemoteIntegrationData>,
  stored: Integration,
): Promise<void> {
  const isAsked = ['url', 'transport', 'auth_type', 'configurations', 'secret_mappings'].some(write.isGiven)
  if (write.action === 'archive' || (write.action === 'update' && !isAsked) || !isImpersonal(stored)) return
  await syncAsSystem(runtime, stored)
}

export async function syncAsSystem(runtime: McpRuntime, integration: Integration): Promise<void> {
  const { context } = runtime
  const before = await typedDocuments(context.documents).get(kinds.mcpCatalogue, integration.id)
  const { writes } = await sync(runtime, integration, { before, options: syncOptions })
  await write(runtime, integration, writes)
}

async function write({ context }: McpRuntime, { organisation_id, id }: Integration, writes: DocumentWrite[]) {
  const note = { action: 'sync', resource_type: 'mcp-integration', resource_id: id }
  await commitAsSystem(context, organisation_id ?? '', { writes, note })
}

const dayMs = 86_400_000

/** Syncs every integration that can be called without a user, once a day. */
export const syncJob = (runtime: McpRuntime): Job => ({
  name: 'mcp-sync',
  intervalMs: dayMs,
  async run() {
    const documents = typedDocuments(runtime.context.documents)
    const declared = runtime.context.fileDocuments().filter((one) => isOfKind(one, kinds.mcpIntegration))
    for (const integration of declared)
      if (isImpersonal(integration)) await syncAsSystem(runtime, integration)
    let after: { kind: string; id: string } | null = null
    for (;;) {
      const page: Integration[] = await documents.scan(kinds.mcpIntegration, after, 100)
      for (const integration of page) {
        if (runtime.context.stopping.aborted) return
        if (integration.status === 'active' && isImpersonal(integration))
          await syncAsSystem(runtime, integration)
      }
      const last = page.at(-1)
      if (last === undefined) return
      after = { kind: kinds.mcpIntegration, id: last.id }
    }
  },
})
