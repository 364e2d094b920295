/** `gateway keys --store`: keys of the store, from a shell. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { chat, startGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { terminal } from './support.ts'

describe('gateway keys --store', () => {
  let folder = ''
  let environment: Record<string, string> = {}

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-keys-store-'))
    await writeFile(join(folder, 'gateway.json'), '{}')
    environment = {
      GATEWAY_CONFIG: join(folder, 'gateway.json'),
      GATEWAY_DATA_DIR: folder,
      GATEWAY_STORE_URL: `sqlite:${join(folder, 'gateway.db')}`,
      GATEWAY_ADMIN_KEY: 'test-admin-key-0123456789',
    }
  })
  after(() => rm(folder, { recursive: true, force: true }))

  async function keys(...words: string[]) {
    const io = terminal({ environment })
    return { code: await main(['keys', ...words, '--store'], io), output: io.output, errors: io.errors }
  }

  it('creates, lists, rotates and revokes keys that a running gateway accepts', async () => {
    const gateway = await startGateway({}, { environment })
    try {
      const statusOf = async (key: string) =>
        (
          await gateway.post('/v1/chat/completions', chat(), {
            'x-gateway-api-key': key,
            'x-gateway-provider': 'echo',
          })
        ).status
      const becomes = (key: string, status: number) =>
        until(`the key answers ${status}`, async () => (await statusOf(key)) === status)
      const made = await keys('create', '--name', 'ci')
      expect(made.code, made.errors).to.equal(0)
      const key = made.output.trim()
      expect(key).to.match(/^gw-[A-Za-z0-9]{40}$/)
      await becomes(key, 200)
      const listed = await keys('list')
      expect(listed.output).to.contain('ci').and.contain('completions.write').and.not.contain(key)
      const rotated = await keys('rotate', 'ci')
      await becomes(rotated.output.trim(), 200)
      expect(await statusOf(key)).to.equal(200)
      expect((await keys('rotate', 'ci')).code).to.equal(1)
      expect((await keys('revoke', 'ci')).code).to.equal(0)
      await becomes(rotated.output.trim(), 401)
      await becomes(key, 401)
      expect((await keys('revoke', 'ci')).errors).to.contain('Unknown key "ci". None exists.')
    } finally {
      await gateway.stop()
    }
  })

  it('refuses a scope that a workspace key cannot have', async () => {
    const reply = await keys('create', '--name', 'x', '--scopes', 'audit_logs.list')
    expect(reply.code).to.equal(2)
  })

  it('does not write to the config file', async () => {
    expect((await keys('create', '--name', 'x', '--write')).code).to.equal(2)
  })
})
