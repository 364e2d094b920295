/** Azure through the gateway, against local servers that answer as the vendor does. */
import { expect } from 'chai'
import {
  chat,
  configHeader,
  json,
  readEvents,
  startGateway,
  type TestGateway,
} from '../../support/gateway.ts'
import {
  chatAnswer,
  chatChunk,
  openUpstream,
  sendEvents,
  sendJson,
  type Upstream,
} from '../../support/upstream.ts'

describe('Azure through the gateway', () => {
  let upstream: Upstream
  let gateway: TestGateway
  const path = '/v1/chat/completions'

  before(async () => {
    upstream = await openUpstream()
    gateway = await startGateway({
      providers: {
        stored: {
          provider: 'azure-openai',
          api_key: 'stored-key',
          custom_host: `${upstream.origin}/openai`,
          configurations: {
            azure_resource_name: 'res',
            azure_deployment_config: [
              {
                azure_deployment_name: 'four',
                azure_api_version: '2024-06-01',
                azure_model_slug: 'gpt-4o',
                is_default: true,
              },
            ],
          },
        },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })
  const seen = () => {
    const last = upstream.seen.at(-1)
    if (last === undefined) throw new Error('nothing was called')
    return last
  }
  const openai = (more: Record<string, unknown> = {}) =>
    configHeader({
      provider: 'azure-openai',
      api_key: 'azure-key-1',
      custom_host: `${upstream.origin}/openai`,
      deployment_id: 'prod',
      api_version: '2024-10-21',
      ...more,
    })

  it('calls the deployment in a config and returns its answer', async () => {
    upstream.handle((_, response) => sendJson(response, 200, chatAnswer('ok', { prompt_filter_results: [] })))
    const response = await gateway.post(path, chat(), openai())
    expect(response.status).to.equal(200)
    expect(await json(response)).to.have.nested.property('choices[0].message.content', 'ok')
    expect(seen().path).to.equal('/openai/deployments/prod/chat/completions?api-version=2024-10-21')
    expect(seen().headers).to.include({ 'api-key': 'azure-key-1' }).and.not.have.property('authorization')
  })

  it('calls the deployment in a stored credential', async () => {
    upstream.handle((_, response) => sendJson(response, 200, chatAnswer('ok')))
    const response = await gateway.post(path, chat('x', { model: '@stored/any-model' }))
    expect(response.status).to.equal(200)
    expect(seen().path).to.equal('/openai/deployments/four/chat/completions?api-version=2024-06-01')
    expect(seen().headers).to.include({ 'api-key': 'stored-key' })
  })

  it('streams without chunks that contain only annotations', async () => {
    const prompt = { choices: [], prompt_filter_results: [{ prompt_index: 0 }] }
    const chunks = [prompt, chatChunk({ role: 'assistant', content: 'Hi' }), chatChunk({}, 'stop')]
    upstream.handle((_, response) =>
      sendEvents(response, [
        ...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
        'data: [DONE]\n\n',
      ]),
    )
    const events = await readEvents(await gateway.post(path, chat('x', { stream: true }), openai()))
    expect(events.at(-1)).to.equal('[DONE]')
    const choices = events.slice(0, -1).map((event) => JSON.parse(event).choices.length)
    expect(choices).to.deep.equal([1, 1])
  })

  it('keeps status, code and parameter of the content filter', async () => {
    const error = {
      message: 'The response was filtered',
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
    }
    upstream.handle((_, response) => sendJson(response, 400, { error }))
    const response = await gateway.post(path, chat(), openai())
    expect(response.status).to.equal(400)
    expect(await json(response)).to.deep.include({
      error: {
        message: 'The response was filtered',
        type: 'upstream_error',
        param: 'prompt',
        code: 'content_filter',
      },
      provider: 'azure-openai',
    })
  })

  it('refuses a model without a deployment', async () => {
    const deployments = [{ deployment_id: 'd', alias: 'gpt-4o', api_version: '2024-10-21' }]
    const response = await gateway.post(path, chat('x', { model: 'gpt-5' }), openai({ deployments }))
    expect(response.status).to.equal(400)
    expect(await json(response)).to.have.nested.property('error.param', '/model')
  })

  it("forwards messages to Anthropic models, with the caller's beta features", async () => {
    const answer = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'ok' }],
    }
    upstream.handle((_, response) => sendJson(response, 200, answer))
    const config = { provider: 'azure-ai', api_key: 'k', custom_host: `${upstream.origin}/anthropic` }
    const body = { model: 'claude', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }
    const headers = { ...configHeader(config), 'anthropic-beta': 'some-feature' }
    const response = await gateway.post('/v1/messages', body, headers)
    expect(await json(response)).to.deep.include(answer)
    expect(seen().path).to.equal('/anthropic/v1/messages')
    expect(seen().json).to.deep.equal(body)
    expect(seen().headers).to.include({
      'x-api-key': 'k',
      'anthropic-beta': 'some-feature',
      'anthropic-version': '2023-06-01',
    })
  })

  it('calls a managed deployment with the specified config keys, without an API key', async () => {
    upstream.handle((_, response) => sendJson(response, 200, chatAnswer('ok')))
    const config = {
      provider: 'azure-ai',
      cloudB_endpoint_name: 'ep',
      cloudB_deployment_type: 'managed',
      cloudB_deployment_name: 'blue',
      custom_host: upstream.origin,
    }
    const response = await gateway.post(path, chat(), configHeader(config))
    expect(response.status).to.equal(200)
    expect(seen().path).to.equal('/chat/completions?api-version=2024-05-01-preview')
    expect(seen().headers).to.include({
      'azureml-model-deployment': 'blue',
      'extra-parameters': 'pass-through',
    })
  })
})

describe('stored credentials for Azure', () => {
  const entra = { azure_auth_mode: 'entra', azure_entra_tenant_id: 't', azure_entra_client_id: 'c' }
  const faults: [string, string, Record<string, unknown>, string][] = [
    ['a mode without its secret', 'azure-openai', entra, 'azure_entra_client_secret'],
    ['an invalid mode', 'azure-openai', { azure_auth_mode: 'magic' }, 'azure_auth_mode'],
    [
      'a secret where none is needed',
      'azure-ai',
      { ...entra, azure_auth_mode: 'entraFederated', azure_entra_client_secret: 's' },
      'azure_entra_client_secret',
    ],
    ['an invalid key', 'azure-ai', { azure_foundry_uri: 'https://x' }, 'azure_foundry_uri'],
    [
      'a deployment without a version',
      'azure-openai',
      { azure_deployment_config: [{ azure_deployment_name: 'd', azure_model_slug: 'm' }] },
      'azure_deployment_config/0',
    ],
  ]
  for (const [what, provider, configurations, told] of faults) {
    it(`stop the start with ${what}`, async () => {
      const stored = { provider, resource_name: 'r', configurations }
      const error = await startGateway({ providers: { stored } }).then(
        async (gateway) => {
          await gateway.stop()
          return null
        },
        (thrown: unknown) => thrown,
      )
      expect(String(error)).to.contain('/providers/stored/configurations').and.to.contain(told)
    })
  }
})
