/** Memory while 200 MB go up or down: files of the gateway's own, and passed on to a provider. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { BATCH_HEADERS } from '../batch-runs.ts'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import { makeRow, type Row } from '../rows.ts'
import type { Server } from '../servers.ts'
import { residentBytes, watchPeak } from '../usage.ts'

const NAME = 'files'
const BYTES = 200 * 1_048_576
const BYTES_OF_QUICK_RUNS = 50 * 1_048_576
const BYTES_PER_MB = 1e6
const MOST_MB = 60
const CHUNK = Buffer.alloc(65_536, 'x')

async function run(bench: Bench): Promise<Row[]> {
  const bytes = bench.effort.rounds > 2 ? BYTES : BYTES_OF_QUICK_RUNS
  // A provider that accepts a file, and returns one.
  const provider = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes })
        Readable.from(chunks(bytes)).pipe(response)
        return
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          id: 'file-1',
          object: 'file',
          bytes,
          created_at: 1,
          filename: 'f',
          purpose: 'batch',
        }),
      )
    })
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = provider.address() as AddressInfo
    const prepared = prepareGateway(workFolder(), port)
    return await withServers(bench, ['gateway'], {
      use: async ([server]) => (server === undefined ? [] : measure(server, bytes)),
      setting: { workers: 1, prepared },
    })
  } finally {
    provider.closeAllConnections()
    provider.close()
  }
}

async function measure(server: Server, bytes: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const [where, headers] of [
    ['managed', {}],
    ['passed through', { 'x-gateway-virtual-key': 'mock' }],
  ] as const) {
    // A small file first, because code that is loaded at the first use must not count.
    await upload(server, 1_048_576, headers)
    const size = `${Math.round(bytes / 1_048_576)} MB`
    let id = ''
    const up = await memoryOf(server, async () => {
      id = await upload(server, bytes, headers)
    })
    const down = await memoryOf(server, () => download(server, id, { bytes, headers }))
    rows.push(row(`${size} up, ${where}`, up.moreBytes, MOST_MB))
    rows.push(row(`${size} down, ${where}`, down.moreBytes, MOST_MB))
    // A start that compiles nothing leaves more room below the same peak.
    rows.push(row(`resident at the peak, ${where}`, Math.max(up.peakBytes, down.peakBytes), null))
  }
  return rows
}

function row(figure: string, bytes: number, atMost: number | null): Row {
  const values = { gateway: bytes / BYTES_PER_MB }
  return makeRow({ scenario: NAME, figure, unit: 'MB', values, ...(atMost === null ? {} : { atMost }) })
}

interface Memory {
  peakBytes: number
  /** The peak less what was resident before. */
  moreBytes: number
}

async function memoryOf({ child }: Server, work: () => Promise<void>): Promise<Memory> {
  const beforeBytes = residentBytes(child.pid)
  const peak = watchPeak(child.pid)
  await work()
  const peakBytes = peak.stop()
  return { peakBytes, moreBytes: Math.max(0, peakBytes - beforeBytes) }
}

async function upload({ port }: Server, bytes: number, headers: Record<string, string>): Promise<string> {
  const boundary = 'gateway-bench'
  const part = `--${boundary}\r\ncontent-disposition: form-data; name=`
  async function* form() {
    yield Buffer.from(`${part}"purpose"\r\n\r\nassistants\r\n${part}"file"; filename="f"\r\n\r\n`)
    yield* chunks(bytes)
    yield Buffer.from(`\r\n--${boundary}--\r\n`)
  }
  const answer = await fetch(`http://127.0.0.1:${port}/v1/files`, {
    method: 'POST',
    headers: { ...BATCH_HEADERS, ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: ReadableStream.from(form()),
    duplex: 'half',
  } as RequestInit)
  const { id } = (await answer.json()) as { id: string }
  if (answer.status !== 200) throw new Error(`the upload answered ${answer.status}`)
  return id
}

async function download(
  { port }: Server,
  id: string,
  { bytes, headers }: { bytes: number; headers: Record<string, string> },
): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/files/${id}/content`, {
    headers: { ...BATCH_HEADERS, ...headers },
  })
  let got = 0
  for await (const chunk of answer.body ?? []) got += chunk.length
  if (got !== bytes) throw new Error(`${got} of ${bytes} bytes came down`)
}

function* chunks(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, Math.min(left, CHUNK.length))
}

export const files: Scenario = { name: NAME, run }
