/**
 * A provider of the test's own: a real HTTP server on loopback that speaks the compatible format and misbehaves as
 * told. It records every request that reaches it.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SeenRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  text: string
  bytes: Buffer
  /** Parsed body; null when it is not JSON. */
  json: Record<string, unknown> | null
}

export type Handler = (request: SeenRequest, response: ServerResponse, count: number) => void | Promise<void>

export interface Upstream {
  /** The URL with the version segment, for `custom_host`. */
  url: string
  origin: string
  seen: SeenRequest[]
  /** Answers what follows. */
  handle(handler: Handler): void
  close(): Promise<void>
}

/** A chat completion with this text. */
export function chatAnswer(content: string, extra: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'test-model',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    ...extra,
  }
}

/** A chunk of a streamed chat completion. */
export function chatChunk(
  delta: Record<string, unknown>,
  finish: string | null = null,
): Record<string, unknown> {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'test-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  }
}

/** The events of a streamed answer with these pieces of text. */
export function chatEvents(...pieces: string[]): string[] {
  const chunks = [
    chatChunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chatChunk({ content })),
    chatChunk({}, 'stop'),
  ]
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n']
}

/** @param head the status, also with headers */
export function sendJson(
  response: ServerResponse,
  head: number | { status: number; headers: Record<string, string> },
  body: unknown,
): void {
  const { status, headers } = typeof head === 'number' ? { status: head, headers: {} } : head
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

export function sendEvents(response: ServerResponse, events: readonly (string | Buffer)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) response.write(event)
  response.end()
}

/** Answers `ok`, streamed when that was asked for. */
export const answerOk: Handler = (request, response) => {
  if (request.json?.stream === true) sendEvents(response, chatEvents('o', 'k'))
  else sendJson(response, 200, chatAnswer('ok'))
}

/** @param port default: any free port */
export async function openUpstream(handler: Handler = answerOk, port = 0): Promise<Upstream> {
  let current = handler
  const seen: SeenRequest[] = []
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const text = bytes.toString('utf8')
    const { method = '', url = '', headers } = request
    const record = { method, path: url, headers, text, bytes, json: parse(text) }
    seen.push(record)
    await current(record, response, seen.length)
  })
  // On a busy machine, a connection could be closed at the moment when the gateway sends its next request on it.
  server.keepAliveTimeout = 60_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/v1`,
    origin,
    seen,
    handle(next) {
      current = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
