/**
 * Guardrails and the cache: only answers that passed are stored, and cached answers are checked again for every caller.
 */
import { expect } from 'chai'
import { chat, configHeader, json, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import {
  chatAnswer,
  chatEvents,
  openUpstream,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'
import { chatPath, statusOf } from './support.ts'

const forbids = (word: string, deny: boolean) => ({
  'default.contains': { words: [word], operator: 'none' },
  deny,
})

describe('a guardrail', () => {
  let gateway: TestGateway
  let upstream: Upstream
  /** A webhook with a configurable verdict. */
  let judge: Upstream
  let verdict = true
  let topic = 0

  before(async () => {
    gateway = await startGateway()
    upstream = await openUpstream(({ json: body }, response) => {
      if (body?.stream === true) sendEvents(response, chatEvents('a bad', ' word'))
      else sendJson(response, 200, chatAnswer('a bad word'))
    })
    judge = await openUpstream((_request, response) => sendJson(response, 200, { verdict }))
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
    await judge.close()
  })
  beforeEach(() => {
    topic += 1
    verdict = true
  })

  const ask = (config: Record<string, unknown>, extra: Record<string, unknown> = {}) =>
    gateway.post(
      chatPath,
      chat(`topic ${topic}`, extra),
      configHeader({ ...target(upstream.url), cache: { mode: 'simple' }, ...config }),
    )
  const webhook = (deny: boolean) => ({ 'default.webhook': { webhookURL: judge.url }, deny })

  for (const [when, stream] of [
    ['a plain answer', false],
    ['a streamed answer', true],
  ] as const) {
    it(`that failed ${when} keeps the answer out of the cache`, async () => {
      for (const deny of [false, true]) {
        const calls = upstream.seen.length
        for (let count = 1; count <= 2; count += 1) {
          const response = await ask({ output_guardrails: [forbids('bad word', deny)] }, { stream })
          expect(statusOf(response)).to.equal('MISS')
          if (!stream) expect(response.status).to.equal(deny ? 446 : 246)
          await response.text()
          expect(upstream.seen).to.have.length(calls + count)
        }
      }
    })

    it(`checks ${when} again when it comes from the cache`, async () => {
      const config = { output_guardrails: [webhook(true)] }
      const first = await ask(config, { stream })
      expect(statusOf(first)).to.equal('MISS')
      await first.text()
      const calls = upstream.seen.length
      verdict = false
      const denied = await ask(config, { stream })
      expect(denied.status).to.equal(446)
      expect(statusOf(denied)).to.equal('HIT')
      expect((await json(denied)).error).to.have.property('code', 'guardrail_denied')
      verdict = true
      const allowed = await ask(config, { stream })
      expect(allowed.status).to.equal(200)
      expect(await allowed.text()).to.contain('word')
      expect(upstream.seen).to.have.length(calls)
    })
  }

  it('of the same config node checks a cached answer and reports its verdict', async () => {
    const config = {
      strategy: { mode: 'fallback' },
      targets: [target(upstream.url)],
      cache: { mode: 'simple' },
      output_guardrails: [forbids('never', true)],
    }
    for (const expected of ['MISS', 'HIT']) {
      const response = await gateway.post(chatPath, chat('own'), configHeader(config))
      expect(statusOf(response)).to.equal(expected)
      const { hook_results: results } = await json(response)
      expect(results).to.have.nested.property('after_request_hooks[0].verdict', true)
    }
  })

  it('that fails a cached answer without denying it makes the status 246', async () => {
    const config = { output_guardrails: [webhook(false)] }
    await (await ask(config)).text()
    verdict = false
    const response = await ask(config)
    expect(response.status).to.equal(246)
    expect(statusOf(response)).to.equal('HIT')
    expect(await json(response)).to.have.nested.property('choices[0].message.content', 'a bad word')
  })

  it('that denies a request denies it before the cache is read', async () => {
    const config = { input_guardrails: [webhook(true)] }
    await (await ask(config)).text()
    verdict = false
    expect((await ask(config)).status).to.equal(446)
  })

  it('that failed a request keeps the answer out of the cache', async () => {
    verdict = false
    const config = { input_guardrails: [webhook(false)] }
    for (let count = 0; count < 2; count += 1) {
      const response = await ask(config)
      expect(response.status).to.equal(246)
      expect(statusOf(response)).to.equal('MISS')
    }
  })

  it('that changed in the config file does not match the old entries', async () => {
    const guardrails = (word: string) => ({
      guardrails: {
        saved: {
          checks: [{ id: 'default.contains', parameters: { words: [word], operator: 'none' } }],
          deny: true,
        },
      },
    })
    await gateway.writeConfig(guardrails('never'))
    await gateway.reload()
    const config = { output_guardrails: ['saved'] }
    expect(statusOf(await ask(config))).to.equal('MISS')
    expect(statusOf(await ask(config))).to.equal('HIT')
    await gateway.writeConfig(guardrails('ever'))
    await gateway.reload()
    expect(statusOf(await ask(config))).to.equal('MISS')
  })
})
