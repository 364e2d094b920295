/**
 * HashiCorp Vault, against a server that signs in, keeps secrets in both versions of the engine, and ends its tokens.
 * Sources: https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2, …/kv-v1, …/auth/approle, …/auth/kubernetes
 */
import type { JsonObject } from '@gateway/contract'
import { hashicorpVault } from '@gateway/secret-managers'
import { expect } from 'chai'
import { type SeenRequest, sendJson } from '../../support/upstream.ts'
import { createReach, faultsIn, openStage, outcomeOf } from './fixtures.ts'

const approle = { vault_auth_type: 'approle', vault_role_id: 'role-1', vault_secret_id: 'secret-1' }
const kubernetes = { vault_auth_type: 'kubernetes', vault_role: 'gateway' }
const metadata = { created_time: '2026-01-01T00:00:00Z', deletion_time: '', destroyed: false, version: 3 }
const jwt = 'eyJ.cluster.token'

describe('HashiCorp Vault', () => {
  let secrets: Record<string, JsonObject | null> = {}
  /** Tokens that are taken. */
  let live = new Set<string>()
  let logins = 0
  let leaseSeconds = 3600
  beforeEach(() => {
    secrets = {
      '/v1/secret/data/openai': { api_key: 'sk-live' },
      '/v1/secret/data/deleted': null,
      '/v1/team/kv/data/openai': { api_key: 'sk-team' },
      '/v1/old/openai': { api_key: 'sk-v1' },
    }
    live = new Set(['root'])
    logins = 0
    leaseSeconds = 3600
  })

  function login(request: SeenRequest): boolean {
    if (request.path === '/v1/auth/approle/login') return request.json?.secret_id === 'secret-1'
    return request.path === '/v1/auth/kubernetes/login' && request.json?.jwt === jwt
  }

  const stage = openStage((request, response) => {
    if (request.method === 'POST') {
      if (!login(request)) return sendJson(response, 400, { errors: ['invalid role or secret ID secret-2'] })
      logins += 1
      const client_token = `hvs.${logins}`
      live.add(client_token)
      return sendJson(response, 200, {
        auth: { client_token, lease_duration: leaseSeconds, renewable: true },
      })
    }
    if (!live.has(String(request.headers['x-vault-token']))) {
      return sendJson(response, 403, { errors: ['permission denied'] })
    }
    const found = secrets[request.path]
    if (found === undefined) return sendJson(response, 404, { errors: [] })
    if (!request.path.includes('/data/'))
      return sendJson(response, 200, { lease_duration: 2764800, data: found })
    sendJson(response, found === null ? 404 : 200, { data: { data: found, metadata } })
  })

  const open = (options: Parameters<typeof hashicorpVault>[0] = {}) => {
    const manager = hashicorpVault({ environment: {}, readText: async () => `${jwt}\n`, ...options })
    return (path: string, settings: JsonObject = { vault_auth_type: 'token', vault_token: 'root' }) =>
      outcomeOf(manager.fetch({ vault_addr: `${stage.server.origin}/`, ...settings }, path, stage.io))
  }

  const paths: [string, JsonObject, string][] = [
    ['secret/openai', {}, '{"api_key":"sk-live"}'],
    ['/secret/openai', {}, '{"api_key":"sk-live"}'],
    ['secret/data/openai', {}, '{"api_key":"sk-live"}'],
    ['team/kv/data/openai', {}, '{"api_key":"sk-team"}'],
    ['old/openai', { vault_kv_version: 1 }, '{"api_key":"sk-v1"}'],
    ['secret/deleted', {}, 'nothing'],
    ['secret/absent', {}, 'nothing'],
    ['secret', {}, 'nothing'],
    ['secret/../sys/health', {}, 'nothing'],
    ['secret//openai', {}, 'nothing'],
  ]
  for (const [path, settings, found] of paths) {
    it(`finds ${found === 'nothing' ? 'nothing' : 'a secret'} at ${path} ${JSON.stringify(settings)}`, async () => {
      const token = { vault_auth_type: 'token', vault_token: 'root' }
      expect(await open()(path, { ...token, ...settings })).to.equal(found)
    })
  }

  it('sends its namespace with every call', async () => {
    await open()('secret/openai', { ...approle, vault_namespace: 'team-a' })
    expect(stage.server.seen.map(({ headers }) => headers['x-vault-namespace'])).to.deep.equal([
      'team-a',
      'team-a',
    ])
  })

  it('signs in once for any number of concurrent requests', async () => {
    const fetchSecret = open()
    await Promise.all(['secret/openai', 'secret/absent'].map((path) => fetchSecret(path, approle)))
    await fetchSecret('secret/openai', approle)
    expect(logins).to.equal(1)
  })

  it('signs in again when its token has expired', async () => {
    leaseSeconds = 60
    const fetchSecret = open()
    await fetchSecret('secret/openai', approle)
    stage.io.pass(50_000)
    await fetchSecret('secret/openai', approle)
    expect(logins).to.equal(1)
    stage.io.pass(10_000)
    await fetchSecret('secret/openai', approle)
    expect(logins).to.equal(2)
  })

  it('signs in again when its token was revoked', async () => {
    const fetchSecret = open()
    await fetchSecret('secret/openai', approle)
    live.clear()
    secrets['/v1/secret/data/openai'] = { api_key: 'sk-rotated' }
    expect(await fetchSecret('secret/openai', approle)).to.equal('{"api_key":"sk-rotated"}')
    expect(logins).to.equal(2)
  })

  it('keeps the tokens of two roles apart', async () => {
    const fetchSecret = open()
    await fetchSecret('secret/openai', approle)
    await fetchSecret('secret/openai', { ...approle, vault_role_id: 'role-2' })
    expect(logins).to.equal(2)
  })

  it('signs in with the Kubernetes service account token', async () => {
    expect(await open()('secret/openai', kubernetes)).to.equal('{"api_key":"sk-live"}')
    expect(stage.server.seen[0]?.json).to.deep.equal({ role: 'gateway', jwt })
  })

  it('sends the service account token nowhere else', async () => {
    const io = createReach([])
    const manager = hashicorpVault({
      environment: { VAULT_ADDR: 'https://vault.mine' },
      readText: async () => jwt,
    })
    const sent: string[] = []
    const recorded = {
      ...io,
      fetch: async ({ url }: { url: string }) => {
        sent.push(url)
        return { status: 500, headers: {}, bytes: Buffer.alloc(0) }
      },
    }
    const ask = (vault_addr: string) =>
      outcomeOf(manager.fetch({ ...kubernetes, vault_addr }, 'secret/a', recorded))
    expect(await ask('https://vault.evil.example')).to.match(/^dependency_unavailable: .*VAULT_ADDR/)
    expect(sent).to.deep.equal([])
    await ask('https://vault.mine')
    await ask('http://vault.vault.svc:8200')
    io.close()
    expect(sent).to.deep.equal([
      'https://vault.mine/v1/auth/kubernetes/login',
      'http://vault.vault.svc:8200/v1/auth/kubernetes/login',
    ])
  })

  it('reports a process without a service account token', async () => {
    const readText = async () => {
      throw new Error('ENOENT')
    }
    expect(await open({ readText })('secret/openai', kubernetes)).to.match(
      /^dependency_unavailable: .*cluster/,
    )
  })

  it('reports a refusal without any sent or received text', async () => {
    const fetchSecret = open()
    expect(await fetchSecret('secret/openai', { ...approle, vault_secret_id: 'secret-2' })).to.equal(
      'dependency_unavailable: HashiCorp Vault refused to give the secret (400, login).',
    )
    expect(
      await fetchSecret('secret/openai', { vault_auth_type: 'token', vault_token: 'hvs.wrong' }),
    ).to.equal('dependency_unavailable: HashiCorp Vault refused to give the secret (403).')
  })

  it('reports that it is sealed, or returns invalid answers', async () => {
    stage.server.handle((_request, response) => sendJson(response, 503, { errors: ['Vault is sealed'] }))
    expect(await open()('secret/openai')).to.match(/^dependency_unavailable: .*503/)
    stage.server.handle((_request, response) => sendJson(response, 200, 'hello'))
    expect(await open()('secret/openai')).to.match(/^dependency_unavailable: .*cannot be read/)
  })

  it('is called through the host guard', async () => {
    const io = createReach([])
    const settings = { vault_addr: stage.server.origin, vault_auth_type: 'token', vault_token: 'root' }
    expect(await outcomeOf(hashicorpVault().fetch(settings, 'secret/openai', io))).to.match(
      /^host_not_allowed/,
    )
    io.close()
    expect(stage.server.seen).to.deep.equal([])
  })

  const wrong: [JsonObject, string[]][] = [
    [{ ...approle, vault_addr: 'https://v', vault_kv_version: 1 }, []],
    [{ vault_auth_type: 'token', vault_addr: 'https://v' }, ['/vault_token']],
    [{ vault_auth_type: 'approle' }, ['/vault_addr', '/vault_role_id', '/vault_secret_id']],
    [
      { vault_auth_type: 'kubernetes', vault_addr: 'https://v', vault_kv_version: 3 },
      ['/vault_kv_version', '/vault_role'],
    ],
  ]
  for (const [settings, faults] of wrong) {
    it(`reports ${faults.length === 0 ? 'no error' : faults.join(', ')} for ${JSON.stringify(settings).slice(0, 60)}`, () => {
      expect(faultsIn(hashicorpVault(), settings)).to.deep.equal(faults)
    })
  }
})
