/** Two replicas, one of them with two workers, on one Postgres and one Redis, behave like one gateway. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageDirectory } from '../support/fixture-package.ts'
import { chat } from '../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../support/redis.ts'
import { type Replica, replicaAdminKey, startReplica } from '../support/replica.ts'
import type { RequestLine } from '../support/request-line.ts'
import { until } from '../support/until.ts'
import { openUpstream, type Upstream } from '../support/upstream.ts'

if (isPostgresInstalled() && isRedisInstalled()) describe('several replicas', describeFleet)
else console.log('left out: a fleet, because Postgres or Redis is not installed here')

/** Appends a line at the beginning and at the end of each run, which takes longer than the interval. */
const jobPackage = (file: string) => `
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
const note = (what) => appendFileSync(${JSON.stringify(file)}, what + ' ' + process.pid + '\\n')
const run = async () => {
  note('begin')
  await wait(250)
  note('end')
}
export default {
  name: 'noted-job',
  title: 'A job that notes its runs',
  needs: [],
  open: () => ({ routes: [], jobs: [{ name: 'noted', intervalMs: 100, run }] }),
}
`

function describeFleet(this: Mocha.Suite): void {
  let postgres: PostgresServer
  let redis: RedisServer
  let upstream: Upstream
  let directory: string
  let jobFile: string
  let replicas: [Replica, Replica]
  const packages = packageDirectory()

  before(async () => {
    ;[postgres, redis, upstream] = await Promise.all([startPostgres(), startRedis(), openUpstream()])
    directory = await mkdtemp(join(tmpdir(), 'gateway-fleet-'))
    jobFile = join(directory, 'runs')
    const config = {
      providers: { main: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
      plugins: {
        packages: [await packages.write({ name: 'noted-job', kind: 'service', source: jobPackage(jobFile) })],
      },
    }
    const environment = {
      GATEWAY_STORE_URL: await postgres.createDatabase(),
      GATEWAY_REDIS_URL: redis.url,
    }
    replicas = [
      await startReplica({ config, environment }),
      await startReplica({ config, environment, workers: 2 }),
    ]
  })
  after(async () => {
    for (const replica of replicas ?? []) await replica.stop()
    await Promise.all([postgres?.close(), redis?.stop(), upstream?.close()])
    await rm(directory, { recursive: true, force: true })
  })

  const manage = async (replica: Replica, line: RequestLine, body?: unknown) => {
    const reply = await replica.call(replicaAdminKey, line, { body })
    expect(reply.status, `${line}: ${reply.text}`).to.equal(200)
    return reply.body
  }
  const makeKey = async (limits: Record<string, unknown> = {}) => {
    const body = { name: 'fleet', workspace_id: 'default', scopes: ['completions.write'], ...limits }
    const made = await manage(replicas[0], 'POST /v1/api-keys/workspace/service', body)
    return { id: String(made.id), key: String(made.key) }
  }
  const ask = (replica: Replica, key: string, config: string) =>
    replica.call(key, 'POST /v1/chat/completions', { body: chat(), headers: { 'x-gateway-config': config } })
  /** Every process, because requests are distributed. */
  const statuses = async (ask: (replica: Replica) => ReturnType<Replica['call']>) => {
    const replies = await Promise.all([0, 1, 1, 1, 1].map((index) => ask(replicas[index] as Replica)))
    return [...new Set(replies.map(({ status }) => status))].join()
  }
  const saveConfig = async (model: string) => {
    const config = { provider: '@main', override_params: { model } }
    const made = await manage(replicas[0], 'POST /v1/configs', {
      name: model,
      workspace_id: 'default',
      config,
    })
    return { id: String(made.id), slug: String(made.slug) }
  }

  it('accept a key created on one of them, and refuse it everywhere once it is revoked', async () => {
    const { slug } = await saveConfig('for-keys')
    const { id, key } = await makeKey()
    const all = () => statuses((replica) => ask(replica, key, slug))
    expect(await all()).to.equal('200')
    await manage(replicas[0], `DELETE /v1/api-keys/${id}`)
    expect((await ask(replicas[0], key, slug)).status).to.equal(401)
    await until('every process refuses it', async () => (await all()) === '401')
  })

  it('route by a config changed on one of them', async () => {
    const { id, slug } = await saveConfig('before-change')
    const { key } = await makeKey()
    const modelsUsed = async () => {
      const from = upstream.seen.length
      expect(await statuses((replica) => ask(replica, key, slug))).to.equal('200')
      return [...new Set(upstream.seen.slice(from).map(({ json }) => json?.model))].join()
    }
    expect(await modelsUsed()).to.equal('before-change')
    const config = { provider: '@main', override_params: { model: 'after-change' } }
    await manage(replicas[1], `PUT /v1/configs/${id}`, { config })
    await until('every process routes by it', async () => (await modelsUsed()) === 'after-change')
  })

  it('allow exactly the limit of requests in total', async () => {
    const { slug } = await saveConfig('for-limits')
    const { key } = await makeKey({ rate_limits: [{ type: 'requests', unit: 'rpd', value: 50 }] })
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, index) => ask(replicas[index % 2] as Replica, key, slug)),
    )
    const counts = new Map<string, number>()
    for (const { status, error } of replies) {
      const what = status === 200 ? '200' : `${status} ${error.code}`
      counts.set(what, (counts.get(what) ?? 0) + 1)
    }
    expect(Object.fromEntries(counts)).to.deep.equal({ 200: 50, '429 rate_limit_exceeded': 150 })
  })

  it('run a job on one process at a time, even one that takes longer than its interval', async () => {
    const lines = async () => (await readFile(jobFile, 'utf8')).split('\n').slice(0, -1)
    const all = await until('ten runs', async () => {
      const found = await lines()
      return found.length >= 20 ? found : null
    })
    for (let index = 0; index + 1 < all.length; index += 2) {
      const [begin, end] = [all[index] ?? '', all[index + 1] ?? '']
      expect(end, `line ${index + 1} of ${all.join(', ')}`).to.equal(begin.replace('begin', 'end'))
    }
  })
}
