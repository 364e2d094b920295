/**
 * Two replicas on Postgres: the one that runs a batch is killed; how soon the other one continues, and how many lines
 * it sends again.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isPostgresInstalled, startPostgres } from '../../support/postgres.ts'
import { type Replica, replicaAdminKey, startReplica } from '../../support/replica.ts'
import { until } from '../../support/until.ts'
import { batchLines } from '../batch-runs.ts'
import type { Bench, Scenario } from '../bench.ts'
import { makeRow, type Row } from '../rows.ts'
import { COMPLETION } from '../targets/wire-data.ts'

const NAME = 'take-over'
const LINES = 1000
const CONCURRENCY = 25
const ANSWER_MS = 50
const MOST_MS = 30_000

async function run(bench: Bench): Promise<Row[]> {
  if (!isPostgresInstalled()) {
    bench.notes.push(`${NAME}: Postgres is not installed here`)
    return []
  }
  let calls = 0
  const upstream = createServer((request, response) => {
    calls += 1
    request.resume()
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(COMPLETION)
    }, ANSWER_MS)
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo
  const server = await startPostgres()
  const replicas: Replica[] = []
  try {
    const environment = { GATEWAY_STORE_URL: await server.createDatabase() }
    for (let index = 0; index < 2; index += 1) replicas.push(await start(port, environment))
    const [first, second] = replicas
    if (first === undefined || second === undefined) return []
    const id = await create(first)
    await until('a third of the lines were sent', () => calls >= LINES / 3)
    await first.crash()
    const before = calls
    const diedAt = performance.now()
    await until('the other replica sends lines', () => calls > before, 2 * MOST_MS)
    const tookMs = performance.now() - diedAt
    const isDone = async () =>
      (await second.call(replicaAdminKey, `GET /v1/batches/${id}`)).body.status === 'completed'
    await until('the batch is completed', isDone, 120_000)
    return [
      makeRow({
        scenario: NAME,
        figure: 'until another replica continues',
        unit: 'ms',
        values: { gateway: tookMs },
        atMost: MOST_MS,
      }),
      makeRow({
        scenario: NAME,
        figure: `lines sent twice, ${CONCURRENCY} at a time`,
        unit: 'requests',
        values: { gateway: calls - LINES },
        atMost: CONCURRENCY,
      }),
    ]
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await server.close()
    upstream.closeAllConnections()
    upstream.close()
  }
}

const start = (port: number, environment: Record<string, string>): Promise<Replica> =>
  startReplica({
    environment,
    config: {
      security: { trusted_hosts: ['127.0.0.1'] },
      batches: { concurrency: CONCURRENCY },
      providers: {
        up: { provider: 'openai', api_key: 'sk-bench', custom_host: `http://127.0.0.1:${port}/v1` },
      },
    },
  })

async function create({ url, call }: Replica): Promise<string> {
  const form = new FormData()
  form.append('purpose', 'batch')
  form.append('file', new Blob([batchLines(LINES)]), 'lines.jsonl')
  const uploaded = await fetch(`${url}/v1/files`, {
    method: 'POST',
    headers: { 'x-gateway-api-key': replicaAdminKey },
    body: form,
  })
  const { id } = (await uploaded.json()) as { id: string }
  const body = { input_file_id: id, completion_window: 'immediate', endpoint: '/v1/chat/completions' }
  const headers = { 'x-gateway-virtual-key': 'up' }
  const created = await call(replicaAdminKey, 'POST /v1/batches', { body, headers })
  if (created.status !== 200) throw new Error(`the batch answered ${created.status} ${created.text}`)
  return String(created.body.id)
}

export const takeOver: Scenario = { name: NAME, run }
