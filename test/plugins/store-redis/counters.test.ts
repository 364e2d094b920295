/** Counters on Redis: the suite for all engines, the server's own clock, and expiry of all keys. */
import type { Store } from '@gateway/contract'
import redis from '@gateway/store-redis'
import { expect } from 'chai'
import { type Connection, connect } from '#store-redis/connection'
import { callsPrefix } from '#store-redis/counter-names'
import { createCounters } from '#store-redis/counters'
import { until } from '../../conformance/store-until.ts'
import { borderMs, describeCounters, hold, request } from '../../conformance/stores/counters.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'

const day = { lengthMs: 86_400_000, offsetMs: 0 }

if (isRedisInstalled()) {
  describe('counters on Redis', describeRedis)
} else {
  console.log('left out: counters on Redis, because redis-server is not installed here')
}

function describeRedis(): void {
  let server: RedisServer
  let connections: Connection[]
  before(async () => {
    server = await startRedis()
    connections = [await connect(server.url), await connect(server.url)]
  })
  after(async () => {
    for (const connection of connections) await connection.close()
    await server.stop()
  })

  describeCounters('on redis', async () =>
    connections.map((connection) => createCounters(connection, { clock: 'caller' })),
  )

  it('allow exactly the limit to four times as many requests on two processes at once', async () => {
    const processes = connections.map((connection) => createCounters(connection))
    const results = await Promise.all(
      Array.from({ length: 4000 }, (_, index) =>
        processes[index % 2]?.reserve(`burst-${index}`, [request('burst', 1000, day)], {
          leaseMs: 60_000,
          nowMs: 0,
        }),
      ),
    )
    expect(results.filter((result) => result?.isAdmitted)).to.have.length(1000)
  })

  it('do not count a call that reaches the server after it was asked again', async () => {
    const [connection] = connections
    if (connection === undefined) throw new Error('There is no connection.')
    const late: (() => Promise<unknown>)[] = []
    let isLost = false
    const counters = createCounters({
      ...connection,
      wait(command) {
        if (!isLost) return connection.wait(command)
        isLost = false
        late.push(command)
        return Promise.reject(new Error('The connection was lost.'))
      },
    })
    const reserve = async (id: string) =>
      counters.reserve(id, [request('late', 9, day)], { leaseMs: 60_000, nowMs: 0 })
    await reserve('before')
    isLost = true
    await reserve('asked again').catch(() => undefined)
    expect((await reserve('asked again')).isAdmitted).to.equal(true)
    for (const command of late) await command()
    await reserve('after')
    expect(late).to.have.length(1)
    expect(await counters.read([{ key: 'late', window: day }], 0)).to.deep.equal([{ used: 3, reserved: 0 }])
  })

  describe('by the clock of the server', () => {
    let store: Store
    beforeEach(async () => {
      await connections[0]?.client.flushAll()
      store = await redis.open(server.url, { directory: '.', report: () => undefined })
    })
    afterEach(() => store.close())

    const countersOf = ({ counters }: Store) => {
      if (counters === undefined) throw new Error('It has no counters.')
      return counters
    }
    const keysLeft = async () => (await connections[0]?.client.keys('*'))?.toSorted()

    it('count for two processes with different clocks', async () => {
      const hour = { lengthMs: 3_600_000, offsetMs: 0 }
      const counters = countersOf(store)
      await counters.reserve('a', [request('key', 1, hour)], { leaseMs: 1000, nowMs: 0 })
      expect(
        (await counters.reserve('b', [request('key', 1, hour)], { leaseMs: 1000, nowMs: borderMs }))
          .isAdmitted,
      ).to.equal(false)
    })

    it('expire a lease', async () => {
      const counters = countersOf(store)
      await counters.reserve('dead', [hold('key', 9, { need: 9, given: { window: null } })], {
        leaseMs: 30,
        nowMs: 0,
      })
      await until(async () => (await counters.read([{ key: 'key', window: null }], 0))[0]?.reserved === 0)
    })

    it('keep nothing of a window and an attempt that have passed', async () => {
      const second = { lengthMs: 20, offsetMs: 0 }
      await countersOf(store).reserve(
        'a',
        [request('key', 9, second), hold('tokens', 9, { need: 9, given: { window: second } })],
        { leaseMs: 30, nowMs: 0 },
      )
      expect(await keysLeft()).to.include('gateway:counter:attempt:a')
      await until(async () => (await keysLeft())?.every((key) => key.startsWith(callsPrefix)) === true)
      // The outcome of a process's calls is kept while the process may repeat them.
      const [calls = ''] = (await keysLeft()) ?? []
      expect(await connections[0]?.client.pTTL(calls)).to.be.within(1, 3_600_000)
    })

    it('keep the usage of a budget, and no lease', async () => {
      const counters = countersOf(store)
      await counters.reserve('a', [hold('key', 9, { need: 4, given: { window: null } })], {
        leaseMs: 1000,
        nowMs: 0,
      })
      await counters.settle('a', [{ key: 'key', window: null, amount: 2 }], 0)
      await counters.reserve('dead', [hold('key', 9, { need: 4, given: { window: null } })], {
        leaseMs: 30,
        nowMs: 0,
      })
      await until(
        async () => (await keysLeft())?.join() === 'gateway:counter:budgets,gateway:counter:use:key',
      )
      expect(await counters.read([{ key: 'key', window: null }], 0)).to.deep.equal([{ used: 2, reserved: 0 }])
    })

    it('continue when the server has lost the scripts', async () => {
      await countersOf(store).reserve('a', [request('key', 9)], { leaseMs: 1000, nowMs: 0 })
      await connections[0]?.client.scriptFlush()
      const result = await countersOf(store).reserve('b', [request('key', 9)], { leaseMs: 1000, nowMs: 0 })
      expect(result.readings[0]?.used).to.equal(2)
    })
  })
}
