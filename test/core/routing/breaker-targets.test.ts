/** The targets that share a circuit breaker, and the behaviour of strategies with an open one. */
import { expect } from 'chai'
import { stopClock, stubRandom } from '../../support/clock.ts'
import { chat } from '../../support/gateway.ts'
import { openScene, tree } from '../../support/scene.ts'

const breaker = { failure_threshold: 1, cooldown_interval: 30_000 }

describe('an open circuit', () => {
  const scene = openScene((origin) => ({
    providers: { stored: { provider: 'openai', api_key: 'sk-stored', custom_host: `${origin}/stored/v1` } },
  }))
  const clock = stopClock()
  const random = stubRandom()
  let run = 0
  beforeEach(() => {
    run += 1
  })
  /** Targets unique to this test. */
  const own = (name: string) => `${name}${run}`
  const leaf = (name: string, extra = {}) => scene.leaf(own(name), { cb_config: breaker, ...extra })
  const ask = (config: unknown, options = {}) => clock.run(scene.ask(config, options))
  const called = () => scene.calls().map((name) => name.slice(0, 1))

  /** Opens the circuits of these targets, which then answer 200. */
  async function open(...configs: Record<string, unknown>[]) {
    for (const config of configs) {
      const name = String(config.custom_host).split('/')[3] ?? ''
      scene.answers = { [name]: 500 }
      await ask(config)
    }
    scene.answers = {}
  }

  describe('is skipped', () => {
    it('by loadbalance', async () => {
      await open(leaf('a'))
      for (const number of [0, 0.5, 0.99]) {
        random(number)
        const reply = await ask(tree('loadbalance', [leaf('a', { weight: 9 }), leaf('b')]))
        expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
      }
    })

    it('by loadbalance, when all targets below it are open', async () => {
      random(0)
      await open(leaf('a'), leaf('b'))
      const inner = tree('fallback', [leaf('a'), leaf('b')])
      expect((await ask(tree('loadbalance', [inner, leaf('c')]))).index).to.equal('config.targets[1]')
    })

    it('but not by loadbalance, when one target below it is closed', async () => {
      random(0)
      await open(leaf('a'))
      const inner = tree('fallback', [leaf('a'), leaf('b')])
      expect((await ask(tree('loadbalance', [inner, leaf('c')]))).index).to.equal(
        'config.targets[0].targets[1]',
      )
    })

    it('by loadbalance, when a target below would choose it', async () => {
      random(0)
      await open(leaf('a'))
      const named = [leaf('a', { name: 'a' }), leaf('b', { name: 'b' })]
      const choosing = [
        tree('single', [leaf('a'), leaf('b')]),
        tree('loadbalance', [leaf('a'), leaf('b', { weight: 0 })]),
        tree('conditional', named, { conditions: [{ query: {}, then: 'a' }], default: 'b' }),
      ]
      for (const inner of choosing) {
        expect((await ask(tree('loadbalance', [inner, leaf('c')]))).index).to.equal('config.targets[1]')
      }
    })

    it('by loadbalance, while its probe is in flight', async () => {
      random(0)
      await open(leaf('a'))
      await clock.tick(breaker.cooldown_interval)
      let finish = () => {}
      scene.answers = {
        [own('a')]: (_request, response) => {
          finish = () => response.end('{"choices":[]}')
        },
      }
      const before = called().length
      const probe = scene.ask(leaf('a'))
      await clock.until(() => called().length > before, 'the probe')
      const reply = await ask(tree('loadbalance', [leaf('a'), leaf('b')]))
      expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
      finish()
      expect((await clock.run(probe)).status).to.equal(200)
    })

    it('by fallback, without a call', async () => {
      await open(leaf('a'))
      const reply = await ask(tree('fallback', [leaf('a'), leaf('b')], { on_status_codes: [429] }))
      expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
      expect(called()).to.deep.equal(['a', 'b'])
    })

    it('with a model from override_params above it', async () => {
      random(0)
      const model = { override_params: { model: 'other' } }
      await open(leaf('a', model))
      const inner = { ...tree('single', [leaf('a')]), ...model }
      expect((await ask(tree('loadbalance', [inner, leaf('b')]))).index).to.equal('config.targets[1]')
      const outer = { ...tree('loadbalance', [leaf('a'), leaf('b')]), ...model }
      expect((await ask(outer)).index).to.equal('config.targets[1]')
    })

    it('with the custom host of the request', async () => {
      random(0)
      const headers = { 'x-gateway-custom-host': scene.hostOf(own('h')) }
      scene.answers = { [own('h')]: 500 }
      await ask(leaf('a'), { headers })
      const config = tree('loadbalance', [leaf('a'), leaf('b', { api_key: 'sk-other' })])
      expect((await ask(config, { headers })).index).to.equal('config.targets[1]')
    })
  })

  describe('answers 503', () => {
    for (const mode of ['loadbalance', 'fallback', 'single']) {
      it(`with ${mode} when there is no other target`, async () => {
        await open(leaf('a'), leaf('b'))
        const before = called().length
        const reply = await ask(tree(mode, [leaf('a'), leaf('b')]))
        expect(reply.status).to.equal(503)
        expect(reply.error.code).to.equal('circuit_open')
        expect(Number(reply.headers.get('retry-after'))).to.be.greaterThan(0)
        expect(called()).to.have.length(before)
      })
    }

    it('with loadbalance when the other targets have weight 0', async () => {
      await open(leaf('a'))
      const reply = await ask(tree('loadbalance', [leaf('a'), leaf('b', { weight: 0 })]))
      expect(reply.error.code).to.equal('circuit_open')
    })

    it('but not with fallback when another target answered', async () => {
      await open(leaf('a'), leaf('c'))
      scene.answers = { [own('b')]: 429 }
      const reply = await ask(tree('fallback', [leaf('a'), leaf('b'), leaf('c')]))
      expect(reply).to.include({ status: 429, index: 'config.targets[1]' })
    })
  })

  describe('is shared by', () => {
    /** A target different from the open one, except as stated. */
    const others: Record<string, () => { config: Record<string, unknown>; model?: string }> = {
      'the host': () => ({ config: leaf('b') }),
      'the credential': () => ({ config: leaf('a', { api_key: 'sk-other' }) }),
      'the provider': () => ({ config: leaf('a', { provider: 'groq' }) }),
      'the model of the body': () => ({ config: leaf('a'), model: 'other' }),
      'the model of the config': () => ({ config: leaf('a', { override_params: { model: 'other' } }) }),
    }
    for (const [what, other] of Object.entries(others)) {
      it(what, async () => {
        await open(leaf('a'))
        const { config, model = 'test-model' } = other()
        expect((await ask(leaf('a'))).error.code).to.equal('circuit_open')
        expect((await ask(config, { body: chat('hello', { model }) })).status).to.equal(200)
      })
    }

    it('all configs and nodes that name the same target', async () => {
      await open(leaf('a'))
      const same = [
        tree('single', [leaf('a')]),
        leaf('a', { name: 'renamed', retry: { attempts: 0 } }),
        leaf('a', { override_params: { model: 'test-model' } }),
        { ...tree('single', [scene.leaf(own('a'))]), cb_config: breaker },
      ]
      for (const config of same) expect((await ask(config)).error.code).to.equal('circuit_open')
    })

    it('all names of the same stored credential', async () => {
      scene.answers = { stored: 500 }
      await ask({ provider: '@stored', cb_config: breaker })
      const named = [
        { provider: '@stored', cb_config: breaker },
        { virtual_key: 'stored', cb_config: breaker },
        { override_params: { model: '@stored/test-model' }, cb_config: breaker },
      ]
      for (const config of named) expect((await ask(config)).error.code).to.equal('circuit_open')
    })

    it('only targets with cb_config: others neither count failures nor check the circuit', async () => {
      const plain = scene.leaf(own('a'))
      scene.answers = { [own('a')]: 500 }
      await ask(plain)
      await ask(plain)
      expect((await ask(leaf('a'))).status).to.equal(500)
      expect((await ask(leaf('a'))).error.code).to.equal('circuit_open')
      expect((await ask(plain)).status).to.equal(500)
    })
  })
})
