/**
 * A Redis that hangs, or answers too late: a few commands of the cache wait for it, all others are refused immediately
 * until it answers again.
 */
import { isGatewayError, type Ports, type Store } from '@gateway/contract'
import redis from '@gateway/store-redis'
import { expect } from 'chai'
import { pretendIdle, stopClock } from '../../support/clock.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/until.ts'

if (isRedisInstalled()) describe('a Redis that does not answer in time', describeRest)
else console.log('left out: a Redis that does not answer in time, because redis-server is not installed here')

function describeRest(): void {
  const deadlineMs = 50
  const mostWaits = 5
  let server: RedisServer
  let proxy: TcpProxy
  let store: Store & Pick<Ports, 'kv' | 'shared'>
  before(async () => {
    server = await startRedis()
  })
  after(() => server.stop())
  beforeEach(async () => {
    proxy = await startTcpProxy(server.port)
    const url = `redis://127.0.0.1:${proxy.port}`
    store = (await redis.open(url, { directory: '.', report: () => undefined })) as typeof store
    await store.kv.set('key', 'value')
  })
  const clock = stopClock()
  pretendIdle()
  afterEach(async () => {
    server.resume()
    await Promise.all([clock.run(store.close()), proxy.close()])
  })

  const read = async () => store.kv.get('key')
  const waits = () => clock.waits.filter((ms) => ms === deadlineMs).length
  /** Whether it was refused, with the clock advanced while it waits. */
  async function isRefused(operation: () => Promise<unknown>): Promise<boolean> {
    let outcome: boolean | undefined
    const asked = waits()
    operation().then(
      () => {
        outcome = false
      },
      (error: unknown) => {
        outcome = isGatewayError(error) && error.code === 'dependency_unavailable'
      },
    )
    await until('an answer, or a wait for one', () => outcome !== undefined || waits() > asked)
    if (outcome === undefined) await clock.tick(deadlineMs)
    await until('the end of the wait', () => outcome !== undefined)
    return outcome === true
  }
  const operations = [
    read,
    () => store.kv.delete('other'),
    () => store.shared.increment('count', 1000),
    () => store.shared.acquire('lease', 1000),
  ]
  const askAll = async (times: number) => {
    for (let index = 0; index < times; index += 1) {
      const operation = operations[index % operations.length] ?? read
      expect(await isRefused(operation), `question ${index}`).to.equal(true)
    }
  }
  /** The probe has ended after the command that starts it. */
  const probed = () => clock.tick(deadlineMs)
  const isUsed = async () => (await read().catch(() => undefined)) === 'value'

  it('delays five commands, and refuses the following ones at once', async () => {
    server.pause()
    await askAll(100)
    expect(waits()).to.be.greaterThan(0).and.at.most(mostWaits)
  })

  it('is probed once a second, after a refused command', async () => {
    server.pause()
    await askAll(20)
    for (const second of [1, 2]) {
      await clock.tick(1000)
      await askAll(20)
      await probed()
      expect(waits(), `in second ${second}`).to.be.at.most(mostWaits + second)
    }
  })

  it('is used again after a successful probe', async () => {
    server.pause()
    await askAll(20)
    server.resume()
    expect(await isRefused(read), 'before the probe').to.equal(true)
    await clock.tick(999)
    expect(await isRefused(read), 'a moment before the probe').to.equal(true)
    await clock.tick(1)
    // The clock is stopped: no other probe begins, and this one has enough time.
    await until('the answer of the probe', isUsed)
  })

  it('opens the circuit only for consecutive timeouts', async () => {
    for (let round = 0; round < 3; round += 1) {
      server.pause()
      await askAll(mostWaits - 1)
      server.resume()
      // This runs without the fake clock, which gives it enough time.
      expect(await read(), `round ${round}`).to.equal('value')
    }
    expect(waits()).to.be.at.most(3 * mostWaits)
  })

  it('is used again at once after a new connection', async () => {
    server.pause()
    await askAll(20)
    server.resume()
    proxy.cut()
    proxy.mend()
    // The clock advances only between commands: each has enough time.
    await until('an answer over the new connection', async () => {
      await clock.tick(10)
      return isUsed()
    })
  })

  it('keeps its connection when its answers arrive late', async () => {
    const before = proxy.connections()
    // Four timeouts, longer in total than a connection may be silent.
    for (let round = 1; round < mostWaits; round += 1) {
      const answers = proxy.answers()
      proxy.hold()
      await askAll(1)
      proxy.release()
      await until('the late answer', () => proxy.answers() > answers)
      await clock.tick(1000)
    }
    expect(proxy.connections()).to.equal(before)
  })
}
