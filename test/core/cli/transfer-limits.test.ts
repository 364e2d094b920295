/** Usage of limits is transferred by `gateway export` and `gateway import`: budgets, and rates in open windows. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { adminKey, chat, json, startGateway, type TestGateway } from '../../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'
import { runsEmbedded, runsServers } from '../../support/servers.ts'
import { terminal } from './support.ts'

const limit = 10
const usedBefore = 7

type Environment = Record<string, string>

describe('an export of a gateway whose keys have used their limits', () => {
  let directory: string
  let postgres: PostgresServer | undefined
  let redis: RedisServer | undefined
  let files = 0
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-transfer-limits-'))
    await writeFile(join(directory, 'gateway.yaml'), '{}\n')
    if (isPostgresInstalled()) postgres = await startPostgres()
    if (isRedisInstalled()) redis = await startRedis()
  })
  after(async () => {
    await postgres?.close()
    await redis?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  const encryptionKey = randomBytes(32).toString('base64')
  const onSqlite = async (): Promise<Environment> => {
    files += 1
    return { GATEWAY_STORE_URL: `sqlite:${join(directory, `store-${files}.db`)}` }
  }
  const stores: [name: string, open: () => Promise<Environment | null>][] = [
    ['SQLite', onSqlite],
    ['Postgres', async () => (postgres ? { GATEWAY_STORE_URL: await postgres.createDatabase() } : null)],
    [
      'SQLite with Redis',
      async () => (redis ? { ...(await onSqlite()), GATEWAY_REDIS_URL: redis.url } : null),
    ],
  ]

  const environmentOf = (store: Environment): Environment => ({
    GATEWAY_ADMIN_KEY: adminKey,
    GATEWAY_DATA_DIR: directory,
    GATEWAY_ENCRYPTION_KEY: encryptionKey,
    ...store,
  })
  const transfer = async (store: Environment, words: string[]) => {
    const recording = terminal({ environment: environmentOf(store), directory })
    expect(await main([...words, '--config', 'gateway.yaml'], recording), recording.errors).to.equal(0)
    return recording.output
  }
  async function within<T>(store: Environment, work: (gateway: TestGateway) => Promise<T>): Promise<T> {
    const gateway = await startGateway({}, { environment: environmentOf(store) })
    try {
      return await work(gateway)
    } finally {
      await gateway.stop()
    }
  }
  const makeKey = async (gateway: TestGateway): Promise<string> => {
    const made = await json(
      await gateway.post('/v1/api-keys/workspace/service', {
        name: 'moved',
        workspace_id: 'default',
        scopes: ['completions.write'],
        rate_limits: [
          { type: 'requests', unit: 'rph', value: limit },
          { type: 'tokens', unit: 'rpw', value: 1_000_000 },
        ],
        usage_limits: [{ type: 'tokens', credit_limit: 1_000_000 }],
      }),
    )
    return String(made.key)
  }
  const ask = (gateway: TestGateway, key: string) =>
    gateway.post('/v1/chat/completions', chat(), { 'x-gateway-api-key': key, 'x-gateway-provider': 'echo' })
  const statuses = async (gateway: TestGateway, key: string, count: number) => {
    const found: number[] = []
    for (let index = 0; index < count; index += 1) found.push((await ask(gateway, key)).status)
    return found
  }

  for (const [name, open] of stores) {
    const isEmbedded = name === 'SQLite'
    if (isEmbedded ? !runsEmbedded : !runsServers) continue
    it(`leaves 3 more requests after the import to a key that has used 7 of 10 in this hour: ${name}`, async function () {
      const store = await open()
      if (store === null) return this.skip()
      const source = await onSqlite()
      const key = await within(source, async (gateway) => {
        const made = await makeKey(gateway)
        expect(await statuses(gateway, made, usedBefore)).to.deep.equal(Array(usedBefore).fill(200))
        return made
      })
      const [there, back] = [`there-${files}.jsonl`, `back-${files}.jsonl`]
      expect(await transfer(source, ['export', there])).to.include('1 budgets, 2 rate windows')
      await transfer(store, ['import', there])
      // Imported again: seeded usage is never added.
      await transfer(store, ['import', there, '--merge'])
      const left = limit - usedBefore
      await within(store, async (gateway) => {
        expect(await statuses(gateway, key, left + 1)).to.deep.equal([...Array(left).fill(200), 429])
      })
      const last = await onSqlite()
      await transfer(store, ['export', back])
      await transfer(last, ['import', back])
      expect(await within(last, (gateway) => statuses(gateway, key, 1))).to.deep.equal([429])
    })
  }
})
