/** The Redis store: the suite for all stores, and the behaviour with a server that stops, hangs or refuses. */
import { tmpdir } from 'node:os'
import type { Ports, Store } from '@gateway/contract'
import { isGatewayError } from '@gateway/contract'
import redis from '@gateway/store-redis'
import { expect } from 'chai'
import { isRedisInstalled, type RedisServer, startRedis } from '../support/redis.ts'
import { describeStore } from './store.ts'
import { until } from './store-until.ts'

type RedisStore = Store & Pick<Ports, 'kv' | 'shared'>

/** Opens Redis, typed with the ports that it has. */
const openRedis = (url: string) =>
  redis.open(url, { directory: tmpdir(), report: () => undefined }) as Promise<RedisStore>

if (isRedisInstalled()) {
  describe('redis', () => {
    let server: RedisServer
    before(async () => {
      server = await startRedis()
    })
    after(() => server.stop())

    describeStore('on redis', async () => [await openRedis(server.url), await openRedis(server.url)])
  })
  describe('the Redis store', describeTrouble)
} else {
  console.log('left out: the store on Redis, because redis-server is not installed here')
}

function describeTrouble(): void {
  let server: RedisServer
  let store: RedisStore
  beforeEach(async () => {
    server = await startRedis()
    store = await openRedis(server.url)
  })
  afterEach(async () => {
    await store.close()
    await server.stop()
  })

  const operations: [string, () => Promise<unknown>][] = [
    ['ping', () => store.ping()],
    ['cache get', async () => store.kv.get('key')],
    ['cache set', () => store.kv.set('key', 'value')],
    ['cache delete', () => store.kv.delete('key')],
    ['cache clear', () => store.kv.clear()],
    ['increment', () => store.shared.increment('key', 1000)],
    ['acquire', () => store.shared.acquire('key', 1000)],
    ['delete', () => store.shared.delete('key')],
    ['publish', () => store.shared.publish('topic', 'message')],
    ['subscribe', () => store.shared.subscribe('topic', () => undefined)],
  ]

  it('answers dependency_unavailable on every operation after Redis was killed', async () => {
    await server.stop()
    for (const [name, operation] of operations)
      expect(await codeOf(operation), name).to.equal('dependency_unavailable')
  })

  it('works again after a restart, including subscriptions', async () => {
    const messages: string[] = []
    await store.shared.subscribe('topic', (message) => messages.push(message))
    await server.stop()
    expect(await codeOf(() => store.ping())).to.equal('dependency_unavailable')
    server = await startRedis({ port: server.port })
    await until(async () => (await codeOf(() => store.ping())) === undefined)
    await store.kv.set('key', 'value')
    expect(await store.kv.get('key')).to.equal('value')
    await until(async () => {
      await store.shared.publish('topic', 'after')
      return messages.includes('after')
    })
  })

  it('does not keep a subscription that was refused', async () => {
    const messages: string[] = []
    const listener = (message: string) => void messages.push(message)
    await server.stop()
    expect(await codeOf(() => store.shared.subscribe('topic', listener))).to.equal('dependency_unavailable')
    server = await startRedis({ port: server.port })
    const heard: string[] = []
    await until(
      async () =>
        (await codeOf(() => store.shared.subscribe('topic', (one) => heard.push(one)))) === undefined,
    )
    await until(async () => (await codeOf(() => store.shared.publish('topic', 'once'))) === undefined)
    await until(async () => heard.length > 0)
    expect(messages).to.deep.equal([])
  })

  it('treats a hanging server as a cache miss, and refuses other operations', async () => {
    server.pause()
    // Clearing the cache may take time; it is the only operation that may.
    const brief = operations.filter(([name]) => name !== 'cache clear')
    const codes = await Promise.all(brief.map(([, operation]) => codeOf(operation)))
    server.resume()
    expect(new Set(codes)).to.deep.equal(new Set(['dependency_unavailable']))
    await until(async () => (await codeOf(() => store.ping())) === undefined)
  })

  it('can be opened before the server is available, and works afterwards', async () => {
    await server.stop()
    const early = await openRedis(server.url)
    expect(await codeOf(() => early.ping())).to.equal('dependency_unavailable')
    server = await startRedis({ port: server.port })
    await until(async () => (await codeOf(() => early.ping())) === undefined)
    await early.close()
  })

  it('refuses operations after it was closed', async () => {
    await store.close()
    for (const [name, operation] of operations)
      expect(await codeOf(operation), name).to.equal('dependency_unavailable')
  })

  it('never shows its password', async () => {
    const guarded = await startRedis({ password: 'right-secret' })
    const wrong = await openRedis(guarded.url.replace('//', '//default:wrong-secret@'))
    const right = await openRedis(guarded.url.replace('//', '//default:right-secret@'))
    const fault = await wrong.ping().then(() => undefined, errorText)
    await right.ping()
    await wrong.close()
    await right.close()
    await guarded.stop()
    expect(fault).to.include('dependency_unavailable').and.not.include('secret')
  })

  for (const url of ['redis://user:secret@', 'redis://:secret@host/first', 'http://secret@host', 'secret']) {
    it(`refuses ${url.replace('secret', '…')} without repeating it`, async () => {
      const fault = await openRedis(url).then(() => undefined, errorText)
      expect(fault).to.include('invalid_config').and.not.include('secret')
    })
  }
}

async function codeOf(operation: () => Promise<unknown>): Promise<string | undefined> {
  return operation().then(
    () => undefined,
    (error: unknown) => (isGatewayError(error) ? error.code : String(error)),
  )
}

/** Everything that a log could print of an error, including its causes. */
function errorText(error: unknown): string {
  const texts: string[] = []
  for (let one = error; one instanceof Error; one = one.cause) {
    texts.push(String(one.stack), JSON.stringify(one, Object.getOwnPropertyNames(one)))
  }
  return texts.join('\n')
}
