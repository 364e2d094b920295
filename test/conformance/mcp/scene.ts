/**
 * A gateway with the conformance server behind it, at an address that requires no key: a relay on loopback adds it. The
 * suite's client always requests the newest version with sessions, so the relay requests the intended version.
 */
import { request as ask, createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { adminKey, startGateway } from '../../support/gateway.ts'
import { openMcpUpstream } from '../../support/mcp-upstream.ts'
import { createConformanceServer } from './upstream.ts'

const newestWithSessions = '2025-11-25'

export interface Scene {
  /** The URL of the MCP server, without a credential. */
  url: string
  close(): Promise<void>
}

export async function openScene(version: string): Promise<Scene> {
  const upstream = await openMcpUpstream({ createServer: createConformanceServer })
  const gateway = await startGateway()
  const relay = await startRelay(`${gateway.url}/conformance/mcp`, version)
  const origin = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  // Pages of the relay's own origin may call, like those of the gateway's.
  await gateway.writeConfig({
    public_url: origin,
    mcp_servers: { conformance: { url: upstream.url, auth_type: 'none' } },
  })
  if (!(await gateway.reload())) throw new Error('The config of the conformance scene was refused.')
  const synced = await gateway.post('/v1/mcp-servers/conformance/sync', {})
  if (synced.status !== 200)
    throw new Error(`The conformance server could not be synced: ${await synced.text()}`)
  return {
    url: `${origin}/mcp`,
    async close() {
      relay.closeAllConnections()
      relay.close()
      await gateway.stop()
      await upstream.close()
    },
  }
}

async function startRelay(target: string, version: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const body = inVersion((await buffer(request)).toString('utf8'), version)
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = request.headers
    const options = {
      method: request.method ?? 'POST',
      headers: { ...headers, 'x-gateway-api-key': adminKey },
    }
    const sent = ask(target, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    response.on('close', () => sent.destroy())
    sent.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** A message; `initialize` with another version than the client asked for. */
function inVersion(text: string, version: string): string {
  if (!text.includes('"initialize"')) return text
  const message = JSON.parse(text) as { method?: string; params?: { protocolVersion?: string } }
  if (message.method !== 'initialize' || message.params?.protocolVersion !== newestWithSessions) return text
  return JSON.stringify({ ...message, params: { ...message.params, protocolVersion: version } })
}
