/**
 * A batch of 1,000 lines whose process is killed three times: every line has one result, one charge and one log entry,
 * and at most the lines in flight are sent twice.
 */
import { expect } from 'chai'
import { formOf, type Json } from '../plugins/batches/fixtures.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type Replica, replicaAdminKey, startReplica } from '../support/replica.ts'
import { until } from '../support/until.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../support/upstream.ts'

const lines = 1000
const concurrency = 25
const kills = 3

const input = Array.from({ length: lines }, (_, index) =>
  JSON.stringify({
    custom_id: `line-${index}`,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'gpt-4.1', messages: [{ role: 'user', content: `line ${index}` }] },
  }),
).join('\n')

describe('a batch whose process is killed', function () {
  // Each start takes a while on a busy machine.
  this.timeout(900_000)
  let upstream: Upstream
  const sent = new Map<string, number>()
  before(async () => {
    upstream = await openUpstream((request, response) => {
      const [message] = (request.json?.messages ?? []) as { content: string }[]
      const content = message?.content ?? ''
      sent.set(content, (sent.get(content) ?? 0) + 1)
      setTimeout(() => {
        const usage = { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 }
        sendJson(response, 200, chatAnswer('ok', { model: 'gpt-4.1', usage }))
      }, 30)
    })
  })
  after(() => upstream.close())
  beforeEach(() => sent.clear())

  async function run(environment: Record<string, string>): Promise<void> {
    const replica: Replica = await startReplica({
      environment,
      config: {
        security: { trusted_hosts: ['127.0.0.0/8', '::1'] },
        batches: { concurrency },
        providers: { up: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
      },
    })
    const call = (
      method: string,
      path: string,
      { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
    ) => replica.call(replicaAdminKey, `${method} ${path}`, { body, headers })
    try {
      const key = await call('POST', '/v1/api-keys/workspace/service', {
        body: {
          name: 'batches',
          workspace_id: 'default',
          scopes: ['completions.write', 'logs.list'],
          usage_limits: { type: 'tokens', credit_limit: 100_000_000 },
        },
      })
      expect(key.status, key.text).to.equal(200)
      const own = String(key.body.key)
      const uploaded = await fetch(`${replica.url}/v1/files`, {
        method: 'POST',
        headers: { 'x-gateway-api-key': own },
        body: formOf(input),
      })
      const file = (await uploaded.json()) as Json
      const created = await replica.call(own, 'POST /v1/batches', {
        body: { input_file_id: file.id, completion_window: 'immediate', endpoint: '/v1/chat/completions' },
        headers: { 'x-gateway-virtual-key': 'up' },
      })
      expect(created.status, created.text).to.equal(200)
      const { id } = created.body
      for (let kill = 1; kill <= kills; kill += 1) {
        await until('lines were sent', () => sent.size >= (lines / (kills + 1)) * kill)
        await replica.crash()
        await replica.restart()
      }
      const read = async () => (await replica.call(own, `GET /v1/batches/${id}`)).body
      const batch = await until('the batch is completed', async () => {
        const seen = await read()
        return seen.status === 'completed' ? seen : null
      })
      expect(batch).to.deep.include({
        status: 'completed',
        request_counts: { total: lines, completed: lines, failed: 0 },
      })
      const output = await fetch(`${replica.url}/v1/batches/${id}/output`, {
        headers: { 'x-gateway-api-key': own },
      })
      const ids = (await output.text())
        .split('\n')
        .filter((one) => one !== '')
        .map((one) => (JSON.parse(one) as Json).custom_id)
      expect(ids).to.deep.equal(Array.from({ length: lines }, (_, index) => `line-${index}`))
      const calls = [...sent.values()].reduce((sum, count) => sum + count, 0)
      expect(sent.size).to.equal(lines)
      expect(calls).to.be.at.most(lines + kills * concurrency)
      expect((batch.usage as Json).input_tokens).to.equal(lines * 1000)
      const keys = await call('GET', `/v1/api-keys/${key.body.id}`)
      expect((keys.body.usage_limits as Json).current_usage).to.equal(lines * 1000)
      const logged = await call('GET', `/v1/logs?endpoint_type=chatComplete&page_size=1&workspace_id=default`)
      expect(logged.body.total).to.equal(lines)
      const counts = `${ids.length} results, ${calls} upstream calls, ${lines * 1000} tokens charged`
      console.log(`      ${lines} lines, ${kills} kills: ${counts}, ${logged.body.total} log entries`)
    } finally {
      await replica.stop()
    }
  }

  it('has the result of every line once on SQLite', () => run({}))

  describe('on Postgres', () => {
    let server: PostgresServer
    before(async function start() {
      if (!isPostgresInstalled()) return this.skip()
      server = await startPostgres()
    })
    after(() => server?.close())

    it('has the result of every line once', async () =>
      run({ GATEWAY_STORE_URL: await server.createDatabase() }))
  })
})
