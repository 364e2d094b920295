/**
 * Allowed webhook hosts: public ones, and those that `security.trusted_hosts` lists; every redirect passes the host
 * guard.
 */
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'
import { readReply } from '../../support/scene.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { hooksOf } from './fixtures/open.ts'

const addresses: Record<string, string> = {
  'judge.example': '127.0.0.1',
  'rebound.example': '10.1.2.3',
  'metadata.example': '169.254.169.254',
}

/** No real resolver is used for the names in these tests. */
const resolve = async (hostname: string) => {
  const address = addresses[hostname]
  if (address === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  return [{ address, family: 4 }]
}

describe('the host of a webhook', () => {
  let service: Upstream
  let port = ''
  const gateways: Record<'open' | 'shut', TestGateway | undefined> = { open: undefined, shut: undefined }

  before(async () => {
    service = await openUpstream((_request, response) => sendJson(response, 200, { verdict: false }))
    port = new URL(service.origin).port
    gateways.open = await startGateway({}, { resolve })
    gateways.shut = await startGateway({ security: { trusted_hosts: [] } }, { resolve })
  })
  beforeEach(() => {
    service.seen.length = 0
  })
  after(async () => {
    await gateways.open?.stop()
    await gateways.shut?.stop()
    await service.close()
  })

  const ask = async (gateway: keyof typeof gateways, webhookURL: string) => {
    const guard = { id: 'hook', deny: true, webhook: { webhookURL } }
    const config = { provider: 'echo', input_guardrails: [guard] }
    const response = await gateways[gateway]?.post('/v1/chat/completions', chat(), configHeader(config))
    const reply = await readReply(response as Response)
    return { reply, error: hooksOf(reply).before_request_hooks[0]?.checks[0]?.error ?? null }
  }

  for (const host of ['127.0.0.1', 'localhost', 'judge.example']) {
    it(`can be trusted: ${host}`, async () => {
      const { reply } = await ask('open', `http://${host}:${port}/judge`)
      expect(reply.status).to.equal(446)
      expect(service.seen[0]?.headers.host).to.equal(`${host}:${port}`)
    })
  }

  const refused = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    'localhost',
    'sub.localhost',
    'judge.example',
    'rebound.example',
    'metadata.example',
    '169.254.169.254',
    'metadata.google.internal',
  ]
  for (const host of refused) {
    it(`is refused when it is not trusted: ${host}`, async () => {
      const { reply, error } = await ask('shut', `http://${host}:${port}/judge`)
      expect(reply.status).to.equal(200)
      expect(error?.name).to.equal('host_not_allowed')
      expect(service.seen).to.deep.equal([])
    })
  }

  it('cannot contain a user name', async () => {
    const { error } = await ask('open', `http://user:secret@127.0.0.1:${port}/judge`)
    expect(error?.name).to.equal('host_not_allowed')
    expect(error?.message).not.to.contain('secret')
    expect(service.seen).to.deep.equal([])
  })

  it('is an error that does not repeat the name when it cannot be resolved', async () => {
    const { reply, error } = await ask('open', 'http://nobody.example/judge')
    expect(reply.status).to.equal(200)
    expect(error?.name).to.equal('dependency_unavailable')
    expect(error?.message).not.to.contain('nobody.example')
  })

  for (const webhookURL of ['ftp://127.0.0.1/', 'judge', '']) {
    it(`must be in an http URL: "${webhookURL}"`, async () => {
      const config = { provider: 'echo', input_guardrails: [{ webhook: { webhookURL } }] }
      const response = await gateways.open?.post('/v1/chat/completions', chat(), configHeader(config))
      const { status, error } = await readReply(response as Response)
      expect([status, error.code]).to.deep.equal([400, 'invalid_config'])
      expect(error.param).to.contain('config/input_guardrails/0/webhook')
    })
  }
})
