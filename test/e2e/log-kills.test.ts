/**
 * The log of a gateway that is stopped or killed: on SIGTERM every call that was answered is in it; on SIGKILL every answered
 * POST `/logs`, and every call that was written.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { type ClickHouseServer, isClickHouseInstalled, startClickHouse } from '../support/clickhouse.ts'
import { chat } from '../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type Replica, replicaAdminKey, startReplica } from '../support/replica.ts'
import { until } from '../support/until.ts'

describe('the log of a gateway that stops', () => {
  let postgres: PostgresServer | undefined
  let clickHouse: ClickHouseServer | undefined
  let replica: Replica
  before(async () => {
    if (isPostgresInstalled()) postgres = await startPostgres()
    if (isClickHouseInstalled()) clickHouse = await startClickHouse()
  })
  after(async () => {
    await postgres?.close()
    await clickHouse?.close()
  })
  afterEach(() => replica?.stop())

  const engines: readonly [name: string, environment: () => Promise<Record<string, string> | null>][] = [
    ['SQLite', async () => ({})],
    [
      'Postgres',
      async () => (postgres === undefined ? null : { GATEWAY_STORE_URL: await postgres.createDatabase() }),
    ],
    [
      'ClickHouse',
      async () =>
        clickHouse === undefined
          ? null
          : { GATEWAY_LOGS_URL: clickHouse.createDatabase({ batch_ms: '1000' }) },
    ],
  ]

  const call = async () => {
    const headers = { 'x-gateway-provider': 'echo' }
    const reply = await replica.call(replicaAdminKey, 'POST /v1/chat/completions', { body: chat(), headers })
    expect(reply.status).to.equal(200)
    return String(reply.headers.get('x-request-id'))
  }
  const add = async () => {
    const item = { request: { url: '/x', body: 'a' }, response: { body: 'b' } }
    const reply = await replica.call(replicaAdminKey, 'POST /v1/logs', { body: item })
    expect(reply.status).to.equal(200)
    return String((reply.body.ids as string[])[0])
  }
  const several = async (count: number, make: () => Promise<string>) => {
    const ids: string[] = []
    for (let index = 0; index < count; index += 4)
      ids.push(...(await Promise.all(Array.from({ length: 4 }, make))))
    return ids
  }
  const list = async () => {
    const reply = await replica.call(replicaAdminKey, 'GET /v1/logs?page_size=100')
    return (reply.body.data as { id: string }[] | undefined)?.map(({ id }) => id) ?? []
  }

  /** The entries in the queue of ClickHouse, whose files have their number in their names. */
  const onDisk = async () => {
    const names = await readdir(join(replica.dataFolder, 'clickhouse-queue'))
    return names.reduce(
      (sum, name) => sum + Number(/\.entries\.(\d+)\.\d+\.jsonl(?!\.new)/.exec(name)?.[1] ?? 0),
      0,
    )
  }

  for (const [name, environmentOf] of engines) {
    it(`contains everything answered before SIGTERM, on ${name}`, async function () {
      const environment = await environmentOf()
      if (environment === null) return this.skip()
      replica = await startReplica({ environment })
      const ids = await several(40, call)
      replica.gateway.signal('SIGTERM')
      expect(await replica.gateway.exited).to.equal(0)
      await replica.restart()
      await until('all of them are there', async () => (await list()).length >= ids.length)
      expect(await list()).to.have.members(ids)
    })

    it(`contains everything acknowledged before SIGKILL, on ${name}`, async function () {
      const environment = await environmentOf()
      if (environment === null) return this.skip()
      replica = await startReplica({ environment })
      const called = await several(20, call)
      await until('the calls are written', async () => (await list()).length >= called.length)
      const added = await several(8, add)
      await replica.crash()
      await replica.restart()
      const ids = [...called, ...added]
      await until('all of them are there', async () => (await list()).length >= ids.length)
      expect(await list()).to.have.members(ids)
    })
  }

  it('contains entries that waited on disk for an unavailable ClickHouse when the gateway was killed', async function () {
    if (clickHouse === undefined) return this.skip()
    replica = await startReplica({ environment: { GATEWAY_LOGS_URL: clickHouse.createDatabase() } })
    const before = await several(4, add)
    await clickHouse.stop()
    const during = [...(await several(4, add)), ...(await several(4, call))]
    await until('all of them wait on disk', async () => (await onDisk()) >= during.length)
    await replica.crash()
    await clickHouse.start()
    await replica.restart()
    const ids = [...before, ...during]
    await until('all of them are there', async () => (await list()).length >= ids.length)
    expect(await list()).to.have.members(ids)
  })
})
