/** A real MCP server on loopback, over streamable HTTP, with the official SDK; it records what reaches it. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

interface SeenMessage {
  method: string | undefined
  httpMethod: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown> | null
}

export interface McpUpstream {
  url: string
  seen: SeenMessage[]
  /** The calls of tools and their arguments. */
  calls: { tool: string; arguments: unknown }[]
  /** Calls whose client left or cancelled. */
  cancelled: string[]
  /** Forgets all sessions, as a server that was restarted. */
  forget(): void
  /** Answers instead of the server if it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null
  close(): Promise<void>
}

export interface McpUpstreamOptions {
  /** Whether it runs without sessions: each request then has a separate server. */
  isStateless?: boolean
  /** Answers with JSON in place of events. */
  isJson?: boolean
  /** Another server than the one with the usual tools. */
  createServer?(): Pick<McpServer, 'connect'>
}

export async function openMcpUpstream(options: McpUpstreamOptions = {}): Promise<McpUpstream> {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const upstream: McpUpstream = {
    url: '',
    seen: [],
    calls: [],
    cancelled: [],
    intercept: null,
    forget: () => transports.clear(),
    close: async () => undefined,
  }

  async function transportFor(id: string | undefined): Promise<StreamableHTTPServerTransport | null> {
    if (id !== undefined) return transports.get(id) ?? null
    const transport = new StreamableHTTPServerTransport({
      ...(options.isStateless === true ? {} : { sessionIdGenerator: () => randomUUID() }),
      enableJsonResponse: options.isJson === true,
      onsessioninitialized: (sessionId) => {
        transports.set(sessionId, transport)
      },
    })
    const server = options.createServer?.() ?? createTools(upstream)
    await server.connect(transport as Parameters<typeof server.connect>[0])
    return transport
  }

  const server = createServer(async (request, response) => {
    if (upstream.intercept?.(request, response) === true) return
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const body = text === '' ? null : (JSON.parse(text) as Record<string, unknown>)
    const method = typeof body?.method === 'string' ? body.method : undefined
    upstream.seen.push({ method, httpMethod: request.method ?? '', headers: request.headers, body })
    const id = request.headers['mcp-session-id']
    const transport = await transportFor(typeof id === 'string' ? id : undefined)
    if (transport === null) {
      response.writeHead(404).end()
      return
    }
    await transport.handleRequest(request, response, body ?? undefined)
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

/** Tools, a prompt, a resource and a template. */
export function createTools(
  upstream: Pick<McpUpstream, 'calls' | 'cancelled'> = { calls: [], cancelled: [] },
): McpServer {
  const server = new McpServer(
    { name: 'upstream', version: '1.2.3' },
    { instructions: 'Use it well.', capabilities: { logging: {} } },
  )
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })
  const note = (tool: string, given: unknown) => upstream.calls.push({ tool, arguments: given })
  server.registerTool(
    'echo',
    { title: 'Echo', description: 'Says it again', inputSchema: { text: z.string() } },
    async (given) => {
      note('echo', given)
      return text(given.text)
    },
  )
  server.registerTool(
    'delete_file',
    { description: 'Deletes', inputSchema: { path: z.string() } },
    async (given) => {
      note('delete_file', given)
      return text('deleted')
    },
  )
  server.registerTool('fail', { description: 'Fails' }, async () => {
    throw new Error('it failed')
  })
  server.registerTool(
    'count',
    { description: 'Counts, with progress', inputSchema: { to: z.number() } },
    async ({ to }, { _meta, sendNotification }) => {
      for (let done = 1; done <= to; done += 1) {
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken: _meta?.progressToken ?? 0, progress: done, total: to },
        })
      }
      return text(`counted to ${to}`)
    },
  )
  server.registerTool('wait', { description: 'Waits until it is cancelled' }, async ({ signal }) => {
    note('wait', null)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    upstream.cancelled.push('wait')
    return text('never read')
  })
  server.registerPrompt('greet', { description: 'Greets', argsSchema: { name: z.string() } }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }],
  }))
  server.registerResource('readme', 'file:///readme.md', { mimeType: 'text/markdown' }, async (uri) => ({
    contents: [{ uri: uri.href, text: '# Read me' }],
  }))
  server.registerResource(
    'user',
    new ResourceTemplate('users://{id}/profile', { list: undefined }),
    {},
    async (uri, { id }) => ({ contents: [{ uri: uri.href, text: `profile of ${String(id)}` }] }),
  )
  return server
}
