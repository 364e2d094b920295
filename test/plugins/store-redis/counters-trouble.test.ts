/** Limits over a Redis that is stopped, hangs, or is cut off: they are enforced, respond immediately, and recover. */
import type { Counters } from '@gateway/contract'
import { expect } from 'chai'
import { createResilientCounters, type ResilientCounters } from '#counters/resilient-counters'
import { type Connection, connect } from '#store-redis/connection'
import { createCounters } from '#store-redis/counters'
import { until } from '../../conformance/store-until.ts'
import { hold, leaseMs, request } from '../../conformance/stores/counters.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

if (isRedisInstalled()) describe('limits with an unavailable Redis', describeTrouble)
else console.log('left out: limits over a Redis in trouble, because redis-server is not installed here')

function describeTrouble(): void {
  const day = { lengthMs: 86_400_000, offsetMs: 0 }
  let server: RedisServer
  let proxy: TcpProxy
  let connection: Connection
  let direct: Connection
  let shared: Counters
  let counters: ResilientCounters
  beforeEach(async () => {
    server = await startRedis()
    proxy = await startTcpProxy(server.port)
    connection = await connect(`redis://127.0.0.1:${proxy.port}`)
    direct = await connect(server.url)
    shared = createCounters(direct)
    counters = createResilientCounters(createCounters(connection), { report: () => undefined })
  })
  afterEach(async () => {
    await connection.close()
    await direct.close()
    await proxy.close()
    await server.stop()
  })

  const budget = hold('budget', 100, { need: 10, given: { window: null, admits: 'open' } })
  const used = async () =>
    (await shared.read([{ key: 'budget', window: null }], Date.now()).catch(() => []))[0]?.used
  const spend = async (id: string, amount: number) => {
    const { isAdmitted } = await counters.reserve(id, [budget], { leaseMs, nowMs: Date.now() })
    await counters.settle(id, [{ key: 'budget', window: null, amount }], Date.now())
    return isAdmitted
  }

  const troubles: [string, () => Promise<void> | void, () => Promise<void> | void][] = [
    [
      'stopped and started empty',
      () => server.stop(),
      async () => {
        server = await startRedis({ port: server.port })
      },
    ],
    ['paused', () => server.pause(), () => server.resume()],
    ['cut off', () => proxy.cut(), () => proxy.mend()],
  ]
  for (const [what, breakIt, mendIt] of troubles) {
    it(`are enforced while it is ${what}, and the usage is delivered afterwards`, async () => {
      await spend('before', 40)
      await counters.reserve('under way', [budget], { leaseMs, nowMs: Date.now() })
      await breakIt()
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          counters.reserve(`a${index}`, [request('requests', 25, day)], { leaseMs, nowMs: Date.now() }),
        ),
      )
      expect(results.filter(({ isAdmitted }) => isAdmitted)).to.have.length(25)
      await counters.settle('under way', [{ key: 'budget', window: null, amount: 5 }], Date.now())
      expect(await spend('meanwhile', 50)).to.equal(true)
      expect(await spend('last', 5)).to.equal(true)
      expect(await spend('too much', 1)).to.equal(false)
      await mendIt()
      // These counters are not used meanwhile.
      await until(async () => (await used()) === 100)
      expect(await spend('after', 1)).to.equal(false)
    })
  }

  describe('count a reservation once whose answer was lost', () => {
    const requests = [
      request('rate', 10, day),
      { ...request('requests', 10), window: null, admits: 'open' as const },
    ]
    const keys = requests.map(({ key, window }) => ({ key, window }))
    const countsOf = async () =>
      (await shared.read(keys, Date.now()).catch(() => [])).map((reading) => reading.used)
    const ask = (id: string) => counters.reserve(id, requests, { leaseMs, nowMs: Date.now() })
    const unshared = () => counters.isUnshared()

    it('when the connection is back at once and it is asked again', async () => {
      await ask('before')
      const isCut = proxy.cutAt('evalsha', 'unanswered')
      const answer = ask('lost')
      await isCut
      proxy.mend()
      expect((await answer).isAdmitted).to.equal(true)
      await until(async () => !unshared() && (await countsOf())[1] === 2)
      await ask('after')
      // Whether it was asked again or went alone: in Redis it counts once.
      expect(await countsOf()).to.deep.equal([3, 3])
    })

    it('when the process counted alone meanwhile', async () => {
      await ask('before')
      const isCut = proxy.cutAt('evalsha', 'unanswered')
      const answer = ask('lost')
      await isCut
      expect((await answer).isAdmitted).to.equal(true)
      expect((await ask('alone')).isAdmitted).to.equal(true)
      expect((await counters.read(keys, Date.now())).map(({ used }) => used)[1]).to.equal(3)
      proxy.mend()
      await until(async () => !unshared())
      // The rate counted `alone` in that process only.
      expect(await countsOf()).to.deep.equal([2, 3])
    })

    it('also of a server that hangs for longer than its silence is waited for', async () => {
      await ask('before')
      server.pause()
      const answer = ask('lost')
      expect((await answer).isAdmitted).to.equal(true)
      server.resume()
      await until(async () => !unshared())
      await until(async () => (await countsOf())[1] === 2)
      await ask('after')
      expect((await countsOf())[1]).to.equal(3)
    })

    it('and refuse requests that it would have refused', async () => {
      for (let index = 0; index < 10; index += 1) await ask(`before-${index}`)
      const isCut = proxy.cutAt('evalsha', 'unanswered')
      const answer = ask('lost')
      await isCut
      proxy.mend()
      expect((await answer).isAdmitted).to.equal(false)
      await until(async () => !unshared())
      expect(await countsOf()).to.deep.equal([10, 10])
    })
  })

  it('add up the usage of two processes that were each cut off', async () => {
    const otherProxy = await startTcpProxy(server.port)
    const otherConnection = await connect(`redis://127.0.0.1:${otherProxy.port}`)
    const other = createResilientCounters(createCounters(otherConnection), { report: () => undefined })
    const both = [
      { line: proxy, own: counters },
      { line: otherProxy, own: other },
    ]
    const wide = hold('budget', 100_000, { need: 10, given: { window: null, admits: 'open' } })
    const begin = async (own: Counters, id: string) => {
      expect((await own.reserve(id, [wide], { leaseMs, nowMs: Date.now() })).isAdmitted).to.equal(true)
      return (amount: number) => own.settle(id, [{ key: 'budget', window: null, amount }], Date.now())
    }
    try {
      for (const [index, { own }] of both.entries()) await (await begin(own, `before-${index}`))(20)
      const held = await Promise.all(both.map(({ own }, index) => begin(own, `held-${index}`)))
      for (const { line } of both) line.cut()
      for (const settle of held) await settle(3)
      for (const [index, { own }] of both.entries())
        for (let call = 0; call < 10; call += 1) await (await begin(own, `alone-${index}-${call}`))(7)
      const late = await Promise.all(both.map(({ own }, index) => begin(own, `late-${index}`)))
      for (const { line } of both) line.mend()
      await until(async () => (await used()) === 40 + 6 + 140)
      for (const settle of late) await settle(5)
      await until(async () => (await used()) === 40 + 6 + 140 + 10)
    } finally {
      await otherConnection.close()
      await otherProxy.close()
    }
  })
}
