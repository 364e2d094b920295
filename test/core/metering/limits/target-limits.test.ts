/** Limits of providers, and policies about targets: a refusal is the target's answer, and every attempt counts. */
import { expect } from 'chai'
import { stopClock, stubRandom } from '../../../support/clock.ts'
import { openScene, tree } from '../../../support/scene.ts'
import { pricing, ratesOf, reports, usageOf } from './scene.ts'

describe('target limits', () => {
  const clock = stopClock()
  stubRandom()
  const scene = openScene((origin) => {
    const provider = (name: string, more: Record<string, unknown> = {}) => ({
      provider: 'openai',
      api_key: 'sk-1',
      custom_host: `${origin}/${name}/v1`,
      models: [{ slug: 'm', pricing_config: pricing }],
      ...more,
    })
    return {
      providers: {
        once: provider('once', { rate_limits: { type: 'requests', unit: 'rpm', value: 1 } }),
        poor: provider('poor', { usage_limits: { credit_limit: 0.25 } }),
        twice: provider('twice', { rate_limits: { type: 'requests', unit: 'rpm', value: 2 } }),
        words: provider('words', { rate_limits: { type: 'tokens', unit: 'rpm', value: 100 } }),
        free: provider('free'),
        held: provider('held'),
      },
      policies: {
        rate_limits: [
          {
            conditions: [{ key: 'model', value: '@held/*', excludes: '@held/open' }],
            group_by: [{ key: 'model' }],
            type: 'requests',
            unit: 'rpm',
            value: 1,
          },
        ],
      },
    }
  })
  const messages = [{ role: 'user', content: 'hello' }]
  const ask = (config: unknown, body: Record<string, unknown> = {}) =>
    scene.ask(config, { body: { model: 'm', messages, ...body } })
  // Each test uses its own windows.
  let minutes = 0
  beforeEach(() => {
    minutes += 3
    return clock.tick(minutes * 60_000)
  })

  it('fail the target, and a fallback continues', async () => {
    const config = tree('fallback', [{ provider: '@once' }, { provider: '@free' }])
    const replies = [await ask(config), await ask(config)]
    expect(replies.map(({ status, index }) => [status, index])).to.deep.equal([
      [200, 'config.targets[0]'],
      [200, 'config.targets[1]'],
    ])
    expect(scene.calls()).to.deep.equal(['once', 'free'])
  })

  it('have a status that on_status_codes of a fallback can list', async () => {
    const on = (codes: number[]) =>
      tree('fallback', [{ provider: '@once' }, { provider: '@free' }], { on_status_codes: codes })
    await ask(on([500]))
    const stays = await ask(on([500]))
    expect([stays.status, stays.error.code, stays.error.param]).to.deep.equal([
      429,
      'rate_limit_exceeded',
      'providers/once',
    ])
    expect(stays.headers.get('retry-after')).to.match(/^\d+$/)
    expect(stays.headers.get('x-gateway-provider')).to.equal('openai')
    expect((await ask(on([429]))).status).to.equal(200)
  })

  it('are not retried', async () => {
    const config = { provider: '@once', retry: { attempts: 3, on_status_codes: [429] } }
    await ask(config)
    expect((await ask(config)).status).to.equal(429)
    expect(scene.calls()).to.deep.equal(['once'])
  })

  it('count every attempt', async () => {
    scene.answers = { twice: 500 }
    const config = { provider: '@twice', retry: { attempts: 4, on_status_codes: [500] } }
    const { status, error } = await clock.run(ask(config))
    expect([status, error.code]).to.deep.equal([429, 'rate_limit_exceeded'])
    expect(scene.calls()).to.deep.equal(['twice', 'twice'])
  })

  it('settle each target with its own usage', async () => {
    scene.answers = { words: reports(usageOf(10, 10)), free: reports(usageOf(500, 500)) }
    expect(ratesOf((await ask({ provider: '@words' })).headers, 'tokens').remaining).to.equal('80')
    await ask({ provider: '@free' })
    expect(ratesOf((await ask({ provider: '@words' })).headers, 'tokens').remaining).to.equal('60')
  })

  it('return the reservation of a failed attempt', async () => {
    scene.answers = { words: [500, reports(usageOf(1, 1))] }
    expect((await ask({ provider: '@words' }, { max_tokens: 90 })).status).to.equal(500)
    expect((await ask({ provider: '@words' }, { max_tokens: 90 })).status).to.equal(200)
  })

  it('refuse with 412 once a budget is exhausted', async () => {
    scene.answers = { poor: reports(usageOf(10, 10)) }
    const seen = [await ask({ provider: '@poor' }), await ask({ provider: '@poor' })]
    expect(seen.map(({ status }) => status)).to.deep.equal([200, 412])
    expect(seen[1]?.error).to.deep.include({ type: 'budget_error', param: 'providers/poor' })
    expect(seen[1]?.error.message).to.include('of provider "poor"')
  })

  it('of a policy apply to each of its models separately', async () => {
    const status = async (model: string) => (await ask(null, { model: `@held/${model}` })).status
    expect([await status('x'), await status('x'), await status('y')]).to.deep.equal([200, 429, 200])
    expect([await status('open'), await status('open')]).to.deep.equal([200, 200])
    const { error } = await ask(null, { model: '@held/x' })
    expect(error.message).to.include('model:@held/x')
    // The policy does not apply to other targets.
    expect((await ask(null, { model: '@free/x' })).status).to.equal(200)
  })

  it('count nothing for a cached answer', async () => {
    const config = { provider: '@words', cache: { mode: 'simple' } }
    scene.answers = { words: reports(usageOf(30, 20)) }
    const miss = await ask(config, { seed: 1 })
    const hit = await ask(config, { seed: 1 })
    expect(hit.headers.get('x-gateway-cache-status')).to.equal('HIT')
    expect(ratesOf(miss.headers, 'tokens').remaining).to.equal('50')
    const line = scene.gateway.logs.at(-1)
    expect(line).to.include({ cache: 'HIT' }).and.to.not.have.property('cost')
    expect(ratesOf((await ask(config, { seed: 2 })).headers, 'tokens').remaining).to.equal('0')
  })
})
