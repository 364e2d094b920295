/**
 * The provider of the soak: it answers chat completions and embeddings, breaks off if the request specifies it, and
 * writes every call into a journal, with which charges and log entries are compared at the end.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { chatAnswer, chatChunk } from '../support/upstream.ts'

/** The provider's record of one request, which identifies itself in `user`. */
interface JournalEntry {
  calls: number
  /** Tokens of answers that were sent to their last byte. */
  tokens: number
}

export interface SoakProvider {
  url: string
  journal: ReadonlyMap<string, JournalEntry>
  /** Open connections. */
  connections(): Promise<number>
  close(): Promise<void>
}

const promptTokens = 7
const completionTokens = 5
export const tokensOfCall = promptTokens + completionTokens
const usage = {
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: tokensOfCall,
}
const pieces = ['The ', 'answer ', 'in ', 'five ', 'pieces.']

/** `fault:120` in `user`: the connection is reset after that many bytes of the answer. */
const faultOf = (user: string): number | null => {
  const found = /fault:(\d+)/.exec(user)
  return found === null ? null : Number(found[1])
}

export async function startProvider(): Promise<SoakProvider> {
  const journal = new Map<string, JournalEntry>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
    const user = String(body.user ?? '')
    const entry = journal.get(user) ?? { calls: 0, tokens: 0 }
    journal.set(user, entry)
    entry.calls += 1
    const isStream = body.stream === true
    const left = { bytes: faultOf(user) }
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    const parts = partsOf(request.url ?? '', body)
    for (const [index, part] of parts.entries()) {
      if (!send(response, part, left)) return
      // A client that has read the last event can disconnect immediately: the answer still counts as sent.
      if (index === parts.length - 1) break
      if (isStream) await wait(2)
      if (response.destroyed) return
    }
    entry.tokens += tokensOfCall
    response.end()
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    journal,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Sends a part, up to the byte of the fault. */
function send(response: ServerResponse, part: string, left: { bytes: number | null }): boolean {
  const bytes = Buffer.from(part)
  if (left.bytes === null || left.bytes > bytes.length) {
    if (left.bytes !== null) left.bytes -= bytes.length
    response.write(bytes)
    return true
  }
  response.write(bytes.subarray(0, left.bytes), () => response.socket?.resetAndDestroy())
  return false
}

function partsOf(path: string, body: Record<string, unknown>): string[] {
  if (path.endsWith('/embeddings')) {
    const data = [{ object: 'embedding', index: 0, embedding: [0.1, 0.2, 0.3] }]
    return [
      JSON.stringify({
        object: 'list',
        model: 'soak',
        data,
        usage: { ...usage, completion_tokens: completionTokens },
      }),
    ]
  }
  if (body.stream !== true) return [JSON.stringify(chatAnswer(pieces.join(''), { usage }))]
  const events = [
    ...pieces.map((content) => chatChunk({ content })),
    chatChunk({}, 'stop'),
    { ...chatChunk({}), choices: [], usage },
  ]
  return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n']
}
