/** `request_timeout`: the time limit for a whole answer, or for the first event of a stream, with a fake clock. */
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { stopClock } from '../../support/clock.ts'
import { chat } from '../../support/gateway.ts'
import { openScene, readReply, saysNothing, tree } from '../../support/scene.ts'
import { chatEvents } from '../../support/upstream.ts'

describe('request_timeout', () => {
  const scene = openScene()
  const clock = stopClock()

  /**
   * Sends a request, advances the clock to just before and then to the limit; returns whether there was an answer
   * before it.
   */
  async function expire(config: unknown, limitMs: number, headers: Record<string, string> = {}) {
    let isAnswered = false
    const asked = scene.ask(config, { headers }).finally(() => {
      isAnswered = true
    })
    await clock.until(() => clock.waits.includes(limitMs) && scene.calls().length > 0, `a wait of ${limitMs}`)
    await clock.tick(limitMs - 1)
    // Time for an early answer to arrive.
    for (let turn = 0; turn < 100; turn += 1) await setImmediate()
    const isEarly = isAnswered
    await clock.tick(1)
    return { isEarly, reply: await asked }
  }

  it('answers 408 when the target has not begun its answer in time', async () => {
    scene.answers = { a: saysNothing }
    const { isEarly, reply } = await expire(scene.leaf('a', { request_timeout: 1500 }), 1500)
    expect(isEarly).to.equal(false)
    expect(reply).to.include({ status: 408, index: 'config' })
    expect(reply.error).to.include({ type: 'timeout_error', code: 'request_timeout', param: null })
    expect(reply.headers.get('x-gateway-provider')).to.equal('openai')
  })

  it('of the request overrides that of the config', async () => {
    scene.answers = { a: saysNothing }
    const headers = { 'x-gateway-request-timeout': '2500' }
    const { isEarly, reply } = await expire(scene.leaf('a', { request_timeout: 1500 }), 2500, headers)
    expect({ isEarly, status: reply.status }).to.deep.equal({ isEarly: false, status: 408 })
  })

  it('of the request applies without one in the config', async () => {
    scene.answers = { a: saysNothing }
    const { reply } = await expire(scene.leaf('a'), 2500, { 'x-gateway-request-timeout': '2500' })
    expect(reply.status).to.equal(408)
  })

  it('does not touch an answer in time', async () => {
    const reply = await clock.run(scene.ask(scene.leaf('a', { request_timeout: 1500 })))
    expect(reply.status).to.equal(200)
  })

  it('starts again for each retry', async () => {
    scene.answers = { a: [saysNothing, saysNothing, 200] }
    const retry = { attempts: 2, on_status_codes: [408] }
    const reply = await clock.run(scene.ask(scene.leaf('a', { request_timeout: 5500, retry })))
    expect(reply.status).to.equal(200)
    expect(clock.waits.filter((wait) => wait === 5500)).to.have.length(3)
  })

  it('starts again for each target', async () => {
    scene.answers = { a: saysNothing, b: saysNothing }
    const config = { ...tree('fallback', [scene.leaf('a'), scene.leaf('b')]), request_timeout: 1500 }
    const reply = await clock.run(scene.ask(config))
    expect(reply).to.include({ status: 408, index: 'config.targets[1]' })
    expect(clock.waits.filter((wait) => wait === 1500)).to.have.length(2)
  })

  it('aborts the call that took too long', async () => {
    let isGone = false
    scene.answers = {
      a: (_request, response) => {
        response.on('close', () => {
          isGone = true
        })
      },
    }
    await expire(scene.leaf('a', { request_timeout: 1500 }), 1500)
    await clock.until(() => isGone, 'the end of the call')
  })

  it('does not delay the abort when a caller disconnects', async () => {
    let isGone = false
    scene.answers = {
      a: (_request, response) => {
        response.on('close', () => {
          isGone = true
        })
      },
    }
    await scene.askAndLeave(scene.leaf('a'))
    await clock.until(() => isGone, 'the end of the call')
  })

  it('does not end a stream that has begun', async () => {
    const [first = '', ...rest] = chatEvents('he', 'llo')
    let finish = () => {}
    scene.answers = {
      a: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(first + rest[0])
        finish = () => response.end(rest.slice(1).join(''))
      },
    }
    const response = await scene.gateway.post('/v1/chat/completions', chat('hi', { stream: true }), {
      'x-gateway-config': JSON.stringify(scene.leaf('a', { request_timeout: 1500 })),
    })
    expect(response.status).to.equal(200)
    await clock.tick(2000)
    finish()
    const { text } = await readReply(response)
    expect(text).to.contain('"llo"').and.contain('[DONE]')
  })

  it('ends a plain answer that has begun and is not complete in time', async () => {
    scene.answers = {
      a: (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"choices": [')
      },
    }
    const { isEarly, reply } = await expire(scene.leaf('a', { request_timeout: 1500 }), 1500)
    expect({ isEarly, status: reply.status, code: reply.error.code }).to.deep.equal({
      isEarly: false,
      status: 408,
      code: 'request_timeout',
    })
  })

  it('applies only until the first event of a stream, even one without content', async () => {
    const [opening = '', ...rest] = chatEvents('hello')
    let finish = () => {}
    scene.answers = {
      a: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(opening)
        finish = () => response.end(rest.join(''))
      },
    }
    const config = scene.leaf('a', { request_timeout: 1500 })
    const asked = scene.ask(config, { body: chat('hi', { stream: true }) })
    await clock.until(() => clock.waits.includes(1500) && scene.calls().length > 0, 'the call')
    for (let turn = 0; turn < 200; turn += 1) await setImmediate()
    await clock.tick(5000)
    finish()
    expect((await asked).text)
      .to.contain('hello')
      .and.contain('[DONE]')
  })

  it('ends a stream that has sent only comments', async () => {
    scene.answers = {
      a: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(': waiting\n\n')
      },
    }
    const config = scene.leaf('a', { request_timeout: 1500 })
    const reply = await clock.run(scene.ask(config, { body: chat('hi', { stream: true }) }))
    expect(reply.error.code).to.equal('request_timeout')
  })

  for (const value of [0, -1, 1.5, '1000', null]) {
    it(`cannot be ${JSON.stringify(value)} in a config`, async () => {
      const { status, error } = await scene.ask(scene.leaf('a', { request_timeout: value }))
      expect({ status, code: error.code, param: error.param }).to.deep.equal({
        status: 400,
        code: 'invalid_config',
        param: 'config/request_timeout',
      })
    })
  }
})
