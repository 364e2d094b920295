/** `cb_config`: when the circuit breaker of a target opens and closes, over HTTP. */
import { expect } from 'chai'
import { stopClock } from '../../support/clock.ts'
import { chat } from '../../support/gateway.ts'
import { type Answering, hangUp, openScene, saysNothing, tree } from '../../support/scene.ts'
import { chatChunk, sendEvents } from '../../support/upstream.ts'

const cooldownMs = 30_000

describe('the circuit breaker of a target', () => {
  const scene = openScene()
  const clock = stopClock()
  /** Every test has its own target, because breakers outlive requests. */
  let name = ''
  let count = 0
  beforeEach(() => {
    count += 1
    name = `breaker${count}`
  })

  const cb = (extra = {}) => ({ failure_threshold: 2, cooldown_interval: cooldownMs, ...extra })
  const leaf = (extra = {}, breaker: Record<string, unknown> = cb()) =>
    scene.leaf(name, { cb_config: breaker, ...extra })
  const ask = async (config: unknown = leaf(), options = {}) => clock.run(scene.ask(config, options))
  const statuses = async (times: number, config: unknown = leaf()) => {
    const seen: number[] = []
    for (let turn = 0; turn < times; turn += 1) seen.push((await ask(config)).status)
    return seen
  }
  const calls = () => scene.calls().length

  it('opens after its number of failures, and stops calling the target', async () => {
    scene.answers = { [name]: 500 }
    expect(await statuses(4)).to.deep.equal([500, 500, 503, 503])
    expect(calls()).to.equal(2)
  })

  it('answers 503 circuit_open with the remaining seconds when it is the only target', async () => {
    scene.answers = { [name]: 500 }
    await statuses(2)
    const reply = await ask()
    expect(reply.status).to.equal(503)
    expect(reply.error).to.include({ type: 'upstream_error', code: 'circuit_open', param: null })
    const seconds = Number(reply.headers.get('retry-after'))
    expect(seconds).to.be.greaterThan(0).and.at.most(30)
    expect(reply.index).to.equal('config')
    expect(reply.headers.get('x-gateway-provider')).to.equal('openai')
    expect(reply.headers.get('x-gateway-retry-attempt-count')).to.equal('0')
  })

  it('starts counting again after a success', async () => {
    scene.answers = { [name]: [500, 200, 500, 200, 500, 500] }
    expect(await statuses(7)).to.deep.equal([500, 200, 500, 200, 500, 500, 503])
  })

  it('counts only failures within the cooldown', async () => {
    scene.answers = { [name]: 500 }
    await ask()
    await clock.tick(cooldownMs + 1)
    expect(await statuses(3)).to.deep.equal([500, 500, 503])
  })

  it("ends the retries that opened it with the target's answer, which decides whether a fallback continues", async () => {
    scene.answers = { [name]: 500 }
    const config = tree('fallback', [leaf({ retry: { attempts: 5 } }), scene.leaf('other')], {
      on_status_codes: [429],
    })
    const reply = await ask(config)
    expect(reply.status).to.equal(500)
    expect(reply.headers.get('x-gateway-retry-attempt-count')).to.equal('1')
    expect(scene.calls()).to.deep.equal([name, name])
    expect((await ask(config)).index).to.equal('config.targets[1]')
  })

  describe('counts', () => {
    const brokenStream: Answering = (_request, response) =>
      sendEvents(response, [`data: ${JSON.stringify(chatChunk({ content: 'be' }))}\n\n`])
    const rows: { what: string; answer: Answering; opens: boolean; extra?: object; breaker?: object }[] = [
      { what: 'any status from 500', answer: 501, opens: true },
      { what: 'no status below 500', answer: 429, opens: false },
      { what: 'a status that is listed', answer: 429, opens: true, breaker: { failure_status_codes: [429] } },
      {
        what: 'no status that is not listed',
        answer: 500,
        opens: false,
        breaker: { failure_status_codes: [429] },
      },
      {
        what: 'no status when none is listed',
        answer: 500,
        opens: false,
        breaker: { failure_status_codes: [] },
      },
      { what: 'a reset connection', answer: hangUp, opens: true, breaker: { failure_status_codes: [] } },
      {
        what: 'an answer that cannot be read',
        answer: (_request, response) => void response.end('<html>'),
        opens: true,
      },
      { what: 'a timeout', answer: saysNothing, opens: true, extra: { request_timeout: 1000 } },
      {
        what: 'no answer that a guardrail denied',
        answer: 200,
        opens: false,
        extra: {
          output_guardrails: [
            { id: 'g', deny: true, 'default.contains': { words: ['ok'], operator: 'none' } },
          ],
        },
      },
    ]
    for (const { what, answer, opens, extra, breaker } of rows) {
      it(what, async () => {
        scene.answers = { [name]: answer }
        const config = leaf(extra, cb(breaker))
        await statuses(2, config)
        const { error } = await ask(config)
        if (opens) expect(error.code).to.equal('circuit_open')
        else expect(error.code).not.to.equal('circuit_open')
        expect(calls()).to.equal(opens ? 2 : 3)
      })
    }

    it('a stream that breaks off', async () => {
      scene.answers = { [name]: brokenStream }
      const body = chat('hello', { stream: true })
      for (let turn = 0; turn < 2; turn += 1) expect((await ask(leaf(), { body })).status).to.equal(200)
      expect((await ask(leaf(), { body })).error.code).to.equal('circuit_open')
    })

    it('each retry', async () => {
      scene.answers = { [name]: 500 }
      await ask(leaf({ retry: { attempts: 1 } }))
      expect(calls()).to.equal(2)
      expect((await ask()).error.code).to.equal('circuit_open')
    })

    it('no call whose caller disconnected', async () => {
      scene.answers = { [name]: saysNothing }
      for (let turn = 0; turn < 3; turn += 1) await scene.askAndLeave(leaf())
      scene.answers = { [name]: 200 }
      expect((await ask()).status).to.equal(200)
    })

    it('no request that never reached the target, neither as a failure nor as a success', async () => {
      scene.answers = { [name]: 500 }
      const config = leaf({ provider: 'anthropic' })
      const embed = { path: '/v1/embeddings', body: { model: 'test-model', input: 'x' } }
      await ask(config)
      expect((await ask(config, embed)).error.code).to.equal('unsupported_endpoint')
      await ask(config)
      expect((await ask(config)).error.code).to.equal('circuit_open')
    })
  })

  describe('after the cooldown', () => {
    beforeEach(async () => {
      scene.answers = { [name]: [500, 500] }
      await statuses(2)
      expect((await ask()).error.code).to.equal('circuit_open')
      await clock.tick(cooldownMs)
    })

    it('closes when the probe succeeds', async () => {
      scene.answers = { [name]: [500, 500, 200, 500, 200] }
      expect(await statuses(3)).to.deep.equal([200, 500, 200])
    })

    it('opens again for the same time when the probe fails', async () => {
      scene.answers = { [name]: 500 }
      expect(await statuses(2)).to.deep.equal([500, 503])
      await clock.tick(cooldownMs - 5000)
      expect(await statuses(1)).to.deep.equal([503])
      await clock.tick(5000)
      expect(await statuses(2)).to.deep.equal([500, 503])
    })

    it('allows one probe at a time', async () => {
      let finish = () => {}
      const slow: Answering = (_request, response) => {
        finish = () => response.end('{"choices":[]}')
      }
      scene.answers = { [name]: slow }
      const probe = scene.ask(leaf())
      await clock.until(() => calls() === 3, 'the probe')
      expect((await ask()).error.code).to.equal('circuit_open')
      finish()
      expect((await clock.run(probe)).status).to.equal(200)
      scene.answers = {}
      expect((await ask()).status).to.equal(200)
    })
  })
})
