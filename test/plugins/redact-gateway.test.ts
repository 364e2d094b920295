/**
 * Redaction through a gateway: the text that reaches the model, and the text that is returned, whole and as a stream.
 */
import { expect } from 'chai'
import { chat, startGateway, type TestGateway, target } from '../support/gateway.ts'
import {
  chatAnswer,
  chatEvents,
  openUpstream,
  sendEvents,
  sendJson,
  type Upstream,
} from '../support/upstream.ts'

const address = 'bob@example.com'
const saved = { mask: { checks: [{ id: 'default.pii', parameters: { redact: true, restore: true } }] } }

describe('redaction through a gateway', () => {
  let upstream: Upstream
  let gateway: TestGateway
  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway({ guardrails: saved })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const ask = (body: Record<string, unknown>, config: Record<string, unknown> = {}) =>
    gateway.post('/v1/chat/completions', body, {
      'x-gateway-config': JSON.stringify({
        ...target(upstream.url),
        input_guardrails: ['mask'],
        output_guardrails: ['mask'],
        ...config,
      }),
    })

  it('hides a value from the model and restores it in the answer, with one saved guardrail', async () => {
    upstream.handle((_, response) => sendJson(response, 200, chatAnswer('Hello [EMAIL_1]!')))
    const answer = await ask(chat(`I am ${address}`))
    const body = (await answer.json()) as { choices: { message: { content: string } }[] }
    expect(upstream.seen.at(-1)?.text).to.include('I am [EMAIL_1]').and.not.include(address)
    expect(body.choices[0]?.message.content).to.equal(`Hello ${address}!`)
    expect(answer.status).to.equal(200)
  })

  it('restores it in a stream, for every split of the chunks', async () => {
    upstream.handle((_, response) => sendEvents(response, chatEvents('Hello [EM', 'AIL_', '1]', '!')))
    const answer = await ask(chat(`I am ${address}`, { stream: true }))
    const events = (await answer.text()).split('\n\n').filter((event) => event.startsWith('data: {'))
    const said = events.map((event) => JSON.parse(event.slice(6)).choices[0]?.delta?.content ?? '').join('')
    expect(said).to.equal(`Hello ${address}!`)
  })

  it('keeps the value out of results and logs', async () => {
    upstream.handle((_, response) => sendJson(response, 200, chatAnswer('fine')))
    const answer = await ask(chat(`I am ${address}`), { strict_compat_compliance: false })
    const text = await answer.text()
    expect(text).to.include('"email":1').and.not.include(address)
    expect(JSON.stringify(gateway.logs)).not.to.include(address)
  })
})
