/** The check of URLs against a real server, through the gateway's host guard and its resolver. */
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway, target } from '../support/gateway.ts'
import { chatAnswer, openUpstream, sendJson, type Upstream } from '../support/upstream.ts'

const statuses: Record<string, number> = {
  '/ok': 200,
  '/gone': 404,
  '/moved': 302,
  '/moved-away': 302,
  '/loop': 302,
}
const locations: Record<string, string> = { '/moved': '/ok', '/moved-away': '/gone', '/loop': '/loop' }

describe('the check of URLs', () => {
  let upstream: Upstream
  let gateway: TestGateway
  let answer = ''

  before(async () => {
    upstream = await openUpstream(({ path }, response) => {
      if (path.startsWith('/v1')) return sendJson(response, 200, chatAnswer(answer))
      const location = locations[path]
      response.writeHead(statuses[path] ?? 500, location === undefined ? {} : { location })
      response.end('a body that HEAD does not have')
    })
    gateway = await startGateway(
      {},
      {
        async resolve(hostname) {
          if (hostname === 'public.example') return [{ address: '93.184.215.14', family: 4 }]
          if (hostname === 'private.example') return [{ address: '10.0.0.1', family: 4 }]
          throw Object.assign(new Error('no'), {
            code: hostname === 'busy.example' ? 'EAI_AGAIN' : 'ENOTFOUND',
          })
        },
      },
    )
  })
  beforeEach(() => {
    upstream.seen.length = 0
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const ask = async (text: string, parameters: object = {}) => {
    answer = text
    const config = target(`${upstream.origin}/v1`, {
      output_guardrails: [{ id: 'urls', deny: true, validUrls: parameters }],
    })
    const response = await gateway.post('/v1/chat/completions', chat(), configHeader(config))
    const body = (await response.json()) as {
      hook_results: { after_request_hooks: { checks: { data: unknown; error: { name: string } | null }[] }[] }
    }
    const [check] = body.hook_results.after_request_hooks[0]?.checks ?? []
    return { status: response.status, data: check?.data, error: check?.error?.name ?? null }
  }
  const asked = () => upstream.seen.filter(({ path }) => !path.startsWith('/v1'))

  it('sends HEAD once per URL, and passes a URL that exists', async () => {
    const url = `${upstream.origin}/ok`
    const { status, data } = await ask(`See ${url} and ${url}.`)
    expect([status, data]).to.deep.equal([200, { urls: 1, invalid: [] }])
    expect(asked().map(({ method, text }) => [method, text])).to.deep.equal([['HEAD', '']])
  })

  for (const [path, expected] of [
    ['/gone', 446],
    ['/moved', 200],
    ['/moved-away', 446],
    ['/loop', 446],
  ] as const)
    it(`returns ${expected} for ${path}`, async () => {
      expect((await ask(`${upstream.origin}${path}`)).status).to.equal(expected)
    })

  it('does not affect the circuit breakers of other checks at the same host', async () => {
    const urls = Array.from({ length: 7 }, (_, index) => `${upstream.origin}/broken/${index}`)
    expect((await ask(urls.join(' '))).status).to.equal(446)
    expect(asked().length).to.equal(7)
    const webhook = { webhookURL: `${upstream.origin}/ok` }
    const config = { provider: 'echo', input_guardrails: [{ id: 'hook', webhook }] }
    await gateway.post('/v1/chat/completions', chat(), configHeader(config))
    expect(asked().map(({ method, path }) => `${method} ${path}`)).to.include('POST /ok')
  })

  it('does not call private addresses', async () => {
    const { status, data } = await ask('http://169.254.169.254/latest')
    expect(status).to.equal(446)
    expect(data).to.have.nested.property('invalid[0].problem', 'host_not_allowed')
  })

  it('onlyDNS: queries only the resolver', async () => {
    expect((await ask('https://public.example/any', { onlyDNS: true })).status).to.equal(200)
    expect((await ask('https://nobody.example/any', { onlyDNS: true })).status).to.equal(446)
    expect(asked()).to.deep.equal([])
  })

  it('onlyDNS: does not distinguish a private name from one that does not exist', async () => {
    const results = await Promise.all(
      ['private.example', 'nobody.example'].map((name) => ask(`https://${name}/`, { onlyDNS: true })),
    )
    expect(results[0]).to.deep.equal(results[1])
  })

  it('onlyDNS: is an error when the resolver does not answer', async () => {
    const { status, error } = await ask('https://busy.example/', { onlyDNS: true })
    expect([status, error]).to.deep.equal([200, 'dependency_unavailable'])
  })
})
