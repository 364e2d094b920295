/** Async hooks run after the answer: they neither delay nor change it, and their results are logged. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { chatEvents, openUpstream, sendEvents, sendJson, type Upstream } from '../../support/upstream.ts'
import { acts, hooksOf, openGuarded } from './fixtures/open.ts'
import { moments, runs } from './fixtures/plugin.ts'

describe('an async hook', () => {
  // Closing the gateway does not wait for a hook that hangs.
  const scene = openGuarded({ server: { shutdown_grace_ms: 0 } })
  let service: Upstream
  before(async () => {
    service = await openUpstream((_request, response) => sendJson(response, 200, { verdict: false, data: 7 }))
  })
  after(() => service.close())

  let from = 0
  beforeEach(() => {
    from = scene.gateway.logs.length
  })
  interface Logged {
    id: string
    verdict: boolean
    async: boolean
    checks: { data: unknown; error: unknown }[]
  }
  const logged = async (count = 1): Promise<Logged[]> =>
    until('the async hooks are in the log', () => {
      const lines = scene.gateway.logs.slice(from).filter(({ msg }) => msg === 'async hook')
      return lines.length >= count ? lines.map(({ hook }) => hook as Logged) : null
    })

  for (const list of ['input_guardrails', 'output_guardrails'] as const) {
    it(`denies nothing and is not in hook_results: ${list}`, async () => {
      const late = acts('fail', 'late', { deny: true, async: true })
      const reply = await scene.ask(scene.leaf('a', { [list]: [late, acts('pass', 'now')] }))
      expect(reply.status).to.equal(200)
      const { before_request_hooks: before, after_request_hooks: after } = hooksOf(reply)
      expect([...before, ...after].map(({ id }) => id)).to.deep.equal(['now'])
      const [line] = await logged()
      expect(line).to.deep.include({ id: 'late', verdict: false, async: true })
    })

    it(`adds no hook_results when it is the only hook: ${list}`, async () => {
      const reply = await scene.ask(scene.leaf('a', { [list]: [acts('fail', 'late', { async: true })] }))
      expect(reply.body).not.to.have.property('hook_results')
      await logged()
    })

    it(`delays nothing when it hangs: ${list}`, async () => {
      const reply = await scene.ask(scene.leaf('a', { [list]: [acts('hang', 'late', { async: true })] }))
      expect(reply.status).to.equal(200)
    })
  }

  it('starts after the answer is complete', async () => {
    scene.answers.a = (_request, response) => {
      moments.push('upstream')
      sendEvents(response, chatEvents('o', 'k'))
    }
    const late = acts('pass', 'late', { async: true })
    const config = scene.leaf('a', { input_guardrails: [late], after_request_hooks: [hook('out')] })
    await scene.ask(config, { body: chat('x', { stream: true }) })
    await logged(2)
    expect(moments[0]).to.equal('upstream')
    expect(runs.map(({ tag }) => tag)).to.have.members(['late', 'out'])
  })

  const hook = (tag: string) => ({
    id: tag,
    async: true,
    checks: [{ id: 'fixture.act', parameters: { act: 'pass', tag } }],
  })

  it('sees the request as changed by mutators', async () => {
    const mutator = { id: 'adds', 'fixture.append': { text: '!' } }
    await scene.ask(scene.leaf('a', { input_guardrails: [acts('pass', 'late', { async: true }), mutator] }), {
      body: chat('text'),
    })
    await logged()
    expect(runs.find(({ tag }) => tag === 'late')?.text).to.equal('text!')
  })

  it('sees the answer of every attempt', async () => {
    scene.answers.a = [429, 200]
    const late = acts('pass', 'late', { async: true })
    const targets = [
      scene.leaf('a', { output_guardrails: [late] }),
      scene.leaf('b', { output_guardrails: [late] }),
    ]
    await scene.ask({ strategy: { mode: 'fallback' }, targets })
    await logged()
    expect(runs.map(({ text }) => text)).to.deep.equal(['ok'])
  })

  it('can call a webhook, even after a cached answer', async () => {
    const webhook = { webhookURL: `${service.origin}/judge` }
    const config = scene.leaf('a', {
      cache: { mode: 'simple' },
      output_guardrails: [{ id: 'late', async: true, webhook }],
    })
    const reply = await scene.ask(config)
    expect(reply.headers.get('x-gateway-cache-status')).to.equal('MISS')
    const [line] = await logged()
    expect(line?.checks[0]).to.deep.include({ data: 7, error: null })
  })

  it('runs even when a guardrail denied the request', async () => {
    const config = scene.leaf('a', {
      input_guardrails: [acts('pass', 'late', { async: true }), acts('fail', 'strict', { deny: true })],
    })
    expect((await scene.ask(config)).status).to.equal(446)
    expect((await logged())[0]?.id).to.equal('late')
  })

  it('without a verdict is logged with its error', async () => {
    await scene.ask(scene.leaf('a', { input_guardrails: [acts('throw', 'late', { async: true })] }))
    const [line] = await logged()
    expect(line?.checks[0]?.error).to.deep.include({ message: 'It was told to throw.' })
  })
})
