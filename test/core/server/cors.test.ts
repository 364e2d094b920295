/** Which pages of other origins can call inference routes, and the headers that browsers need. */
import { expect } from 'chai'
import { chat, configHeader, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'

const page = 'https://app.example'
const other = 'https://other.example'

const ask = (origin: string, method = 'POST') => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  },
})

const corsHeaders = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))

describe('server.cors', () => {
  let upstream: Upstream
  let gateway: TestGateway
  before(async () => {
    upstream = await openUpstream((request, response) => {
      const isStream = request.json?.stream === true
      response.writeHead(200, {
        'content-type': isStream ? 'text/event-stream' : 'application/json',
        'access-control-allow-credentials': 'true',
        vary: 'accept-encoding',
      })
      response.end(
        isStream ? 'data: [DONE]\n\n' : JSON.stringify({ id: 'x', object: 'chat.completion', choices: [] }),
      )
    })
  })
  after(() => upstream.close())
  afterEach(() => gateway.stop())

  const start = async (cors?: unknown) => {
    gateway = await startGateway(cors === undefined ? {} : { server: { cors } })
  }
  const call = (path: string, init: RequestInit) => fetch(gateway.url + path, init)
  const post = (origin: string, extra = {}) =>
    gateway.post('/v1/chat/completions', chat('hi', extra), { origin, ...configHeader(target(upstream.url)) })

  it('answers a preflight without a key', async () => {
    await start({ origins: [page] })
    const answer = await call('/v1/chat/completions', ask(page))
    expect(answer.status).to.equal(204)
    expect(await answer.text()).to.equal('')
    expect(answer.headers.get('vary')).to.equal('Origin')
    expect(corsHeaders(answer)).to.deep.equal({
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization,content-type',
      'access-control-expose-headers': '*',
      'access-control-max-age': '600',
    })
  })

  it('returns the configured max age, and * when every origin is allowed', async () => {
    await start({ origins: ['*'], max_age_seconds: 7 })
    const answer = await call('/v1/models', ask(other, 'GET'))
    expect(answer.status).to.equal(204)
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
    expect(answer.headers.get('access-control-max-age')).to.equal('7')
    expect(answer.headers.get('vary')).to.equal(null)
  })

  for (const stream of [false, true]) {
    it(`allows a page to read an answer${stream ? ' that streams' : ''}, without credentials`, async () => {
      await start({ origins: [page] })
      const answer = await post(page, { stream })
      expect(answer.status).to.equal(200)
      await answer.text()
      expect(corsHeaders(answer)).to.deep.equal({
        'access-control-allow-origin': page,
        'access-control-expose-headers': '*',
      })
      expect(answer.headers.get('vary')).to.match(/^Origin, accept-encoding$/)
    })
  }

  it('allows a page to read an error', async () => {
    await start({ origins: [page] })
    const answer = await call('/v1/chat/completions', { method: 'POST', headers: { origin: page } })
    expect(answer.status).to.equal(401)
    expect(answer.headers.get('access-control-allow-origin')).to.equal(page)
  })

  const refused: [name: string, cors: unknown, path: string, origin: string][] = [
    ['to another origin', { origins: [page] }, '/v1/chat/completions', other],
    ['to an origin of another port', { origins: [page] }, '/v1/chat/completions', `${page}:8443`],
    ['for a route of the management API', { origins: ['*'] }, '/v1/workspaces', page],
    ['for an unknown route', { origins: ['*'] }, '/v1/nothing', page],
    ['without the setting', undefined, '/v1/chat/completions', page],
  ]
  for (const [name, cors, path, origin] of refused) {
    it(`returns no CORS headers ${name}`, async () => {
      await start(cors)
      const preflight = await call(path, ask(origin))
      expect(preflight.status).to.be.greaterThan(399)
      expect(corsHeaders(preflight)).to.deep.equal({})
      const answer = await call(path, { method: 'POST', headers: { origin } })
      expect(corsHeaders(answer)).to.deep.equal({})
    })
  }

  it('is applied by a reload', async () => {
    await start()
    await gateway.writeConfig({ server: { cors: { origins: [page] } } })
    await gateway.reload()
    expect((await call('/v1/chat/completions', ask(page))).status).to.equal(204)
  })

  for (const wrong of ['app.example', `${page}/`, 'https://App.example', 'null', '']) {
    it(`refuses ${JSON.stringify(wrong)} as an origin`, async () => {
      await start()
      const failure = await startGateway({ server: { cors: { origins: [wrong] } } }).catch(
        (error: unknown) => error,
      )
      expect(String(failure)).to.contain('/server/cors/origins/0')
    })
  }
})
