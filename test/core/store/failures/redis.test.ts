/**
 * A gateway whose Redis is stopped, hangs, or is cut off in the middle of an answer: inference continues, limits are
 * enforced as far as possible, sessions stay valid, and everything recovers afterwards.
 */
import { install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { pretendIdle } from '../../../support/clock.ts'
import { adminKey } from '../../../support/gateway.ts'
import { createPeople } from '../../../support/people.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../../support/redis.ts'
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts'
import { until } from '../../../support/until.ts'
import { sendJson } from '../../../support/upstream.ts'
import { keys, openTroubled, ratePerDay, type TroubledGateway } from './troubled-gateway.ts'

if (isRedisInstalled()) describe('a gateway with an unavailable Redis', describeTrouble)
else console.log('left out: a gateway whose Redis is in trouble, because redis-server is not installed here')

function describeTrouble(): void {
  let server: RedisServer
  let proxy: TcpProxy
  let scene: TroubledGateway
  let clock: ReturnType<typeof install>
  pretendIdle()
  beforeEach(async () => {
    server = await startRedis()
    proxy = await startTcpProxy(server.port)
    // Only the hour is fake: waits are real.
    clock = install({ now: Date.now(), toFake: ['Date'] })
    scene = await openTroubled({ storeUrl: 'memory:', redisUrl: `redis://127.0.0.1:${proxy.port}` })
  })
  afterEach(async () => {
    server.resume()
    await scene.stop()
    clock.uninstall()
    await proxy.close()
    await server.stop()
  })

  const troubles: [string, () => Promise<void> | void, () => Promise<void> | void][] = [
    [
      'stopped',
      () => server.stop(),
      async () => {
        server = await startRedis({ port: server.port })
      },
    ],
    ['paused', () => server.pause(), () => server.resume()],
    ['cut off', () => proxy.cut(), () => proxy.mend()],
    [
      'cut off in the middle of an answer',
      async () => {
        proxy.cutInNextAnswer()
        await scene.ask(keys.plain, 'cached', 'whose answer breaks off')
      },
      () => proxy.mend(),
    ],
  ]
  const statusesOf = async (count: number, ask: () => ReturnType<TroubledGateway['ask']>) => {
    const statuses: number[] = []
    for (let index = 0; index < count; index += 1) statuses.push((await ask()).status)
    return statuses
  }
  const codeOf = async (asked: ReturnType<TroubledGateway['ask']>) => {
    const { status, error } = await asked
    return status === 200 ? 'ok' : error.code
  }
  const isCacheBack = async () => {
    clock.tick(1000)
    const content = `after ${Math.random()}`
    await scene.ask(keys.plain, 'cached', content)
    const { headers } = await scene.ask(keys.plain, 'cached', content)
    return headers.get('x-gateway-cache-status') === 'HIT'
  }

  for (const [what, breakIt, mendIt] of troubles) {
    it(`keeps serving while Redis is ${what}, and recovers afterwards`, async () => {
      const people = createPeople(() => scene.gateway.runtime.store.documents)
      const stored = await people.key({ type: 'organisation-service', scopes: ['workspaces.list'] })
      const user = await people.user('ada@example.com', 'admin')
      const session = await people.session(user)
      const spent = async () => (await scene.ask(keys.budgeted)).status
      const isBudgetKnown = async () => {
        clock.tick(1000)
        return (await spent()) === 200
      }
      // Redis may have answered too late before, and is left alone for a while.
      await until('the answer is cached', async () => {
        clock.tick(1000)
        const { headers } = await scene.ask(keys.plain, 'cached', 'known')
        return headers.get('x-gateway-cache-status') === 'HIT'
      })
      await until('the budget is known', isBudgetKnown)

      await breakIt()
      const miss = await scene.ask(keys.plain, 'cached', 'known')
      expect([miss.status, miss.headers.get('x-gateway-cache-status')]).to.deep.equal([200, 'MISS'])
      expect(await statusesOf(ratePerDay + 2, () => scene.ask(keys.rated))).to.deep.equal([
        ...Array.from({ length: ratePerDay }, () => 200),
        429,
        429,
      ])
      for (const credential of [stored, session]) {
        expect((await scene.manage(credential, 'GET /v1/workspaces')).status, credential).to.equal(200)
      }
      expect(await spent(), 'a budget that was known a moment ago').to.equal(200)
      clock.tick(61_000)
      const refused = await scene.ask(keys.budgeted)
      expect([refused.status, refused.error.code]).to.deep.equal([503, 'store_unavailable'])
      expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0)
      expect(await spent(), 'still').to.equal(503)

      await mendIt()
      await until('the cache is used again', isCacheBack)
      await until('the budget is known again', isBudgetKnown)
    })
  }

  it('delays a few requests while Redis hangs, and none after them', async () => {
    await scene.ask(keys.budgeted, 'cached')
    server.pause()
    const real = globalThis.setTimeout
    let waits = 0
    const counting = (callback: () => void, ms = 0, ...args: []) => {
      if (ms === 50) waits += 1
      return real(callback, ms, ...args)
    }
    Object.assign(globalThis, { setTimeout: counting })
    try {
      expect(await statusesOf(50, () => scene.ask(keys.budgeted, 'cached'))).to.not.include(503)
    } finally {
      Object.assign(globalThis, { setTimeout: real })
    }
    // Each request uses Redis four times: for its limit, to read and to write the cache, and to settle.
    expect(waits).to.be.greaterThan(0).and.at.most(60)
  })

  it('opens a circuit by the failures that this process sees', async () => {
    server.pause()
    scene.upstream.handle((_request, response) => sendJson(response, 500, { error: { message: 'no' } }))
    const codes: (string | undefined)[] = []
    for (let index = 0; index < 4; index += 1) codes.push(await codeOf(scene.ask(keys.plain, 'guarded')))
    expect(codes.slice(2)).to.deep.equal(['circuit_open', 'circuit_open'])
    expect(scene.upstream.seen).to.have.length(2)
  })

  it('accepts requests while it starts without Redis', async () => {
    await server.stop()
    const early = await openTroubled({ storeUrl: 'memory:', redisUrl: server.url })
    try {
      expect(await codeOf(early.ask(keys.plain, 'cached'))).to.equal('ok')
      expect(await codeOf(early.ask(keys.rated))).to.equal('ok')
      expect(await codeOf(early.ask(keys.budgeted)), 'of which nothing was ever known').to.equal(
        'store_unavailable',
      )
      expect((await early.manage(adminKey, 'GET /v1/workspaces')).status).to.equal(200)
      server = await startRedis({ port: server.port })
      await until('the budget is known', async () => {
        clock.tick(1000)
        return (await codeOf(early.ask(keys.budgeted))) === 'ok'
      })
    } finally {
      await early.stop()
    }
  })
}
