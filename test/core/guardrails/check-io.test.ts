/** The services available to a check: a model of this gateway, and HTTP services with a circuit breaker. */
import { expect } from 'chai'
import { packageDirectory } from '../../support/fixture-package.ts'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'

const source = `
const schema = { type: 'object', additionalProperties: false, properties: { url: { type: 'string', description: 'x' } } }
const common = { title: 't', description: 'd', kind: 'guardrail', phases: ['before', 'after'], parameters: schema }
export default {
  name: 'probe', title: 'Probe',
  checks: [
    { ...common, id: 'ask', prepare: () => ({ async run(input, io) {
      const answer = await io.chatComplete('@judge', { model: 'm', messages: [{ role: 'user', content: input.text }] })
      return { verdict: answer.choices[0].message.content === 'fine' }
    } }) },
    { ...common, id: 'call', prepare: ({ url }) => ({ async run(_input, { fetchJson }) {
      const { status } = await fetchJson({ method: 'POST', url, json: {} })
      if (status !== 200) throw new Error('the service answered ' + status)
      return { verdict: true }
    } }) },
    { ...common, id: 'keep', prepare: () => ({ run(input, io) {
      if (input.phase === 'before') io.shared.set('seen', input.text)
      return { verdict: io.shared.get('seen') === 'remember' }
    } }) },
  ],
}`

describe('the services available to a check', () => {
  const packages = packageDirectory()
  let upstream: Upstream
  let gateway: TestGateway
  let judgement = 'fine'
  let outage = false

  before(async () => {
    upstream = await openUpstream(({ path }, response) => {
      if (path.startsWith('/service')) {
        response.statusCode = outage ? 503 : 200
        response.end('{}')
        return
      }
      const content = path.startsWith('/judge') ? judgement : 'hello'
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        }),
      )
    })
    const host = (name: string) => ({
      provider: 'openai',
      api_key: 'sk',
      custom_host: `${upstream.origin}/${name}/v1`,
    })
    gateway = await startGateway({
      plugins: { packages: [await packages.write({ name: 'probe', kind: 'guardrail', source })] },
      providers: { house: host('house'), judge: host('judge') },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const ask = (hooks: object, text = 'hello') =>
    gateway.post('/v1/chat/completions', chat(text), {
      'x-gateway-config': JSON.stringify({ provider: '@house', ...hooks }),
    })
  const hook = (id: string, parameters: object = {}) => [
    { id: 'h', deny: true, fail_closed: true, checks: [{ id, parameters }] },
  ]

  it('include a model call through the gateway, on input and output', async () => {
    expect((await ask({ before_request_hooks: hook('probe.ask') })).status).to.equal(200)
    judgement = 'bad'
    expect((await ask({ before_request_hooks: hook('probe.ask') })).status).to.equal(446)
    expect((await ask({ after_request_hooks: hook('probe.ask') })).status).to.equal(446)
  })

  it('include the state that the same plugin kept in the phase before', async () => {
    const hooks = { before_request_hooks: hook('probe.keep'), after_request_hooks: hook('probe.keep') }
    expect((await ask(hooks, 'remember')).status).to.equal(200)
    expect((await ask({ after_request_hooks: hook('probe.keep') }, 'remember')).status).to.equal(446)
  })

  it('stop being called after five consecutive failures', async () => {
    outage = true
    const url = `${upstream.origin}/service`
    const called = () => upstream.seen.filter(({ path }) => path === '/service').length
    for (let count = 0; count < 7; count += 1)
      await ask({ before_request_hooks: hook('probe.call', { url }) })
    expect(called()).to.equal(5)
    const reply = await ask({ before_request_hooks: hook('probe.call', { url }) })
    const body = (await reply.json()) as {
      hook_results: { before_request_hooks: [{ checks: [{ error: { name: string } }] }] }
    }
    expect(body.hook_results.before_request_hooks[0].checks[0].error.name).to.equal('circuit_open')
  })
})
