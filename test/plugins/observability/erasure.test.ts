/** An erasure by person on one replica, while calls of the person wait in the queue of another one. */
import { expect } from 'chai'
import { adminKey, chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

if (isPostgresInstalled()) describe('an erasure by person on two replicas', describeErasure)
else console.log('left out: an erasure on two replicas, because Postgres is not installed here')

function describeErasure(this: Mocha.Suite): void {
  let server: PostgresServer
  const replicas: TestGateway[] = []
  before(async () => {
    server = await startPostgres()
    const environment = {
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
      GATEWAY_STORE_URL: await server.createDatabase(),
    }
    for (let count = 0; count < 2; count += 1) replicas.push(await startGateway({}, { environment }))
  })
  after(async () => {
    for (const replica of replicas) await replica.stop()
    await server.close()
  })

  const metadataOf = (user: string) => JSON.stringify({ _user: user })
  const call = async (replica: TestGateway, user: string) => {
    const headers = { 'x-gateway-provider': 'echo', 'x-gateway-metadata': metadataOf(user) }
    const answer = await replica.post('/v1/chat/completions', chat('hello'), headers)
    expect(answer.status).to.equal(200)
    await answer.text()
  }
  const erase = (replica: TestGateway, user: string) =>
    fetch(`${replica.url}/v1/logs?metadata=${encodeURIComponent(metadataOf(user))}`, {
      method: 'DELETE',
      headers: { 'x-gateway-api-key': adminKey },
    })
  const countOf = async (replica: TestGateway, user: string) => {
    const answer = await replica.get(`/v1/logs?metadata=${encodeURIComponent(metadataOf(user))}`)
    return ((await answer.json()) as { total: number }).total
  }

  it('also removes entries that the other replica writes late, and no later calls', async () => {
    const [here, there] = replicas
    if (here === undefined || there === undefined) throw new Error('There are two replicas.')
    for (const user of ['ann', 'bob', 'cy']) {
      await call(there, user)
      const erased = await erase(here, user)
      expect(erased.status).to.equal(200)
      await there.runtime.logs.flush()
      expect(await countOf(here, user), user).to.equal(0)
      await call(there, user)
      await until('the later call is there', async () => (await countOf(here, user)) === 1)
    }
  })
}
