/** `retry`: how often a target is called again, and after which answers. */
import { expect } from 'chai'
import { stopClock } from '../../support/clock.ts'
import { chat } from '../../support/gateway.ts'
import { type Answering, hangUp, openScene, saysNothing } from '../../support/scene.ts'
import { sendEvents } from '../../support/upstream.ts'

describe('retry', () => {
  const scene = openScene()
  const clock = stopClock()
  const ask = (retry: Record<string, unknown>, extra: Record<string, unknown> = {}, body = chat()) =>
    clock.run(scene.ask(scene.leaf('a', { retry, ...extra }), { body }))
  const calls = () => scene.calls().length

  for (const attempts of [0, 1, 3, 5]) {
    it(`retries ${attempts} times with attempts ${attempts}`, async () => {
      scene.answers = { a: 503 }
      const reply = await ask({ attempts })
      expect(reply.status).to.equal(503)
      expect(calls()).to.equal(attempts + 1)
      expect(reply.headers.get('x-gateway-retry-attempt-count')).to.equal(String(attempts))
    })
  }

  it('stops at the first answer that is not listed', async () => {
    scene.answers = { a: [500, 429, 200] }
    const reply = await ask({ attempts: 5 })
    expect(reply.status).to.equal(200)
    expect(reply.headers.get('x-gateway-retry-attempt-count')).to.equal('2')
  })

  it('returns the last answer when all fail', async () => {
    scene.answers = { a: [500, 429] }
    expect((await ask({ attempts: 1 })).status).to.equal(429)
  })

  it('sends the same request each time', async () => {
    scene.answers = { a: [500, 500, 200] }
    await ask({ attempts: 2 }, { override_params: { seed: 7 } })
    const bodies = scene.upstream.seen.slice(-3).map(({ text }) => text)
    expect(new Set(bodies).size).to.equal(1)
    expect(JSON.parse(bodies[0] ?? '')).to.include({ seed: 7 })
  })

  describe('by default', () => {
    for (const status of [429, 500, 502, 503, 504, 529]) {
      it(`retries after ${status}`, async () => {
        scene.answers = { a: [status, 200] }
        expect((await ask({ attempts: 1 })).status).to.equal(200)
      })
    }
    for (const status of [400, 401, 403, 404, 408, 409, 422, 501]) {
      it(`does not retry after ${status}`, async () => {
        scene.answers = { a: [status, 200] }
        expect((await ask({ attempts: 1 })).status).to.equal(status)
        expect(calls()).to.equal(1)
      })
    }
  })

  describe('with on_status_codes', () => {
    it('retries after the listed statuses', async () => {
      scene.answers = { a: [404, 200] }
      expect((await ask({ attempts: 1, on_status_codes: [404] })).status).to.equal(200)
    })

    it('does not retry after other statuses', async () => {
      scene.answers = { a: [500, 200] }
      expect((await ask({ attempts: 1, on_status_codes: [404] })).status).to.equal(500)
    })

    it('does not retry after any status when the list is empty', async () => {
      scene.answers = { a: [500, 200] }
      expect((await ask({ attempts: 1, on_status_codes: [] })).status).to.equal(500)
    })
  })

  describe('retries after a connection error, with any list of codes', () => {
    const faults: Record<string, Answering> = {
      'a reset connection': hangUp,
      'an answer that is not JSON': (_request, response) => void response.writeHead(200).end('<html>'),
      'a redirect': (_request, response) => void response.writeHead(307, { location: '/' }).end(),
      'an answer that dies in mid-body': (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
        response.write('{"id":')
        setImmediate(() => response.destroy())
      },
    }
    for (const [name, answer] of Object.entries(faults)) {
      it(name, async () => {
        scene.answers = { a: [answer, 200] }
        const reply = await ask({ attempts: 1, on_status_codes: [] })
        expect(reply.status).to.equal(200)
        expect(reply.headers.get('x-gateway-retry-attempt-count')).to.equal('1')
      })
    }

    it('and returns the last error as 502 when no attempt is left', async () => {
      scene.answers = { a: [500, hangUp] }
      const reply = await ask({ attempts: 1 })
      expect(reply.status).to.equal(502)
      expect(reply.error.code).to.equal('upstream_unreachable')
    })
  })

  describe('after a timeout', () => {
    it('retries only when 408 is listed', async () => {
      scene.answers = { a: [saysNothing, 200] }
      const reply = await ask({ attempts: 1, on_status_codes: [408] }, { request_timeout: 5000 })
      expect(reply.status).to.equal(200)
    })

    it('does not retry by default', async () => {
      scene.answers = { a: [saysNothing, 200] }
      const reply = await ask({ attempts: 1 }, { request_timeout: 5000 })
      expect(reply.error).to.include({ code: 'request_timeout' })
      expect(calls()).to.equal(1)
    })
  })

  describe('after a guardrail', () => {
    const strict = (deny: boolean) => ({
      output_guardrails: [{ id: 'g', deny, 'default.contains': { words: ['ok'], operator: 'none' } }],
    })
    for (const [status, deny] of [
      [446, true],
      [246, false],
    ] as const) {
      it(`with ${status} retries when it is listed`, async () => {
        const reply = await ask({ attempts: 2, on_status_codes: [status] }, strict(deny))
        expect(reply.status).to.equal(status)
        expect(calls()).to.equal(3)
      })
      it(`with ${status} does not retry by default`, async () => {
        expect((await ask({ attempts: 2 }, strict(deny))).status).to.equal(status)
        expect(calls()).to.equal(1)
      })
    }
  })

  it('does not retry an endpoint that the provider does not support', async () => {
    const config = scene.leaf('a', { provider: 'anthropic', retry: { attempts: 2, on_status_codes: [400] } })
    const reply = await clock.run(
      scene.ask(config, { path: '/v1/embeddings', body: { model: 'e', input: 'x' } }),
    )
    expect(reply.error.code).to.equal('unsupported_endpoint')
    expect(reply.headers.get('x-gateway-retry-attempt-count')).to.equal('0')
  })

  it('retries a stream that fails before its first content', async () => {
    const failing: Answering = (_request, response) =>
      sendEvents(response, ['data: {"error":{"code":500}}\n\n'])
    scene.answers = { a: [failing, 200] }
    const reply = await ask({ attempts: 1 }, {}, chat('hello', { stream: true }))
    expect(reply.text).to.contain('[DONE]')
    expect(calls()).to.equal(2)
  })

  it('stops when the caller disconnects', async () => {
    scene.answers = { a: [saysNothing, 200] }
    await scene.askAndLeave(scene.leaf('a', { retry: { attempts: 3 } }))
    await clock.tick(30_000)
    expect(calls()).to.equal(1)
  })
})
