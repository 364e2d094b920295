/** Configs that break the schema: the path of the error is reported, and all errors are reported together. */
import { expect } from 'chai'
import { openScene, tree } from '../../support/scene.ts'

/** A key of a config with an invalid value, and the path of the error below `config`. */
type Row = [name: string, value: unknown, path?: string]

const wrong: Row[] = [
  ['strategy', 'single'],
  ['targets', {}],
  ['provider', 5],
  ['provider', ''],
  ['virtual_key', ''],
  ['virtual_key', ['a']],
  ['api_key', 5],
  ['custom_host', 5],
  ['name', 5],
  ['strict_compat_compliance', 'true'],
  ['resource_name', 5],
  ['deployment_id', 5],
  ['api_version', 5],
  ['deployments', {}],
  ['deployments', [{ alias: 'a', api_version: 'v' }], '/deployments/0/deployment_id'],
  ['deployments', [{ deployment_id: 'd', api_version: 'v' }], '/deployments/0/alias'],
  ['deployments', [{ deployment_id: 'd', alias: 'a' }], '/deployments/0/api_version'],
  [
    'deployments',
    [{ deployment_id: 'd', alias: 'a', api_version: 'v', is_default: 1 }],
    '/deployments/0/is_default',
  ],
  ['override_params', []],
  ['prompt_id', 5],
  ['weight', '1'],
  ['weight', -0.5],
  ['on_status_codes', 429],
  ['on_status_codes', ['429'], '/on_status_codes/0'],
  ['on_status_codes', [500, 42], '/on_status_codes/1'],
  ['forward_headers', 'x-team'],
  ['forward_headers', [5], '/forward_headers/0'],
  ['passthrough', 'yes'],
  ['cache', 'simple'],
  ['cache', {}, '/cache/mode'],
  ['cache', { mode: 'other' }, '/cache/mode'],
  ['cache', { mode: 'simple', max_age: 0 }, '/cache/max_age'],
  ['cache', { mode: 'simple', max_age: '60' }, '/cache/max_age'],
  ['cache', { mode: 'simple', ttl: 60 }, '/cache'],
  ['retry', 3],
  ['retry', {}, '/retry/attempts'],
  ['retry', { attempts: 6 }, '/retry/attempts'],
  ['retry', { attempts: -1 }, '/retry/attempts'],
  ['retry', { attempts: 1.5 }, '/retry/attempts'],
  ['retry', { attempts: 1, on_status_codes: ['429'] }, '/retry/on_status_codes/0'],
  ['retry', { attempts: 1, use_retry_after_headers: 'yes' }, '/retry/use_retry_after_headers'],
  ['retry', { attempts: 1, delay: 5 }, '/retry'],
  ['cb_config', { cooldown_interval: 30_000 }, '/cb_config/failure_threshold'],
  ['cb_config', { failure_threshold: 1 }, '/cb_config/cooldown_interval'],
  ['cb_config', { failure_threshold: 0, cooldown_interval: 30_000 }, '/cb_config/failure_threshold'],
  ['cb_config', { failure_threshold: 1, cooldown_interval: 29_999 }, '/cb_config/cooldown_interval'],
  [
    'cb_config',
    { failure_threshold: 1, cooldown_interval: 30_000, failure_status_codes: ['500'] },
    '/cb_config/failure_status_codes/0',
  ],
  ['cb_config', { failure_threshold: 1, cooldown_interval: 30_000, window: 1 }, '/cb_config'],
  ['before_request_hooks', {}],
  ['before_request_hooks', ['saved'], '/before_request_hooks/0'],
  ['before_request_hooks', [{ checks: [] }], '/before_request_hooks/0/id'],
  ['after_request_hooks', [{ id: 'h', extra: 1, checks: [] }], '/after_request_hooks/0'],
  ['after_request_hooks', [{ id: 'h', checks: [{ id: 'c' }] }], '/after_request_hooks/0/checks/0/parameters'],
  ['after_request_hooks', [{ id: 'h', type: 'other', checks: [] }], '/after_request_hooks/0/type'],
  ['input_guardrails', {}],
  ['input_guardrails', [5], '/input_guardrails/0'],
  ['output_guardrails', [{ deny: 'yes' }], '/output_guardrails/0/deny'],
  ['output_guardrails', [{ wordCount: 5 }], '/output_guardrails/0/wordCount'],
  ['cloudA_access_key_id', 5],
  ['cloudA_secret_access_key', 5],
  ['cloudA_region', 5],
  ['cloudA_session_token', 5],
  ['compat_organization', 5],
  ['compat_project', 5],
  ['cloudC_project_id', 5],
  ['cloudC_region', 5],
  ['cloudC_service_account_json', '{}'],
  ['cloudB_region', 5],
  ['cloudB_deployment_name', 5],
  ['cloudB_endpoint_name', 5],
  ['cloudB_api_version', 5],
  ['cloudB_deployment_type', 'other'],
  ['cloudB_entra_scope', 5],
  ['unknown_key', 5, ''],
  ['apiKey', 'k', ''],
]

describe('a config is refused', () => {
  const scene = openScene()
  const target = () => scene.leaf('a')

  for (const [name, value, path = `/${name}`] of wrong) {
    it(`for ${JSON.stringify({ [name]: value })}`, async () => {
      const { status, error } = await scene.ask({ ...target(), [name]: value })
      expect(status).to.equal(400)
      expect(error).to.include({ type: 'invalid_request_error', code: 'invalid_config' })
      const params = (error.details as { param: string }[]).map(({ param }) => param)
      expect(params).to.include(`config${path}`)
      expect(scene.calls()).to.deep.equal([])
    })
  }

  const strategies: [strategy: unknown, path: string][] = [
    [{}, '/mode'],
    [{ mode: 'random' }, '/mode'],
    [{ mode: 'single', unknown: true }, ''],
    [{ mode: 'fallback', on_status_codes: ['429'] }, '/on_status_codes/0'],
    [{ mode: 'fallback', on_status_codes: 429 }, '/on_status_codes'],
    [{ mode: 'conditional', conditions: {}, default: 'a' }, '/conditions'],
    [{ mode: 'conditional', conditions: [{ query: 'a', then: 'a' }], default: 'a' }, '/conditions/0/query'],
  ]
  for (const [strategy, path] of strategies) {
    it(`for the strategy ${JSON.stringify(strategy)}`, async () => {
      const { error } = await scene.ask({ strategy, targets: [target()] })
      expect(error).to.include({ code: 'invalid_config', param: `config/strategy${path}` })
    })
  }

  it('and the message names an unknown key', async () => {
    const { error } = await scene.ask({ ...target(), retry: { attempts: 1, delay_ms: 5 } })
    expect(error.param).to.equal('config/retry')
    expect(error.message).to.contain('delay_ms')
  })

  it('and all errors of the whole tree are reported together', async () => {
    const { error } = await scene.ask(
      tree('fallback', [
        { ...target(), weight: -1, retry: { attempts: 9 } },
        tree('loadbalance', [{ ...target(), nonsense: 1 }, { provider: 'openai' }]),
        { ...target(), cb_config: { failure_threshold: 0 } },
      ]),
    )
    const details = error.details as { param: string; code: string; message: string }[]
    expect(details.map(({ param }) => param)).to.have.members([
      'config/targets/0/weight',
      'config/targets/0/retry/attempts',
      'config/targets/1/targets/0',
      'config/targets/1/targets/1/api_key',
      'config/targets/2/cb_config/failure_threshold',
      'config/targets/2/cb_config/cooldown_interval',
    ])
    expect(error.param).to.equal(details[0]?.param)
    for (const { code, message } of details) {
      expect(code).to.equal('invalid_config')
      expect(message).to.be.a('string').that.is.not.empty
    }
  })

  it('and all references to names that do not exist are reported together', async () => {
    const { status, error } = await scene.ask(
      tree('fallback', [
        { provider: '@nobody' },
        { virtual_key: 'nobody' },
        { provider: 'nonesuch', api_key: 'k' },
        { ...target(), input_guardrails: ['nobody'] },
        { ...target(), output_guardrails: [{ 'default.nonesuch': {} }] },
        { ...target(), custom_host: 'http://10.0.0.1/v1' },
      ]),
    )
    expect(status).to.equal(404)
    const details = error.details as { param: string; code: string }[]
    expect(details.map(({ param, code }) => `${param} ${code}`)).to.deep.equal([
      'config/targets/0/provider unknown_virtual_key',
      'config/targets/1/virtual_key unknown_virtual_key',
      'config/targets/2/provider unknown_provider',
      'config/targets/3/input_guardrails/0 unknown_guardrail',
      'config/targets/4/output_guardrails/0/default.nonesuch unknown_check',
      'config/targets/5/custom_host host_not_allowed',
    ])
  })
})
