/**
 * Azure Key Vault, against a server that is both the vault and the identity service.
 * Source: https://learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret
 */
import type { JsonObject, ProviderFetch } from '@gateway/contract'
import { azureKeyVault } from '@gateway/secret-managers'
import { expect } from 'chai'
import { sendJson } from '../../support/upstream.ts'
import { createReach, faultsIn, openStage, outcomeOf } from './fixtures.ts'

const client = {
  azure_auth_mode: 'entra',
  azure_entra_tenant_id: 'tenant-1',
  azure_entra_client_id: 'client-1',
  azure_entra_client_secret: 'client~secret',
}
const version = '4387e9f3d6e14c459867679a90fd0f79'

describe('Azure Key Vault', () => {
  let value = 'sk-live'
  let tokens = 0
  const stage = openStage((request, response) => {
    const { pathname } = new URL(request.path, 'http://vault')
    if (pathname === '/tenant-1/oauth2/v2.0/token') {
      if (new URLSearchParams(request.text).get('client_secret') !== 'client~secret') {
        return sendJson(response, 401, {
          error: 'invalid_client',
          error_description: 'AADSTS7000215: client~wrong',
        })
      }
      tokens += 1
      return sendJson(response, 200, {
        access_token: `token-${tokens}`,
        expires_in: 3600,
        token_type: 'Bearer',
      })
    }
    if (request.headers.authorization !== `Bearer token-${tokens}`) {
      return sendJson(response, 401, { error: { code: 'Unauthorized', message: 'AKV10000' } })
    }
    if (pathname === '/secrets/openai') return sendJson(response, 200, { value, id: 'x' })
    if (pathname === `/secrets/openai/${version}`)
      return sendJson(response, 200, { value: 'sk-old', id: 'x' })
    if (pathname === '/secrets/disabled') {
      return sendJson(response, 403, { error: { code: 'Forbidden', innererror: { code: 'SecretDisabled' } } })
    }
    sendJson(response, 404, { error: { code: 'SecretNotFound', message: 'A secret was not found' } })
  })
  beforeEach(() => {
    value = 'sk-live'
    tokens = 0
  })
  const open = () => {
    const manager = azureKeyVault({ environment: { AZURE_AUTHORITY_HOST: stage.server.origin } })
    return (path: string, settings: JsonObject = client) =>
      outcomeOf(manager.fetch({ azure_vault_url: stage.server.origin, ...settings }, path, stage.io))
  }

  it('returns a secret by its name, with a token of the client', async () => {
    expect(await open()('openai')).to.equal('sk-live')
    const [asked, read] = stage.server.seen
    expect(Object.fromEntries(new URLSearchParams(asked?.text))).to.include({
      client_id: 'client-1',
      scope: 'https://vault.azure.net/.default',
    })
    expect(read?.path).to.equal('/secrets/openai?api-version=7.4')
  })

  for (const path of [`openai/${version}`, `secrets/openai/${version}`]) {
    it(`returns one version of it for ${path.replace(version, 'VERSION')}`, async () => {
      expect(await open()(path)).to.equal('sk-old')
    })
  }

  it('returns the new value after a rotation, and renews its token when it expires', async () => {
    const fetchSecret = open()
    await fetchSecret('openai')
    value = 'sk-new'
    expect(await fetchSecret('openai')).to.equal('sk-new')
    expect(tokens).to.equal(1)
    stage.io.pass(3_600_001)
    expect(await fetchSecret('openai')).to.equal('sk-new')
    expect(tokens).to.equal(2)
  })

  for (const path of ['absent', 'not a name', '../keys/k', 'a/b/c', '']) {
    it(`finds nothing at ${JSON.stringify(path)}`, async () => {
      expect(await open()(path)).to.equal('nothing')
    })
  }

  it('reports a refusal without any sent or received text', async () => {
    const fetchSecret = open()
    const wrongSecret = { ...client, azure_entra_client_secret: 'client~wrong' }
    expect(await fetchSecret('openai', wrongSecret)).to.equal(
      'dependency_unavailable: Azure Key Vault refused to give the secret (401, invalid_client).',
    )
    expect(await fetchSecret('disabled')).to.equal(
      'dependency_unavailable: Azure Key Vault refused to give the secret (403, Forbidden).',
    )
  })

  it('treats a 404 that is not about the secret as a missing vault', async () => {
    const fetchSecret = open()
    await fetchSecret('openai')
    stage.server.handle((_request, response) => sendJson(response, 404, { message: 'no such site' }))
    expect(await fetchSecret('openai')).to.match(/^dependency_unavailable/)
  })

  describe('uses the identity', () => {
    const fetched: ProviderFetch[] = []
    const io = {
      ...createReach(),
      fetch: async (request: ProviderFetch) => {
        fetched.push(request)
        const body = request.url.includes('/secrets/')
          ? { value: 'v' }
          : { access_token: 't', expires_in: 3600 }
        return { status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(body)) }
      },
    }
    beforeEach(() => void fetched.splice(0))
    const vault = { azure_vault_url: 'https://mine.vault.azure.net/' }
    const ask = async (settings: JsonObject, environment: Record<string, string> = {}) => {
      const found = await outcomeOf(azureKeyVault({ environment }).fetch(settings, 'openai', io))
      return { found, token: fetched[0], secret: fetched[1] }
    }

    it('of the machine', async () => {
      const { token, secret } = await ask({
        azure_auth_mode: 'managed',
        azure_managed_client_id: 'm-1',
        ...vault,
      })
      const url = new URL(token?.url ?? '')
      expect(url.host).to.equal('169.254.169.254')
      expect(url.searchParams.get('client_id')).to.equal('m-1')
      expect(url.searchParams.get('resource')).to.equal('https://vault.azure.net')
      expect(secret?.url).to.equal('https://mine.vault.azure.net/secrets/openai?api-version=7.4')
      expect(secret?.isAmbient).to.equal(undefined)
    })

    it('of the client in the environment, if there is one', async () => {
      const environment = { AZURE_TENANT_ID: 't-9', AZURE_CLIENT_ID: 'c-9', AZURE_CLIENT_SECRET: 's-9' }
      const { token } = await ask({ azure_auth_mode: 'default', ...vault }, environment)
      expect(token?.url).to.equal('https://login.microsoftonline.com/t-9/oauth2/v2.0/token')
      expect(String(token?.body)).to.include('client_secret=s-9')
    })

    it('of the machine, if the environment names no client', async () => {
      const { token } = await ask({ azure_auth_mode: 'default', ...vault })
      expect(new URL(token?.url ?? '').host).to.equal('169.254.169.254')
    })

    it("with a token for the vault's own cloud", async () => {
      const { token } = await ask({ azure_auth_mode: 'managed', azure_vault_url: 'https://v.vault.azure.cn' })
      expect(new URL(token?.url ?? '').searchParams.get('resource')).to.equal('https://vault.azure.cn')
    })

    for (const url of [
      'https://evil.example',
      'http://mine.vault.azure.net',
      'https://vault.azure.net.evil.example',
    ]) {
      it(`and sends no token to ${url}`, async () => {
        const { found } = await ask({ azure_auth_mode: 'managed', azure_vault_url: url })
        expect(found).to.match(/^dependency_unavailable: .*azure_vault_url/)
        expect(fetched).to.deep.equal([])
      })
    }
  })

  const wrong: [JsonObject, string[]][] = [
    [{ ...client, azure_vault_url: 'https://v.vault.azure.net' }, []],
    [
      { azure_auth_mode: 'entra' },
      ['/azure_entra_client_id', '/azure_entra_client_secret', '/azure_entra_tenant_id', '/azure_vault_url'],
    ],
    [{ azure_auth_mode: 'managed', azure_vault_url: 'ftp://x' }, ['/azure_vault_url']],
    [{ azure_auth_mode: 'other', azure_vault_url: 'https://x' }, ['/azure_auth_mode']],
  ]
  for (const [settings, faults] of wrong) {
    it(`reports ${faults.length === 0 ? 'no error' : faults.join(', ')} for ${JSON.stringify(settings).slice(0, 60)}`, () => {
      expect(faultsIn(azureKeyVault({ environment: {} }), settings)).to.deep.equal(faults)
    })
  }
})
