/**
 * A gateway whose Postgres is stopped, hangs, or is cut off in the middle of a commit: cached keys stay valid for their
 * time, no key is reported as unknown without a lookup, no log entry is lost, and everything recovers afterwards.
 */
import { install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { knownForMs } from '#core/tenancy/identity/document-cache'
import { entryAt } from '../../../conformance/stores/log-entries.ts'
import { adminKey } from '../../../support/gateway.ts'
import { createPeople } from '../../../support/people.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../../support/postgres.ts'
import type { Reply } from '../../../support/scene.ts'
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts'
import { until } from '../../../support/until.ts'
import { openTroubled, type TroubledGateway } from './troubled-gateway.ts'

if (isPostgresInstalled()) describe('a gateway with an unavailable Postgres', describeTrouble)
else console.log('left out: a gateway whose Postgres is in trouble, because its server is not installed here')

const unknownKey = 'gw-nobody-has-this-key'
/** The message with which a client ends a transaction. */
const commit = 'commit\0'

function describeTrouble(): void {
  let server: PostgresServer
  let proxy: TcpProxy
  let scene: TroubledGateway
  let clock: ReturnType<typeof install>
  before(async () => {
    server = await startPostgres()
  })
  after(() => server.close())
  beforeEach(async () => {
    const url = new URL(await server.createDatabase())
    proxy = await startTcpProxy(server.port)
    url.port = String(proxy.port)
    // Only the hour is fake: waits are real.
    clock = install({ now: Date.now(), toFake: ['Date'] })
    scene = await openTroubled({ storeUrl: url.href, redisUrl: null })
  })
  afterEach(async () => {
    await scene.stop()
    clock.uninstall()
    await proxy.close()
  })

  const documents = () => scene.gateway.runtime.store.documents
  const outcome = ({ status, error }: Reply) => (status === 200 ? 'ok' : `${status} ${error.code}`)
  const away = '503 store_unavailable'
  const makeKey = () =>
    createPeople(documents).key({ type: 'organisation-service', scopes: ['completions.write'] })
  const logged = (ids: number) => async () => (await scene.gateway.runtime.store.log.count({})) >= ids

  const troubles: [string, () => Promise<void> | void, () => Promise<void> | void][] = [
    ['stopped', () => server.stop(), () => server.start()],
    ['paused', () => server.pause(), () => server.resume()],
    ['cut off', () => proxy.cut(), () => proxy.mend()],
  ]
  for (const [what, breakIt, mendIt] of troubles) {
    it(`keeps serving while Postgres is ${what}, and recovers afterwards`, async () => {
      const key = await makeKey()
      const fresh = await makeKey()
      expect(outcome(await scene.ask(key))).to.equal('ok')
      expect(outcome(await scene.ask(unknownKey))).to.equal('401 invalid_api_key')

      await breakIt()
      try {
        for (let index = 0; index < 5; index += 1) expect(outcome(await scene.ask(key))).to.equal('ok')
        for (const text of [fresh, 'gw-nobody-has-this-either']) {
          const refused = await scene.ask(text)
          expect(outcome(refused), text).to.equal(away)
          expect(Number(refused.headers.get('retry-after')), text).to.be.greaterThan(0)
        }
        const [list, create] = await Promise.all([
          scene.manage(adminKey, 'GET /v1/workspaces'),
          scene.manage(adminKey, 'POST /v1/workspaces', { name: 'Meanwhile' }),
        ])
        for (const refused of [list, create]) {
          expect(outcome(refused)).to.equal(away)
          expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0)
        }
        clock.tick(knownForMs - 1000)
        expect(outcome(await scene.ask(key)), 'near the end of its time').to.equal('ok')
        clock.tick(2000)
        expect(outcome(await scene.ask(key)), 'after its time').to.equal(away)
      } finally {
        await mendIt()
      }
      await until('keys are found again', async () => {
        clock.tick(1000)
        return outcome(await scene.ask(fresh)) === 'ok'
      })
      clock.tick(5000)
      expect(outcome(await scene.ask(key))).to.equal('ok')
      expect(outcome(await scene.ask(unknownKey))).to.equal('401 invalid_api_key')
      expect(outcome(await scene.manage(adminKey, 'GET /v1/workspaces'))).to.equal('ok')
      await until('entries logged meanwhile are written', logged(9))
      expect(await scene.metric('gateway_logs_dropped_total')).to.equal(0)
    })
  }

  for (const [moment, isThere] of [
    ['unsent', false],
    ['unanswered', true],
  ] as const) {
    it(`keeps all of a write or nothing when the connection is cut with the commit ${moment}`, async () => {
      const cut = proxy.cutAt(commit, moment, 'Half way')
      const body = { name: 'Half way', defaults: { metadata: { team: 'a' } } }
      const written = await scene.manage(adminKey, 'POST /v1/workspaces', body)
      await cut
      expect(outcome(written)).to.equal(away)
      proxy.mend()
      const list = await until('it is back', async () => {
        const reply = await scene.manage(adminKey, 'GET /v1/workspaces?search=Half')
        const isDone = reply.status === 200 && (!isThere || (reply.body.data as unknown[]).length > 0)
        return isDone ? reply : null
      })
      const found = list.body.data as Record<string, Record<string, unknown>>[]
      expect(found.map(({ name, defaults }) => [name, defaults?.metadata])).to.deep.equal(
        isThere ? [['Half way', { team: 'a' }]] : [],
      )
      const audit = await scene.manage(adminKey, 'GET /v1/audit-logs?resource_type=workspace&action=create')
      const names = JSON.stringify(audit.body.data)
      expect(names.includes(String(found[0]?.id ?? 'Half way')), names).to.equal(isThere)
    })
  }

  it('keeps logs up to its limit, and counts dropped entries', async () => {
    const { logs } = scene.gateway.runtime
    const entry = () => entryAt(Date.now())
    proxy.cut()
    for (let index = 0; index < 10_050; index += 1) logs.add(entry())
    expect(await scene.metric('gateway_logs_dropped_total')).to.equal(50)
    proxy.mend()
    await until('they are written', logged(10_000))
    expect(await scene.gateway.runtime.store.log.count({})).to.equal(10_000)
  })

  it('starts without Postgres, accepts the keys of its config file, and loads everything once Postgres is available', async () => {
    const url = new URL(await server.createDatabase())
    await server.stop()
    let isUp = false
    const early = await openTroubled({ storeUrl: url.href, redisUrl: null })
    try {
      expect(outcome(await early.manage(adminKey, 'GET /v1/workspaces'))).to.equal(away)
      expect((await fetch(`${early.gateway.url}/readyz`)).status).to.equal(503)
      await server.start()
      isUp = true
      await until('management answers', async () => {
        // Keys that could not be looked up are looked up again after a while.
        clock.tick(1000)
        const reply = await early.manage(adminKey, 'GET /v1/workspaces')
        return reply.status === 200 && (reply.body.data as unknown[]).length === 1
      })
      expect(outcome(await early.ask(adminKey))).to.equal('ok')
    } finally {
      if (!isUp) await server.start()
      await early.stop()
    }
  })
}
