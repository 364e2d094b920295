/** URLs inside saved configs, guardrails and checks pass the host guard when they are written, and again when they are used. */
import { expect } from 'chai'
import { chat, startGateway } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

/** Refused by their text alone. */
const refused = [
  'http://10.0.0.1/hook',
  'http://[fd00::1]/hook',
  'http://169.254.169.254/latest/meta-data',
  'http://metadata.google.internal/',
  'http://0x0a000001/hook',
  'https://user:password@hooks.example/x',
]
const webhook = (webhookURL: string) => ({ id: 'default.webhook', parameters: { webhookURL } })

describe('a stored URL', () => {
  const api = openManagement()
  let count = 0
  const save = (path: string, body: object) => {
    count += 1
    return api.post(path, { name: `Url ${count}`, workspace_id: 'default', ...body })
  }

  const places: [title: string, at: string, save: (url: string) => ReturnType<typeof save>][] = [
    [
      'in a check of a guardrail',
      '/checks/1/parameters/webhookURL',
      (url) => save('/v1/guardrails', { checks: [webhook('https://hooks.example/x'), webhook(url)] }),
    ],
    [
      'in a check that is switched off',
      '/checks/0/parameters/webhookURL',
      (url) => save('/v1/guardrails', { checks: [{ ...webhook(url), is_enabled: false }] }),
    ],
    [
      'in a log check of a guardrail',
      '/checks/0/parameters/logURL',
      (url) => save('/v1/guardrails', { checks: [{ id: 'default.log', parameters: { logURL: url } }] }),
    ],
    [
      'of the keys of a token check',
      '/checks/0/parameters/jwksUri',
      (url) =>
        save('/v1/guardrails', {
          checks: [{ id: 'default.jwt', parameters: { jwksUri: url, headerKey: 'x-token' } }],
        }),
    ],
    [
      'of a vendor’s own host in a check',
      '/checks/0/parameters/url',
      (url) => save('/v1/guardrails', { checks: [{ id: 'presidio.analyze', parameters: { url } }] }),
    ],
    [
      'in a hook of a config',
      '/config/targets/0/before_request_hooks/0/checks/0/parameters/webhookURL',
      (url) =>
        save('/v1/configs', {
          config: {
            strategy: { mode: 'fallback' },
            targets: [{ provider: 'echo', before_request_hooks: [{ id: 'h', checks: [webhook(url)] }] }],
          },
        }),
    ],
    [
      'in a guardrail of a config in the short form',
      '/config/output_guardrails/0/webhook/webhookURL',
      (url) =>
        save('/v1/configs', {
          config: { provider: 'echo', output_guardrails: [{ webhook: { webhookURL: url } }] },
        }),
    ],
    [
      'as the custom host of a config',
      '/config/custom_host',
      (url) => save('/v1/configs', { config: { provider: 'openai', api_key: 'k', custom_host: url } }),
    ],
  ]
  for (const [title, at, saveIt] of places) {
    it(`is refused when its host is not allowed: ${title}`, async () => {
      for (const url of refused) {
        const { status, error, text } = await saveIt(url)
        expect([url, status, error.code, error.param], text).to.deep.equal([url, 400, 'host_not_allowed', at])
      }
      const kept = await saveIt('https://hooks.example/x')
      expect(kept.status, kept.text).to.equal(200)
      const trusted = await saveIt('http://127.0.0.1:9/x')
      expect(trusted.status, trusted.text).to.equal(200)
    })
  }

  it('is refused in an update as well, and in the validation', async () => {
    const made = await save('/v1/guardrails', { checks: [webhook('https://hooks.example/x')] })
    const changed = await api.put(`/v1/guardrails/${made.body.id}`, { checks: [webhook('http://10.0.0.1/')] })
    expect([changed.status, changed.error.code]).to.deep.equal([400, 'host_not_allowed'])
    const config = { provider: 'echo', input_guardrails: [{ webhook: { webhookURL: 'http://10.0.0.1/' } }] }
    const { body } = await api.post('/v1/configs/validate', { config, workspace_id: 'default' })
    expect(body).to.deep.include({ valid: false })
    expect((body.errors as { param: string }[]).map(({ param }) => param)).to.deep.equal([
      '/config/input_guardrails/0/webhook/webhookURL',
    ])
  })

  it('can be an issuer in a token check, or text to search for', async () => {
    for (const check of [
      {
        id: 'default.jwt',
        parameters: { jwksUri: 'https://keys.example/', headerKey: 'x', issuer: 'http://10.0.0.1' },
      },
      { id: 'default.contains', parameters: { words: ['http://10.0.0.1/'], operator: 'none' } },
    ]) {
      const made = await save('/v1/guardrails', { checks: [check] })
      expect(made.status, made.text).to.equal(200)
    }
  })

  it('that an older version stored is refused on use', async () => {
    const made = await save('/v1/guardrails', { checks: [webhook('https://hooks.example/x')], deny: true })
    const stored = await api.stored('guardrail', String(made.body.id))
    if (stored === null) throw new Error('The guardrail is not stored.')
    const { version, ...document } = stored
    const [check] = document.data.checks as { parameters: object }[]
    const checks = [{ ...check, parameters: { webhookURL: 'http://10.0.0.1/hook' } }]
    await api.gateway.runtime.store.documents.commit([
      { op: 'put', document: { ...document, data: { ...document.data, checks } }, expected: version },
    ])
    const used = await api.post('/v1/chat/completions', chat(), {
      'x-gateway-config': JSON.stringify({ provider: 'echo', input_guardrails: [made.body.id] }),
    })
    expect(used.text).to.include('not allowed')
  })

  it('in the config file stops the start', async () => {
    const guardrails = { filed: { checks: [webhook('http://10.0.0.1/hook')] } }
    const fault = await startGateway({ guardrails }).then(
      (gateway) => gateway.stop(),
      (error: Error) => error.message,
    )
    expect(fault)
      .to.include('/guardrails/filed/checks/0/parameters/webhookURL')
      .and.include('host_not_allowed')
  })
})
