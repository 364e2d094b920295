/** The decision trace, in an answer to `x-gateway-explain` and in the log entry. */
import { expect } from 'chai'
import { chat, json } from '../../support/gateway.ts'
import { openScene, tree } from '../../support/scene.ts'
import { until } from '../../support/until.ts'
import { chatEvents, sendEvents } from '../../support/upstream.ts'

interface Decision {
  step: string
  path: string | null
  at_ms: number
  [field: string]: unknown
}

const explain = { 'x-gateway-explain': 'true' }

describe('the decision trace', () => {
  const scene = openScene(() => ({
    configs: { saved: { provider: 'echo', cache: { mode: 'simple' } } },
    guardrails: {
      short: { deny: true, checks: [{ id: 'default.wordCount', parameters: { maxWords: 3 } }] },
    },
  }))
  const decisionsOf = async (config: unknown, options: Parameters<typeof scene.ask>[1] = {}) => {
    const reply = await scene.ask(config, { ...options, headers: { ...explain, ...options.headers } })
    return { reply, decisions: (reply.body.decisions ?? []) as Decision[] }
  }
  const steps = (decisions: readonly Decision[]) => decisions.map(({ step }) => step)

  it('reports a fallback: the config, the calls, and why it continued', async () => {
    scene.answers = { a: 503 }
    const { decisions } = await decisionsOf(tree('fallback', [scene.leaf('a'), scene.leaf('b')]))
    expect(steps(decisions)).to.deep.equal(['config', 'call', 'fallback', 'call', 'end'])
    expect(decisions[0]).to.deep.include({ source: 'header' })
    expect(decisions[1]).to.deep.include({
      path: 'config.targets[0]',
      attempt: 0,
      status: 503,
      hedge: false,
      aborted: false,
    })
    expect(decisions[2]).to.deep.include({ to: 'config.targets[1]', because: 503 })
    expect(decisions[3]).to.deep.include({ path: 'config.targets[1]', attempt: 1, status: 200 })
    expect(decisions[4]).to.deep.include({ status: 200, path: 'config.targets[1]' })
    for (const { at_ms } of decisions) expect(at_ms).to.be.a('number').and.at.least(0)
  })

  it('reports a retry and its reason', async () => {
    scene.answers = { a: [500, 200] }
    const { decisions } = await decisionsOf(scene.leaf('a', { retry: { attempts: 1 } }))
    expect(steps(decisions)).to.deep.equal(['config', 'call', 'retry', 'call', 'end'])
    expect(decisions[2]).to.deep.include({ attempt: 1, because: 500 })
  })

  it('reports a load-balancing choice, its probability and the targets left out', async () => {
    const { decisions } = await decisionsOf(
      tree('loadbalance', [scene.leaf('a', { weight: 3 }), scene.leaf('b', { weight: 0 })]),
    )
    expect(decisions[1]).to.deep.include({
      step: 'pick',
      mode: 'loadbalance',
      chosen: 'config.targets[0]',
      probability: 1,
      left_out: [{ path: 'config.targets[1]', because: 'weight_zero' }],
    })
  })

  it('reports that a choice was sticky, and never the sticky key', async () => {
    const config = tree('loadbalance', [scene.leaf('a')])
    const { reply, decisions } = await decisionsOf(
      { ...config, strategy: { mode: 'loadbalance', sticky: { by: 'user' } } },
      { body: chat('x', { user: 'ann@example.com' }) },
    )
    expect(decisions[1]).to.deep.include({ step: 'pick', sticky: true, by: 'user' })
    expect(JSON.stringify(reply.body.decisions)).not.to.include('ann')
  })

  it('reports a condition', async () => {
    const strategy = {
      mode: 'conditional',
      conditions: [{ query: { 'params.user': 'vip' }, then: 'b' }],
      default: 'a',
    }
    const config = { strategy, targets: [scene.leaf('a', { name: 'a' }), scene.leaf('b', { name: 'b' })] }
    const vip = await decisionsOf(config, { body: chat('x', { user: 'vip' }) })
    expect(vip.decisions[1]).to.deep.include({ step: 'condition', index: 0, then: 'config.targets[1]' })
    const other = await decisionsOf(config)
    expect(other.decisions[1]).to.deep.include({ step: 'condition', index: null, then: 'config.targets[0]' })
  })

  it('reports guardrails, even on the error of a denial', async () => {
    const { reply, decisions } = await decisionsOf(scene.leaf('a', { input_guardrails: ['short'] }), {
      body: chat('one two three four five'),
    })
    expect(reply.status).to.equal(446)
    expect(steps(decisions)).to.deep.equal(['config', 'guardrail', 'end'])
    expect(decisions[1]).to.deep.include({ id: 'short', phase: 'before', verdict: false, denied: true })
    expect(decisions[2]).to.deep.include({ status: 446 })
  })

  it('reports the cache status, and is not stored with a cached answer', async () => {
    const saved = { headers: { 'x-gateway-config': 'saved' } }
    const first = await decisionsOf(null, saved)
    expect(first.decisions.find(({ step }) => step === 'cache')).to.deep.include({ status: 'MISS' })
    expect(first.decisions[0]).to.deep.include({ source: 'header', id: 'saved' })
    const hit = await decisionsOf(null, saved)
    expect(steps(hit.decisions)).to.deep.equal(['config', 'cache', 'end'])
    const plain = await scene.ask(null, saved)
    expect(plain.headers.get('x-gateway-cache-status')).to.equal('HIT')
    expect(plain.body).not.to.have.property('decisions')
  })

  it('reports errors without hosts', async () => {
    scene.answers = { a: (_request, response) => void response.destroy() }
    const { reply, decisions } = await decisionsOf(scene.leaf('a'))
    expect(reply.status).to.equal(502)
    expect(decisions[1]).to.deep.include({ step: 'call', fault: 'connection' })
    expect(reply.text).not.to.include('127.0.0.1')
  })

  it('reports the cost of the request, in the answer and in the log', async () => {
    scene.answers = {
      a: (_request, response) => {
        const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 }
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ choices: [], model: 'gpt-4o', usage }))
      },
    }
    const { reply, decisions } = await decisionsOf(scene.leaf('a'), { body: chat('x', { model: 'gpt-4o' }) })
    expect(decisions.at(-1)).to.include({ step: 'end', cost: 250 })
    const id = String(reply.headers.get('x-request-id'))
    const entry = await until('the entry is written', async () => {
      const answer = await scene.gateway.get(`/v1/logs/${id}?workspace_id=default`)
      return answer.status === 200 ? json(answer) : undefined
    })
    expect((entry.decisions as unknown as Decision[]).at(-1)).to.include({ step: 'end', cost: 250 })
  })

  it('is sent as one event before the end of a stream', async () => {
    scene.answers = { a: (_request, response) => sendEvents(response, chatEvents('hello')) }
    const { reply } = await decisionsOf(scene.leaf('a'), { body: chat('x', { stream: true }) })
    const events = reply.text.split('\n\n').filter((event) => event !== '')
    expect(events.at(-1)).to.equal('data: [DONE]')
    const { decisions } = JSON.parse(String(events.at(-2)).slice('data: '.length)) as {
      decisions: Decision[]
    }
    expect(steps(decisions)).to.deep.equal(['config', 'call', 'end'])
    expect(decisions[1]).to.have.property('first_token_ms')
  })

  it('is in the log entry without the header', async () => {
    const reply = await scene.ask(tree('fallback', [scene.leaf('a'), scene.leaf('b')]))
    expect(reply.body).not.to.have.property('decisions')
    const id = String(reply.headers.get('x-request-id'))
    const entry = await until('the entry is written', async () => {
      const answer = await scene.gateway.get(`/v1/logs/${id}?workspace_id=default`)
      return answer.status === 200 ? json(answer) : undefined
    })
    expect(steps(entry.decisions as unknown as Decision[])).to.deep.equal(['config', 'call', 'end'])
  })

  it('requires the scope logs.view', async () => {
    const made = await json(
      await scene.gateway.post('/v1/api-keys/workspace/service', {
        name: 'plain',
        workspace_id: 'default',
        scopes: ['completions.write'],
      }),
    )
    const { reply } = await decisionsOf(scene.leaf('a'), {
      headers: { 'x-gateway-api-key': String(made.key) },
    })
    expect(reply.status).to.equal(403)
    expect(reply.error).to.include({ code: 'missing_scope', param: 'logs.view' })
    expect(scene.calls()).to.deep.equal([])
  })
})
