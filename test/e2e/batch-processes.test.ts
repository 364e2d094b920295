/** Batches whose process stops, or dies while another one continues them. */
import { expect } from 'chai'
import { openPostgres } from '#store-sql/postgres-database'
import { formOf, type Json } from '../plugins/batches/fixtures.ts'
import { chatLine, jsonl, parseLines } from '../plugins/batches/provider-gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type Replica, replicaAdminKey, startReplica } from '../support/replica.ts'
import { until } from '../support/until.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../support/upstream.ts'

const lines = 300
const concurrency = 10
/** With a poll every two seconds this is a take-over within 30 s, on any machine. */
const longestLeaseMs = 15_000

describe('a batch whose process ends', () => {
  let upstream: Upstream
  const replicas: Replica[] = []
  const sent = new Map<string, number>()
  const calls = () => [...sent.values()].reduce((sum, count) => sum + count, 0)
  before(async () => {
    upstream = await openUpstream((request, response) => {
      const [message] = (request.json?.messages ?? []) as { content: string }[]
      const content = message?.content ?? ''
      sent.set(content, (sent.get(content) ?? 0) + 1)
      setTimeout(() => sendJson(response, 200, chatAnswer('ok', { model: 'gpt-4.1' })), 50)
    })
  })
  after(() => upstream.close())
  beforeEach(() => sent.clear())
  afterEach(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    replicas.length = 0
  })

  async function start(environment: Record<string, string> = {}): Promise<Replica> {
    const replica = await startReplica({
      environment,
      config: {
        security: { trusted_hosts: ['127.0.0.0/8', '::1'] },
        batches: { concurrency },
        providers: { up: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
      },
    })
    replicas.push(replica)
    return replica
  }

  async function create({ url, call }: Replica): Promise<string> {
    const input = Array.from({ length: lines }, (_, index) => chatLine(`line-${index}`, `line ${index}`))
    const uploaded = await fetch(`${url}/v1/files`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': replicaAdminKey },
      body: formOf(jsonl(input)),
    })
    const file = (await uploaded.json()) as Json
    const { status, text, body } = await call(replicaAdminKey, 'POST /v1/batches', {
      body: { input_file_id: file.id, completion_window: 'immediate', endpoint: '/v1/chat/completions' },
      headers: { 'x-gateway-virtual-key': 'up' },
    })
    expect(status, text).to.equal(200)
    return String(body.id)
  }

  async function expectWhole({ url, call }: Replica, id: string): Promise<void> {
    await until(
      'the batch is completed',
      async () => (await call(replicaAdminKey, `GET /v1/batches/${id}`)).body.status === 'completed',
      240_000,
    )
    const output = await fetch(`${url}/v1/batches/${id}/output`, {
      headers: { 'x-gateway-api-key': replicaAdminKey },
    })
    expect(parseLines(await output.text()).map(({ custom_id }) => custom_id)).to.deep.equal(
      Array.from({ length: lines }, (_, index) => `line-${index}`),
    )
  }

  /** The time when the work of a crashed process may be taken over. */
  async function lastLeaseEnd(url: string): Promise<number> {
    const { read, close } = openPostgres(url, { report: () => undefined })
    const lease = await read
      .selectFrom('work_leases')
      .select('ends_at')
      .orderBy('ends_at', 'desc')
      .executeTakeFirst()
    await close()
    return Number(lease?.ends_at)
  }

  it('on SIGTERM finishes lines in flight, sends no line twice, and continues at the next start', async () => {
    const replica = await start()
    const id = await create(replica)
    await until('lines were sent', () => sent.size >= lines / 3)
    replica.gateway.signal('SIGTERM')
    const code = await replica.gateway.exited
    expect(code).to.equal(0)
    expect(sent.size).to.be.below(lines)
    await replica.restart()
    await expectWhole(replica, id)
    expect(calls()).to.equal(lines)
  })

  it('on SIGKILL leaves a lease that soon ends; another replica continues, and resends at most the lines in flight', async function () {
    if (!isPostgresInstalled()) {
      console.log(
        'left out: take-over by another replica, because the server of Postgres is not installed here',
      )
      return this.skip()
    }
    const server: PostgresServer = await startPostgres()
    try {
      const url = await server.createDatabase()
      const environment = { GATEWAY_STORE_URL: url }
      const first = await start(environment)
      const second = await start(environment)
      const id = await create(first)
      await until('lines were sent', () => sent.size >= lines / 3)
      await first.crash()
      const before = calls()
      const diedAt = performance.now()
      expect((await lastLeaseEnd(url)) - Date.now()).to.be.at.most(longestLeaseMs)
      await until('another replica sends lines', () => calls() > before)
      const tookMs = Math.round(performance.now() - diedAt)
      await expectWhole(second, id)
      expect(calls()).to.be.at.most(lines + concurrency)
      console.log(`      taken over after ${tookMs} ms; ${calls() - lines} lines were sent twice`)
    } finally {
      await Promise.all(replicas.map((replica) => replica.stop()))
      replicas.length = 0
      await server.close()
    }
  })
})
