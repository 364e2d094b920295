/** Prompts belong to the control plane: without it a config that runs one says so, and other requests are served. */
import { expect } from 'chai'
import { chat, configHeader, json, startGateway, type TestGateway } from '../../support/gateway.ts'

describe('a gateway without a package that renders prompts', () => {
  let gateway: TestGateway
  before(async () => {
    const providers = { mine: { provider: 'echo' } }
    gateway = await startGateway({ plugins: { disabled: ['control-plane'] }, providers })
  })
  after(() => gateway.stop())
  const send = (path: string, body: object, config: object) => gateway.post(path, body, configHeader(config))
  const withPrompt = { provider: '@mine', prompt_id: 'greeting' }

  it('answers a request whose config runs a prompt with 404 unknown_prompt and the reason', async () => {
    const answer = await send('/v1/chat/completions', { model: 'm', variables: {} }, withPrompt)
    expect(answer.status).to.equal(404)
    const { error } = await json(answer)
    expect(error).to.include({ code: 'unknown_prompt' })
    expect(error).to.have.property('message').that.includes('No installed package renders prompts')
  })

  it('continues a fallback after it', async () => {
    const targets = [withPrompt, { provider: '@mine' }]
    const config = { strategy: { mode: 'fallback', on_status_codes: [404] }, targets }
    const answer = await send('/v1/chat/completions', chat('hello', { model: 'm' }), config)
    expect(answer.status).to.equal(200)
  })

  it('shows the reason in a dry run of such a request, and refuses one of the prompt itself', async () => {
    const dry = { endpoint: 'chatComplete', body: { model: 'm' }, headers: configHeader(withPrompt) }
    const { targets } = await json(await gateway.post('/v1/dry-run', dry))
    expect(targets).to.have.nested.property('[0].refusals[0].code', 'unknown_prompt')
    const own = { endpoint: '/v1/prompts/greeting/completions', body: {} }
    const refused = await gateway.post('/v1/dry-run', own)
    expect(refused.status).to.equal(404)
    expect((await json(refused)).error).to.include({ code: 'unknown_prompt', param: '/endpoint' })
  })

  it('serves other requests', async () => {
    const answer = await send('/v1/chat/completions', chat('hello', { model: 'm' }), { provider: '@mine' })
    expect(answer.status).to.equal(200)
  })
})
