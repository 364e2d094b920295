/**
 * Section 22 of the management API: the callers that may validate configs and read health and the API document, and the
 * data that they see.
 */
import { expect } from 'chai'
import { chat, configHeader } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

describe('describing and explaining', () => {
  const api = openManagement({ providers: { mine: { provider: 'echo' } } })
  const makeKey = async (...scopes: string[]) => {
    const made = await api.post('/v1/api-keys/workspace/service', {
      name: `Key ${scopes.join(' ')}`,
      workspace_id: 'default',
      scopes,
    })
    expect(made.status, made.text).to.equal(200)
    return String(made.body.key)
  }

  const needed: [method: string, path: string, body: object | undefined, scope: string][] = [
    ['POST', '/v1/configs/validate', { config: { provider: 'echo' } }, 'configs.read'],
    ['GET', '/v1/target-health', undefined, 'providers.list'],
    [
      'POST',
      '/v1/dry-run',
      { endpoint: 'chatComplete', headers: configHeader({ provider: 'echo' }), body: chat() },
      'completions.write',
    ],
  ]
  for (const [method, path, body, scope] of needed)
    it(`${method} ${path} needs ${scope}`, async () => {
      const replies = [
        await api.as(null).call(method, path, { body }),
        await api.as(await makeKey('prompts.read')).call(method, path, { body }),
        await api.as(await makeKey(scope)).call(method, path, { body }),
      ]
      expect(replies.map(({ status, error }) => [status, error.code])).to.deep.equal([
        [401, 'missing_api_key'],
        [403, 'missing_scope'],
        [200, undefined],
      ])
    })

  const references: [config: object, scope: string, param: string][] = [
    [{ provider: '@none' }, 'providers.list', '/config/provider'],
    [{ provider: 'echo', input_guardrails: ['none'] }, 'guardrails.list', '/config/input_guardrails/0'],
    [{ provider: 'echo', prompt_id: 'none' }, 'prompts.list', '/config/prompt_id'],
  ]
  for (const [config, scope, param] of references)
    it(`checks ${param} only for callers with ${scope}`, async () => {
      const validate = async (...scopes: string[]) =>
        (await api.as(await makeKey('configs.read', ...scopes)).post('/v1/configs/validate', { config })).body
      expect(await validate()).to.deep.equal({ valid: true, errors: [], targets: ['config'] })
      const seen = await validate(scope)
      expect(seen.valid).to.equal(false)
      expect((seen.errors as { param: string }[]).map((fault) => fault.param)).to.deep.equal([param])
    })

  for (const [config, scope, param] of references)
    it(`proposes names at ${param} only to callers with ${scope}, when a config is saved`, async () => {
      const save = async (...scopes: string[]) => {
        const key = await makeKey('configs.create', ...scopes)
        const { status, error } = await api.as(key).post('/v1/configs', { name: 'refused', config })
        return [status, error.param, error.message]
      }
      const [status, at, message] = await save()
      expect([status, at]).to.deep.equal([400, param])
      expect(message).to.match(/: Unknown (?:stored provider|guardrail|prompt) "none"\.$/)
      expect((await save(scope))[2]).to.match(/ (?:None exists|Known: .*)\.$/)
    })

  const bodies: [what: string, body: object, param: string][] = [
    ['no config', {}, '/config'],
    ['an unknown key', { config: { provider: 'echo' }, colour: 'red' }, ''],
  ]
  for (const [what, body, param] of bodies)
    it(`refuses a validation with ${what}`, async () => {
      const { status, error } = await api.post('/v1/configs/validate', body)
      expect([status, error.code, error.param]).to.deep.equal([400, 'invalid_body', param])
    })

  it('serves the API document without a key, the same at both paths, with a scope for every operation', async () => {
    const documents = await Promise.all(
      ['/v1/openapi.json', '/openapi.json'].map((path) => api.as(null).get(path)),
    )
    const [document, alias] = documents
    expect([document?.status, alias?.status]).to.deep.equal([200, 200])
    expect(alias?.text).to.equal(document?.text)
    expect(String(document?.body.openapi)).to.match(/^3\.1\./)
    const operations = Object.entries(
      document?.body.paths as Record<string, Record<string, unknown>>,
    ).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map(([method, operation]) => ({ name: `${method} ${path}`, operation: operation as object })),
    )
    expect(operations.length).to.be.above(300)
    for (const { name, operation } of operations) expect(operation, name).to.have.property('x-scope')
  })

  const absent = ['/v1/billing', '/v1/subscriptions', '/v1/licence', '/v1/saml']
  for (const path of absent)
    it(`does not serve ${path}`, async () => {
      expect((await api.get(path)).status).to.equal(404)
    })
})
