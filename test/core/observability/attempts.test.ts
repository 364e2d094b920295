/**
 * Every attempt at a target is visible: in `x-gateway-attempts`, the log line, the log entry and
 * `gateway_attempts_total`.
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { stopClock } from '../../support/clock.ts'
import { openScene, type Reply, saysNothing, tree } from '../../support/scene.ts'
import { until } from '../../support/until.ts'
import { chatEvents, type Handler } from '../../support/upstream.ts'

const breaksOff: Handler = (_request, response) => {
  response.destroy()
}
const unreadable: Handler = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{')
}

describe('attempts at targets', () => {
  const scene = openScene((origin) => ({
    providers: Object.fromEntries(
      ['main', 'spare', 'limited'].map((name) => [
        name,
        {
          provider: 'openai',
          api_key: 'sk-1',
          custom_host: `${origin}/${name}/v1`,
          ...(name === 'limited' ? { rate_limits: { type: 'requests', unit: 'rpd', value: 0 } } : {}),
        },
      ]),
    ),
  }))
  const clock = stopClock()

  const entryOf = (reply: Reply) =>
    until('the entry', async () => {
      const { runtime } = scene.gateway
      await runtime.logs.flush()
      const fields = { trace_id: [reply.headers.get('x-gateway-trace-id') ?? ''] }
      const [summary] = await runtime.store.log.list({ fields }, { limit: 1 })
      const [entry] = summary === undefined ? [] : await runtime.store.log.read([summary.id])
      return entry ?? null
    })
  const lineOf = (reply: Reply) =>
    scene.gateway.logs.find(({ trace_id }) => trace_id === reply.headers.get('x-gateway-trace-id'))
  const attemptsOf = (reply: Reply) => reply.headers.get('x-gateway-attempts')
  const counted = async (labels: Record<string, string>) => {
    const metric = await scene.gateway.runtime.metrics.registry
      .getSingleMetric('gateway_attempts_total')
      ?.get()
    const found = metric?.values.find(({ labels: own }) =>
      Object.entries(labels).every(([name, value]) => own[name] === value),
    )
    return found?.value ?? 0
  }
  const fallback = (...targets: string[]) =>
    tree(
      'fallback',
      targets.map((name) => ({ provider: `@${name}` })),
    )

  it('are in a header, with full paths, when there was more than one', async () => {
    scene.answers = { main: breaksOff }
    expect(attemptsOf(await scene.ask(fallback('main', 'spare')))).to.equal(
      'config.targets[0]=connection, config.targets[1]=200',
    )
    const nested = tree('fallback', [fallback('main', 'main'), { provider: '@spare' }])
    expect(attemptsOf(await scene.ask(nested))).to.equal(
      'config.targets[0].targets[0]=connection, config.targets[0].targets[1]=connection, config.targets[1]=200',
    )
  })

  it('are in no header when there was only one', async () => {
    expect(attemptsOf(await scene.ask({ provider: '@main' }))).to.equal(null)
  })

  const outcomes: [what: string, answer: number | Handler, shown: string, outcome: string][] = [
    ['an error of the caller', 404, '404', '4xx'],
    ['a rate limit of the provider', 429, '429', '429'],
    ['an error of the provider', 503, '503', '5xx'],
    ['a connection that fails', breaksOff, 'connection', 'connection'],
    ['an answer that cannot be read', unreadable, 'invalid_response', 'invalid_response'],
    ['a provider that takes too long', saysNothing, 'timeout', 'timeout'],
  ]
  for (const [what, answer, shown, outcome] of outcomes) {
    it(`include ${what}`, async () => {
      scene.answers = { main: answer }
      const before = await counted({ provider: 'openai', virtual_key: 'main', outcome })
      const reply = await clock.run(scene.ask({ ...fallback('main', 'spare'), request_timeout: 1500 }))
      expect(attemptsOf(reply)).to.equal(`config.targets[0]=${shown}, config.targets[1]=200`)
      expect(await counted({ provider: 'openai', virtual_key: 'main', outcome })).to.equal(before + 1)
    })
  }

  it('include refusals by the gateway itself', async () => {
    const before = await counted({ virtual_key: 'limited', outcome: 'refused' })
    expect(attemptsOf(await scene.ask(fallback('limited', 'spare')))).to.equal(
      'config.targets[0]=429, config.targets[1]=200',
    )
    expect(await counted({ virtual_key: 'limited', outcome: 'refused' })).to.equal(before + 1)
  })

  it('include every retry, even on errors', async () => {
    scene.answers = { main: 500 }
    const reply = await clock.run(scene.ask({ provider: '@main', retry: { attempts: 2 } }))
    expect(attemptsOf(reply)).to.equal('config=500, config=500, config=500')
  })

  it('are also in the header of a stream', async () => {
    scene.answers = { main: 500 }
    const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }
    const reply = await scene.ask(fallback('main', 'spare'), { body })
    expect(attemptsOf(reply)).to.equal('config.targets[0]=500, config.targets[1]=200')
  })

  it('do not include targets skipped for an open circuit', async () => {
    scene.answers = { main: 500 }
    const config = {
      ...fallback('main', 'spare', 'main'),
      cb_config: { failure_threshold: 1, cooldown_interval: 60_000 },
      override_params: { model: 'circuit' },
    }
    await scene.ask(config)
    expect(attemptsOf(await scene.ask(config))).to.equal(null)
  })

  it('are truncated to 1 kB in the header', async () => {
    scene.answers = { main: 500 }
    const many = fallback(...Array.from({ length: 60 }, () => 'main'), 'spare')
    // The header's bytes are UTF-8; fetch reads them as Latin-1.
    const bytes = Buffer.from(attemptsOf(await scene.ask(many)) ?? '', 'latin1')
    const header = bytes.toString('utf8')
    expect(bytes.length).to.be.at.most(1024)
    expect(header).to.match(/^config\.targets\[0\]=500, .*=500, …$/)
  })

  it('are in the log line and the log entry', async () => {
    scene.answers = { main: 500 }
    const reply = await scene.ask(fallback('main', 'spare'), {
      body: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
    })
    const { details, fields } = await entryOf(reply)
    const attempts = (details.attempts as JsonObject[]).map(({ duration_ms, ...rest }) => {
      expect(duration_ms).to.be.a('number')
      return rest
    })
    expect(attempts).to.deep.equal([
      { path: 'config.targets[0]', provider: 'main', model: 'm', status: 500, fault: null, reason: 'first' },
      {
        path: 'config.targets[1]',
        provider: 'spare',
        model: 'm',
        status: 200,
        fault: null,
        reason: 'fallback',
      },
    ])
    expect([fields.ai_org, fields.provider]).to.deep.equal(['openai', 'spare'])
    expect(lineOf(reply)).to.deep.include({
      provider: 'openai',
      virtual_key: 'spare',
      attempts: ['config.targets[0]=500', 'config.targets[1]=200'],
    })
  })

  it('are recorded as broken off when their stream broke off', async () => {
    const [opening = '', first = ''] = chatEvents('half')
    scene.answers = {
      main: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(opening + first, () => setImmediate(() => response.destroy()))
      },
    }
    const before = await counted({ virtual_key: 'main', outcome: 'invalid_response' })
    const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }
    const reply = await scene.ask({ provider: '@main' }, { body })
    const { details } = await entryOf(reply)
    expect((details.attempts as JsonObject[])[0]).to.include({ status: 200, fault: 'invalid_response' })
    expect(await counted({ virtual_key: 'main', outcome: 'invalid_response' })).to.equal(before + 1)
  })

  describe('with a stored credential', () => {
    it('name its slug next to the provider', async () => {
      const { headers } = await scene.ask({ provider: '@main' })
      expect(headers.get('x-gateway-provider')).to.equal('openai')
      expect(headers.get('x-gateway-virtual-key')).to.equal('main')
    })

    it('also name it on an error', async () => {
      scene.answers = { main: breaksOff }
      expect((await scene.ask({ provider: '@main' })).headers.get('x-gateway-virtual-key')).to.equal('main')
    })

    it('name it on a cached answer', async () => {
      const config = { provider: '@main', cache: { mode: 'simple' } }
      await scene.ask(config)
      const { headers } = await scene.ask(config)
      expect(headers.get('x-gateway-cache-status')).to.equal('HIT')
      expect(headers.get('x-gateway-virtual-key')).to.equal('main')
    })

    it("name nothing when the credential is the caller's own", async () => {
      expect((await scene.ask(scene.leaf('a'))).headers.get('x-gateway-virtual-key')).to.equal(null)
    })
  })
})
