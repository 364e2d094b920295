/**
 * Callers can use the names of JavaScript object members: such requests are refused or processed, and never cause a
 * server error.
 */
import { expect } from 'chai'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { hostileBodies, hostileNames } from '../../support/hostile-names.ts'

type Body = Record<string, unknown>

/** One complete body per route; `{NAME}` in a path is the id created by the route of that name. */
const routes: Record<string, { path: string; body: Body; update?: boolean }> = {
  workspace: {
    path: '/v1/workspaces',
    body: {
      name: 'hostile',
      description: 'd',
      defaults: { metadata: { team: 'x' } },
      usage_limits: [{ type: 'cost', credit_limit: 5 }],
    },
  },
  integration: {
    path: '/v1/integrations',
    body: {
      name: 'i',
      ai_provider_id: 'openai',
      key: 'sk-0123456789abcdef',
      configurations: { custom_headers: { 'x-own': 'v' }, forward_headers: ['x-a'] },
      description: 'd',
    },
  },
  bedrock: {
    path: '/v1/integrations',
    body: {
      name: 'b',
      ai_provider_id: 'bedrock',
      configurations: {
        aws_auth_type: 'accessKey',
        aws_access_key_id: 'AKIAAAAAAAAAAAAAAAAA',
        aws_secret_access_key: 'abcdefghijklmnop',
        aws_region: 'us-east-1',
      },
    },
  },
  azure: {
    path: '/v1/integrations',
    body: {
      name: 'a',
      ai_provider_id: 'azure-openai',
      key: 'abcdefghijklmnop',
      configurations: {
        azure_auth_mode: 'default',
        azure_resource_name: 'r',
        azure_deployment_config: [
          {
            azure_deployment_name: 'd',
            azure_api_version: '2024-10-21',
            azure_model_slug: 'm',
            is_default: true,
          },
        ],
      },
    },
  },
  access: {
    path: '/v1/integrations/{integration}/workspaces',
    update: true,
    body: { global_workspace_access: { enabled: true, usage_limits: [{ type: 'cost', credit_limit: 5 }] } },
  },
  provider: {
    path: '/v1/providers',
    body: {
      name: 'p',
      workspace_id: 'default',
      integration_id: '{integration}',
      note: 'n',
      usage_limits: { type: 'cost', credit_limit: 5 },
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 5 }],
    },
  },
  models: {
    update: true,
    path: '/v1/integrations/{integration}/models',
    body: {
      models: [
        {
          slug: 'm',
          is_custom: true,
          enabled: true,
          pricing_config: { pay_as_you_go: { request_token: { price: 1 } } },
        },
      ],
    },
  },
  virtualKey: {
    path: '/v1/virtual-keys',
    body: {
      workspace_id: 'default',
      name: 'v',
      provider: 'azure-openai',
      key: 'sk-0123456789abcdef',
      resourceName: 'r',
      deploymentConfig: [{ deploymentName: 'd', apiVersion: 'x', alias: 'a' }],
    },
  },
  config: {
    path: '/v1/configs',
    body: {
      name: 'c',
      workspace_id: 'default',
      config: {
        strategy: {
          mode: 'conditional',
          conditions: [{ query: { 'metadata.team': { $eq: 'x' } }, then: 'one' }],
          default: 'one',
        },
        targets: [{ name: 'one', provider: 'echo', override_params: { user: 'u' }, retry: { attempts: 1 } }],
        cache: { mode: 'simple' },
      },
    },
  },
  guardrail: {
    path: '/v1/guardrails',
    body: {
      name: 'g',
      checks: [{ id: 'default.contains', parameters: { operator: 'any', words: ['a'] }, is_enabled: true }],
      actions: { deny: false, on_fail: { feedback: { value: 1, weight: 1, metadata: { a: 'm' } } } },
    },
  },
  invoke: {
    path: '/v1/guardrails/invoke',
    body: {
      hook: 'beforeRequestHook',
      request: { json: { messages: [{ role: 'user', content: 'hello' }] } },
      metadata: { team: 'x' },
      checks: [
        {
          id: 'default.requiredMetadataKeyPairs',
          parameters: { metadataPairs: { team: 'x' }, operator: 'all' },
        },
      ],
    },
  },
  rateLimit: {
    path: '/v1/policies/rate-limits',
    body: {
      name: 'r',
      workspace_id: 'default',
      conditions: [{ key: 'metadata.team', value: 'x' }],
      group_by: [{ key: 'metadata.team' }],
      type: 'requests',
      unit: 'rpm',
      value: 5,
    },
  },
  usageLimit: {
    path: '/v1/policies/usage-limits',
    body: {
      name: 'u',
      workspace_id: 'default',
      conditions: [{ key: 'api_key', value: 'x' }],
      group_by: [{ key: 'api_key' }],
      type: 'cost',
      credit_limit: 5,
      alert_threshold: 1,
      periodic_reset: 'monthly',
    },
  },
  key: {
    path: '/v1/api-keys',
    body: {
      name: 'k',
      workspace_id: 'default',
      type: 'workspace-service',
      scopes: ['completions.write'],
      defaults: { metadata: { team: 'x' } },
      usage_limits: { type: 'cost', credit_limit: 5 },
      rate_limits: [{ type: 'requests', unit: 'rpm', value: 5 }],
      alert_emails: ['a@example.com'],
    },
  },
  invite: {
    path: '/v1/users/invites',
    body: {
      email: 'a@example.com',
      role: 'member',
      workspaces: [{ id: 'default', role: 'member' }],
      workspace_api_key_details: { scopes: ['logs.view'] },
    },
  },
  secret: {
    path: '/v1/secret-references',
    body: {
      name: 's',
      manager_type: 'hashicorp_vault',
      secret_path: 'a/b',
      secret_key: 'k',
      auth_config: {
        vault_addr: 'https://vault.example',
        vault_token: 'tttttttttttttt',
        vault_auth_type: 'token',
      },
    },
  },
  organisation: {
    path: '/v1/organisation',
    update: true,
    body: {
      settings: {
        metadata_schema: {
          workspace: {
            type: 'object',
            properties: { team: { type: 'string', default: 'x' } },
            required: ['team'],
          },
        },
      },
      defaults: { metadata: { team: 'x' } },
      auth_settings: {
        jwt: { claims: { organisation: ['a.b'] }, default_scopes: ['logs.view'] },
      },
    },
  },
  login: { path: '/v1/auth/login', body: { email: 'a@example.com', password: 'a long password' } },
}

const inference: Record<string, Body> = {
  '/v1/chat/completions': {
    model: 'm',
    messages: [
      { role: 'system', content: 's' },
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'f' } },
    response_format: {
      type: 'json_schema',
      json_schema: { name: 's', schema: { type: 'object', properties: { a: { type: 'string' } } } },
    },
    reasoning_effort: 'low',
    metadata: { team: 'x' },
  },
  '/v1/responses': {
    model: 'm',
    instructions: 'i',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
    ],
    tools: [{ type: 'function', name: 'f', parameters: {} }],
    text: { format: { type: 'text' } },
    metadata: { a: 'b' },
  },
  '/v1/messages': {
    model: 'm',
    max_tokens: 5,
    system: 's',
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
    ],
    tools: [{ name: 'f', input_schema: { type: 'object', properties: { a: { type: 'string' } } } }],
    tool_choice: { type: 'auto' },
  },
  '/v1/embeddings': { model: 'm', input: ['x'], encoding_format: 'float' },
  '/v1/rerank': { model: 'm', query: 'q', documents: ['a', { text: 'b' }] },
  '/v1/images/generations': { model: 'm', prompt: 'p', size: '1024x1024', quality: 'standard' },
  '/v1/audio/speech': { model: 'm', input: 'x', voice: 'alloy', response_format: 'mp3' },
  '/v1/moderations': { model: 'm', input: 'x' },
}

const config = {
  strategy: {
    mode: 'conditional',
    conditions: [
      {
        query: { $and: [{ 'metadata.team': { $eq: 'x' } }, { 'params.model': { $in: ['m'] } }] },
        then: 'one',
      },
    ],
    default: 'one',
  },
  targets: [
    {
      name: 'one',
      provider: 'echo',
      override_params: { user: 'u' },
      forward_headers: ['x-a'],
      on_status_codes: [429],
    },
  ],
  cache: { mode: 'simple', max_age: 60 },
  input_guardrails: [{ id: 'g', 'default.contains': { operator: 'any', words: ['a'] } }],
}

describe('hostile names cause no server error', () => {
  let gateway: TestGateway
  const ids: Record<string, string> = {}
  before(async () => {
    gateway = await startGateway({ providers: { stored: { provider: 'echo' } } })
  })
  after(() => gateway.stop())

  const send = (
    method: string,
    path: string,
    { body, headers = {} }: { body: string; headers?: Record<string, string> },
  ) =>
    fetch(gateway.url + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-gateway-api-key': adminKey, ...headers },
      body,
    })
  const filled = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none')

  /** Sends all of them, a few in parallel; returns those answered with 500. */
  async function failures(
    method: string,
    path: string,
    {
      bodies,
      headers = () => ({}),
      bodyOf = (body: string) => body,
    }: {
      bodies: readonly string[]
      headers?: (body: string) => Record<string, string>
      bodyOf?: (body: string) => string
    },
  ) {
    const failed: string[] = []
    for (let at = 0; at < bodies.length; at += 20) {
      await Promise.all(
        bodies.slice(at, at + 20).map(async (body) => {
          const response = await send(method, path, { body: bodyOf(body), headers: headers(body) })
          await response.text()
          if (response.status === 500) failed.push(body.slice(0, 300))
        }),
      )
    }
    return failed
  }

  for (const [name, { path, body, update = false }] of Object.entries(routes)) {
    it(`in the body of ${path} (${name})`, async () => {
      const where = filled(path)
      const valid = JSON.parse(filled(JSON.stringify(body))) as Body
      const method = update ? 'PUT' : 'POST'
      const response = await send(method, where, { body: JSON.stringify(valid) })
      const made = (await response.json()) as Body
      // The following applies to a body that is valid except for the names.
      if (name !== 'login') expect(response.status, JSON.stringify(made)).to.equal(200)
      if (!update && typeof made.id === 'string') ids[name] = made.id
      const bodies = hostileBodies(valid)
      expect(await failures(method, where, { bodies })).to.deep.equal([])
      const id = ids[name]
      if (id === undefined) return
      expect(await failures('PUT', `${where}/${id}`, { bodies })).to.deep.equal([])
      expect((await gateway.get(`${where}/${id}`)).status).to.be.oneOf([200, 404])
    })
  }

  for (const [path, body] of Object.entries(inference)) {
    it(`in the body of ${path}`, async () => {
      const headers = () => ({ 'x-gateway-config': '{"provider":"echo"}' })
      expect(await failures('POST', path, { bodies: hostileBodies(body), headers })).to.deep.equal([])
    })
  }

  it('in a config', async () => {
    const headers = (text: string) => ({ 'x-gateway-config': text, 'x-gateway-metadata': '{"team":"x"}' })
    const chat = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] })
    expect(
      await failures('POST', '/v1/chat/completions', {
        bodies: hostileBodies(config),
        headers,
        bodyOf: () => chat,
      }),
    ).to.deep.equal([])
  })

  it('in metadata, in forwarded headers, in queries and paths', async () => {
    const chat = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] })
    for (const name of hostileNames) {
      const headers = [
        { 'x-gateway-metadata': `{${JSON.stringify(name)}:"x"}`, 'x-gateway-provider': 'echo' },
        { 'x-gateway-forward-headers': name, 'x-gateway-provider': 'echo' },
        { 'x-gateway-provider': name },
        { 'x-gateway-provider': `@${name}` },
        { 'x-gateway-virtual-key': name },
        { 'x-gateway-config': name },
        { [`x-gateway-${name}`]: 'x', 'x-gateway-provider': 'echo' },
      ]
      for (const each of headers) {
        const { status } = await send('POST', '/v1/chat/completions', { body: chat, headers: each })
        expect(status, JSON.stringify(each)).not.to.equal(500)
      }
      const addresses = Object.values(routes).flatMap(({ path }) => [
        `${filled(path)}?${name}=1&sort=${name}&status=${name}`,
        `${filled(path)}/${name}`,
      ])
      for (const address of [
        ...addresses,
        `/v1/guardrails/checks/${name}`,
        `/v1/models/${name}`,
        `/v1/models?provider=${name}&sort=${name}`,
      ]) {
        const response = await fetch(gateway.url + address, { headers: { 'x-gateway-api-key': adminKey } })
        expect(response.status, address).not.to.equal(500)
      }
    }
  })

  it("and leave the gateway's own objects unchanged", async () => {
    expect(Object.keys(Object.prototype)).to.deep.equal([])
    expect((await gateway.get('/v1/models')).status).to.equal(200)
  })
})
