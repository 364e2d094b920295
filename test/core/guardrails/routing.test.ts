/** The times at which guardrails run: on input once and before the cache, on output on every attempt. */
import { expect } from 'chai'
import { stubRandom } from '../../support/clock.ts'
import { chat } from '../../support/gateway.ts'
import { tree } from '../../support/scene.ts'
import { chatAnswer, chatEvents, sendEvents, sendJson } from '../../support/upstream.ts'
import { acts, contentOf, hooksOf, openGuarded } from './fixtures/open.ts'
import { runs } from './fixtures/plugin.ts'

const tags = () => runs.map(({ tag }) => tag)

describe('guardrails and routing', () => {
  const scene = openGuarded()
  const random = stubRandom()
  beforeEach(() => random(0))

  const says = (text: string) => (_request: unknown, response: Parameters<typeof sendJson>[0]) =>
    sendJson(response, 200, chatAnswer(text))
  const noBad = { id: 'no-bad', deny: true, contains: { operator: 'none', words: ['bad'] } }

  it('runs input guardrails once, for any number of retries and targets', async () => {
    scene.answers = { a: [500, 500], b: 500 }
    const targets = [scene.leaf('a', { retry: { attempts: 1 } }), scene.leaf('b'), scene.leaf('c')]
    const reply = await scene.ask({ ...tree('fallback', targets), input_guardrails: [acts('pass')] })
    expect(scene.calls()).to.deep.equal(['a', 'a', 'b', 'c'])
    expect(tags()).to.deep.equal(['pass'])
    expect(hooksOf(reply).before_request_hooks).to.have.length(1)
  })

  it('runs the input guardrails of a target when that target is tried', async () => {
    scene.answers.a = 500
    const targets = ['a', 'b'].map((name) => scene.leaf(name, { input_guardrails: [acts('pass', name)] }))
    const reply = await scene.ask({ ...tree('fallback', targets), input_guardrails: [acts('pass', 'root')] })
    expect(tags()).to.deep.equal(['root', 'a', 'b'])
    expect(hooksOf(reply).before_request_hooks.map(({ id }) => id)).to.deep.equal(['root', 'b'])
  })

  it('inherits output guardrails, but not input guardrails', async () => {
    const guards = { input_guardrails: [acts('pass', 'in')], output_guardrails: [acts('pass', 'out')] }
    const inner = tree('single', [scene.leaf('a')])
    await scene.ask({ ...tree('single', [inner]), ...guards })
    expect(tags()).to.deep.equal(['in', 'out'])
  })

  it('replaces inherited output guardrails completely', async () => {
    const targets = [scene.leaf('a', { output_guardrails: [acts('pass', 'own')] })]
    await scene.ask({ ...tree('single', targets), output_guardrails: [acts('pass', 'outer'), acts('fail')] })
    expect(tags()).to.deep.equal(['own'])
  })

  it('continues with the next target when an input guardrail denies', async () => {
    const targets = [
      scene.leaf('a', { input_guardrails: [acts('fail', 'x', { deny: true })] }),
      scene.leaf('b'),
    ]
    const reply = await scene.ask(tree('fallback', targets))
    expect([reply.status, reply.index, scene.calls()]).to.deep.equal([200, 'config.targets[1]', ['b']])
  })

  it('sends a target the request of the client, not that which the target before it was sent', async () => {
    scene.answers.a = 500
    const mask = { id: 'mask', 'fixture.mask': {} }
    const changed = scene.leaf('a', { input_guardrails: [mask], override_params: { seed: 1 } })
    const body = chat('a secret', { user: 'u' })
    const reply = await scene.ask(tree('fallback', [changed, scene.leaf('b')]), { body })
    expect(scene.seen('a').json).to.deep.include({ ...chat('a ######', { user: 'u' }), seed: 1 })
    expect(scene.seen('b').json).to.deep.equal(body)
    expect(reply.body).not.to.have.any.keys('hook_results')
  })

  it('runs output guardrails on every attempt, and retries a denial when 446 is listed', async () => {
    scene.answers.a = [says('bad'), says('bad'), says('good')]
    const retry = { attempts: 3, on_status_codes: [446] }
    const reply = await scene.ask(scene.leaf('a', { retry, output_guardrails: [noBad, acts('pass', 'out')] }))
    expect([reply.status, contentOf(reply)]).to.deep.equal([200, 'good'])
    expect(reply.headers.get('x-gateway-retry-attempt-count')).to.equal('2')
    expect(runs.map(({ text }) => text)).to.deep.equal(['bad', 'bad', 'good'])
    expect(hooksOf(reply).after_request_hooks.map(({ verdict }) => verdict)).to.deep.equal([true, true])
  })

  it('does not retry a denial when 446 is not listed', async () => {
    scene.answers.a = says('bad')
    const reply = await scene.ask(scene.leaf('a', { retry: { attempts: 3 }, output_guardrails: [noBad] }))
    expect([reply.status, scene.calls()]).to.deep.equal([446, ['a']])
  })

  for (const stream of [false, true]) {
    it(`falls back from a denied answer${stream ? ' of a stream' : ''}`, async () => {
      scene.answers.a = (_request, response) => {
        if (stream) sendEvents(response, chatEvents('ba', 'd'))
        else sendJson(response, 200, chatAnswer('bad'))
      }
      const config = { ...tree('fallback', [scene.leaf('a'), scene.leaf('b')]), output_guardrails: [noBad] }
      const reply = await scene.ask(config, { body: chat('x', { stream }) })
      expect([reply.status, reply.index]).to.deep.equal([200, 'config.targets[1]'])
      expect(reply.text).to.contain('"o').and.not.to.contain('"ba')
    })
  }

  it('returns the denial of the last target when all are denied', async () => {
    scene.answers = { a: says('bad'), b: says('bad too') }
    const config = { ...tree('fallback', [scene.leaf('a'), scene.leaf('b')]), output_guardrails: [noBad] }
    const reply = await scene.ask(config)
    expect([reply.status, reply.index]).to.deep.equal([446, 'config.targets[1]'])
    expect(reply.text).not.to.contain('bad too')
  })

  it('falls back on 446 only when a strategy with on_status_codes lists it', async () => {
    scene.answers.a = says('bad')
    const config = { ...tree('fallback', [scene.leaf('a'), scene.leaf('b')], { on_status_codes: [500] }) }
    const reply = await scene.ask({ ...config, output_guardrails: [noBad] })
    expect([reply.status, scene.calls()]).to.deep.equal([446, ['a']])
  })

  it('treats 246 as a success', async () => {
    const config = {
      ...tree('fallback', [scene.leaf('a'), scene.leaf('b')]),
      output_guardrails: [acts('fail')],
    }
    expect((await scene.ask(config)).index).to.equal('config.targets[0]')
  })

  describe('with a cache', () => {
    let namespace = 0
    const ask = (config: unknown, text = 'hello', headers = {}) =>
      scene.ask(config, {
        body: chat(text),
        headers: { 'x-gateway-cache-namespace': `guards-${namespace}`, ...headers },
      })
    beforeEach(() => {
      namespace += 1
    })
    const cached = (extra: object) => scene.leaf('a', { cache: { mode: 'simple' }, ...extra })
    const status = (reply: { headers: Headers }) => reply.headers.get('x-gateway-cache-status')

    it('runs input guardrails before the cache, even for a hit', async () => {
      const config = cached({ input_guardrails: [acts('pass')] })
      await ask(config)
      const hit = await ask(config)
      expect(status(hit)).to.equal('HIT')
      expect(tags()).to.deep.equal(['pass', 'pass'])
      expect(hooksOf(hit).before_request_hooks.map(({ id }) => id)).to.deep.equal(['pass'])
    })

    it('denies a cached answer when the input is denied', async () => {
      const requiredMetadataKeyPairs = { metadataPairs: { plan: 'pro' } }
      const config = cached({ input_guardrails: [{ id: 'pro', deny: true, requiredMetadataKeyPairs }] })
      expect((await ask(config, 'x', { 'x-gateway-metadata': '{"plan":"pro"}' })).status).to.equal(200)
      expect((await ask(config, 'x', { 'x-gateway-metadata': '{"plan":"free"}' })).status).to.equal(446)
    })

    it('returns 246 for a hit when the input failed without denying', async () => {
      const requiredMetadataKeyPairs = { metadataPairs: { plan: 'pro' } }
      const config = cached({ input_guardrails: [{ id: 'pro', requiredMetadataKeyPairs }] })
      await ask(config, 'x', { 'x-gateway-metadata': '{"plan":"pro"}' })
      const hit = await ask(config, 'x', { 'x-gateway-metadata': '{"plan":"free"}' })
      expect([status(hit), hit.status]).to.deep.equal(['HIT', 246])
    })

    it('looks up the text as changed by the mutators', async () => {
      const regexReplace = { rule: '\\d+', redactText: 'N' }
      const config = cached({ input_guardrails: [{ id: 'numbers', regexReplace }] })
      await ask(config, 'order 17')
      expect(status(await ask(config, 'order 18'))).to.equal('HIT')
    })

    it("runs the node's output guardrails on a cached answer", async () => {
      const config = cached({ output_guardrails: [acts('pass', 'out')] })
      await ask(config)
      const hit = await ask(config)
      expect(status(hit)).to.equal('HIT')
      expect(tags()).to.deep.equal(['out', 'out'])
      expect(hooksOf(hit).after_request_hooks.map(({ id }) => id)).to.deep.equal(['out'])
    })

    for (const [name, guard] of [
      ['246', acts('fail')],
      ['446', acts('fail', 'x', { deny: true })],
    ] as const) {
      it(`stores no ${name}`, async () => {
        const config = cached({ output_guardrails: [guard] })
        await ask(config)
        expect(status(await ask(config))).to.equal('MISS')
        expect(scene.calls()).to.deep.equal(['a', 'a'])
      })
    }
  })
})
