/** The cache above a routing strategy never returns an answer to a request that would have used another target. */
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { chatPath, statusOf } from './support.ts'

const ways: Record<string, { query: Record<string, unknown>; gold: Record<string, string> }> = {
  'a header': { query: { 'headers.x-tier': 'gold' }, gold: { 'x-tier': 'gold' } },
  'metadata, in one namespace': {
    query: { 'metadata.tier': { $eq: 'gold' } },
    gold: { 'x-gateway-metadata': '{"tier":"gold"}' },
  },
}

describe('the cache above a routing strategy', () => {
  let gateway: TestGateway
  let upstream: Upstream

  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream(({ json }, response) =>
      sendJson(response, 200, chatAnswer(String(json?.model))),
    )
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  for (const [way, { query, gold }] of Object.entries(ways)) {
    for (const depth of [0, 1]) {
      it(`stores the answers of targets chosen by ${way}${depth === 0 ? '' : ' on a deeper level'} separately`, async () => {
        const choice = {
          strategy: { mode: 'conditional', conditions: [{ query, then: 'gold' }], default: 'plain' },
          targets: [
            { name: 'gold', ...target(upstream.url), override_params: { model: 'gold' } },
            { name: 'plain', ...target(upstream.url), override_params: { model: 'plain' } },
          ],
        }
        const config = depth === 0 ? choice : { strategy: { mode: 'fallback' }, targets: [choice] }
        const ask = async (headers: Record<string, string>) => {
          const response = await gateway.post(chatPath, chat(`${way} ${depth}`), {
            ...configHeader({ ...config, cache: { mode: 'simple' } }),
            'x-gateway-cache-namespace': 'one',
            ...headers,
          })
          const body = (await response.json()) as { choices: { message: { content: string } }[] }
          return `${statusOf(response)} ${body.choices[0]?.message.content}`
        }
        expect(await ask({})).to.equal('MISS plain')
        expect(await ask(gold)).to.equal('MISS gold')
        expect(await ask({})).to.equal('HIT plain')
        expect(await ask(gold)).to.equal('HIT gold')
      })
    }
  }

  for (const [way, { query, gold }] of Object.entries(ways)) {
    it(`stores the answers of targets chosen by ${way} separately after a mutator has changed the text`, async () => {
      const conditions = [
        { query: { ...query, 'params.messages.0.content': { $regex: '^Dear' } }, then: 'gold' },
      ]
      const prefix = { id: 'default.addPrefix', parameters: { prefix: 'Dear ' } }
      const config = {
        strategy: { mode: 'single' },
        targets: [
          {
            strategy: { mode: 'conditional', conditions, default: 'plain' },
            before_request_hooks: [{ id: 'polite', type: 'mutator', checks: [prefix] }],
            targets: [
              { name: 'gold', ...target(upstream.url), override_params: { model: 'gold' } },
              { name: 'plain', ...target(upstream.url), override_params: { model: 'plain' } },
            ],
          },
        ],
        cache: { mode: 'simple' },
      }
      const ask = async (headers: Record<string, string>) => {
        const sent = { ...configHeader(config), 'x-gateway-cache-namespace': 'two', ...headers }
        const response = await gateway.post(chatPath, chat(`changed, ${way}`), sent)
        return `${statusOf(response)} ${response.headers.get('x-gateway-last-used-option-index')}`
      }
      const [first, second] = ['config.targets[0].targets[0]', 'config.targets[0].targets[1]']
      expect(await ask(gold)).to.equal(`MISS ${first}`)
      expect(await ask({})).to.equal(`MISS ${second}`)
      expect(await ask(gold)).to.equal(`HIT ${first}`)
      expect(await ask({})).to.equal(`HIT ${second}`)
    })
  }
})
