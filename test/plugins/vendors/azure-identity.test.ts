/** The gateway’s own identity towards Azure: a token of an application, or of the machine it runs on. */
import plugin from '@gateway/plugin-azure'
import { Value } from '@sinclair/typebox/value'
import { expect } from 'chai'
import { analyse, full } from './azure-vendor.ts'
import { checkOf, runOnce } from './support.ts'

describe('azure: the gateway’s own identity', () => {
  const harmless = {
    json: analyse({
      text: '',
      categories: [...'Hate SelfHarm Sexual Violence'.split(' ')],
      blocklistNames: [],
    }),
  }
  const check = checkOf(plugin, 'contentSafety')

  it('is a token of an application, cached until it expires', async () => {
    let nowMs = 0
    const settingsOf = (origin: string) => ({
      baseUrl: origin,
      azureAuthMode: 'entra',
      tenantId: 'tenant-1',
      clientId: 'client-1',
      clientSecret: 'hush & more',
      authorityUrl: `${origin}/login/`,
    })
    let settings = {}
    const { seen } = await runOnce(
      check,
      ({ path }) =>
        path.startsWith('/login') ? { json: { access_token: `token-${nowMs}`, expires_in: 3600 } } : harmless,
      (origin) => {
        settings = settingsOf(origin)
        return { settings, text: 'hello', io: { now: () => nowMs } }
      },
    )
    expect(seen.map(({ path }) => path.split('?')[0])).to.deep.equal([
      '/login/tenant-1/oauth2/v2.0/token',
      '/contentsafety/text:analyze',
    ])
    expect(Object.fromEntries(new URLSearchParams(seen[0]?.text))).to.deep.equal({
      grant_type: 'client_credentials',
      client_id: 'client-1',
      client_secret: 'hush & more',
      scope: 'https://cognitiveservices.azure.com/.default',
    })
    expect(seen[1]?.headers.authorization).to.equal('Bearer token-0')

    const used: string[] = []
    const tokens: string[] = []
    const ask = async () => {
      const own = {
        now: () => nowMs,
        fetch: async ({ url }: { url: string }) => {
          tokens.push(url)
          const bytes = Buffer.from(JSON.stringify({ access_token: `token-${nowMs}`, expires_in: '3600' }))
          return { status: 200, headers: {}, bytes }
        },
        fetchJson: async ({ headers }: { headers: Record<string, string> }) => {
          used.push(headers.authorization ?? '')
          return { status: 200, headers: {}, json: harmless.json }
        },
      }
      await check
        .prepare(Value.Default(check.parameters, {}) as never, settings)
        .run({ text: 'hello' } as never, own as never)
    }
    for (nowMs of [0, 3_539_000, 3_541_000, 3_600_000]) await ask()
    expect(tokens).to.have.length(2)
    expect(used).to.deep.equal([
      'Bearer token-0',
      'Bearer token-0',
      'Bearer token-3541000',
      'Bearer token-3541000',
    ])
  })

  it("is the machine's identity, requested from its metadata service", async () => {
    const asked: object[] = []
    const fetch = async (request: object) => {
      asked.push(request)
      return {
        status: 200,
        headers: {},
        bytes: Buffer.from('{"access_token":"machine","expires_in":"86400"}'),
      }
    }
    const { seen } = await runOnce(
      check,
      () => harmless,
      (origin) => ({
        settings: { baseUrl: origin, contentSafety: { azureAuthMode: 'managed', clientId: 'c-1' } },
        text: 'hello',
        io: { fetch: fetch as never },
      }),
    )
    expect(asked).to.deep.equal([
      {
        method: 'GET',
        url: 'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com&client_id=c-1',
        headers: { metadata: 'true' },
        isAmbient: true,
      },
    ])
    expect(seen[0]?.headers.authorization).to.equal('Bearer machine')
  })

  for (const [name, reply] of [
    ['a refusal', { status: 401, json: { error: 'invalid_client' } }],
    ['no token', { json: { token_type: 'Bearer' } }],
    ['no JSON', { text: 'hello' }],
  ] as const)
    it(`fails the check when the identity service answers with ${name}`, async () => {
      const outcome = await runOnce(
        check,
        ({ path }) => (path.startsWith('/t/') ? reply : harmless),
        (origin) => ({
          settings: {
            baseUrl: origin,
            azureAuthMode: 'entra',
            tenantId: 't',
            clientId: 'c',
            clientSecret: 's',
            authorityUrl: origin,
          },
          text: 'hello',
        }),
      ).catch((error: unknown) => error)
      expect(outcome).to.be.instanceOf(Error).and.not.be.instanceOf(TypeError)
    })

  it('is not used for a resource named in the parameters', async () => {
    const settings = { ...full, azureAuthMode: 'managed' }
    expect(() => check.prepare({ resourceName: 'theirs' } as never, settings)).to.throw('apiKey is missing')
  })
})
