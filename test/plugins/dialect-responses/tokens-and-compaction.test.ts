/**
 * `/v1/responses/input_tokens` and `/v1/responses/compact`, at providers that have them and, as estimates, at others.
 */
import { expect } from 'chai'
import { configHeader, json, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { compactionFaults, inputTokensFaults } from '../../support/open-responses.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

const usage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 3,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 12,
}
const compaction = {
  id: 'resp_1',
  object: 'response.compaction',
  created_at: 1_700_000_000,
  output: [{ id: 'cmp_1', type: 'compaction', encrypted_content: 'opaque' }],
  usage,
}

describe('token counts and compaction of responses', () => {
  let gateway: TestGateway
  let upstream: Upstream
  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream((request, response) => {
      if (request.path.endsWith('/input_tokens'))
        sendJson(response, 200, { object: 'response.input_tokens', input_tokens: 42 })
      else sendJson(response, 200, compaction)
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  const ask = (path: string, config: unknown, body: object = {}) =>
    gateway.post(`/v1/responses/${path}`, { model: 'm', input: 'hello world', ...body }, configHeader(config))

  it('are forwarded to a provider that counts tokens', async () => {
    const answer = await ask('input_tokens', target(upstream.url))
    const body = await json(answer)
    expect(inputTokensFaults(body)).to.deep.equal([])
    expect(body).to.include({ input_tokens: 42 })
    expect(upstream.seen.at(-1)?.path).to.equal('/v1/responses/input_tokens')
    expect(answer.headers.get('x-gateway-token-count')).to.equal(null)
  })

  it('are estimated for a provider that does not count tokens', async () => {
    const answer = await ask('input_tokens', { provider: 'echo' }, { instructions: 'x'.repeat(400) })
    const body = await json(answer)
    expect(answer.headers.get('x-gateway-token-count')).to.equal('estimate')
    expect(inputTokensFaults(body)).to.deep.equal([])
    expect(body.input_tokens).to.be.within(100, 115)
  })

  it('are forwarded to a provider that supports compaction', async () => {
    const answer = await ask('compact', target(upstream.url))
    expect(answer.status).to.equal(200)
    const body = await json(answer)
    expect(compactionFaults(body)).to.deep.equal([])
    expect(body).to.deep.include({ object: 'response.compaction', output: compaction.output })
  })
})
