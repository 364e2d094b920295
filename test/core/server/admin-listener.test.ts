/**
 * `server.admin_listener`: the management API, the docs and metrics are on a separate listener. The main one serves
 * only the routes for applications.
 */
import { expect } from 'chai'
import { listenerOf } from '#domain/index'
import { freePort } from '../../support/free-port.ts'
import { adminKey, chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { objectOf } from '../../support/openapi.ts'

const headers = { 'x-gateway-api-key': adminKey, 'content-type': 'application/json' }

describe('server.admin_listener', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ server: { admin_listener: { host: '127.0.0.1', port: 0 } } })
  })
  after(() => gateway.stop())

  const ask = (
    origin: string | null,
    method: string,
    { path, body, more = {} }: { path: string; body?: unknown; more?: object },
  ) =>
    fetch(`${origin}${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  const moved: [method: string, path: string, body?: unknown][] = [
    ['GET', '/v1/configs'],
    ['POST', '/v1/configs', { name: 'moved', workspace_id: 'default', config: { provider: 'echo' } }],
    ['GET', '/v1/api-keys'],
    ['GET', '/api-keys'],
    ['GET', '/v1/workspaces'],
    ['GET', '/v1/admin/workspaces'],
    ['GET', '/v1/organisation'],
    ['GET', '/v1/audit-logs'],
    ['GET', '/v1/sessions'],
    ['GET', '/v1/guardrails/checks'],
    ['GET', '/v1/integrations'],
    ['GET', '/docs'],
    ['GET', '/v1/openapi.json'],
    ['GET', '/openapi.json'],
    ['GET', '/metrics'],
  ]
  for (const [method, path, body] of moved) {
    it(`answers ${method} ${path} on the admin listener, and 404 on the main one`, async () => {
      const main = await ask(gateway.url, method, { path, body })
      expect(main.status, 'main').to.equal(404)
      expect(objectOf(await main.json()).error).to.include({ type: 'not_found_error', code: 'not_found' })
      expect((await ask(gateway.adminUrl, method, { path, body })).status, 'admin').to.equal(200)
    })
  }

  const kept: [method: string, path: string, body?: unknown][] = [
    ['GET', '/healthz'],
    ['GET', '/readyz'],
    ['POST', '/v1/chat/completions', { ...chat(), model: 'echo-1' }],
    ['GET', '/v1/models'],
    ['GET', '/models'],
    ['GET', '/v1/auth/self'],
    ['POST', '/v1/auth/login', { api_key: adminKey }],
  ]
  for (const [method, path, body] of kept) {
    it(`answers ${method} ${path} on both listeners`, async () => {
      const echo = { 'x-gateway-provider': 'echo' }
      for (const origin of [gateway.url, gateway.adminUrl]) {
        expect((await ask(origin, method, { path, body, more: echo })).status, String(origin)).to.equal(200)
      }
    })
  }

  it('does not list methods of the admin listener on the main one', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      const response = await ask(gateway.url, method, { path: '/v1/configs/any' })
      expect([response.status, response.headers.get('allow')], method).to.deep.equal([404, null])
    }
  })

  it('documents in OpenAPI which listener serves an operation', async () => {
    const document = objectOf(await (await ask(gateway.adminUrl, 'GET', { path: '/v1/openapi.json' })).json())
    const paths = objectOf(document.paths)
    const of = (path: string, method: string) => objectOf(objectOf(paths[path])[method])['x-listener']
    expect(of('/v1/chat/completions', 'post')).to.equal('main')
    expect(of('/v1/configs', 'get')).to.equal('admin')
    expect(of('/metrics', 'get')).to.equal('admin')
    expect(of('/healthz', 'get')).to.equal('main')
  })

  it('leaves on the main listener only the routes that applications call', () => {
    // A new route that is not covered here needs a decision: the `listener` of its declaration.
    const roots = [
      ...[
        '/v1/auth/',
        '/v1/users/invites/accept',
        '/v1/admin/users/invites/accept',
        '/v1/files',
        '/v1/batches',
      ],
      ...['/v1/fine_tuning', '/v1/prompts/', '/prompts/', '/v1/feedback', '/v1/logs', '/v1/agent', '/oauth'],
      ...[
        '/v1/mcp/',
        '/v1/mcp-servers/:id/connections',
        '/scim/v2',
        '/v1/scim/v2',
        '/.well-known',
        '/v0.1/servers',
        '/:',
        '/v1/dry-run',
        '/v1/model-configs/pricing/',
      ],
    ]
    const { routes } = gateway.runtime.services
    const strays = routes
      .filter((route) => listenerOf(route) === 'main')
      .flatMap(({ path, aliases = [] }) => [path, ...aliases])
      .filter((path) => !roots.some((root) => path.startsWith(root)))
    expect(strays).to.deep.equal([])
  })
})

describe('server.admin_listener with a metrics port', () => {
  it('serves metrics only on that port', async () => {
    const metricsPort = await freePort()
    const gateway = await startGateway({
      server: { admin_listener: { port: 0 }, metrics_port: metricsPort },
    })
    try {
      const origins = [gateway.url, gateway.adminUrl, `http://127.0.0.1:${metricsPort}`]
      const statuses = await Promise.all(
        origins.map(async (origin) => (await fetch(`${origin}/metrics`)).status),
      )
      expect(statuses).to.deep.equal([404, 404, 200])
    } finally {
      await gateway.stop()
    }
  })

  it('refuses to start on the port of the main listener', async () => {
    const port = await freePort()
    const failure = await startGateway(
      { server: { admin_listener: { port } } },
      { flags: { host: '127.0.0.1', port } },
    ).catch((error: unknown) => error)
    expect(String(failure)).to.contain('EADDRINUSE')
    // This proves that the main listener was closed again.
    const next = await startGateway({}, { flags: { host: '127.0.0.1', port } })
    await next.stop()
  })
})
