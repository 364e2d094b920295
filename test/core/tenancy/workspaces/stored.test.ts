/**
 * A workspace's stored documents (providers, configs, guardrails, defaults) apply to its requests immediately, and to
 * no other workspace.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { DocumentDraft } from '@gateway/contract'
import { defaultWorkspaceId, firstOrganisationId, kinds, slugKey } from '@gateway/domain'
import { expect } from 'chai'
import { createSealer } from '#core/tenancy/secrets/sealer'
import { chat, configHeader, startGateway, type TestGateway } from '../../../support/gateway.ts'
import { openUpstream, sendJson, type Upstream } from '../../../support/upstream.ts'

const otherWorkspaceId = randomUUID()

interface DraftOptions {
  data: object
  workspaceId?: string | null
}

function draft(
  kind: string,
  slug: string,
  { data, workspaceId = defaultWorkspaceId }: DraftOptions,
): DocumentDraft {
  return {
    kind,
    id: randomUUID(),
    organisation_id: firstOrganisationId,
    workspace_id: workspaceId,
    slug,
    name: slug,
    status: 'active',
    created_at: 1,
    last_updated_at: 1,
    keys: [slugKey(workspaceId ?? firstOrganisationId, slug)],
    attributes: {},
    data: data as DocumentDraft['data'],
  }
}

describe("a workspace's stored documents", () => {
  let gateway: TestGateway
  let upstream: Upstream
  beforeEach(async () => {
    upstream = await openUpstream()
    gateway = await startGateway()
  })
  afterEach(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const documents = () => gateway.runtime.store.documents
  const put = (...drafts: DocumentDraft[]) =>
    documents().commit(drafts.map((document) => ({ op: 'put', document })))
  const ask = (headers: Record<string, string>, body = chat()) =>
    gateway.post('/v1/chat/completions', body, headers)

  async function addProvider(slug: string, extra: object = {}, workspaceId = defaultWorkspaceId) {
    const integration = draft(kinds.integration, `${slug}-integration`, {
      data: {
        ai_provider_id: 'openai',
        description: null,
        configurations: { custom_host: upstream.url, custom_headers: { 'X-House': 'ours' } },
        sealed: null,
        masked_key: 'sk-****cret',
        secret_mappings: [],
        pricing_adjustments: null,
        allow_all_models: true,
        models: [],
        global_workspace_access: null,
        last_reset_at: null,
        ...extra,
      },
      workspaceId,
    })
    const record = `integration/${integration.id}`
    integration.data.sealed ??= gateway.runtime.sealer.seal(
      JSON.stringify({ key: 'sk-stored-secret' }),
      record,
    )
    const provider = draft(kinds.provider, slug, {
      data: {
        integration_id: integration.id,
        provider: 'openai',
        note: null,
        expires_at: null,
        usage_limits: [],
        rate_limits: [],
        last_reset_at: null,
      },
      workspaceId,
    })
    await put(integration, provider)
    return { integration, provider }
  }

  it('call a stored provider with its sealed key and its headers, at once', async () => {
    expect((await ask({ 'x-gateway-provider': '@stored' })).status).to.equal(404)
    await addProvider('stored')
    expect((await ask({ 'x-gateway-provider': '@stored' })).status).to.equal(200)
    const request = upstream.seen.at(-1)
    expect(request?.headers.authorization).to.equal('Bearer sk-stored-secret')
    expect(request?.headers['x-house']).to.equal('ours')
  })

  describe('send the headers of a stored provider without a key only to its own host:', () => {
    const sources: Record<string, (url: string) => Record<string, string>> = {
      'not to that of the request': (url) => ({
        'x-gateway-provider': '@stored',
        'x-gateway-custom-host': url,
      }),
      'not to that of a config': (url) => configHeader({ provider: '@stored', custom_host: url }),
      'not to that of a config’s root': (url) =>
        configHeader({
          custom_host: url,
          strategy: { mode: 'single' },
          targets: [{ override_params: { model: '@stored/m' } }],
        }),
    }
    for (const [what, headersFor] of Object.entries(sources)) {
      it(what, async () => {
        const strange = await openUpstream()
        await addProvider('stored', { sealed: null })
        expect((await ask(headersFor(`${upstream.url}/`))).status, 'its own').to.equal(200)
        expect(upstream.seen.at(-1)?.headers['x-house']).to.equal('ours')
        const refused = await ask(headersFor(strange.url))
        expect(refused.status).to.equal(400)
        expect(((await refused.json()) as { error: { code: string } }).error.code).to.equal(
          'host_not_allowed',
        )
        expect(strange.seen).to.have.length(0)
        await strange.close()
      })
    }

    it('but not to a provider that is asked for its models', async () => {
      const strange = await openUpstream()
      await addProvider('stored', { sealed: null })
      await gateway.get('/v1/models', {
        'x-gateway-provider': '@stored',
        'x-gateway-custom-host': strange.url,
      })
      expect(strange.seen).to.have.length(0)
      await strange.close()
    })
  })

  it('separate cached answers by the headers that a stored provider forwards', async () => {
    const configurations = { custom_host: upstream.url, forward_headers: ['X-Team'] }
    await addProvider('stored', { configurations })
    const config = configHeader({ provider: '@stored', cache: { mode: 'simple' } })
    const statusOf = async (team: string) =>
      (await ask({ ...config, 'x-team': team })).headers.get('x-gateway-cache-status')
    const statuses = [await statusOf('red'), await statusOf('blue'), await statusOf('red')]
    expect(statuses).to.deep.equal(['MISS', 'MISS', 'HIT'])
  })

  it('do not use a cached answer once a stored provider sends other headers', async () => {
    const { integration } = await addProvider('stored')
    const config = configHeader({ provider: '@stored', cache: { mode: 'simple' } })
    const statusOf = async () => (await ask(config)).headers.get('x-gateway-cache-status')
    expect([await statusOf(), await statusOf()]).to.deep.equal(['MISS', 'HIT'])
    const configurations = { custom_host: upstream.url, custom_headers: { 'X-House': 'theirs' } }
    await put({ ...integration, data: { ...integration.data, configurations } })
    expect(await statusOf()).to.equal('MISS')
  })

  it('include a provider by its id as well', async () => {
    const { provider } = await addProvider('stored')
    expect((await ask({ 'x-gateway-virtual-key': provider.id })).status).to.equal(200)
  })

  it('do not change the limits of a provider in the config file with the same name', async () => {
    await gateway.stop()
    const rate = { type: 'requests', unit: 'rpd', value: 1 }
    gateway = await startGateway({
      providers: {
        both: { provider: 'openai', api_key: 'sk-1', custom_host: upstream.url, rate_limits: rate },
      },
    })
    const { provider } = await addProvider('both')
    await put({ ...provider, data: { ...provider.data, rate_limits: [{ ...rate, value: 5 }] } })
    const statusOf = async () => (await ask({ 'x-gateway-provider': '@both' })).status
    expect([await statusOf(), await statusOf()]).to.deep.equal([200, 429])
  })

  it('do not include those of another workspace', async () => {
    await addProvider('theirs', {}, otherWorkspaceId)
    const answer = await ask({ 'x-gateway-provider': '@theirs' })
    expect(answer.status).to.equal(404)
    expect(((await answer.json()) as { error: { code: string } }).error.code).to.equal('unknown_virtual_key')
  })

  it('route by a stored config, and by its new version as soon as it is stored', async () => {
    await addProvider('stored')
    const config = draft(kinds.config, 'cfg-house', {
      data: {
        config: { provider: '@stored', override_params: { model: 'first' } },
        config_version: 1,
        version_id: randomUUID(),
      },
    })
    await put(config)
    await ask({ 'x-gateway-config': 'cfg-house' })
    expect(upstream.seen.at(-1)?.json).to.include({ model: 'first' })
    const data = { ...config.data, config: { provider: '@stored', override_params: { model: 'second' } } }
    await put({ ...config, data })
    await ask({ 'x-gateway-config': config.id })
    expect(upstream.seen.at(-1)?.json).to.include({ model: 'second' })
  })

  it('follow their sources: an archived provider is unknown, a withdrawn integration is forbidden', async () => {
    const { integration, provider } = await addProvider('stored')
    expect((await ask({ 'x-gateway-provider': '@stored' })).status).to.equal(200)
    await put({
      ...integration,
      workspace_id: null,
      data: {
        ...integration.data,
        global_workspace_access: { enabled: false, usage_limits: [], rate_limits: [] },
      },
    })
    const withdrawn = await ask({ 'x-gateway-provider': '@stored' })
    expect(withdrawn.status).to.equal(403)
    await put({ ...provider, status: 'archived', keys: [] })
    expect((await ask({ 'x-gateway-provider': '@stored' })).status).to.equal(404)
  })

  it('refuse a model that the integration does not enable', async () => {
    const model = {
      slug: 'allowed',
      enabled: true,
      name: null,
      is_custom: false,
      is_finetune: false,
      base_model_slug: null,
      configurations: null,
      pricing_config: null,
      pricing_adjustments: null,
    }
    await addProvider('stored', { allow_all_models: false, models: [model] })
    expect(
      (await ask({ 'x-gateway-provider': '@stored' }, chat('hi', { model: 'allowed' }))).status,
    ).to.equal(200)
    const refused = await ask({ 'x-gateway-provider': '@stored' }, chat('hi', { model: 'other' }))
    expect(refused.status).to.equal(403)
    expect(((await refused.json()) as { error: { code: string } }).error.code).to.equal('model_not_allowed')
  })

  it('call a model at its own host', async () => {
    const own = await openUpstream()
    const configurations = { custom_host: own.url, custom_headers: { 'X-Model': 'own' } }
    const model = {
      slug: 'special',
      enabled: true,
      name: null,
      is_custom: true,
      is_finetune: false,
      base_model_slug: null,
      configurations,
      pricing_config: null,
      pricing_adjustments: null,
    }
    await addProvider('stored', { models: [model] })
    await ask({ 'x-gateway-provider': '@stored' }, chat('hi', { model: 'special' }))
    expect(own.seen.at(-1)?.headers).to.include({ 'x-model': 'own' })
    // It is on another origin, so the credential is not sent there.
    expect(own.seen.at(-1)?.headers).to.not.have.any.keys('x-house', 'authorization')
    expect(upstream.seen).to.have.length(0)
    await own.close()
  })

  it('skip a target with an open circuit when its model has its own host', async () => {
    const own = await openUpstream((_request, response) => sendJson(response, 500, {}))
    const model = {
      slug: 'special',
      enabled: true,
      name: null,
      is_custom: true,
      is_finetune: false,
      base_model_slug: null,
      configurations: { custom_host: own.url },
      pricing_config: null,
      pricing_adjustments: null,
    }
    await addProvider('stored', { models: [model] })
    const cb_config = { failure_threshold: 1, cooldown_interval: 60_000 }
    const config = configHeader({
      strategy: { mode: 'loadbalance' },
      targets: [
        { provider: '@stored', weight: 1e9, cb_config },
        { provider: 'echo', weight: 1e-9 },
      ],
    })
    const indexOf = async () =>
      (await ask(config, chat('hi', { model: 'special' }))).headers.get('x-gateway-last-used-option-index')
    expect([await indexOf(), await indexOf()]).to.deep.equal(['config.targets[0]', 'config.targets[1]'])
    await own.close()
  })

  it('run a stored guardrail that a request names, and one that the workspace enforces', async () => {
    await addProvider('stored')
    await put(
      draft(kinds.guardrail, 'gr-secrets', {
        data: {
          checks: [
            {
              id: 'default.contains',
              is_enabled: true,
              parameters: { words: ['forbidden'], operator: 'none' },
            },
          ],
          actions: { deny: true, async: false },
          fail_closed: false,
          type: 'guardrail',
          guardrail_version: 1,
          version_id: randomUUID(),
        },
      }),
    )
    const config = JSON.stringify({ provider: '@stored', input_guardrails: ['gr-secrets'] })
    expect((await ask({ 'x-gateway-config': config }, chat('a forbidden word'))).status).to.equal(446)
    expect((await ask({ 'x-gateway-config': config }, chat('a word'))).status).to.equal(200)
    expect((await ask({ 'x-gateway-provider': '@stored' }, chat('a forbidden word'))).status).to.equal(200)
    const workspace = draft(kinds.workspace, 'default', {
      data: {
        defaults: {
          metadata: null,
          config_id: null,
          allow_config_override: true,
          input_guardrails: ['gr-secrets'],
          output_guardrails: null,
          user_api_key_config: null,
        },
        settings: {},
        usage_limits: [],
        rate_limits: [],
        last_reset_at: null,
      },
      workspaceId: null,
    })
    const [stored] = await documents()
      .list(kinds.workspace, { ids: [defaultWorkspaceId] }, { offset: 0, limit: 1 })
      .then((page) => page.documents)
    await put({ ...workspace, id: defaultWorkspaceId, keys: stored?.keys ?? workspace.keys })
    expect((await ask({ 'x-gateway-provider': '@stored' }, chat('a forbidden word'))).status).to.equal(446)
  })

  it('keep working when one credential cannot be opened, which is reported by name', async () => {
    const foreign = createSealer(randomBytes(32)).seal(
      JSON.stringify({ key: 'sk-of-another-gateway' }),
      'integration/any',
    )
    await addProvider('stored')
    await addProvider('damaged', { sealed: foreign })
    expect((await ask({ 'x-gateway-provider': '@stored' })).status).to.equal(200)
    const before = upstream.seen.length
    const answer = await ask({ 'x-gateway-provider': '@damaged' })
    expect(answer.status).to.equal(500)
    expect(((await answer.json()) as { error: { code: string } }).error.code).to.equal('internal_error')
    expect(upstream.seen).to.have.length(before)
  })

  it('keep the stored key out of answers and logs', async () => {
    await addProvider('stored')
    upstream.handle((_request, response) =>
      sendJson(response, 401, { error: { message: 'Bad key sk-stored-secret' } }),
    )
    const answer = await ask({ 'x-gateway-provider': '@stored' })
    expect(await answer.text()).not.to.contain('sk-stored-secret')
    expect(JSON.stringify(gateway.logs)).not.to.contain('sk-stored-secret')
  })
})
