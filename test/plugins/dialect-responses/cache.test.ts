/** Responses and the answer cache: equal requests get the same response, which is stored once. */
import { expect } from 'chai'
import { sendJson } from '../../support/upstream.ts'
import { eventsOf, openResponses } from './scene.ts'

describe('the cache of responses', () => {
  const scene = openResponses({ configs: { cached: { provider: '@chats', cache: { mode: 'simple' } } } })
  const headers = { 'x-gateway-config': 'cached' }
  const ask = async (body: object) => {
    const answer = await scene.ask({ model: 'm', ...body }, headers)
    return { answer, status: answer.headers.get('x-gateway-cache-status') }
  }

  it('stores whole responses', async () => {
    const first = await ask({ input: 'whole' })
    const second = await ask({ input: 'whole' })
    expect([first.status, second.status]).to.deep.equal(['MISS', 'HIT'])
    expect(second.answer.text).to.equal(first.answer.text)
    expect((await scene.call('GET', `/v1/responses/${first.answer.body.id}`)).body).to.deep.equal(
      first.answer.body,
    )
    expect(scene.seen()).to.have.length(1)
  })

  it('stores streams', async () => {
    const first = await ask({ input: 'a stream', stream: true })
    const second = await ask({ input: 'a stream', stream: true })
    expect([first.status, second.status]).to.deep.equal(['MISS', 'HIT'])
    expect(second.answer.text).to.equal(first.answer.text)
    expect(eventsOf(second.answer).map(({ type }) => type)).to.include('response.completed')
  })

  it('distinguishes conversations by the earlier turns', async () => {
    const one = await ask({ input: 'one' })
    const two = await ask({ input: 'two' })
    const next = (id: unknown) => ask({ input: 'and', previous_response_id: id })
    expect((await next(one.answer.body.id)).status).to.equal('MISS')
    expect((await next(two.answer.body.id)).status).to.equal('MISS')
    expect((await next(one.answer.body.id)).status).to.equal('HIT')
  })

  it('separates requests with store from requests without', async () => {
    expect((await ask({ input: 'x', store: false })).status).to.equal('MISS')
    expect((await ask({ input: 'x' })).status).to.equal('MISS')
  })

  it('is skipped for requests that produce a different response each time', async () => {
    scene.play((_request, response) =>
      sendJson(response, 200, { id: 'resp_v', object: 'response', output: [] }),
    )
    const config = { 'x-gateway-config': JSON.stringify({ provider: '@native', cache: { mode: 'simple' } }) }
    for (const body of [{ conversation: 'conv_1' }, { background: true }]) {
      await scene.ask({ model: 'm', input: 'x', ...body }, config)
      await scene.ask({ model: 'm', input: 'x', ...body }, config)
    }
    expect(scene.seen()).to.have.length(4)
  })
})
