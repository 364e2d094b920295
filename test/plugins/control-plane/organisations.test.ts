/** The organisation's own routes: settings, defaults, sign-in, exclusions (management.md §5). */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

type Settings = Record<string, Record<string, unknown>>

describe('organisations', () => {
  const api = openManagement({
    guardrails: { wordy: { checks: [{ id: 'default.wordCount', parameters: {} }] } },
  })

  it('exist from the start, with a default workspace', async () => {
    const own = await api.get('/v1/organisation')
    expect(own.body).to.include({ object: 'organisation', slug: 'default', status: 'active' })
    const list = await api.get('/v1/organisations')
    expect(list.data.map(({ id }) => id)).to.deep.equal([own.body.id])
    for (const path of [
      `/v1/organisations/${own.body.id}`,
      '/v1/organisations/default',
      '/v1/admin/organisation',
    ]) {
      expect((await api.get(path)).body.id, path).to.equal(own.body.id)
    }
    const workspace = await api.get(`/v1/workspaces/${own.body.default_workspace_id}`)
    expect(workspace.body).to.include({ slug: 'default', is_default: true })
    expect((await api.get('/v1/organisations/other')).status).to.equal(404)
  })

  it('return every setting with its default', async () => {
    const { settings } = (await api.get('/v1/organisation')).body as { settings: Settings }
    expect(settings).to.deep.include({ user_api_key_auto_create: false, user_api_key_ttl: null })
    expect(settings.security_settings).to.include({
      managersWriteWsIntegrations: true,
      membersWriteConfigs: false,
      managersUpdateWs: false,
      allow_config_override: true,
      block_inline_config: false,
    })
  })

  it('return the sign-in settings with every default, and accept them back', async () => {
    const { body } = await api.put('/v1/organisation', {
      auth_settings: {
        allowed_domains: [{ domain: 'example.com' }],
        oidc: { issuer: 'https://id.example', client_id: 'one' },
        jwt: { issuer: 'https://a.example', algorithms: null },
      },
    })
    const shown = body.auth_settings as Settings
    expect(shown).to.deep.include({
      allowed_domains: [{ domain: 'example.com', allow_subdomains: false }],
      password_login: true,
      disable_auto_provision_user: false,
      scim_settings: null,
    })
    expect(shown.oidc).to.include({
      scopes: 'openid profile email',
      token_endpoint_auth_method: 'client_secret_basic',
    })
    expect(shown.jwt).to.deep.include({
      enabled: false,
      issuer: 'https://a.example',
      algorithms: ['RS256'],
      clock_tolerance: 5,
      cache_max_age: 86_400,
      default_scopes: [],
    })
    expect(shown).to.have.nested.property('jwt.claims.user').that.deep.equals(['email_id', 'sub', 'uid'])
    const again = await api.put('/v1/organisation', { auth_settings: shown })
    expect(again.status, again.text).to.equal(200)
    expect(again.body.auth_settings).to.deep.equal(shown)
    const cleared = await api.put('/v1/organisation', { auth_settings: { allowed_domains: null } })
    expect(cleared.body.auth_settings).to.deep.equal({ ...shown, allowed_domains: [] })
    const merged = await api.put('/v1/organisation', {
      auth_settings: { oidc: { scopes: 'openid' }, jwt: { clock_tolerance: 7, issuer: null } },
    })
    const { oidc, jwt } = merged.body.auth_settings as Settings & { oidc: object; jwt: object }
    expect(oidc).to.deep.equal({ ...(shown.oidc as object), scopes: 'openid' })
    expect(jwt).to.deep.include({ clock_tolerance: 7, issuer: null, algorithms: ['RS256'] })
    const none = await api.put('/v1/organisation', { auth_settings: { oidc: null, jwt: null } })
    expect(none.body.auth_settings).to.deep.include({ oidc: null })
  })

  it('are listed with the usual paging', async () => {
    const past = await api.get('/v1/organisations?current_page=1')
    expect(past.body).to.deep.include({ total: 1, current_page: 1, has_more: false, data: [] })
    const wrong = await api.get('/v1/organisations?page_size=0')
    expect([wrong.status, wrong.error.param]).to.deep.equal([400, 'query/page_size'])
  })

  it('of others answer 404, by any name', async () => {
    for (const [method, path, body, param] of [
      ['GET', '/v1/organisation?organisation_id=other', undefined, 'query/organisation_id'],
      ['GET', '/v1/organisation/defaults?organisation_id=other', undefined, 'query/organisation_id'],
      ['PUT', '/v1/organisation/defaults?organisation_id=other', { metadata: null }, 'query/organisation_id'],
      [
        'PUT',
        '/v1/workspace-exclusions/input-guardrails',
        { workspaces: [], organisation_id: 'other' },
        '/organisation_id',
      ],
    ] as const) {
      const reply = await api.call(method, path, { body })
      expect([reply.status, reply.error.param], `${method} ${path}`).to.deep.equal([404, param])
    }
  })

  it('merge settings and each object inside them, also with settings at the root', async () => {
    await api.put('/v1/organisation', { settings: { security_settings: { managersUpdateWs: true } } })
    const mixed = await api.put('/v1/organisation', { user_api_key_ttl: 7200, membersWriteConfigs: true })
    const { settings } = mixed.body as { settings: Settings }
    expect(settings.user_api_key_ttl).to.equal(7200)
    expect(settings.security_settings).to.include({ managersUpdateWs: true, membersWriteConfigs: true })
    const cleared = await api.put('/v1/organisation', {
      settings: {
        user_api_key_ttl: null,
        security_settings: { managersUpdateWs: null, membersWriteConfigs: null },
      },
    })
    const after = (cleared.body as { settings: Settings }).settings
    expect(after.user_api_key_ttl).to.equal(null)
    expect(after.security_settings).to.include({ managersUpdateWs: false, membersWriteConfigs: false })
  })

  const refused: [string, object, string][] = [
    ['a short ttl', { settings: { user_api_key_ttl: 60 } }, '/settings/user_api_key_ttl'],
    [
      'a period that does not exist',
      { settings: { user_api_key_rotation_period: 'daily' } },
      '/settings/user_api_key_rotation_period',
    ],
    [
      'a short session',
      { settings: { session_settings: { max_session_ttl: 10 } } },
      '/settings/session_settings/max_session_ttl',
    ],
    ['an unknown setting', { settings: { colour: true } }, '/settings'],
    [
      'an unknown category',
      { settings: { workspace_overrides: ['colour'] } },
      '/settings/workspace_overrides/0',
    ],
    [
      'sub-domains of a sub-domain',
      { auth_settings: { allowed_domains: [{ domain: 'a.example.com', allow_subdomains: true }] } },
      '/auth_settings/allowed_domains/0/allow_subdomains',
    ],
    [
      'sub-domains of a public suffix',
      { auth_settings: { allowed_domains: [{ domain: 'co.uk', allow_subdomains: true }] } },
      '/auth_settings/allowed_domains/0/allow_subdomains',
    ],
    [
      'private keys',
      { auth_settings: { jwt: { enabled: true, jwks: { keys: [{ kty: 'RSA', d: 'x' }] } } } },
      '/auth_settings/jwt/jwks/keys/0/d',
    ],
    [
      'two sources of keys',
      { auth_settings: { jwt: { jwks: { keys: [] }, jwks_uri: 'https://id.example/keys' } } },
      '/auth_settings/jwt/jwks',
    ],
    [
      'a symmetric algorithm',
      { auth_settings: { jwt: { algorithms: ['HS256'] } } },
      '/auth_settings/jwt/algorithms/0',
    ],
    [
      'a scope of tokens that does not exist',
      { auth_settings: { jwt: { default_scopes: ['completions.write', 'gateway.nothing.write'] } } },
      '/auth_settings/jwt/default_scopes/1',
    ],
    ['a setting at the root, at its path there', { user_api_key_ttl: 60 }, '/user_api_key_ttl'],
    ['a security setting at the root', { managersUpdateWs: 'yes' }, '/managersUpdateWs'],
    ['an unknown config', { defaults: { config_id: 'none' } }, '/defaults/config_id'],
    ['an unknown guardrail', { defaults: { input_guardrails: ['none'] } }, '/defaults/input_guardrails/0'],
    [
      'an invalid schema of metadata',
      {
        settings: {
          metadata_schema: { workspace: { type: 'object', properties: { a: { type: 'number' } } } },
        },
      },
      '/settings/metadata_schema/workspace/properties/a/type',
    ],
  ]
  for (const [what, body, param] of refused) {
    it(`refuse ${what}`, async () => {
      const reply = await api.put('/v1/organisation', body)
      expect([reply.status, reply.error.param], reply.text).to.deep.equal([400, param])
    })
  }

  it('validate the values of settings', async () => {
    for (const [body, message] of [
      [{ user_api_key_ttl: 60 }, 'must be at least 3600'],
      [{ user_api_key_ttl: 'long' }, 'must be an integer or null'],
      [{ user_api_key_rotation_period: 'daily' }, 'must be one of weekly, monthly'],
      [{ auth_settings: { jwt: { audience: 5 } } }, 'must be a string or an array'],
    ] as const) {
      const { details = [] } = (await api.put('/v1/organisation', body)).error
      expect([...new Set(details.map((fault) => fault.message))]).to.deep.equal([message])
    }
  })

  it('refuse key URLs at private addresses', async () => {
    const reply = await api.put('/v1/organisation', {
      auth_settings: { jwt: { enabled: true, jwks_uri: 'http://10.0.0.1/keys' } },
    })
    expect([reply.status, reply.error.code]).to.deep.equal([400, 'host_not_allowed'])
  })

  it('keep a client secret that is sent back masked', async () => {
    const oidc = { issuer: 'https://id.example', client_id: 'one', client_secret: 'a-long-client-secret' }
    const first = await api.put('/v1/organisation', { auth_settings: { oidc } })
    const shown = (first.body.auth_settings as Settings).oidc as Record<string, unknown>
    expect(shown.client_secret).to.equal('a-l****cret')
    await api.put('/v1/organisation', { auth_settings: { oidc: { ...shown, client_id: 'two' } } })
    const stored = await api.stored('organisation', String(first.body.id))
    const sealed = String(stored?.data.sealed)
    expect(
      JSON.parse(api.gateway.runtime.sealer.open(sealed, `organisation/${first.body.id}`)),
    ).to.deep.equal({
      client_secret: 'a-long-client-secret',
    })
  })

  it('return their defaults separately, with guardrails by id and slug', async () => {
    const saved = await api.put('/v1/organisation/defaults', { input_guardrails: ['wordy'] })
    expect(saved.status, saved.text).to.equal(200)
    const [guardrail] = saved.body.input_guardrails as { id: string; slug: string }[]
    expect(guardrail?.slug).to.equal('wordy')
    const again = await api.put('/v1/organisation/defaults', saved.body)
    expect(again.body).to.deep.equal(saved.body)
    const cleared = await api.put('/v1/organisation/defaults', { input_guardrails: null })
    expect(cleared.body.input_guardrails).to.equal(null)
    expect((await api.put('/v1/organisation/defaults', {})).status).to.equal(400)
    const wrong = await api.put('/v1/organisation/defaults', { config_id: 'none' })
    expect([wrong.status, wrong.error.param]).to.deep.equal([400, '/config_id'])
  })

  it('can exclude workspaces from their guardrails, by phase', async () => {
    const first = await api.people.workspace('Excluded one')
    const second = await api.people.workspace('Excluded two')
    const path = '/v1/workspace-exclusions/input-guardrails'
    const put = (workspaces: object[], more: object = {}) => api.put(path, { workspaces, ...more })
    await put([{ workspace_id: first, excluded: true }])
    const both = await put([{ workspace_id: 'excluded-two', excluded: true }])
    expect(both.data.map(({ workspace_id }) => workspace_id)).to.have.members([first, second])
    const one = await put([{ workspace_id: second, excluded: true }], { override_existing: true })
    expect(one.data.map(({ workspace_id }) => workspace_id)).to.deep.equal([second])
    const none = await put([{ workspace_id: second, excluded: false }])
    expect(none.data).to.deep.equal([])
    expect((await api.get('/v1/workspace-exclusions/output-guardrails')).data).to.deep.equal([])
    const unknown = await put([{ workspace_id: 'none', excluded: true }])
    expect([unknown.status, unknown.error.param]).to.deep.equal([400, '/workspaces/0/workspace_id'])
  })

  describe('that are created', () => {
    const body = { name: 'Other House', owner_email: 'Owner@Other.Example' }

    it('require the admin key, and get a default workspace and an invite for the owner', async () => {
      const made = await api.post('/v1/organisations', body)
      expect(made.status, made.text).to.equal(200)
      expect(made.body).to.include({ object: 'organisation', name: 'Other House', slug: 'other-house' })
      expect(made.body.default_workspace).to.include({ id: made.body.default_workspace_id, slug: 'default' })
      expect(made.body.invite).to.include({ email: 'owner@other.example', role: 'owner', status: 'pending' })
      const token = new URL(String(made.body.invite_link)).searchParams.get('token')
      const accepted = await api
        .as(null)
        .post('/v1/users/invites/accept', { token, first_name: 'Ann', password: 'a long password' })
      expect(accepted.status, accepted.text).to.equal(200)
      const owner = api.as(String(accepted.body.token))
      const own = await owner.get('/v1/organisation')
      expect(own.body.id).to.equal(made.body.id)
      expect((await owner.get('/v1/workspaces')).data.map(({ slug }) => slug)).to.deep.equal(['default'])
      const first = await api.get('/v1/organisation')
      expect((await owner.get(`/v1/organisations/${first.body.id}`)).status).to.equal(404)
      expect((await owner.get(`/v1/workspaces/${first.body.default_workspace_id}`)).status).to.equal(404)
      expect((await api.get(`/v1/organisations/${made.body.id}`)).status).to.equal(404)
    })

    it('cannot be created by other callers', async () => {
      const owner = api.as(await api.people.session(await api.people.user('o@example.com', 'owner')))
      for (const sent of [body, {}]) {
        const refused = await owner.post('/v1/organisations', sent)
        expect([refused.status, refused.error.code]).to.deep.equal([403, 'forbidden'])
      }
    })

    it('have a unique slug', async () => {
      const taken = await api.post('/v1/organisations', {
        ...body,
        owner_email: 'b@x.example',
        slug: 'default-x',
      })
      expect(taken.body.slug).to.equal('default-x')
      const again = await api.post('/v1/organisations', {
        ...body,
        owner_email: 'c@x.example',
        slug: 'default-x',
      })
      expect([again.status, again.error.param]).to.deep.equal([409, '/slug'])
    })
  })
})
