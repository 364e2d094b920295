/** MCP servers of a test's gateway, and the official client that calls them. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'chai'
import { adminKey } from './gateway.ts'
import type { Management } from './management.ts'

export interface MadeServer {
  integration: Record<string, unknown>
  server: Record<string, unknown>
  slug: string
}

let made = 0

/** An integration for every workspace, and a server of the default one. */
export async function makeMcpServer(
  api: Management,
  url: string,
  more: { integration?: object; server?: object; workspace?: string } = {},
): Promise<MadeServer> {
  made += 1
  const integration = await api.post('/v1/mcp-integrations', {
    name: `Upstream ${made}`,
    url,
    auth_type: 'none',
    transport: 'http',
    ...more.integration,
  })
  expect(integration.status, integration.text).to.equal(200)
  const opened = await api.put(`/v1/mcp-integrations/${integration.body.id}/workspaces`, {
    global_workspace_access: { enabled: true },
  })
  expect(opened.status, opened.text).to.equal(200)
  const server = await api.post('/v1/mcp-servers', {
    name: `Server ${made}`,
    slug: `server-${made}`,
    mcp_integration_id: integration.body.id,
    workspace_id: more.workspace ?? 'default',
    ...more.server,
  })
  expect(server.status, server.text).to.equal(200)
  return { integration: integration.body, server: server.body, slug: String(server.body.slug) }
}

export interface RpcReply {
  status: number
  headers: Headers
  text: string
  /** Parsed; empty when it is no JSON object. */
  body: { result: Record<string, unknown>; error: Record<string, unknown> } & Record<string, unknown>
}

interface RpcOptions {
  message: unknown
  key?: string | undefined
  path?: string | undefined
  headers?: Record<string, string> | undefined
}

/** One message, as a client of the protocol posts it. */
export async function rpc(
  api: Pick<Management, 'gateway'>,
  slug: string,
  { message, key = adminKey, path = `/v1/mcp/${slug}`, headers = {} }: RpcOptions,
): Promise<RpcReply> {
  const response = await fetch(api.gateway.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(key === '' ? {} : { 'x-gateway-api-key': key }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
  const text = await response.text()
  const body = (/^[[{]/.test(text) ? JSON.parse(text) : {}) as RpcReply['body']
  return { status: response.status, headers: response.headers, text, body }
}

export const toolCall = (name: string, given: object = {}, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
})

/** The official client, connected. */
export async function connect(
  api: Pick<Management, 'gateway'>,
  slug: string,
  { key = adminKey, path = `/${slug}/mcp` } = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(api.gateway.url + path), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return client
}
