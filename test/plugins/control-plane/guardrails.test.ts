/** Guardrails over the management API: their shape, their checks, versions, who uses them, and trying them. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const regex = (rule: string, more: object = {}) => ({
  id: 'default.regexMatch',
  parameters: { rule },
  ...more,
})

/** Three of these reach the limit for patterns that are compiled together. */
const tooMany = Array.from({ length: 100 }, (_, index) => regex(`\\pL{400}${index}`))

describe('the guardrails API', () => {
  const api = openManagement({
    providers: { 'file-echo': { provider: 'echo' } },
    guardrails: { declared: { checks: [regex('a')] } },
  })
  const workspace_id = 'default'
  const create = (more: object = {}) =>
    api.post('/v1/guardrails', { name: 'No secrets', checks: [regex('sk-')], workspace_id, ...more })

  it('returns the whole object with its defaults', async () => {
    const { status, body } = await create()
    expect(status).to.equal(200)
    expect(body).to.include({ object: 'guardrail', fail_closed: false, type: 'guardrail', version: 1 })
    expect(body.slug).to.match(/^gr-no-secrets-[0-9a-f]{6}$/)
    expect(body.checks).to.deep.equal([{ ...regex('sk-'), is_enabled: true }])
    expect(body.actions).to.deep.equal({ deny: false, async: false })
    expect((await api.get(`/v1/guardrails/${body.slug}`)).body).to.deep.equal(body)
  })

  it('stores a guardrail without a workspace in the organisation, and lists it in every workspace', async () => {
    const { body } = await create({ workspace_id: undefined, name: 'For all' })
    expect(body.workspace_id).to.equal(null)
    const list = await api.get('/v1/guardrails?workspace_id=default&page_size=1000')
    expect(list.data.map(({ id }) => id)).to.include(body.id)
  })

  it('accepts actions at the root of the body', async () => {
    const feedback = { feedback: { value: -5 } }
    const { body } = await create({ deny: true, async: true, on_fail: feedback })
    expect(body.actions).to.deep.equal({
      deny: true,
      async: true,
      on_fail: { feedback: { value: -5, weight: 1 } },
    })
    const same = await create({ deny: true, actions: { deny: true } })
    expect(same.body.actions).to.deep.equal({ deny: true, async: false })
    const other = await create({ deny: true, actions: { deny: false } })
    expect([other.status, other.error.param]).to.deep.equal([400, '/deny'])
  })

  it('merges actions', async () => {
    const { body } = await create({ actions: { deny: true, on_fail: { feedback: { value: 1 } } } })
    const merged = await api.put(`/v1/guardrails/${body.id}`, { actions: { async: true, on_fail: null } })
    expect(merged.body.actions).to.deep.equal({ deny: true, async: true })
  })

  it('denies by default when one of the checks does, unless the guardrail overrides it', async () => {
    const denying = {
      id: 'promptsecurity.protectPrompt',
      parameters: { apiDomain: 'a.example', apiKey: 'key-of-the-test' },
    }
    const { body } = await create({ checks: [denying] })
    expect(body.actions).to.include({ deny: true })
    const path = `/v1/guardrails/${body.id}`
    const other = await api.put(path, { checks: [regex('a')] })
    expect(other.body.actions).to.include({ deny: false })
    const said = await api.put(path, { deny: false, checks: [denying] })
    expect(said.body.actions).to.include({ deny: false })
    const kept = await api.put(path, { checks: [denying, regex('a')] })
    expect(kept.body.actions).to.include({ deny: false })
    const unsaid = await api.put(path, { actions: { deny: null } })
    expect(unsaid.body.actions).to.include({ deny: true })
  })

  const refused: [string, object, string, string][] = [
    ['no checks', { checks: [] }, 'invalid_body', '/checks'],
    ['an unknown check', { checks: [regex('a'), { id: 'default.none' }] }, 'unknown_check', '/checks/1/id'],
    ['a missing parameter', { checks: [{ id: 'regexMatch' }] }, 'invalid_body', '/checks/0/parameters/rule'],
    ['an unknown member', { checks: [{ ...regex('a'), colour: 1 }] }, 'invalid_body', '/checks/0'],
    [
      'feedback out of bounds',
      { on_fail: { feedback: { value: 11 } } },
      'invalid_body',
      '/on_fail/feedback/value',
    ],
    ['a strange type', { type: 'other' }, 'invalid_body', '/type'],
    [
      'a guardrail that changes text',
      { checks: [{ id: 'default.addPrefix', parameters: { prefix: 'a' } }] },
      'invalid_body',
      '/type',
    ],
    ['patterns that are too large together', { checks: tooMany }, 'invalid_body', '/checks/3/parameters'],
    [
      'schemas that are too complex together',
      {
        checks: Array.from({ length: 10 }, () => ({
          id: 'default.jsonSchema',
          parameters: { schema: { anyOf: Array.from({ length: 1000 }, () => ({})) } },
        })),
      },
      'schema_too_complex',
      '/checks/4/parameters',
    ],
  ]
  for (const [what, more, code, param] of refused) {
    it(`refuses ${what}`, async () => {
      const reply = await create(more)
      expect(reply.status, reply.text).to.equal(400)
      expect([reply.error.code, reply.error.param]).to.deep.equal([code, param])
    })
  }

  it('creates a version for every change', async () => {
    const { body } = await create()
    const renamed = await api.put(`/v1/guardrails/${body.id}`, { name: 'Other' })
    expect(renamed.body.version).to.equal(1)
    const changed = await api.put(`/v1/guardrails/${body.id}`, {
      checks: [regex('x'), regex('y', { is_enabled: false })],
    })
    expect(changed.body.version).to.equal(2)
    expect(changed.body.version_id).not.to.equal(body.version_id)
  })

  it('applies a guardrail at once, and stops when its check is disabled', async () => {
    const { body } = await create({
      deny: true,
      checks: [regex('secret', { parameters: { rule: 'secret', not: true } })],
    })
    const config = { provider: '@file-echo', input_guardrails: [body.slug] }
    const ask = (text: string) =>
      api.post('/v1/chat/completions', chat(text), { 'x-gateway-config': JSON.stringify(config) })
    expect((await ask('a secret')).status).to.equal(446)
    expect((await ask('nothing')).status).to.equal(200)
    await api.put(`/v1/guardrails/${body.id}`, {
      checks: [{ ...regex('other'), parameters: { rule: 'other', not: true } }],
    })
    expect((await ask('a secret')).status).to.equal(200)
  })

  it('refuses to delete a guardrail while a config or a default uses it', async () => {
    const { body } = await create()
    const config = await api.post('/v1/configs', {
      name: 'User',
      slug: 'user-of-guardrail',
      workspace_id,
      config: { output_guardrails: [body.slug] },
    })
    expect(config.status, config.text).to.equal(200)
    const used = await api.delete(`/v1/guardrails/${body.id}`)
    expect(used.status).to.equal(409)
    expect(used.error.message).to.include('config user-of-guardrail')
    await api.put(`/v1/configs/${config.body.id}`, { config: { retry: { attempts: 1 } } })
    expect((await api.delete(`/v1/guardrails/${body.id}`)).status).to.equal(200)
    const gone = await api.put(`/v1/configs/${config.body.id}`, { config: { input_guardrails: [body.id] } })
    expect([gone.status, gone.error.code]).to.deep.equal([400, 'unknown_guardrail'])
  })

  it('cannot change guardrails of the config file', async () => {
    expect((await api.get('/v1/guardrails/declared')).body).to.include({ source: 'file' })
    expect((await api.delete('/v1/guardrails/declared')).status).to.equal(409)
    expect((await create({ slug: 'declared' })).status).to.equal(409)
  })

  describe('the check catalogue', () => {
    it('describes each with the schema of its parameters', async () => {
      const list = await api.get('/v1/guardrails/checks?page_size=1000')
      expect(list.body.total).to.equal(list.data.length)
      const found = list.data.find(({ id }) => id === 'default.regexMatch')
      expect(found).to.include({ type: 'guardrail', object: 'guardrail-check' })
      expect(found?.hooks).to.deep.equal(['beforeRequestHook', 'afterRequestHook'])
      expect(found?.parameters).to.have.nested.property('properties.rule')
      const one = await api.get('/v1/guardrails/checks/default.regexMatch')
      expect(one.body).to.deep.equal(found)
    })

    it('can be searched, and is empty without a match', async () => {
      const found = await api.get('/guardrails/checks?search=REGEX')
      expect(found.data.map(({ id }) => id)).to.include('default.regexMatch')
      expect((await api.get('/v1/guardrails/checks/default.none')).status).to.equal(404)
    })
  })

  describe('with invalid checks in both phases', () => {
    const wrongBefore = { id: 'default.promptInjection', parameters: { nonsense: true } }
    const rightBefore = { id: 'default.modelWhitelist', parameters: { models: ['a'] } }
    const wrongAfter = { id: 'default.notNull', parameters: { nonsense: true } }
    const rightAfter = { id: 'default.notNull', parameters: {} }
    const wrongEither = { id: 'default.regexMatch', parameters: { rule: '(' } }
    const rows: [what: string, checks: object[], faults: [param: string, code: string][]][] = [
      ['a wrong check of the phase before', [wrongBefore], [['/checks/0/parameters', 'invalid_body']]],
      ['a wrong check of the phase after', [wrongAfter], [['/checks/0/parameters', 'invalid_body']]],
      [
        'an invalid check next to a valid one of the same phase',
        [rightAfter, wrongEither],
        [['/checks/1/parameters', 'invalid_body']],
      ],
      ['checks that no phase has together', [rightBefore, rightAfter], [['/checks/1/id', 'invalid_body']]],
      [
        'a wrong check before a right one of the other phase',
        [wrongBefore, rightAfter],
        [
          ['/checks/0/parameters', 'invalid_body'],
          ['/checks/1/id', 'invalid_body'],
        ],
      ],
      [
        'a right check before a wrong one of the other phase',
        [rightBefore, wrongAfter],
        [
          ['/checks/1/parameters', 'invalid_body'],
          ['/checks/1/id', 'invalid_body'],
        ],
      ],
      [
        'an unknown check next to one of the output phase',
        [{ id: 'a.b', parameters: {} }, wrongAfter],
        [
          ['/checks/0/id', 'unknown_check'],
          ['/checks/1/parameters', 'invalid_body'],
        ],
      ],
    ]
    for (const [what, checks, faults] of rows) {
      it(`reports the error of ${what}`, async () => {
        const { status, error } = await create({ checks })
        const told = error.details ?? [error]
        expect(status).to.equal(400)
        expect(told.map(({ param, code }) => [param, code])).to.deep.equal(faults)
      })
    }

    it('names the check that does not fit when the checks have no common phase', async () => {
      const { error } = await create({ checks: [rightBefore, rightAfter] })
      expect(error.message).to.contain('default.notNull')
    })
  })

  describe('testing a guardrail', () => {
    const request = { json: chat('tell me a secret') }
    const rule = { checks: [{ id: 'default.regexMatch', parameters: { rule: 'secret', not: true } }] }

    it('returns the verdict of checks in the body', async () => {
      const { status, body } = await api.post('/v1/guardrails/invoke', {
        hook: 'beforeRequestHook',
        request,
        ...rule,
      })
      expect(status).to.equal(200)
      expect(body).to.include({ verdict: false, deny: false, type: 'guardrail' })
      expect((body.checks as { id: string; verdict: boolean }[])[0]).to.include({
        id: 'default.regexMatch',
        verdict: false,
      })
    })

    it('checks the answer in the output phase', async () => {
      const said = (content: string) => ({
        json: { choices: [{ index: 0, message: { role: 'assistant', content } }] },
      })
      const ask = (content: string) =>
        api.post('/v1/guardrails/invoke', {
          hook: 'afterRequestHook',
          request: { json: chat() },
          response: said(content),
          ...rule,
        })
      expect((await ask('my secret')).body.verdict).to.equal(false)
      expect((await ask('nothing')).body.verdict).to.equal(true)
    })

    it('reports that a mutator changed the text, and changes nothing', async () => {
      const checks = [{ id: 'default.addPrefix', parameters: { prefix: 'Be brief. ' } }]
      const { body } = await api.post('/v1/guardrails/invoke', { hook: 'beforeRequestHook', request, checks })
      expect(body).to.include({ type: 'mutator', verdict: true, transformed: true })
    })

    it('skips disabled checks', async () => {
      const off = { ...rule.checks[0], is_enabled: false }
      const on = { id: 'default.regexMatch', parameters: { rule: 'secret' } }
      const { body } = await api.post('/v1/guardrails/invoke', {
        hook: 'beforeRequestHook',
        request,
        checks: [off, on],
      })
      expect(body.checks).to.have.length(1)
      expect(body.verdict).to.equal(true)
    })

    for (const hook of ['beforeRequestHook', 'afterRequestHook'] as const) {
      it(`passes a guardrail with all checks disabled, at ${hook}`, async () => {
        const checks = [{ ...rule.checks[0], is_enabled: false }]
        const actions = { deny: true, on_success: { feedback: { value: 5 } } }
        const stored = await create({ checks, actions })
        const subject = { hook, request, response: { json: {} } }
        const { status, body } = await api.post(`/v1/guardrails/${stored.body.id}/invoke`, subject)
        expect(status, JSON.stringify(body)).to.equal(200)
        expect(body).to.deep.include({
          id: stored.body.slug,
          verdict: true,
          deny: true,
          async: false,
          type: 'guardrail',
          transformed: false,
          feedback: { value: 5, weight: 1 },
          checks: [],
        })
        const inline = await api.post('/v1/guardrails/invoke', { ...subject, checks })
        expect([inline.status, inline.body.verdict, inline.body.checks]).to.deep.equal([200, true, []])
      })
    }

    it('runs a stored guardrail, also an async one', async () => {
      const stored = await create({ ...rule, deny: true, async: true })
      const path = `/v1/guardrails/${stored.body.id}/invoke`
      const { body } = await api.post(path, { hook: 'beforeRequestHook', request })
      expect(body).to.include({ id: stored.body.slug, verdict: false, deny: true, async: true })
    })

    const refused: [string, object, number, string, string][] = [
      ['a strange hook', { hook: 'x', request, ...rule }, 400, 'invalid_body', '/hook'],
      ['no request', { hook: 'beforeRequestHook', ...rule }, 400, 'invalid_body', '/request'],
      ['no answer', { hook: 'afterRequestHook', request, ...rule }, 400, 'invalid_body', '/response'],
      [
        'an unknown check',
        { hook: 'beforeRequestHook', request, checks: [{ id: 'a.b' }] },
        400,
        'unknown_check',
        '/checks/0/id',
      ],
      [
        'patterns that are too large together',
        { hook: 'beforeRequestHook', request, checks: tooMany },
        400,
        'invalid_config',
        '/checks/3/parameters',
      ],
    ]
    for (const [what, body, status, code, param] of refused) {
      it(`refuses ${what}`, async () => {
        const reply = await api.post('/v1/guardrails/invoke', body)
        expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([status, code, param])
      })
    }
  })
})
