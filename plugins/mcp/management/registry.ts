/** `GET /v0.1/servers`: the servers that the caller may list, in the format of the MCP registry. */
import type { JsonObject, Route, StoredDocument } from '@gateway/contract'
import { invalidQuery, plainRoute } from '@gateway/control-plane/engine'
import { kinds, type RemoteServerData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import type { McpRuntime } from '../runtime.ts'

const query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  updated_since: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
})

const answer = Type.Object(
  {
    servers: Type.Array(
      Type.Object(
        {
          server: Type.Object(
            {
              name: Type.String(),
              title: Type.String(),
              description: Type.String(),
              version: Type.String(),
              remotes: Type.Array(
                Type.Object(
                  { type: Type.Literal('streamable-http'), url: Type.String() },
                  { additionalProperties: false },
                ),
              ),
            },
            { additionalProperties: false },
          ),
          _meta: Type.Object({}, { additionalProperties: true }),
        },
        { additionalProperties: false },
      ),
    ),
    metadata: Type.Object(
      { count: Type.Integer(), nextCursor: Type.Optional(Type.String()) },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)

export function registryRoute({ context }: McpRuntime): Route {
  return plainRoute(context, {
    method: 'GET',
    path: '/v0.1/servers',
    operationId: 'mcpRegistry',
    summary: 'Lists MCP servers in the format of the MCP registry',
    tag: 'MCP',
    scope: 'mcp_servers.list',
    query,
    answer,
    audit: { action: 'list', resource_type: 'mcp-server' },
    async handle(call) {
      const { limit = 30, cursor, search, updated_since } = call.query
      const visible = await call.visibleWorkspaces()
      const since = updated_since === undefined ? null : Date.parse(String(updated_since))
      if (Number.isNaN(since)) throw invalidQuery('updated_since', 'must be an ISO 8601 time')
      const from = cursor === undefined ? 0 : readCursor(String(cursor))
      const { documents } = await call.documents.list(
        kinds.mcpServer,
        {
          organisation_id: call.organisationId,
          statuses: ['active'],
          ...(visible === null ? {} : { workspace_ids: visible }),
          ...(search === undefined ? {} : { search: String(search) }),
        },
        { sort: 'created_at', order: 'asc', offset: 0, limit: maxServers },
      )
      const declared = call.context
        .fileDocuments()
        .filter(
          ({ kind, organisation_id }) => kind === kinds.mcpServer && organisation_id === call.organisationId,
        )
        .filter(({ workspace_id }) => visible === null || visible.includes(workspace_id ?? ''))
        .filter(
          ({ slug, name }) =>
            search === undefined || `${slug} ${name}`.toLowerCase().includes(String(search).toLowerCase()),
        )
      const all = [...declared, ...documents].filter((one) => since === null || one.last_updated_at >= since)
      const end = from + Number(limit)
      const servers = all
        .slice(from, end)
        .map((one) => entryOf(one as StoredDocument<RemoteServerData>, context.publicUrl()))
      return {
        servers,
        metadata: { count: servers.length, ...(end < all.length ? { nextCursor: cursorOf(end) } : {}) },
      }
    },
  })
}

const maxServers = 10_000

const cursorOf = (offset: number) => Buffer.from(String(offset)).toString('base64url')

function readCursor(written: string): number {
  const text = Buffer.from(written, 'base64url').toString('utf8')
  if (!/^\d{1,6}$/.test(text)) throw invalidQuery('cursor', 'is not a cursor of this list')
  return Number(text)
}

function entryOf(document: StoredDocument<RemoteServerData>, publicUrl: string): JsonObject {
  const { slug, name, data, created_at, last_updated_at } = document
  return {
    server: {
      name: slug ?? '',
      title: name ?? slug ?? '',
      description: data.description ?? '',
      version: '1.0.0',
      remotes: [{ type: 'streamable-http', url: `${publicUrl}/${slug}/mcp` }],
    },
    _meta: {
      'io.modelcontextprotocol.registry/official': {
        status: 'active',
        publishedAt: new Date(created_at).toISOString(),
        updatedAt: new Date(last_updated_at).toISOString(),
        isLatest: true,
      },
    },
  }
}
