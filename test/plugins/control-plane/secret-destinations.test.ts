/**
 * A masked or absent secret is kept only while its destination is unchanged: a write that changes the destination must
 * send it again, or is refused at its path.
 */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { type ManagementReply, openManagement } from '../../support/management.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'

const key = 'sk-live-0123456789abcd'
const other = 'https://collector.example/v1'

const faultsOf = ({ status, error }: ManagementReply) => [
  status,
  ...(error.details ?? [{ param: error.param, code: error.code }]).map(({ param }) => param),
]

describe('a stored secret', () => {
  const api = openManagement()
  let upstream: Upstream
  let count = 0
  before(async () => {
    upstream = await openUpstream()
  })
  after(() => upstream.close())

  const make = async (path: string, body: object) => {
    count += 1
    const made = await api.post(path, { name: `Kept ${count}`, ...body })
    expect(made.status, made.text).to.equal(200)
    return made.body as Record<string, unknown> & { id: string }
  }
  const expectFaults = async (path: string, body: object, ...params: string[]) => {
    const reply = await api.put(path, body)
    expect(faultsOf(reply), reply.text).to.deep.equal([400, ...params])
  }
  const expectOk = async (path: string, body: object) => {
    const reply = await api.put(path, body)
    expect(reply.status, reply.text).to.equal(200)
    return reply
  }

  describe('in an integration', () => {
    const integration = (more: object) => make('/v1/integrations', { ai_provider_id: 'openai', key, ...more })

    it('is not sent to another custom host, whether it is sent back masked or omitted', async () => {
      const { id, ...read } = await integration({ configurations: { custom_host: upstream.url } })
      const path = `/v1/integrations/${id}`
      await expectFaults(path, { configurations: { custom_host: other } }, '/key')
      await expectFaults(path, { configurations: { custom_host: null } }, '/key')
      await expectFaults(path, { key: read.masked_key, configurations: { custom_host: other } }, '/key')
      await expectOk(path, { configurations: { custom_host: upstream.url }, description: 'same' })
      await expectOk(path, { key: 'sk-new-0123456789abcd', configurations: { custom_host: other } })
    })

    it('is not sent to another storage URL', async () => {
      const configurations = {
        aws_auth_type: 'accessKey',
        aws_region: 'us-east-1',
        aws_access_key_id: 'AKIA0123',
        aws_secret_access_key: 'secret-0123456789',
      }
      const { id } = await integration({ ai_provider_id: 'bedrock', key: undefined, configurations })
      const path = `/v1/integrations/${id}`
      await expectFaults(
        path,
        { configurations: { storage_host: 'https://collector.example' } },
        '/configurations/aws_access_key_id',
        '/configurations/aws_secret_access_key',
      )
      await expectOk(path, {
        configurations: { ...configurations, storage_host: 'https://collector.example' },
      })
    })

    it('is not sent to a newly added custom host, either', async () => {
      const { id } = await integration({})
      await expectFaults(`/v1/integrations/${id}`, { configurations: { custom_host: other } }, '/key')
    })

    it('is kept when a region, a description or a setting changes', async () => {
      const configurations = {
        aws_auth_type: 'accessKey',
        aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE',
        aws_secret_access_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCY',
        aws_region: 'us-east-1',
      }
      const { id } = await integration({ ai_provider_id: 'bedrock', key: undefined, configurations })
      const path = `/v1/integrations/${id}`
      await expectOk(path, { configurations: { aws_region: 'eu-west-1' } })
      await expectFaults(
        path,
        { configurations: { custom_host: other } },
        '/configurations/aws_access_key_id',
        '/configurations/aws_secret_access_key',
      )
      await expectFaults(
        path,
        { configurations: { custom_host: other, aws_access_key_id: 'AKIAIOSFODNN7EXAMPLZ' } },
        '/configurations/aws_secret_access_key',
      )
    })

    it('is dropped when a resource, a tenant, a token endpoint or an address changes', async () => {
      const deployment = {
        azure_deployment_name: 'd',
        azure_api_version: '2024-10-21',
        azure_model_slug: 'gpt-4o',
        is_default: true,
      }
      const azure = await integration({
        ai_provider_id: 'azure-openai',
        configurations: {
          azure_auth_mode: 'default',
          azure_resource_name: 'res',
          azure_deployment_config: [deployment],
        },
      })
      const path = `/v1/integrations/${azure.id}`
      await expectFaults(path, { configurations: { azure_resource_name: 'theirs' } }, '/key')
      const more = { ...deployment, azure_deployment_name: 'e', azure_model_slug: 'e', is_default: false }
      await expectOk(path, { configurations: { azure_deployment_config: [deployment, more] } })
      const account = {
        type: 'service_account',
        project_id: 'p',
        client_email: 'g@p.iam.gserviceaccount.com',
        private_key: '-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\n',
        token_uri: 'https://oauth2.googleapis.com/token',
      }
      const configurations = {
        vertex_auth_type: 'serviceAccount',
        vertex_region: 'us-central1',
        vertex_service_account_json: account,
      }
      const vertex = await integration({ ai_provider_id: 'vertex-ai', key: undefined, configurations })
      const shown = (vertex.configurations as typeof configurations).vertex_service_account_json
      const moved = { ...shown, token_uri: 'https://www.googleapis.com/oauth2/v4/token' }
      await expectFaults(
        `/v1/integrations/${vertex.id}`,
        { configurations: { vertex_service_account_json: moved } },
        '/configurations/vertex_service_account_json/private_key',
      )
      const same = { ...shown, project_id: 'q' }
      await expectOk(`/v1/integrations/${vertex.id}`, {
        configurations: { vertex_service_account_json: same },
      })
    })

    it('is dropped as a header of the integration or one of its models', async () => {
      const { id } = await integration({
        key,
        configurations: { custom_host: upstream.url, custom_headers: { 'x-api-token': 'header-secret-1' } },
      })
      const path = `/v1/integrations/${id}`
      await expectFaults(
        path,
        { key, configurations: { custom_host: other } },
        '/configurations/custom_headers/x-api-token',
      )
      const model = (configurations: object) => ({
        models: [{ slug: 'm', enabled: true, is_custom: true, base_model_slug: 'm', configurations }],
      })
      const custom_headers = { 'x-any': 'model-header-1' }
      await expectOk(`${path}/models`, model({ custom_host: upstream.url, custom_headers }))
      const masked = { 'x-any': '****' }
      await expectOk(`${path}/models`, model({ custom_host: upstream.url, custom_headers: masked }))
      await expectFaults(
        `${path}/models`,
        model({ custom_host: other, custom_headers: masked }),
        '/models/0/configurations/custom_headers/x-any',
      )
      await expectOk(`${path}/models`, model({ custom_headers }))
      const headers = { 'x-api-token': 'header-secret-2' }
      await expectFaults(
        path,
        { key, configurations: { custom_host: other, custom_headers: headers } },
        '/configurations',
      )
    })

    describe('with a model that has its own host', () => {
      let elsewhere: Upstream
      before(async () => {
        elsewhere = await openUpstream()
      })
      after(() => elsewhere.close())
      const secrets = [key, 'header-secret-9']
      /** Sets the model's host, calls it, tests the credential with it, and returns what arrived there. */
      const callsOf = async (custom_host: string, seenBy: Upstream) => {
        const { id, default_provider: provider } = await integration({
          workspace_id: 'default',
          configurations: {
            custom_host: upstream.url,
            custom_headers: { 'x-api-token': 'header-secret-9' },
          },
        })
        const configurations = { custom_host, custom_headers: { 'x-own': 'model-header-9' } }
        const models = [{ slug: 'tuned', enabled: true, is_custom: true, configurations }]
        await expectOk(`/v1/integrations/${id}/models`, { models })
        const from = seenBy.seen.length
        const { slug } = provider as { slug: string }
        const asked = await api.post('/v1/chat/completions', chat('hello', { model: `@${slug}/tuned` }))
        expect(asked.status, asked.text).to.equal(200)
        const tried = await api.post(`/v1/integrations/${id}/test`, { model: 'tuned' })
        expect(tried.body.success, tried.text).to.equal(true)
        const calls = seenBy.seen.slice(from)
        expect(calls).to.have.length(2)
        return calls.map(({ headers }) => headers)
      }

      it('is not sent to another origin, nor are the headers of the integration', async () => {
        for (const headers of await callsOf(elsewhere.url, elsewhere)) {
          expect(headers['x-own']).to.equal('model-header-9')
          for (const secret of secrets) expect(JSON.stringify(headers)).not.to.contain(secret)
        }
      })

      it('is sent to another path of the same origin', async () => {
        for (const headers of await callsOf(`${upstream.origin}/other/v1`, upstream)) {
          expect(headers.authorization).to.equal(`Bearer ${key}`)
          expect(headers).to.include({ 'x-own': 'model-header-9', 'x-api-token': 'header-secret-9' })
        }
      })
    })

    it('is dropped when the host of a virtual key changes', async () => {
      const { id } = await make('/v1/virtual-keys', {
        provider: 'openai',
        key,
        workspace_id: 'default',
        model_config: { custom_host: upstream.url },
      })
      const path = `/v1/virtual-keys/${id}`
      await expectFaults(path, { model_config: { custom_host: other } }, '/key')
      await expectOk(path, { model_config: { custom_host: upstream.url }, note: 'same' })
      await expectOk(path, { key: 'sk-new-0123456789abcd', model_config: { custom_host: other } })
    })
  })

  it('in a secret reference is not sent to another vault', async () => {
    const { id } = await make('/v1/secret-references', {
      manager_type: 'hashicorp_vault',
      auth_config: {
        vault_auth_type: 'approle',
        vault_role_id: 'role',
        vault_secret_id: 'secret-id-0123456789',
        vault_addr: upstream.origin,
      },
      secret_path: 'secret/openai',
    })
    const path = `/v1/secret-references/${id}`
    const vault_addr = 'https://collector.example'
    await expectFaults(path, { auth_config: { vault_addr } }, '/auth_config/vault_secret_id')
    await expectFaults(
      path,
      { auth_config: { vault_addr, vault_secret_id: 'sec****6789' } },
      '/auth_config/vault_secret_id',
    )
    await expectOk(path, { auth_config: { vault_role_id: 'other' }, secret_path: 'secret/other' })
    await expectOk(path, { auth_config: { vault_addr, vault_secret_id: 'another-id-0123456789' } })
  })

  it('for single sign-on is not sent to another issuer', async () => {
    const oidc = { issuer: 'https://id.example', client_id: 'one', client_secret: 'a-long-client-secret' }
    await expectOk('/v1/organisation', { auth_settings: { oidc } })
    const at = '/auth_settings/oidc/client_secret'
    const issuer = 'https://collector.example'
    await expectFaults('/v1/organisation', { auth_settings: { oidc: { issuer } } }, at)
    await expectFaults(
      '/v1/organisation',
      { auth_settings: { oidc: { issuer, client_secret: 'a-l****cret' } } },
      at,
    )
    await expectOk('/v1/organisation', { auth_settings: { oidc: { client_id: 'two' } } })
    await expectOk('/v1/organisation', {
      auth_settings: { oidc: { issuer, client_secret: 'another-secret-1' } },
    })
    await expectOk('/v1/organisation', { auth_settings: { oidc: null } })
  })

  describe('in a config', () => {
    const config = (content: object) => make('/v1/configs', { workspace_id: 'default', config: content })
    const leaf = (name: string, secret: string, more: object = {}) => ({
      provider: 'openai',
      api_key: secret,
      custom_host: `${upstream.origin}/${name}/v1`,
      ...more,
    })
    const shownOf = (body: Record<string, unknown>) =>
      body.config as { api_key: string; custom_host?: string; targets: { api_key: string }[] }

    it('is masked, kept when it is sent back, and used', async () => {
      const made = await config(leaf('one', key))
      expect(shownOf(made).api_key).to.equal('sk-****abcd')
      const again = await expectOk(`/v1/configs/${made.id}`, { config: shownOf(made) })
      expect(again.body.version, 'nothing changed').to.equal(made.version)
      const changed = await expectOk(`/v1/configs/${made.id}`, {
        config: { ...shownOf(made), retry: { attempts: 1 } },
      })
      expect(changed.body.version).to.equal(2)
      const reply = await api.post('/v1/chat/completions', chat(), { 'x-gateway-config': String(made.slug) })
      expect(reply.status, reply.text).to.equal(200)
      expect(upstream.seen.at(-1)?.headers.authorization).to.equal(`Bearer ${key}`)
      const text = await expectOk(`/v1/configs/${made.id}`, { config: JSON.stringify(shownOf(made)) })
      expect(shownOf(text.body).api_key).to.equal('sk-****abcd')
      const back = await api.post(`/v1/configs/${made.id}/rollback`, { version: 1 })
      expect(shownOf(back.body).api_key).to.equal('sk-****abcd')
      await api.post('/v1/chat/completions', chat(), { 'x-gateway-config': String(made.slug) })
      expect(upstream.seen.at(-1)?.headers.authorization).to.equal(`Bearer ${key}`)
    })

    it('is not sent to another host or provider', async () => {
      const { id, ...body } = await config(leaf('one', key))
      const shown = shownOf(body)
      const path = `/v1/configs/${id}`
      await expectFaults(path, { config: { ...shown, custom_host: other } }, '/config/api_key')
      await expectFaults(path, { config: { ...shown, custom_host: undefined } }, '/config/api_key')
      await expectFaults(path, { config: { ...shown, provider: 'anthropic' } }, '/config/api_key')
      await expectOk(path, { config: { ...shown, custom_host: other, api_key: 'sk-new-0123456789abcd' } })
    })

    it('is not sent to a custom host inherited from an outer node', async () => {
      const inner = { provider: 'openai', api_key: key }
      const tree = { strategy: { mode: 'fallback' }, targets: [inner, { ...inner, provider: 'anthropic' }] }
      const { id, ...body } = await config(tree)
      const shown = shownOf(body)
      await expectFaults(
        `/v1/configs/${id}`,
        { config: { ...shown, custom_host: other } },
        '/config/targets/0/api_key',
        '/config/targets/1/api_key',
      )
    })

    it('is matched by its name, provider and host, at any position of its target in the list', async () => {
      const tree = (...targets: object[]) => ({ strategy: { mode: 'fallback' }, targets })
      const [one, two] = [leaf('one', 'sk-one-0123456789-1111'), leaf('two', 'sk-two-0123456789-2222')]
      const { id, slug, ...body } = await config(tree(one, two))
      const [first, second] = shownOf(body).targets
      await expectOk(`/v1/configs/${id}`, {
        config: tree(second ?? {}, leaf('new', 'sk-new-0123456789'), first ?? {}),
      })
      await api.post('/v1/chat/completions', chat(), { 'x-gateway-config': String(slug) })
      expect(upstream.seen.at(-1)?.path).to.equal('/two/v1/chat/completions')
      expect(upstream.seen.at(-1)?.headers.authorization).to.equal('Bearer sk-two-0123456789-2222')
    })

    it('is refused when it matches more than one target', async () => {
      const twins = [leaf('one', 'sk-one-0123456789-1111'), leaf('one', 'sk-onf-0123456789-1111')]
      const tree = (targets: object[]) => ({ strategy: { mode: 'fallback' }, targets })
      const { id, ...body } = await config(tree(twins))
      const { targets } = shownOf(body)
      expect(targets.map(({ api_key }) => api_key)).to.deep.equal(['sk-****1111', 'sk-****1111'])
      await expectFaults(
        `/v1/configs/${id}`,
        { config: { ...tree(targets), retry: { attempts: 1 } } },
        '/config/targets/0/api_key',
        '/config/targets/1/api_key',
      )
    })

    it('does not exist when only a mask was ever sent', async () => {
      const made = await api.post('/v1/configs', {
        name: 'Mask',
        workspace_id: 'default',
        config: leaf('one', 'sk-****abcd'),
      })
      expect(faultsOf(made)).to.deep.equal([400, '/config/api_key'])
    })

    it('of a check in it moves with its check', async () => {
      const hook = (webhookURL: string, authorization: string) => ({
        ...leaf('one', key),
        input_guardrails: [{ webhook: { webhookURL, headers: { authorization } } }],
        after_request_hooks: [
          {
            id: 'h',
            checks: [{ id: 'default.webhook', parameters: { webhookURL, headers: { authorization } } }],
          },
        ],
      })
      const judge = `${upstream.origin}/judge`
      const { id, ...body } = await config(hook(judge, 'hook-secret-0123456789'))
      const shown = shownOf(body) as object
      expect(JSON.stringify(shown)).not.to.include('hook-secret')
      await expectOk(`/v1/configs/${id}`, { config: { ...shown, retry: { attempts: 1 } } })
      await expectFaults(
        `/v1/configs/${id}`,
        { config: { ...shown, ...hook('https://collector.example/judge', 'hoo****6789'), api_key: key } },
        '/config/input_guardrails/0/webhook/headers/authorization',
        '/config/after_request_hooks/0/checks/0/parameters/headers/authorization',
      )
    })
  })

  describe('in a guardrail', () => {
    const webhook = (path: string, authorization: string, more: object = {}) => ({
      id: 'default.webhook',
      parameters: { webhookURL: `${upstream.origin}/${path}`, headers: { authorization }, ...more },
    })
    const guardrail = (...checks: object[]) => make('/v1/guardrails', { workspace_id: 'default', checks })
    const checksOf = (body: Record<string, unknown>) =>
      body.checks as { id: string; parameters: { headers: { authorization: string }; webhookURL: string } }[]

    it('is masked in every answer, and kept when it is sent back', async () => {
      const made = await guardrail(webhook('one', 'hook-secret-0123456789'))
      expect(checksOf(made)[0]?.parameters.headers.authorization).to.equal('hoo****6789')
      const { data } = await api.get('/v1/guardrails?workspace_id=default')
      expect(JSON.stringify(data)).not.to.include('hook-secret')
      const again = await expectOk(`/v1/guardrails/${made.id}`, { checks: checksOf(made) })
      expect(again.body.version).to.equal(made.version)
      const renamed = await expectOk(`/v1/guardrails/${made.id}`, { deny: true })
      expect(renamed.body.version).to.equal(2)
      const json = { messages: [{ role: 'user', content: 'x' }] }
      const tried = await api.post(`/v1/guardrails/${made.id}/invoke`, {
        hook: 'beforeRequestHook',
        request: { json },
      })
      expect(tried.status, tried.text).to.equal(200)
      expect(upstream.seen.at(-1)?.headers.authorization).to.equal('hook-secret-0123456789')
    })

    it('is not sent to another URL, and is matched by the check and its URL, not by its position', async () => {
      const made = await guardrail(
        webhook('one', 'hook-secret-1111111111'),
        webhook('two', 'hook-secret-2222222222'),
      )
      const path = `/v1/guardrails/${made.id}`
      const [first, second] = checksOf(made)
      if (first === undefined || second === undefined) throw new Error('There are two checks.')
      const moved = {
        ...first,
        parameters: { ...first.parameters, webhookURL: 'https://collector.example/' },
      }
      await expectFaults(path, { checks: [moved, second] }, '/checks/0/parameters/headers/authorization')
      const swapped = {
        ...first,
        parameters: { ...first.parameters, webhookURL: second.parameters.webhookURL },
      }
      await expectFaults(path, { checks: [swapped] }, '/checks/0/parameters/headers/authorization')
      await expectOk(path, { checks: [second, first] })
      const json = { messages: [{ role: 'user', content: 'x' }] }
      const from = upstream.seen.length
      await api.post(`${path}/invoke`, { hook: 'beforeRequestHook', request: { json } })
      const sent = upstream.seen.slice(from).map((seen) => [seen.path, seen.headers.authorization])
      expect(sent).to.have.deep.members([
        ['/one', 'hook-secret-1111111111'],
        ['/two', 'hook-secret-2222222222'],
      ])
    })
  })

  describe('in an MCP or agent integration', () => {
    const header = '/configurations/custom_headers/x-key'
    const withHeader = {
      auth_type: 'headers',
      configurations: { custom_headers: { 'x-key': 'remote-secret-1' } },
    }

    const transport = (path: string) => (path.includes('mcp') ? { transport: 'http' } : {})

    for (const path of ['/v1/mcp-integrations', '/v1/agent-integrations']) {
      it(`is not sent to another origin: ${path}`, async () => {
        const { id, ...read } = await make(path, {
          url: `${upstream.origin}/a`,
          ...transport(path),
          ...withHeader,
        })
        await expectFaults(`${path}/${id}`, { url: other }, header)
        await expectFaults(`${path}/${id}`, { url: other, configurations: read.configurations }, header)
        await expectOk(`${path}/${id}`, { url: `${upstream.origin}/b`, configurations: read.configurations })
        await expectOk(`${path}/${id}`, { url: other, configurations: withHeader.configurations })
      })
    }

    it('is not sent to another authorization server, specified in any place', async () => {
      const client = { client_id: 'me', client_secret: 'client-secret-1' }
      const { id, ...read } = await make('/v1/mcp-integrations', {
        url: `${upstream.origin}/a`,
        transport: 'http',
        auth_type: 'oauth_client_credentials',
        configurations: { oauth_metadata: client },
      })
      const path = `/v1/mcp-integrations/${id}`
      const { oauth_metadata } = read.configurations as { oauth_metadata: object }
      const secret = '/configurations/oauth_metadata/client_secret'
      for (const name of ['issuer', 'token_endpoint', 'revocation_endpoint']) {
        const moved = { [name]: 'https://collector.example/oauth' }
        await expectFaults(
          path,
          { configurations: { oauth_metadata: { ...oauth_metadata, ...moved } } },
          secret,
        )
        await expectOk(path, { configurations: { oauth_metadata: { ...client, ...moved } } })
        await expectFaults(path, { configurations: { oauth_metadata } }, secret)
        await expectOk(path, { configurations: { oauth_metadata: client } })
      }
    })
  })
})
