/** `GATEWAY_LOGS_URL`: the log in a separate store. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ports, Store } from '@gateway/contract'
import sqlStore from '@gateway/store-sql'
import { expect } from 'chai'
import { adminKey, chat, startGateway } from '../../support/gateway.ts'

describe('a separate log store', () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-own-logs-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  const start = (logsUrl: string) =>
    startGateway(
      {},
      {
        environment: {
          GATEWAY_ADMIN_KEY: adminKey,
          GATEWAY_DATA_DIR: directory,
          GATEWAY_STORE_URL: 'memory:',
          GATEWAY_LOGS_URL: logsUrl,
        },
      },
    )

  it('contains the entries, and is read by the API', async () => {
    const url = `sqlite:${directory}/logs.db`
    const gateway = await start(url)
    const reply = await gateway.post('/v1/chat/completions', chat(), { 'x-gateway-provider': 'echo' })
    const id = reply.headers.get('x-request-id') ?? ''
    await reply.text()
    await new Promise((resolve) => setImmediate(resolve))
    await gateway.runtime.logs.flush()
    expect((await gateway.get(`/v1/logs/${id}`)).status).to.equal(200)
    await gateway.stop()
    const store = (await sqlStore.open(url, { directory, report: () => undefined })) as Store & Ports
    expect((await store.log.read([id])).map((entry) => entry.id)).to.deep.equal([id])
    await store.close()
  })

  it('stops the start when no package can open it', async () => {
    const fault = await start('punchcards://here').then(() => null, String)
    expect(fault).to.include('No package opens a store at punchcards:')
  })
})
