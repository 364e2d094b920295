/** Memory of 60 long streams whose clients do not read: buffers on the way, and the part that the log keeps. */
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { BATCH_HEADERS } from '../batch-runs.ts'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import { chatBody } from '../requests.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { residentBytes } from '../usage.ts'

const NAME = 'unread'
const READERS = 60
const ROUNDS = 3
const MOST_MB = 110
const BYTES_PER_MB = 1e6
/** More than fits into the buffers of the system. */
const STREAM_BYTES = 20_000_000
const LOOK_EVERY_MS = 1_000

const choice = { index: 0, delta: { content: 'word '.repeat(400) }, finish_reason: null }
const EVENT = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] })}\n\n`

async function run(bench: Bench): Promise<Row[]> {
  let sentBytes = 0
  const provider = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      send(response, (bytes) => {
        sentBytes += bytes
      })
    })
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = provider.address() as AddressInfo
    const prepared = prepareGateway(workFolder(), port)
    return await withServers(bench, ['gateway'], {
      use: async ([server]) => (server === undefined ? [] : measure(server, () => sentBytes)),
      setting: { workers: 1, prepared },
    })
  } finally {
    provider.closeAllConnections()
    provider.close()
  }
}

/** Sends events as fast as they are accepted. */
function send(response: ServerResponse, sent: (bytes: number) => void): void {
  let left = STREAM_BYTES
  const pump = () => {
    while (left > 0) {
      left -= EVENT.length
      sent(EVENT.length)
      if (!response.write(EVENT)) return
    }
    response.end('data: [DONE]\n\n')
  }
  response.on('drain', pump)
  pump()
}

async function measure(server: Server, sentBytes: () => number): Promise<Row[]> {
  const { port, child } = server
  const grown: number[] = []
  // The first round loads code.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = residentBytes(child.pid)
    const clients = Array.from({ length: READERS }, () => ask(port))
    await settled(sentBytes)
    if (round > 0) grown.push((residentBytes(child.pid) - before) / BYTES_PER_MB)
    for (const client of clients) client.destroy()
    await wait(LOOK_EVERY_MS)
  }
  const median = grown.sort((left, right) => left - right)[Math.floor(ROUNDS / 2)] ?? Number.NaN
  return [
    makeRow({
      scenario: NAME,
      figure: `${READERS} streams that are not read, more memory`,
      unit: 'MB',
      values: { gateway: median },
      atMost: MOST_MB,
    }),
  ]
}

function ask(port: number): Socket {
  const body = chatBody({ stream: true })
  const headers = { host: 'x', ...BATCH_HEADERS, 'x-gateway-virtual-key': 'mock' }
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => undefined)
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head}\r\n${body}`)
  return socket
}

/** Resolves when the provider can send no more. */
async function settled(sentBytes: () => number): Promise<void> {
  const before = sentBytes()
  for (let last = -1; last !== sentBytes() || last === before; ) {
    last = sentBytes()
    await wait(LOOK_EVERY_MS)
  }
}

export const unread: Scenario = { name: NAME, run }
