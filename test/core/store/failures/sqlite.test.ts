/** A gateway whose SQLite file is locked by another process: cached keys work, the rest is 503, and it recovers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faultReason, isGatewayError } from '@gateway/contract'
import { expect } from 'chai'
import { sql } from 'kysely'
import { createDocuments } from '#store-sql/documents'
import { guardPort } from '#store-sql/guard'
import { openSqlite } from '#store-sql/sqlite-database'
import { SqliteDriver } from '#store-sql/sqlite-driver'
import { upgrade } from '#store-sql/upgrade'
import { draft } from '../../../conformance/stores/draft.ts'
import { adminKey } from '../../../support/gateway.ts'
import { createPeople } from '../../../support/people.ts'
import { openTroubled, type TroubledGateway } from './troubled-gateway.ts'

describe('a gateway whose SQLite file is locked', () => {
  let directory: string
  let scene: TroubledGateway
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-locked-'))
    scene = await openTroubled({ storeUrl: `sqlite:${join(directory, 'gateway.db')}`, redisUrl: null })
  })
  afterEach(async () => {
    await scene.stop()
    await rm(directory, { recursive: true, force: true })
  })

  it('accepts known keys, answers 503 to a write, and writes again afterwards', async () => {
    const people = createPeople(() => scene.gateway.runtime.store.documents)
    const key = await people.key({ type: 'organisation-service', scopes: ['completions.write'] })
    expect((await scene.ask(key)).status).to.equal(200)
    const other = new SqliteDriver(join(directory, 'gateway.db'))
    other.exec('begin immediate')
    const create = scene.manage(adminKey, 'POST /v1/workspaces', { name: 'Locked' })
    for (let index = 0; index < 10; index += 1) expect((await scene.ask(key)).status).to.equal(200)
    const refused = await create
    other.exec('rollback')
    other.close()
    expect([refused.status, refused.error.code]).to.deep.equal([503, 'store_unavailable'])
    expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0)
    expect(refused.text).not.to.include('SQLITE_BUSY')
    const logged = scene.gateway.logs.filter(({ msg }) => msg === 'a store failed')
    expect(logged.map(({ code, reason }) => [code, reason])).to.deep.include([
      'store_unavailable',
      'The store is not available. (SQLITE_BUSY: database is locked)',
    ])
    const again = await scene.manage(adminKey, 'POST /v1/workspaces', { name: 'Locked' })
    expect([again.status, again.body.name]).to.deep.equal([200, 'Locked'])
    const list = await scene.manage(adminKey, 'GET /v1/workspaces?search=Locked')
    expect(list.body.total).to.equal(1)
  })
})

describe('an SQLite file on a full disk', () => {
  it('refuses writes without room, keeps its data, and accepts writes when there is room again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-full-'))
    const database = openSqlite(join(directory, 'gateway.db'))
    try {
      await upgrade(database)
      const documents = guardPort(createDocuments(database), async () => undefined)
      const put = (text: string) => {
        const document = draft('config', { data: { text } })
        return documents.commit([{ op: 'put', document }])
      }
      const [kept] = await put('before')
      const pages = async (most: number) =>
        void (await sql.raw(`pragma max_page_count = ${most}`).execute(database.read))
      // The minimum: no more pages than exist.
      await pages(1)
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => put('x'.repeat(20_000))))
      const codes = outcomes.map((one) =>
        one.status === 'rejected' && isGatewayError(one.reason) ? one.reason.code : one.status,
      )
      expect(new Set(codes)).to.deep.equal(new Set(['store_unavailable']))
      const reasons = outcomes.map((one) =>
        one.status === 'rejected' ? faultReason(one.reason) : one.status,
      )
      expect(new Set(reasons)).to.deep.equal(
        new Set(['The store is not available. (SQLITE_FULL: database or disk is full)']),
      )
      expect(await documents.get(kept?.kind ?? '', kept?.id ?? '')).to.deep.equal(kept)
      await pages(1_000_000)
      await put('x'.repeat(20_000))
      expect(await documents.scan(null, null, 100)).to.have.length(2)
    } finally {
      await database.close()
      await rm(directory, { recursive: true, force: true })
    }
  })
})
