/** A compatible provider receives the caller's fields unchanged, including unknown ones. */
import { expect } from 'chai'
import { adminKey } from '../../support/gateway.ts'
import { askRaw } from '../../support/raw-request.ts'
import { openScene } from '../../support/scene.ts'

const extra = {
  some_new_field: { deep: [1, { of: 'any kind' }], nothing: null },
  metadata: { a: 'b' },
  reasoning_effort: 'high',
  service_tier: 'auto',
  store: false,
  x: 1e-7,
  unicode: 'é 日本 \u2028 😀',
}

const bodies: [path: string, body: Record<string, unknown>][] = [
  [
    '/v1/chat/completions',
    { model: 'm', messages: [{ role: 'user', content: 'x', cache_control: { type: 'e' } }] },
  ],
  ['/v1/completions', { model: 'm', prompt: 'x' }],
  ['/v1/embeddings', { model: 'm', input: ['x'] }],
  ['/v1/images/generations', { model: 'm', prompt: 'x' }],
]

describe('a request body', () => {
  const scene = openScene((origin) => ({
    custom_providers: {
      acme: { base_url: `${origin}/acme/v1`, endpoints: ['rerank', 'chatComplete'] },
    },
  }))
  const send = (path: string, text: string, config: unknown) =>
    askRaw(scene.gateway.url, {
      method: 'POST',
      path,
      headers: {
        'x-gateway-api-key': adminKey,
        'content-type': 'application/json',
        'x-gateway-config': JSON.stringify(config),
      },
      body: text,
    })

  for (const [path, body] of bodies) {
    it(`reaches a compatible provider with all its fields: ${path}`, async () => {
      await send(path, JSON.stringify({ ...body, ...extra }), scene.leaf('a'))
      expect(scene.seen('a').path).to.equal(`/a${path}`)
      expect(scene.seen('a').json).to.deep.equal({ ...body, ...extra })
    })
  }

  it('reaches a provider of custom_providers with all its fields, for reranking too', async () => {
    const body = { model: 'm', query: 'q', documents: ['a', { text: 'b', page: 1 }], top_n: 1, ...extra }
    await send('/v1/rerank', JSON.stringify(body), { provider: 'acme', api_key: 'k' })
    expect(scene.seen('acme').path).to.equal('/acme/v1/rerank')
    expect(scene.seen('acme').json).to.deep.equal(body)
  })

  it('is forwarded as the original text when nothing changes it', async () => {
    const text =
      '{ "model":"m", "messages" : [{"role":"user","content":"\\u00e9"}],\n "seed": 12345678901234567890, "x": 1.0 }'
    await send('/v1/chat/completions', text, scene.leaf('a'))
    expect(scene.seen('a').text).to.equal(text)
  })

  it('is forwarded as the guardrails checked it', async () => {
    const message = (content: string) => JSON.stringify([{ role: 'user', content }])
    const text = `{"model":"m","messages":${message('forbidden')},"messages":${message('fine')}}`
    const guard = { deny: true, contains: { operator: 'none', words: ['forbidden'] } }
    const { status } = await send(
      '/v1/chat/completions',
      text,
      scene.leaf('a', { input_guardrails: [guard] }),
    )
    expect(status).to.equal(200)
    expect(scene.seen('a').text).not.to.contain('forbidden')
  })

  it('keeps its other fields when override_params change some', async () => {
    const [path, body] = bodies[0] as [string, Record<string, unknown>]
    const override_params = { temperature: 0.5, store: true, another_new_field: [1] }
    await send(path, JSON.stringify({ ...body, ...extra }), scene.leaf('a', { override_params }))
    expect(scene.seen('a').json).to.deep.equal({ ...body, ...extra, ...override_params })
  })

  it('keeps the slug in its model when no stored credential has that slug', async () => {
    scene.answers.a = 200
    const body = { model: '@acme/vendor/model', messages: [{ role: 'user', content: 'x' }] }
    await send('/v1/chat/completions', JSON.stringify(body), { provider: 'acme' })
    expect(scene.seen('acme').json?.model).to.equal('@acme/vendor/model')
  })
})
