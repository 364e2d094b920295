/** The semantic cache: answers to similar questions, for requests that are otherwise equal. */
import { expect } from 'chai'
import { chat, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { answerOk, chatAnswer, sendJson } from '../../support/upstream.ts'
import { type Asked, semantic as config, openSemanticScene } from './semantic-scene.ts'
import { chatPath } from './support.ts'

describe('the semantic cache', () => {
  const scene = openSemanticScene()
  const { ask, status, topic, start } = scene

  it('finds an answer to a question in other words, and reports the similarity', async () => {
    const first = await ask(topic())
    expect([first.cache, first.similarity]).to.deep.equal(['SEMANTIC MISS', null])
    const near = await ask(`${topic()} 0.98`)
    expect([near.cache, near.similarity]).to.deep.equal(['SEMANTIC HIT', '0.9800'])
    expect(near.text).to.equal(first.text)
    expect(near.response.headers.get('x-gateway-provider')).to.equal('openai')
  })

  it('looks for an exact match first, without an embedding', async () => {
    await ask(topic())
    scene.embedded = []
    expect(await status(topic())).to.equal('HIT')
    expect(scene.embedded).to.deep.equal([])
  })

  it('misses below the threshold, which a config can set', async () => {
    await ask(topic())
    expect(await status(`${topic()} 0.9`)).to.equal('SEMANTIC MISS')
    const other = topic('other')
    await ask(other, { headers: config({}, { threshold: 0.8 }) })
    expect(await status(`${other} 0.9`, { headers: config({}, { threshold: 0.8 }) })).to.equal('SEMANTIC HIT')
  })

  it('keeps its answers when threshold, max_age, retries or timeouts are changed', async () => {
    await ask(topic(), { headers: config({}, { threshold: 0.99 }) })
    const near = `${topic()} 0.9`
    expect(await status(near, { headers: config({}, { threshold: 0.95 }) })).to.equal('SEMANTIC MISS')
    const other = topic('other')
    await ask(other, { headers: config({}, { threshold: 0.99 }) })
    const tuned = config(
      { retry: { attempts: 1 }, request_timeout: 60_000, name: 'tuned' },
      { threshold: 0.8, max_age: 600 },
    )
    expect(await status(`${other} 0.9`, { headers: tuned })).to.equal('SEMANTIC HIT')
  })

  it('replays a stream only to requests for a stream', async () => {
    const stream = (text: string) => ({ body: chat(text, { stream: true }) })
    const first = await ask('', stream(topic()))
    expect(first.cache).to.equal('SEMANTIC MISS')
    const again = await ask('', stream(`${topic()} 0.99`))
    expect(again.cache).to.equal('SEMANTIC HIT')
    expect(again.text).to.equal(first.text)
    expect(await status(`${topic()} 0.99`)).to.equal('SEMANTIC MISS')
  })

  const isolated: [what: string, other: (text: string) => Asked][] = [
    ['another parameter', (text) => ({ body: chat(text, { temperature: 0.5 }) })],
    ['another model', (text) => ({ body: chat(text, { model: 'other-model' }) })],
    [
      'another system message',
      (text) => ({
        body: {
          model: 'test-model',
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: text },
          ],
        },
      }),
    ],
    [
      'tools',
      (text) => ({ body: chat(text, { tools: [{ type: 'function', function: { name: 'look' } }] }) }),
    ],
    ['another namespace', () => ({ headers: { ...config(), 'x-gateway-cache-namespace': 'b' } })],
    ['other metadata', () => ({ headers: { ...config(), 'x-gateway-metadata': '{"team":"b"}' } })],
    ['another config', () => ({ headers: config({ override_params: { top_p: 0.3 } }) })],
    [
      'another guardrail',
      () => ({ headers: config({ input_guardrails: [{ 'default.wordCount': { minWords: 0 } }] }) }),
    ],
    [
      'another endpoint',
      (text) => ({ path: '/v1/completions', body: { model: 'test-model', prompt: text } }),
    ],
    [
      'a forwarded header',
      () => ({ headers: { ...config({ forward_headers: ['x-tenant'] }), 'x-tenant': 'b' } }),
    ],
  ]
  for (const [what, other] of isolated)
    it(`never matches a question with ${what}`, async () => {
      await ask(topic())
      expect(await status(`${topic()} 0.99`, other(`${topic()} 0.99`))).to.equal('SEMANTIC MISS')
    })

  it('never matches a question of another workspace', async () => {
    const made = await scene.gateway.post('/v1/workspaces', { name: topic(), slug: topic('w') })
    expect(made.status).to.equal(200)
    await ask(topic())
    const key = await scene.gateway.post('/v1/api-keys/workspace/service', {
      name: 'other',
      workspace_id: topic('w'),
      scopes: ['completions.write'],
    })
    const { key: text } = (await key.json()) as { key: string }
    const headers = { ...config(), 'x-gateway-api-key': text }
    expect(await status(`${topic()} 0.99`, { headers })).to.equal('SEMANTIC MISS')
  })

  const unasked: [what: string, body: (text: string) => Record<string, unknown>, path?: string][] = [
    [
      'images',
      (text) => ({
        model: 'm',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text },
              { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
            ],
          },
        ],
      }),
    ],
    [
      'results of tools',
      (text) => ({
        model: 'm',
        messages: [
          { role: 'user', content: text },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'a', content: '1' },
        ],
      }),
    ],
    ['prompts of tokens', () => ({ model: 'm', prompt: [1, 2, 3] }), '/v1/completions'],
    ['embeddings', (text) => ({ model: 'm', input: text }), '/v1/embeddings'],
  ]
  for (const [what, body, path = chatPath] of unasked)
    it(`matches ${what} only exactly, and requests no embedding`, async () => {
      scene.upstream.handle((_request, response) => sendJson(response, 200, chatAnswer('ok')))
      const asked = { body: body(topic()), path }
      expect(await status('', asked)).to.equal('MISS')
      expect(await status('', asked)).to.equal('HIT')
      expect(scene.embedded).to.deep.equal([])
    })

  it('replaces the nearest entry when a refresh is forced', async () => {
    await ask(topic())
    scene.upstream.handle((_request, response) => sendJson(response, 200, chatAnswer('fresh')))
    const headers = { ...config(), 'x-gateway-cache-force-refresh': 'true' }
    expect((await ask(`${topic()} 0.99`, { headers })).cache).to.equal('REFRESH')
    const found = await ask(`${topic()} 0.98`)
    expect([found.cache, found.text.includes('fresh')]).to.deep.equal(['SEMANTIC HIT', true])
  })

  it('is skipped, and stores nothing, when embeddings fail', async () => {
    scene.fault = 'down'
    const first = await ask(topic())
    expect([first.response.status, first.cache]).to.deep.equal([200, 'SEMANTIC MISS'])
    scene.fault = null
    expect(await status(`${topic()} 0.99`)).to.equal('SEMANTIC MISS')
    const metrics = await (await scene.gateway.get('/metrics')).text()
    expect(metrics).to.match(/cache_errors_total\{operation="embed"\} [1-9]/)
  })

  it('stores only answers with status 200', async () => {
    scene.upstream.handle((_request, response) =>
      sendJson(response, 429, { error: { message: 'slow down' } }),
    )
    await ask(topic())
    scene.upstream.handle(answerOk)
    expect(await status(`${topic()} 0.99`)).to.equal('SEMANTIC MISS')
  })

  it('runs output guardrails on the stored answer', async () => {
    const guarded = config({
      output_guardrails: [{ 'default.contains': { words: ['ok'], operator: 'none' }, deny: true }],
      cache: { mode: 'semantic' },
    })
    expect((await ask(topic(), { headers: guarded })).response.status).to.equal(446)
    expect((await ask(`${topic()} 0.99`, { headers: guarded })).response.status).to.equal(446)
  })

  it('requests one embedding for identical texts that arrive together', async () => {
    const asked = [
      config(),
      config({ override_params: { top_p: 0.1 } }),
      config({ override_params: { top_p: 0.2 } }),
    ]
    await Promise.all(asked.map((headers) => ask(topic(), { headers })))
    expect(scene.embedded).to.have.length(1)
  })

  it('logs the embedding call separately, under the same trace', async () => {
    const trace = topic('trace')
    await ask(topic(), { headers: { ...config(), 'x-gateway-trace-id': trace } })
    await until('both entries are there', async () => {
      const answer = await scene.gateway.get(`/v1/logs?trace_id=${trace}`)
      const { data } = (await answer.json()) as { data: Record<string, unknown>[] }
      if (data.length < 2) return false
      const own = data.find((entry) => entry.endpoint_type === 'embed')
      expect(own).to.include({ source: 'cache', provider: 'vectors', req_units: 4 })
      return true
    })
  })

  it('records the similarity in the decision trace', async () => {
    await ask(topic())
    const { text } = await ask(`${topic()} 0.97`, { headers: { ...config(), 'x-gateway-explain': 'true' } })
    const { decisions } = JSON.parse(text) as { decisions: Record<string, unknown>[] }
    expect(decisions.find(({ step }) => step === 'cache')).to.include({
      status: 'SEMANTIC HIT',
      similarity: 0.97,
    })
  })

  it('evicts the oldest entry beyond max_entries, and every entry after max_age', async () => {
    const gateway = await start('memory:', { max_entries: 2 })
    const names = [topic('a'), topic('b'), topic('c')]
    for (const name of names) await ask(name, { gateway })
    expect(await status(`${names[0]} 0.99`, { gateway })).to.equal('SEMANTIC MISS')
    expect(await status(`${names[2]} 0.99`, { gateway })).to.equal('SEMANTIC HIT')
    await gateway.stop()
  })

  it('finds its entries after a restart, and none of them after a change of the model', async () => {
    const url = `sqlite:${scene.directory}/restart.db`
    const first = await start(url)
    await ask(topic(), { gateway: first })
    await first.stop()
    const second = await start(url)
    expect(await status(`${topic()} 0.99`, { gateway: second })).to.equal('SEMANTIC HIT')
    await second.stop()
    const third = await start(url, { model: 'another-embedding' })
    expect(await status(`${topic()} 0.99`, { gateway: third })).to.equal('SEMANTIC MISS')
    await third.stop()
  })

  const refused: [what: string, cache: object, param: string][] = [
    ['a threshold without mode semantic', { mode: 'simple', threshold: 0.9 }, 'config/cache/threshold'],
    ['a threshold of 0', { mode: 'semantic', threshold: 0 }, 'config/cache/threshold'],
    ['a threshold above 1', { mode: 'semantic', threshold: 1.1 }, 'config/cache/threshold'],
  ]
  for (const [what, cache, param] of refused)
    it(`refuses ${what}`, async () => {
      const { response, text } = await ask(topic(), { headers: config({ cache }) })
      const { error } = JSON.parse(text) as { error: { code: string; param: string } }
      expect([response.status, error.code, error.param]).to.deep.equal([400, 'invalid_config', param])
    })

  it('refuses to start with a host that is not allowed', async () => {
    const vectors = target('http://169.254.169.254/v1')
    const fault = await start('memory:', {}, () => ({ providers: { vectors } })).then(
      () => null,
      (error: Error) => error.message,
    )
    expect(fault).to.contain('/providers/vectors/custom_host')
  })

  it('refuses to start with a provider that is not declared', async () => {
    const fault = await start('memory:', { provider: 'nobody' }).then(
      () => null,
      (error: Error) => error.message,
    )
    expect(fault).to.contain('/cache/semantic/provider').and.to.contain('nobody')
  })

  it('matches only exactly when no embedding model is set', async () => {
    const gateway = await startGateway({ providers: { main: target(scene.upstream.url) } })
    expect(await status(topic(), { gateway })).to.equal('MISS')
    expect(await status(topic(), { gateway })).to.equal('HIT')
    await gateway.stop()
  })

  if (isPostgresInstalled())
    describe('with two replicas on Postgres', () => {
      let postgres: PostgresServer
      let replicas: TestGateway[] = []
      let url: string
      before(async () => {
        postgres = await startPostgres()
        url = await postgres.createDatabase()
        replicas = [await start(url), await start(url)]
      })
      after(async () => {
        for (const replica of replicas) await replica.stop()
        await postgres.close()
      })

      it('is shared: the other replica finds a stored entry immediately', async () => {
        const [one, other] = replicas
        if (one === undefined || other === undefined) throw new Error('There are no replicas.')
        await ask(topic(), { gateway: one })
        expect(await status(`${topic()} 0.99`, { gateway: other })).to.equal('SEMANTIC HIT')
        await ask(topic('second'), { gateway: other })
        expect(await status(`${topic('second')} 0.99`, { gateway: one })).to.equal('SEMANTIC HIT')
      })

      it('returns a replaced entry on both', async () => {
        const [one, other] = replicas
        const say = (text: string) =>
          scene.upstream.handle((_request, response) => sendJson(response, 200, chatAnswer(text)))
        const found = (near: string, gateway: TestGateway | undefined) =>
          ask(`${topic()} ${near}`, gateway === undefined ? {} : { gateway })
        say('old')
        await found('1', one)
        expect((await found('0.99', other)).cache).to.equal('SEMANTIC HIT')
        say('new')
        const refresh = { ...config(), 'x-gateway-cache-force-refresh': 'true' }
        const gateway = other as TestGateway
        expect(await status(`${topic()} 0.98`, { gateway, headers: refresh })).to.equal('REFRESH')
        await until('the first replica finds the new answer', async () => {
          const { cache, text } = await found('0.97', one)
          return cache === 'SEMANTIC HIT' && text.includes('new')
        })
      })

      it('evicts entries beyond max_entries on both', async () => {
        const [, other] = replicas
        if (other === undefined) throw new Error('There are no replicas.')
        await ask(topic('old'), { gateway: other })
        expect(await status(`${topic('old')} 0.99`, { gateway: other })).to.equal('SEMANTIC HIT')
        const small = await start(url, { max_entries: 2 })
        for (const name of ['a', 'b', 'c']) await ask(topic(name), { gateway: small })
        await small.stop()
        await until(
          'the other replica finds it no longer',
          async () => (await status(`${topic('old')} 0.98`, { gateway: other })) === 'SEMANTIC MISS',
        )
        expect(await status(`${topic('c')} 0.99`, { gateway: other })).to.equal('SEMANTIC HIT')
      })
    })
})
