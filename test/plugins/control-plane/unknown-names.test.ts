/** The management API's message about an unknown name: the nearest one that the caller may list. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('unknown names in the management API', () => {
  const api = openManagement({
    workspaces: { research: {}, sales: {} },
    providers: { echo: { provider: 'echo' } },
    configs: { safe: { provider: '@echo' } },
    guardrails: {
      'no-secrets': { checks: [{ id: 'default.contains', parameters: { words: ['a'], operator: 'none' } }] },
    },
    prompt_partials: { greeting: { string: 'Hello' } },
    mcp_servers: { tickets: { url: 'http://127.0.0.1:9' } },
    agent_servers: { planner: { url: 'http://127.0.0.1:9' } },
    security: { trusted_hosts: ['127.0.0.1'] },
  })
  const config = { retry: { attempts: 1 } }
  const makeKey = async (workspace_id: string, scopes: string[]) => {
    const { body, text } = await api.post('/v1/api-keys/workspace/service', {
      name: 'reader',
      workspace_id,
      scopes,
    })
    expect(body.key, text).to.be.a('string')
    return api.as(String(body.key))
  }
  before(async () => {
    for (const [workspace_id, slug] of [
      ['research', 'with-fallback'],
      ['sales', 'with-guardrails'],
    ])
      expect((await api.post('/v1/configs', { name: slug, slug, workspace_id, config })).status).to.equal(200)
  })

  it('a workspace in the query: the nearest workspace is suggested', async () => {
    const { status, error } = await api.get('/v1/configs?workspace_id=reserch')
    expect([status, error.code, error.param]).to.deep.equal([404, 'not_found', 'query/workspace_id'])
    expect(error.message).to.match(/^Unknown workspace "reserch"\. Did you mean "research"\?/)
  })

  it('a workspace in the body: the nearest workspace is suggested', async () => {
    const { error } = await api.post('/v1/configs', { name: 'x', workspace_id: 'slaes', config })
    expect(error.message).to.match(/^Unknown workspace "slaes"\. Did you mean "sales"\?/)
  })

  it('a slug in the path: the nearest slug is suggested', async () => {
    const { status, error } = await api.get('/v1/configs/with-fallbak?workspace_id=research')
    expect([status, error.param]).to.deep.equal([404, 'path/id'])
    expect(error.message).to.match(/^Unknown config "with-fallbak"\. Did you mean "with-fallback"\?/)
  })

  it('a provider: the nearest provider is suggested', async () => {
    const { error } = await api.post('/v1/integrations', {
      name: 'x',
      ai_provider_id: 'opneai',
      key: 'sk-x',
    })
    expect(JSON.stringify(error)).to.include('Did you mean \\"openai\\"?')
  })

  it('an id: nothing is suggested', async () => {
    const id = '7d7a5b1c-52fb-4f0e-9c0b-2f6a6d2f1c99'
    const { status, error } = await api.get(`/v1/configs/${id}`)
    expect([status, error.message]).to.deep.equal([404, 'There is no such config.'])
  })

  it('a name in another workspace: it is never suggested, and looks the same as one that does not exist', async () => {
    const sales = await makeKey('sales', ['configs.read', 'configs.list'])
    const [hidden, missing] = [
      await sales.get('/v1/configs/with-fallback'),
      await sales.get('/v1/configs/with-fallbakk'),
    ]
    for (const { status, error } of [hidden, missing]) {
      expect([status, error.code]).to.deep.equal([404, 'not_found'])
      expect(error.message)
        .to.match(/Known: .*\bwith-guardrails\b/)
        .and.not.match(/Known: .*with-fallback\b/)
    }
    const elsewhere = await sales.get('/v1/configs?workspace_id=research')
    expect(elsewhere.error.message).to.equal('Unknown workspace "research". Known: sales.')
  })

  it('a caller without list permission: nothing is suggested', async () => {
    const reader = await makeKey('sales', ['configs.read'])
    const { error } = await reader.get('/v1/configs/with-guardrail')
    expect(error.message).to.equal('There is no such config.')
  })

  const workspace_id = 'default'
  const said = (content: string) => JSON.stringify([{ role: 'user', content }])
  const prompt = {
    workspace_id,
    name: 'x',
    model: 'echo-1',
    virtual_key: 'echo',
    string: said('a'),
    parameters: {},
  }
  const key = { workspace_id, name: 'x', scopes: ['completions.write'] }
  const chat = { model: '@echo/echo-1', messages: [{ role: 'user', content: 'a' }] }
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const conditions = [{ query: { 'metadata.a': 'b' }, then: 'frist' }]
  const conditional = {
    strategy: { mode: 'conditional', conditions, default: 'first' },
    targets: [{ name: 'first', provider: '@echo' }],
  }
  const policy = { workspace_id, name: 'x', type: 'cost', credit_limit: 1 }
  const invite = { email: 'a@unknown-names.example' }

  interface Row {
    of: string
    send: [method: string, path: string, body?: object, headers?: Record<string, string>]
    param: string | null
    written: string
    guess: string
  }
  const rows: Row[] = [
    {
      of: 'the provider of a prompt',
      send: ['POST', '/v1/prompts', { ...prompt, virtual_key: 'ecko' }],
      param: '/virtual_key',
      written: 'ecko',
      guess: 'echo',
    },
    {
      of: 'the config of a prompt',
      send: ['POST', '/v1/prompts', { ...prompt, config: 'saef' }],
      param: '/config',
      written: 'saef',
      guess: 'safe',
    },
    {
      of: 'the collection of a prompt',
      send: ['POST', '/v1/prompts', { ...prompt, collection_id: 'defalt' }],
      param: '/collection_id',
      written: 'defalt',
      guess: 'default',
    },
    {
      of: 'a partial in a template',
      send: ['POST', '/v1/prompts', { ...prompt, string: said('{{> greetin}}') }],
      param: '/string',
      written: 'greetin',
      guess: 'greeting',
    },
    {
      of: 'a partial in a partial',
      send: ['POST', '/v1/prompts/partials', { workspace_id, name: 'x', string: '{{> greetin}}' }],
      param: '/string',
      written: 'greetin',
      guess: 'greeting',
    },
    {
      of: 'the parent of a collection',
      send: ['POST', '/v1/collections', { workspace_id, name: 'x', parent_collection_id: 'defalt' }],
      param: '/parent_collection_id',
      written: 'defalt',
      guess: 'default',
    },
    {
      of: 'a prompt in a call',
      send: ['POST', '/v1/prompts/hello-promt/completions', { variables: {} }],
      param: 'path/id',
      written: 'hello-promt',
      guess: 'hello-prompt',
    },
    {
      of: 'a label in a call',
      send: ['POST', '/v1/prompts/hello-prompt@stagin/completions', { variables: {} }],
      param: 'path/id',
      written: 'stagin',
      guess: 'staging',
    },
    {
      of: 'the default config of a key',
      send: ['POST', '/v1/api-keys/workspace/service', { ...key, defaults: { config_id: 'saef' } }],
      param: '/defaults/config_id',
      written: 'saef',
      guess: 'safe',
    },
    {
      of: 'a default guardrail of a key',
      send: [
        'POST',
        '/v1/api-keys/workspace/service',
        { ...key, defaults: { input_guardrails: ['no-secret'] } },
      ],
      param: '/defaults/input_guardrails/0',
      written: 'no-secret',
      guess: 'no-secrets',
    },
    {
      of: 'a scope',
      send: ['POST', '/v1/api-keys/workspace/service', { ...key, scopes: ['completion.write'] }],
      param: '/scopes/0',
      written: 'completion.write',
      guess: 'completions.write',
    },
    {
      of: 'the target of a condition',
      send: ['POST', '/v1/configs', { workspace_id, name: 'x', config: conditional }],
      param: '/config/strategy/conditions/0/then',
      written: 'frist',
      guess: 'first',
    },
    {
      of: 'a check',
      send: [
        'POST',
        '/v1/guardrails',
        { workspace_id, name: 'x', checks: [{ id: 'default.contans', parameters: {} }] },
      ],
      param: '/checks/0/id',
      written: 'default.contans',
      guess: 'default.contains',
    },
    {
      of: 'a check in a path',
      send: ['GET', '/v1/guardrails/checks/default.contans'],
      param: 'path/checkId',
      written: 'default.contans',
      guess: 'default.contains',
    },
    {
      of: 'a plugin in a path',
      send: ['GET', '/v1/plugins/defalt'],
      param: 'path/id',
      written: 'defalt',
      guess: 'default',
    },
    {
      of: 'an integration',
      send: ['POST', '/v1/providers', { workspace_id, name: 'x', integration_id: 'ecko' }],
      param: '/integration_id',
      written: 'ecko',
      guess: 'echo',
    },
    {
      of: 'a secret manager',
      send: [
        'POST',
        '/v1/secret-references',
        { name: 'x', manager_type: 'hashicorp_valt', secret_path: 'a', auth_config: {} },
      ],
      param: '/manager_type',
      written: 'aws_sm',
      guess: 'hashicorp_vault',
    },
    {
      of: 'an event of a webhook',
      send: ['POST', '/v1/webhooks', { name: 'x', url: 'http://127.0.0.1:9', events: ['batch.complted'] }],
      param: '/events/0',
      written: 'batch.failed',
      guess: 'batch.completed',
    },
    {
      of: 'the format of a webhook',
      send: ['POST', '/v1/webhooks', { name: 'x', url: 'http://127.0.0.1:9', events: ['*'], format: 'slak' }],
      param: '/format',
      written: 'teams',
      guess: 'slack',
    },
    {
      of: 'the condition of a policy',
      send: [
        'POST',
        '/v1/policies/usage-limits',
        { ...policy, conditions: [{ key: 'api_ky', value: 'a' }], group_by: [{ key: 'model' }] },
      ],
      param: '/conditions/0/key',
      written: 'metadata.NAME',
      guess: 'api_key',
    },
    {
      of: 'the role of an invite',
      send: ['POST', '/v1/users/invites', { ...invite, role: 'membr', workspaces: [] }],
      param: '/role',
      written: 'admin',
      guess: 'member',
    },
    {
      of: 'the workspace of an invite',
      send: [
        'POST',
        '/v1/users/invites',
        { ...invite, role: 'member', workspaces: [{ id: 'reserch', role: 'admin' }] },
      ],
      param: '/workspaces/0/id',
      written: 'reserch',
      guess: 'research',
    },
    {
      of: 'an MCP server',
      send: ['POST', '/tickts/mcp', rpc],
      param: 'path/slug',
      written: 'tickts',
      guess: 'tickets',
    },
    {
      of: 'an agent',
      send: ['POST', '/v1/agent/plannr', rpc],
      param: 'path/slug',
      written: 'plannr',
      guess: 'planner',
    },
    {
      of: 'the workspace of a dry run',
      send: ['POST', '/v1/dry-run', { endpoint: 'chatComplete', body: {}, workspace_id: 'defualt' }],
      param: '/workspace_id',
      written: 'defualt',
      guess: 'default',
    },
    {
      of: 'the endpoint of a dry run',
      send: ['POST', '/v1/dry-run', { endpoint: 'chatComplet', body: {} }],
      param: '/endpoint',
      written: 'chatComplet',
      guess: 'chatComplete',
    },
    {
      of: 'the workspace header',
      send: ['POST', '/v1/chat/completions', chat, { 'x-gateway-workspace-id': 'reserch' }],
      param: 'header/x-gateway-workspace-id',
      written: 'reserch',
      guess: 'research',
    },
    {
      of: 'a model',
      send: ['GET', '/v1/models/echo-11'],
      param: 'path/id',
      written: 'echo-11',
      guess: 'echo-1',
    },
    {
      of: 'a status in a filter',
      send: ['GET', '/v1/configs?status=activ'],
      param: 'query/status',
      written: 'archived',
      guess: 'active',
    },
    {
      of: 'a graph',
      send: ['GET', '/v1/analytics/graphs/request'],
      param: 'path/graph',
      written: 'request',
      guess: 'requests',
    },
    {
      of: 'a key of an update',
      send: ['PUT', '/v1/prompts/hello-prompt', { modle: 'x' }],
      param: '',
      written: 'modle',
      guess: 'model',
    },
    {
      of: 'a path',
      send: ['POST', '/v1/chat/completion', chat],
      param: null,
      written: 'Route not found',
      guess: '/v1/chat/completions',
    },
  ]
  describe('in every place', () => {
    before(async () => {
      const made = await api.post('/v1/prompts', { ...prompt, slug: 'hello-prompt' })
      expect(made.status, made.text).to.equal(200)
    })
    for (const { of, send, param, written, guess } of rows) {
      const [method, path, body, headers] = send
      it(`${of} gets the nearest name`, async () => {
        const { status, error, text } = await api.call(method, path, { body, headers })
        expect(status, text).to.be.within(400, 404)
        expect(error.param, text).to.equal(param)
        expect(error.message)
          .to.include(written)
          .and.to.match(new RegExp(`did you mean "${guess}"`, 'i'))
      })
    }
  })

  it('a reference that the caller may not list is refused without other names', async () => {
    const writer = await makeKey('default', ['prompts.create'])
    const { error } = await writer.post('/v1/prompts', { ...prompt, config: 'saef', virtual_key: 'ecko' })
    expect(error.details?.map(({ message }) => message)).to.deep.equal([
      'Unknown provider "ecko".',
      'Unknown config "saef".',
    ])
  })

  it('a server that the caller may not list is refused without other names', async () => {
    const caller = await makeKey('default', ['mcp.invoke', 'agents.invoke'])
    expect((await caller.post('/tickts/mcp', rpc)).error.message).to.equal('Unknown MCP server "tickts".')
    expect((await caller.post('/v1/agent/plannr', rpc)).error.message).to.equal('Unknown agent "plannr".')
  })

  it('a person gets the workspaces of which they are a member, whether the one named exists or not', async () => {
    const { people } = api
    const user = await people.user('member@unknown-names.example')
    await people.member(await people.workspace('Reporting'), user, 'member')
    const person = api.as(await people.session(user))
    for (const named of ['research', 'reporing']) {
      const { status, error } = await person.post('/v1/chat/completions', chat, {
        'x-gateway-workspace-id': named,
      })
      expect([status, error.code]).to.deep.equal([404, 'not_found'])
      expect(error.message).to.include(`Unknown workspace "${named}".`).and.to.include('Known: reporting.')
    }
  })

  it('a key of one workspace gets its own workspace', async () => {
    const caller = await makeKey('sales', ['completions.write'])
    const { error } = await caller.post('/v1/chat/completions', chat, {
      'x-gateway-workspace-id': 'research',
    })
    expect(error.message).to.equal('Unknown workspace "research". Known: sales.')
  })
})
