/**
 * A minimal MCP server, so that the gateway's cost dominates: it answers `tools/call` immediately, and the tool `steps`
 * with a stream of progress events over a second. Argument: the port on 127.0.0.1.
 */
import { createServer, type ServerResponse } from 'node:http'

const STEPS = 10
const STEP_MS = 100

interface Message {
  id?: number | string
  method?: string
  params?: { name?: string; _meta?: { progressToken?: number | string } }
}

const tools = Array.from({ length: 20 }, (_, index) => ({
  name: index === 0 ? 'echo' : index === 1 ? 'steps' : `tool_${index}`,
  description: 'A tool of the bench, described in a sentence that is about as long as usual.',
  inputSchema: { type: 'object', properties: { text: { type: 'string', description: 'A text' } } },
}))

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'bench', version: '1' },
  },
  'tools/list': { tools },
  'tools/call': { content: [{ type: 'text', text: 'It was done, and this is what came of it.' }] },
}

function answer(response: ServerResponse, message: Message): void {
  const result = results[message.method ?? '']
  const body = JSON.stringify(
    result === undefined
      ? { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'unknown' } }
      : { jsonrpc: '2.0', id: message.id, result },
  )
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

function stream(response: ServerResponse, { id, params }: Message): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  let progress = 0
  const send = (message: object) =>
    response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  const timer = setInterval(() => {
    progress += 1
    const progressToken = params?._meta?.progressToken ?? 0
    send({ method: 'notifications/progress', params: { progressToken, progress, total: STEPS } })
    if (progress < STEPS) return
    clearInterval(timer)
    send({ id, result: results['tools/call'] })
    response.end()
  }, STEP_MS)
  response.on('close', () => clearInterval(timer))
}

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.method !== 'POST') {
      response.writeHead(request.url === '/' ? 200 : 405).end()
      return
    }
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message
    if (message.id === undefined) response.writeHead(202).end()
    else if (message.params?.name === 'steps') stream(response, message)
    else answer(response, message)
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
