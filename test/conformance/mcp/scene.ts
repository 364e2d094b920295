/** A gateway with the conformance server behind it, at an address that asks for no key: a relay on loopback adds it. */
import { request as ask, createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { adminKey, startGateway } from '../../support/gateway.ts'
import { openMcpUpstream } from '../../support/mcp-upstream.ts'
import { createConformanceServer } from './upstream.ts'

export interface Scene {
  /** Of the MCP server, without a credential. */
  url: string
  close(): Promise<void>
}

export async function openScene(): Promise<Scene> {
  const upstream = await openMcpUpstream({ createServer: createConformanceServer })
  const gateway = await startGateway()
  const relay = await startRelay(`${gateway.url}/conformance/mcp`)
  const origin = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  // Pages of the relay's own origin may call, as those of the gateway's may.
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

async function startRelay(target: string): Promise<Server> {
  const server = createServer((request, response) => {
    const headers = { ...request.headers, 'x-gateway-api-key': adminKey }
    const sent = ask(target, { method: request.method ?? 'POST', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    response.on('close', () => sent.destroy())
    request.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
