/** The gateway's features for calls in this format, at both kinds of targets. */
import { expect } from 'chai'
import { adminKey } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import {
  ask,
  askContent,
  eventsOf,
  kinds,
  partsOf,
  pathOf,
  saidBy,
  says,
  streamPath,
  targetOf,
  textOf,
} from './fixtures.ts'

const deny = (word: string, rest: object = {}) => ({
  id: 'no-word',
  deny: true,
  contains: { operator: 'none', words: [word] },
  ...rest,
})

describe('generateContent in the pipeline', () => {
  const scene = openScene((origin) => ({
    providers: {
      gemini: { provider: 'google', api_key: 'sk-test', custom_host: `${origin}/gemini/v1beta` },
      plain: {
        provider: 'openai',
        api_key: 'sk-test',
        custom_host: `${origin}/plain/v1`,
        models: [{ slug: 'text-embedding-x' }, { slug: 'gpt-4.1' }],
      },
    },
    configs: {
      both: {
        strategy: { mode: 'single' },
        targets: [{ provider: '@plain', override_params: { model: 'gpt-4.1' } }],
      },
    },
    server: { cors: { origins: ['*'] } },
  }))
  const url = (path: string) => scene.gateway.url + path
  const key = { 'x-goog-api-key': adminKey }
  const json = { 'content-type': 'application/json' }

  for (const kind of kinds) {
    describe(`at a ${kind} target`, () => {
      const config = (extra = {}) => targetOf(scene, kind, { name: 'a', extra })
      beforeEach(() => {
        scene.answers.a = says('one two ', 'three secret')
      })

      for (const body of [
        ask('a secret'),
        ask('x', { systemInstruction: { parts: [{ text: 'a secret' }] } }),
        ask('x', { tools: [{ functionDeclarations: [{ name: 'f', description: 'a secret' }] }] }),
        {
          contents: [
            { role: 'model', parts: [{ functionCall: { name: 'f', args: { deep: ['a secret'] } } }] },
            { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'x' } } }] },
          ],
        },
        {
          contents: [
            { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
            { role: 'user', parts: [{ functionResponse: { name: 'f', response: { deep: 'a secret' } } }] },
          ],
        },
      ])
        it(`denies a request by its text: ${JSON.stringify(body).slice(0, 70)}`, async () => {
          const reply = await askContent(scene, config({ input_guardrails: [deny('secret')] }), { body })
          expect(reply.status, reply.text).to.equal(446)
          expect(reply.error).to.include({ code: 446, status: 'FAILED_PRECONDITION' })
          expect(reply.error.message).to.contain('no-word')
          expect(reply.headers.get('x-should-retry')).to.equal('false')
          expect(scene.calls()).to.deep.equal([])
        })

      it('denies an answer, whole and streamed', async () => {
        const guarded = config({ output_guardrails: [deny('secret')] })
        const whole = await askContent(scene, guarded)
        expect(whole.status).to.equal(446)
        expect(whole.error).to.include({ code: 446 })
        const streamed = await askContent(scene, guarded, { body: ask(), rest: { path: streamPath } })
        expect([200, 446]).to.include(streamed.status)
        expect(streamed.text).to.contain('"code":446').and.not.to.contain('secret"')
        const passing = await askContent(scene, config({ output_guardrails: [deny('other')] }), {
          body: ask(),
          rest: {
            path: streamPath,
          },
        })
        expect(textOf(passing)).to.equal('one two three secret')
      })

      it('reports results of guardrails in a stream that clients of the format accept', async () => {
        const guarded = config({ output_guardrails: [deny('other')], strict_compat_compliance: false })
        const reply = await askContent(scene, guarded, { body: ask(), rest: { path: streamPath } })
        const events = eventsOf(reply)
        expect(events.some((event) => event.hook_results !== undefined)).to.equal(true)
        for (const event of events) expect(partsOf(event)).not.to.deep.equal([])
      })

      it('rewrites requests and answers', async () => {
        const replace = (word: string) => ({
          id: 'm',
          type: 'mutator',
          regexReplace: { rule: word, redactText: '[x]' },
        })
        const mutated = config({
          input_guardrails: [replace('hello')],
          output_guardrails: [replace('secret')],
        })
        const reply = await askContent(scene, mutated)
        expect(reply.status, reply.text).to.be.oneOf([200, 246])
        expect(saidBy(reply)).to.equal('one two three [x]')
        expect(scene.seen('a').text).to.contain('[x]').and.not.to.contain('hello')
        const streamed = await askContent(scene, mutated, { body: ask(), rest: { path: streamPath } })
        expect(textOf(streamed)).to.equal('one two three [x]')
      })

      it('adds a prefix to a role', async () => {
        const prefix = (applyToRole: string) => ({
          id: 'p',
          type: 'mutator',
          'default.addPrefix': { prefix: 'P: ', applyToRole, addToExisting: true },
        })
        await askContent(scene, config({ input_guardrails: [prefix('user'), prefix('system')] }))
        const { text } = scene.seen('a')
        expect(text).to.contain('P: hello')
        expect(
          JSON.stringify(scene.seen('a').json?.systemInstruction ?? scene.seen('a').json?.messages),
        ).to.contain('"P: "')
      })

      it('caches answers, and replays them as a stream', async () => {
        const cached = config({ cache: { mode: 'simple' } })
        for (const path of [pathOf('generateContent'), streamPath]) {
          const first = await askContent(scene, cached, { body: ask('cache me'), rest: { path } })
          const second = await askContent(scene, cached, { body: ask('cache me'), rest: { path } })
          expect(second.headers.get('x-gateway-cache-status')).to.equal('HIT')
          const text = path === streamPath ? textOf : saidBy
          expect(text(second)).to.equal(text(first)).and.to.equal('one two three secret')
        }
      })

      it('falls back, retries, and describes an error in the format', async () => {
        scene.answers.a = [500, 500, 429]
        const reply = await askContent(scene, config({ retry: { attempts: 1, on_status_codes: [500] } }))
        expect(reply.status).to.equal(500)
        expect(reply.error).to.deep.include({ code: 500, status: 'INTERNAL' })
        expect(reply.body.provider).to.equal(kind === 'native' ? 'google' : 'openai')
        expect(scene.calls()).to.deep.equal(['a', 'a'])
      })

      it('routes by parameters of the format', async () => {
        const routed = {
          strategy: {
            mode: 'conditional',
            conditions: [{ query: { 'params.generationConfig.maxOutputTokens': { $gt: 10 } }, then: 'a' }],
            default: 'b',
          },
          targets: [config({ name: 'a' }), targetOf(scene, kind, { name: 'b', extra: { name: 'b' } })],
        }
        await askContent(scene, routed, { body: ask('x', { generationConfig: { maxOutputTokens: 11 } }) })
        await askContent(scene, routed)
        expect(scene.calls()).to.deep.equal(['a', 'b'])
      })
    })
  }

  it("accepts the format's key header, and refuses a key in the URL", async () => {
    const post = (path: string, headers: Record<string, string>) =>
      fetch(url(path), { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(ask()) })
    const path = pathOf('generateContent', '@plain/gpt-4.1')
    expect((await post(path, key)).status).to.equal(200)
    const inURL = await post(`${path}?key=${adminKey}`, {})
    const { error } = (await inURL.json()) as { error: { message: string; code: number; status: string } }
    expect(inURL.status).to.equal(401)
    expect(error).to.include({ code: 401, status: 'UNAUTHENTICATED' })
    expect(error.message).to.contain('x-goog-api-key')
    expect(JSON.stringify(scene.gateway.logs)).not.to.contain(adminKey)
    expect((await post(path, { 'x-goog-api-key': 'wrong' })).status).to.equal(401)
  })

  for (const [written, name] of [
    ['@plain/gpt-4.1', 'gpt-4.1'],
    ['@plain/org/model:free', 'org/model:free'],
    ['%40plain%2Fgpt-4.1', 'gpt-4.1'],
    ['models%2F@plain/gpt-4.1', 'gpt-4.1'],
  ])
    it(`calls the model of the path ${written}`, async () => {
      const reply = await scene.ask(null, { path: pathOf('generateContent', written), body: ask() })
      expect(reply.status, reply.text).to.equal(200)
      expect(scene.seen('plain').json?.model).to.equal(name)
    })

  it('calls a saved config by its name', async () => {
    const reply = await scene.ask(null, { path: pathOf('generateContent', '%23both'), body: ask() })
    expect(reply.status, reply.text).to.equal(200)
    expect(scene.seen('plain').json?.model).to.equal('gpt-4.1')
  })

  it('lists models with pages, and returns one', async () => {
    const get = async (
      path: string,
      headers: Record<string, string> = {
        ...key,
        'x-gateway-provider': '@plain',
        'x-gateway-fetch-integrated-models': 'true',
      },
    ) => {
      const response = await fetch(url(path), { headers })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const all = await get('/v1beta/models')
    const models = all.body.models as { name: string; supportedGenerationMethods: string[] }[]
    expect(models.map(({ name }) => name)).to.include.members([
      'models/@plain/gpt-4.1',
      'models/@plain/text-embedding-x',
    ])
    expect(models.find(({ name }) => name.endsWith('embedding-x'))?.supportedGenerationMethods).to.include(
      'embedContent',
    )
    const first = await get('/v1beta/models?pageSize=1')
    expect(first.body.models).to.deep.equal(models.slice(0, 1))
    const second = await get(`/v1beta/models?pageSize=1&pageToken=${String(first.body.nextPageToken)}`)
    expect(second.body.models).to.deep.equal(models.slice(1, 2))
    const one = await get('/v1beta/models/@plain/gpt-4.1')
    expect(one.body).to.include({ name: 'models/@plain/gpt-4.1' })
    const none = await get('/v1beta/models/@plain/nothing')
    expect(none.body).to.have.nested.property('error.status', 'NOT_FOUND')
    const bad = await get('/v1beta/models?pageSize=0')
    expect(bad.body).to.have.nested.property('error.details[1].fieldViolations[0].field', 'query/pageSize')
  })

  it('refuses invalid bodies with all errors', async () => {
    const body = { contents: [{ parts: [{ text: 1 }] }], generationConfig: { temperature: 'hot' } }
    const reply = await askContent(scene, targetOf(scene, 'native', { name: 'a' }), { body })
    expect(reply.status).to.equal(400)
    const { details } = reply.error as { details: { fieldViolations?: { field: string }[] }[] }
    expect(details[1]?.fieldViolations?.map(({ field }) => field)).to.deep.equal([
      '/contents/0/parts/0/text',
      '/generationConfig/temperature',
    ])
    const empty = await askContent(scene, targetOf(scene, 'native', { name: 'a' }), { body: {} })
    expect(empty.status).to.equal(400)
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
    const response = await fetch(url(pathOf('generateContent', '@plain/x')), {
      method: 'POST',
      headers: { ...json, ...key },
      body: deep,
    })
    expect(response.status).to.equal(400)
  })

  it('describes a call without making it', async () => {
    const config = targetOf(scene, 'translated', { name: 'a' })
    for (const endpoint of ['/v1beta/models/gpt-4.1:generateContent', 'generateContent']) {
      const body = endpoint.startsWith('/') ? ask() : { model: 'gpt-4.1', ...ask() }
      const call = { endpoint, method: 'POST', headers: { 'x-gateway-config': JSON.stringify(config) }, body }
      const reply = await scene.ask(null, { path: '/v1/dry-run', body: call })
      expect(reply.body, reply.text).to.deep.include({ valid: true, errors: [] })
      expect(reply.body).to.have.nested.property('targets[0].model', 'gpt-4.1')
    }
    expect(scene.calls()).to.deep.equal([])
  })

  it('serves /openai/v1 as /v1', async () => {
    const reply = await scene.ask(targetOf(scene, 'translated', { name: 'a' }), {
      path: '/openai/v1/chat/completions',
    })
    expect(reply.status, reply.text).to.equal(200)
    const models = await fetch(url('/openai/v1/models'), { headers: { authorization: `Bearer ${adminKey}` } })
    expect(models.status).to.equal(200)
    const preflight = await fetch(url('/openai/v1/responses'), {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).to.equal(204)
    expect((await fetch(url('/openai/v1x/models'), { headers: key })).status).to.equal(404)
  })
})
