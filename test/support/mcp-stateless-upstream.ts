/** An MCP server on loopback that speaks 2026-07-28 alone, with the official server package; it records what reaches it. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

export interface StatelessUpstream {
  url: string
  seen: { headers: IncomingMessage['headers']; body: Record<string, unknown> }[]
  close(): Promise<void>
}

function createTools(): McpServer {
  const server = new McpServer({ name: 'stateless', version: '2.0.0' }, { capabilities: { logging: {} } })
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async (given) =>
    text(given.text),
  )
  server.registerTool(
    'route',
    { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
    async ({ region }) => text(`routed to ${region}`),
  )
  server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0
    for (let progress = 1; progress <= to; progress += 1)
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: to },
      })
    return text(`counted to ${to}`)
  })
  const confirmation = z.object({ confirm: z.boolean() })
  server.registerTool('deploy', { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    if (acceptedContent(mcpReq.inputResponses, 'confirm', confirmation)?.confirm === true)
      return text('deployed')
    const confirm = inputRequired.elicit({ message: 'Deploy?', requestedSchema: confirmation })
    return inputRequired({ inputRequests: { confirm } })
  })
  return server
}

export async function openStatelessUpstream(): Promise<StatelessUpstream> {
  const handler = createMcpHandler(createTools, { legacy: 'reject' })
  const upstream: StatelessUpstream = { url: '', seen: [], close: async () => undefined }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    upstream.seen.push({
      headers: request.headers,
      body: body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Record<string, unknown>),
    })
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    )
    const answer = await handler.fetch(
      new Request(upstream.url, {
        method: request.method ?? 'POST',
        headers,
        ...(body.length === 0 ? {} : { body }),
      }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  upstream.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return upstream
}
