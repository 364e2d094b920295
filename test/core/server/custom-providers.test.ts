/** Providers that are declared in the config file: `custom_providers`. */
import { expect } from 'chai'
import { startGateway } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { chatAnswer, sendJson } from '../../support/upstream.ts'

describe('a provider in the config file', () => {
  const scene = openScene((origin) => ({
    custom_providers: {
      acme: { base_url: `${origin}/acme/v1/`, endpoints: ['chatComplete', 'embed', 'rerank'] },
      other: { base_url: `${origin}/other/v3`, endpoints: ['complete'], title: 'Other' },
    },
    providers: { 'acme-prod': { provider: 'acme', api_key: 'sk-acme' } },
    configs: { saved: { provider: 'acme', api_key: 'sk-saved' } },
  }))

  const ways: [name: string, headers: Record<string, string>, sent: string | undefined][] = [
    [
      'by its name, with a credential',
      { 'x-gateway-config': '{"provider":"acme","api_key":"sk-own"}' },
      'Bearer sk-own',
    ],
    ['by its name', { 'x-gateway-config': '{"provider":"acme"}' }, undefined],
    ['by a stored credential', { 'x-gateway-provider': '@acme-prod' }, 'Bearer sk-acme'],
    ['by a saved config', { 'x-gateway-config': 'saved' }, 'Bearer sk-saved'],
    ['by a header', { 'x-gateway-provider': 'acme', authorization: 'Bearer sk-header' }, 'Bearer sk-header'],
  ]
  for (const [name, headers, sent] of ways) {
    it(`is called ${name}`, async () => {
      const reply = await scene.ask(null, { headers })
      expect(reply.status).to.equal(200)
      expect(reply.headers.get('x-gateway-provider')).to.equal('acme')
      expect(scene.seen('acme').path).to.equal('/acme/v1/chat/completions')
      expect(scene.seen('acme').headers.authorization).to.equal(sent)
    })
  }

  const routes: [path: string, body: Record<string, unknown>, upstream: string][] = [
    ['/v1/embeddings', { model: 'm', input: 'x' }, '/acme/v1/embeddings'],
    ['/v1/rerank', { model: 'm', query: 'q', documents: ['a'] }, '/acme/v1/rerank'],
  ]
  for (const [path, body, upstream] of routes) {
    it(`has the endpoints that its entry lists: ${path}`, async () => {
      scene.answers.acme = (_request, response) =>
        sendJson(response, 200, { ...chatAnswer('x'), results: [], data: [] })
      expect((await scene.ask({ provider: 'acme' }, { path, body })).status).to.equal(200)
      expect(scene.seen('acme').path).to.equal(upstream)
    })
  }

  it('has no other endpoints', async () => {
    const { status, error } = await scene.ask({ provider: 'other' })
    expect([status, error.code]).to.deep.equal([400, 'unsupported_endpoint'])
    expect(scene.calls()).to.deep.equal([])
  })

  it('can be called with a custom host of the caller', async () => {
    await scene.ask({ provider: 'acme', custom_host: scene.hostOf('elsewhere') })
    expect(scene.calls()).to.deep.equal(['elsewhere'])
  })

  const row = { base_url: 'https://api.acme.example/v1', endpoints: ['chatComplete'] }
  const refused: [name: string, file: Record<string, unknown>, param: string, code: string][] = [
    [
      'an endpoint that is not known',
      { custom_providers: { a: { ...row, endpoints: ['chat'] } } },
      '/custom_providers/a/endpoints/0',
      'invalid_file',
    ],
    [
      'no endpoint',
      { custom_providers: { a: { ...row, endpoints: [] } } },
      '/custom_providers/a/endpoints',
      'invalid_file',
    ],
    [
      'no address',
      { custom_providers: { a: { endpoints: ['embed'] } } },
      '/custom_providers/a/base_url',
      'invalid_file',
    ],
    [
      'an invalid address',
      { custom_providers: { a: { ...row, base_url: 'acme' } } },
      '/custom_providers/a/base_url',
      'invalid_file',
    ],
    [
      'a key that is not known',
      { custom_providers: { a: { ...row, key: 1 } } },
      '/custom_providers/a',
      'invalid_file',
    ],
    [
      'the name of a provider that there is',
      { custom_providers: { openai: row } },
      '/custom_providers/openai',
      'conflict',
    ],
    [
      'a private address that is not trusted',
      {
        security: { trusted_hosts: ['10.0.0.0/8'] },
        custom_providers: { a: { ...row, base_url: 'http://127.0.0.1/v1' } },
      },
      '/custom_providers/a/base_url',
      'host_not_allowed',
    ],
    [
      'a metadata address',
      { custom_providers: { a: { ...row, base_url: 'http://169.254.169.254/latest' } } },
      '/custom_providers/a/base_url',
      'host_not_allowed',
    ],
  ]
  for (const [name, file, param, code] of refused) {
    it(`stops the start with ${name}`, async () => {
      const faults = await startGateway(file).then(
        async (gateway) => {
          await gateway.stop()
          return []
        },
        (error: { faults: string[] }) => error.faults,
      )
      expect(faults, faults.join('\n')).to.have.length(1)
      expect(faults[0]).to.contain(` ${param} `).and.to.contain(`(${code})`)
    })
  }
})
