/** Hugging Face through the gateway, against a local server that answers as the vendor does. */
import { expect } from 'chai'
import {
  chat,
  configHeader,
  json,
  readEvents,
  startGateway,
  type TestGateway,
} from '../../support/gateway.ts'
import { answerOk, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

describe('Hugging Face through the gateway', () => {
  let upstream: Upstream
  let gateway: TestGateway

  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway()
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  const ask = (more: Record<string, unknown> = {}) =>
    gateway.post(
      '/v1/chat/completions',
      chat('x', { model: 'openai/gpt-oss-120b:groq', ...more }),
      configHeader({ provider: 'huggingface', api_key: 'hf_1', custom_host: upstream.url }),
    )

  it("returns the model's answer", async () => {
    const response = await ask()
    expect(await json(response)).to.have.nested.property('choices[0].message.content', 'ok')
    const [call] = upstream.seen.slice(-1)
    expect(call?.path).to.equal('/v1/chat/completions')
    expect(call?.headers.authorization).to.equal('Bearer hf_1')
    expect(call?.json).to.include({ model: 'openai/gpt-oss-120b:groq' })
  })

  it('streams', async () => {
    const read = await readEvents(await ask({ stream: true }))
    expect(read.at(-1)).to.equal('[DONE]')
    const deltas = read.slice(0, -1).map((event) => JSON.parse(event).choices[0].delta.content ?? '')
    expect(deltas.join('')).to.equal('ok')
  })

  it('keeps status and message of an error', async () => {
    upstream.handle((_, response) => sendJson(response, 400, { error: 'The model is not supported' }))
    const response = await ask()
    upstream.handle(answerOk)
    expect(response.status).to.equal(400)
    expect(await json(response)).to.have.nested.property('error.message', 'The model is not supported')
  })
})
