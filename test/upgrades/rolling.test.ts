/**
 * A rolling upgrade: replicas over Postgres and Redis are replaced by another version and back, one at a time, under load.
 * The other version is the last release. In a checkout without tags it is the commit that made the newest kept data.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { ownCommand } from '../core/boot/gateway-process.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../support/redis.ts'
import { type Replica, replicaAdminKey, startReplica } from '../support/replica.ts'
import { until } from '../support/until.ts'
import { answerOk, openUpstream, type Upstream } from '../support/upstream.ts'
import { balance } from './balancer.ts'
import { commandOf, commitOf, git } from './checkout.ts'
import { readRecorded, versions } from './data.ts'
import { clientOf } from './scene.ts'

const migrations = 'plugins/store-sql/migrations'
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Null without Git, or if its history is too short. */
async function otherVersion(): Promise<{ name: string; commit: string } | null> {
  if (commitOf('HEAD') === null) return null
  const [tag] = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n')
  const kept = await readRecorded(versions().at(-1) ?? '', 'postgres')
  const name = process.env.UPGRADE_FROM ?? (tag || kept.commit)
  const commit = commitOf(name)
  return commit === null ? null : { name, commit }
}

/** Whether both know the same schema. A store that a newer one has migrated opens in no older version. */
function isSchemaShared(commit: string): boolean {
  const numbered = (names: readonly string[]) => names.filter((name) => /^\d/.test(name)).join()
  const theirs = git('ls-tree', '--name-only', `${commit}:${migrations}`).split('\n')
  return numbered(theirs) === numbered(readdirSync(join(root, migrations)))
}

const other = await otherVersion()
if (!isPostgresInstalled() || !isRedisInstalled())
  console.log('left out: the rolling upgrade, because Postgres or Redis is not installed here')
else if (other === null)
  console.log('left out: the rolling upgrade, because Git has no other version: set UPGRADE_FROM to a commit')
else describe(`a rolling upgrade from ${other.name} under load`, describeUpgrade)

function describeUpgrade(this: Mocha.Suite): void {
  let postgres: PostgresServer
  let redis: RedisServer
  let upstream: Upstream
  const replicas: Replica[] = []
  const { commit } = other ?? { commit: '' }

  before(async function () {
    // The first time, the other version is built.
    this.timeout(600_000)
    const command = commandOf(commit)
    ;[postgres, redis, upstream] = await Promise.all([startPostgres(), startRedis(), openUpstream(answerOk)])
    const config = {
      server: { drain_delay_ms: 2000 },
      providers: { main: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
      configs: { routed: { provider: '@main' } },
    }
    const environment = { GATEWAY_STORE_URL: await postgres.createDatabase(), GATEWAY_REDIS_URL: redis.url }
    for (let count = 0; count < 2; count += 1)
      replicas.push(await startReplica({ config, environment, command }))
  })
  after(async () => {
    for (const replica of replicas) await replica.stop()
    await Promise.all([postgres?.close(), redis?.stop(), upstream?.close()])
  })

  it('loses no request, no log entry and no unit of usage', async () => {
    const [first, second] = replicas as [Replica, Replica]
    const admin = () => clientOf(first.url, replicaAdminKey)
    const created = await admin().post('/v1/api-keys/workspace/service', {
      name: 'rolling',
      workspace_id: 'default',
      scopes: ['completions.write'],
      usage_limits: { type: 'requests', credit_limit: 1_000_000 },
    })
    const load = await balance(replicas, { key: String(created.key), config: 'routed' })
    const replace = async (replica: Replica, command: readonly string[]) => {
      await load.answers(20)
      await replica.end()
      await replica.restart(command)
      await load.answers(20)
    }
    await replace(first, ownCommand)
    await replace(second, ownCommand)
    if (isSchemaShared(commit)) await replace(first, commandOf(commit))
    const { answered, failures } = await load.stop()
    expect(failures).to.deep.equal([])
    expect(answered).to.equal(upstream.seen.length)
    await until('every entry is in the log and every unit is counted', async () => {
      const { total } = await admin().get('/v1/logs?page_size=1')
      const { usage_limits } = await admin().get(`/v1/api-keys/${created.id}`)
      const { current_usage } = usage_limits as { current_usage: number }
      if (Number(total) > answered || current_usage > answered)
        throw new Error(`${answered} requests, ${total} entries, ${current_usage} units`)
      return total === answered && current_usage === answered
    })
  })
}
