/** Every file store stores, returns and removes bytes in the same way. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import S3rver from 's3rver'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { ask, auth, type Json, upload } from './fixtures.ts'

const bucket = 'gateway-files'

describe('file stores', () => {
  let directory = ''
  let server: S3rver
  let port = 0
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-s3-'))
    server = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory,
      configureBuckets: [{ name: bucket }],
    })
    port = (await server.run()).port
  })
  after(async () => {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  })

  const stores: Record<string, () => Json> = {
    disk: () => ({ store: 'disk' }),
    database: () => ({ store: 'database' }),
    s3: () => ({
      store: 's3',
      s3: {
        endpoint: `http://127.0.0.1:${port}`,
        region: 'us-east-1',
        bucket,
        prefix: 'a/',
        access_key_id: 'S3RVER',
        secret_access_key: 'S3RVER',
        force_path_style: true,
      },
    }),
  }

  for (const [name, files] of Object.entries(stores)) {
    describe(name, () => {
      let gateway: TestGateway
      before(async () => {
        gateway = await startGateway({ files: files() })
      })
      after(() => gateway.stop())

      for (const [what, size] of [
        ['nothing', 0],
        ['a few bytes', 5],
        ['several parts', 20_000_003],
      ] as const) {
        it(`store, return and delete ${what}`, async () => {
          const sent = Buffer.alloc(size, 'the bytes of a file, and more')
          const { status, body } = await upload(gateway, sent, { purpose: 'assistants' })
          expect([status, body.bytes]).to.deep.equal([200, size])
          const answer = await fetch(`${gateway.url}/v1/files/${body.id}/content`, { headers: auth })
          expect(answer.status).to.equal(200)
          expect(Buffer.from(await answer.arrayBuffer()).equals(sent)).to.equal(true)
          expect((await ask(gateway, `DELETE /v1/files/${body.id}`)).status).to.equal(200)
        })
      }
    })
  }

  it('answer 503, and never 404, when the bytes of a file cannot be reached', async () => {
    const gateway = await startGateway({ files: { store: 'disk' } })
    try {
      const { body } = await upload(gateway, 'text')
      await rm(join(gateway.configPath, '..', 'files'), { recursive: true })
      const reply = await ask(gateway, `GET /v1/files/${body.id}/content`)
      expect([reply.status, reply.body.error?.code]).to.deep.equal([503, 'store_unavailable'])
    } finally {
      await gateway.stop()
    }
  })

  it('log the cause of a disk error, which the answer does not reveal', async () => {
    const blocked = join(directory, 'blocked')
    await writeFile(blocked, '')
    const gateway = await startGateway({ files: { store: 'disk', dir: join(blocked, 'files') } })
    try {
      const reply = await upload(gateway, 'text')
      expect([reply.status, reply.body.error?.code]).to.deep.equal([503, 'store_unavailable'])
      expect(JSON.stringify(reply.body)).not.to.include('ENOTDIR')
      const [logged] = gateway.logs.filter(({ msg }) => msg === 'a store failed')
      expect(String(logged?.reason)).to.include('(ENOTDIR: not a directory')
    } finally {
      await gateway.stop()
    }
  })
})
