/** The keys that form a config: each combination of the specification alone, and no combination with a missing key. */
import { expect } from 'chai'
import { openScene, tree } from '../../support/scene.ts'

const account = { client_email: 'a@b.example', private_key: 'key' }
const hook = { id: 'h', checks: [{ id: 'default.wordCount', parameters: {} }] }

describe('a config', () => {
  const scene = openScene(() => ({ providers: { stored: { provider: 'echo' } } }))
  /** No call leaves this machine, and the request names a provider where the config does not. */
  const ask = (config: unknown) =>
    scene.ask(config, {
      headers: { 'x-gateway-provider': 'echo', 'x-gateway-custom-host': scene.hostOf('a') },
    })

  const combinations: Record<string, unknown>[] = [
    { provider: 'openai', api_key: 'k' },
    { provider: 'openai', custom_host: 'https://llm.example/v1' },
    { virtual_key: 'stored' },
    tree('single', [{ provider: 'echo' }]),
    { cache: { mode: 'simple' } },
    { retry: { attempts: 1 } },
    { forward_headers: ['x-team'] },
    { request_timeout: 1000 },
    { provider: 'openai', cloudA_access_key_id: 'a', cloudA_secret_access_key: 's' },
    { provider: 'openai', cloudC_region: 'r', cloudC_service_account_json: account },
    { after_request_hooks: [hook] },
    { before_request_hooks: [hook] },
    { input_guardrails: [{ wordCount: {} }] },
    { output_guardrails: [{ wordCount: {} }] },
    { passthrough: true },
  ]
  for (const config of combinations) {
    it(`is valid with only ${Object.keys(config).join(' and ')}`, async () => {
      const { status, error } = await ask(config)
      expect(error).to.deep.equal({})
      expect(status).to.equal(200)
    })
  }

  /** They also need a credential or a prompt, so only the form of the config is tested here. */
  const forms: Record<string, unknown>[] = [
    { prompt_id: 'p' },
    { provider: 'openai', cloudC_region: 'r', cloudC_project_id: 'p' },
    {
      provider: 'openai',
      cloudB_deployment_name: 'd',
      cloudB_deployment_type: 'serverless',
      cloudB_region: 'r',
      cloudB_api_version: 'v',
    },
    { provider: 'openai', cloudB_endpoint_name: 'e', cloudB_deployment_type: 'managed' },
  ]
  for (const config of forms) {
    it(`has a valid form with ${Object.keys(config).join(' and ')}`, async () => {
      expect((await ask(config)).error.code).not.to.equal('invalid_config')
    })
  }

  describe('that is valid but not sufficient for a call', () => {
    /** Further requirements of the provider in addition to the combination, and the path of the error. */
    const incomplete: [config: Record<string, unknown>, path: string][] = [
      [{ provider: 'azure-ai', cloudB_endpoint_name: 'e', cloudB_deployment_type: 'managed' }, '/provider'],
      [{ provider: 'azure-openai', api_key: 'k' }, '/provider'],
      [{ provider: 'vllm', api_key: 'k' }, '/custom_host'],
      [{ provider: 'openai', cloudC_region: 'r', cloudC_project_id: 'p' }, '/provider'],
    ]
    for (const [config, path] of incomplete) {
      const keys = Object.keys(config).join(', ')
      it(`fails when it is called: ${config.provider} with ${keys}`, async () => {
        const { status, error, index } = await scene.ask(config)
        expect({ status, code: error.code, param: error.param, index }).to.deep.equal({
          status: 400,
          code: 'invalid_config',
          param: `config${path}`,
          index: 'config',
        })
      })

      it(`lets a fallback continue: ${config.provider} with ${keys}`, async () => {
        const { status, index } = await scene.ask(tree('fallback', [config, { provider: 'echo' }]))
        expect({ status, index }).to.deep.equal({ status: 200, index: 'config.targets[1]' })
      })
    }

    it('is called at the custom host of the request', async () => {
      const { status } = await ask({ provider: 'azure-openai', api_key: 'k' })
      expect(status).to.equal(200)
    })
  })

  describe('is refused when one key is missing:', () => {
    const ofSeveral = [...combinations, ...forms].filter((config) => Object.keys(config).length > 1)
    for (const config of ofSeveral) {
      for (const missing of Object.keys(config)) {
        it(`${Object.keys(config).join(' and ')} without ${missing}`, async () => {
          const { [missing]: _dropped, ...rest } = config
          const { status, error } = await ask(rest)
          expect({ status, code: error.code }).to.deep.equal({ status: 400, code: 'invalid_config' })
        })
      }
    }
  })

  describe('needs no credential next to', () => {
    const sufficient: Record<string, Record<string, unknown>> = {
      'a stored one': { provider: '@stored' },
      'a provider that needs none': { provider: 'echo' },
      'a provider that needs none and gets its host from the request': { provider: 'ollama' },
      'a provider that may do without': { provider: 'vllm' },
      'a model that names a stored one': { override_params: { model: '@stored/m' } },
    }
    for (const [what, config] of Object.entries(sufficient)) {
      it(what, async () => {
        expect((await ask(config)).status).to.equal(200)
      })
    }
  })

  describe('is refused', () => {
    const refusals: Record<string, { config: unknown; param: string }> = {
      'when it is empty': { config: {}, param: 'config' },
      'with keys that name nothing to do': { config: { name: 'n', weight: 1 }, param: 'config' },
      'with a model that names no stored credential': {
        config: { override_params: { model: 'gpt' } },
        param: 'config',
      },
      'with a strategy and no targets': { config: { strategy: { mode: 'single' } }, param: 'config/targets' },
      'with targets and no strategy': {
        config: { targets: [{ provider: 'echo' }] },
        param: 'config/strategy',
      },
      'with a provider and no credential': { config: { provider: 'openai' }, param: 'config/api_key' },
      'with a provider that could take its credential from elsewhere': {
        config: { provider: 'vertex-ai', cloudC_region: 'r' },
        param: 'config/api_key',
      },
      'with a provider that could lend the cloud identity of the process': {
        config: { provider: 'azure-ai' },
        param: 'config/api_key',
      },
      'with a provider and without a credential, next to other keys': {
        config: { provider: 'openai', cache: { mode: 'simple' }, retry: { attempts: 1 } },
        param: 'config/api_key',
      },
      'when a target is empty': { config: tree('single', [{}]), param: 'config/targets/0' },
      'when a target deep in the tree has no credential': {
        config: tree('single', [tree('fallback', [{ provider: 'echo' }, { provider: 'groq' }])]),
        param: 'config/targets/0/targets/1/api_key',
      },
      'without any target': { config: tree('single', []), param: 'config/targets' },
    }
    for (const [what, { config, param }] of Object.entries(refusals)) {
      it(what, async () => {
        const { status, error } = await ask(config)
        expect({ status, code: error.code, param: error.param }).to.deep.equal({
          status: 400,
          code: 'invalid_config',
          param,
        })
      })
    }
  })
})
