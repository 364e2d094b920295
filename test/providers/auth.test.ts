/** The ways to send a credential, and calls without one. */
import type { ProviderSettings, UpstreamRequest } from '@gateway/contract'
import anthropic from '@gateway/provider-anthropic'
import { bearer, header, none, query } from '@gateway/provider-kit'
import openai from '@gateway/provider-openai'
import { expect } from 'chai'
import { createIo } from './fixtures/context.ts'

const request: UpstreamRequest = {
  method: 'POST',
  url: 'https://api.example/v1/chat?x=1',
  headers: { 'content-type': 'application/json' },
  body: '{}',
}
const io = createIo()
const keyed: ProviderSettings = { provider: 'test', api_key: 'sk-secret' }
const withoutKey: [string, ProviderSettings][] = [
  ['api_key: none', { provider: 'test', api_key: 'none' }],
  ['no api_key', { provider: 'test' }],
]
const methods = { bearer: bearer(), header: header({ name: 'X-Api-Key' }), query: query({ name: 'key' }) }

describe('provider auth', () => {
  it('sends a bearer token', async () => {
    const sent = await methods.bearer(request, keyed, io)
    expect(sent.headers).to.deep.equal({ ...request.headers, authorization: 'Bearer sk-secret' })
  })

  it('sends the key in a header with a lower-case name', async () => {
    const sent = await methods.header(request, keyed, io)
    expect(sent.headers).to.deep.equal({ ...request.headers, 'x-api-key': 'sk-secret' })
  })

  it('sends the key in the URL, in addition to an existing query', async () => {
    const sent = await methods.query(request, { ...keyed, api_key: 'a&b=c' }, io)
    expect(sent.url).to.equal('https://api.example/v1/chat?x=1&key=a%26b%3Dc')
    expect(sent.headers).to.deep.equal(request.headers)
  })

  it('sends nothing for a provider without credentials, even with a key', async () => {
    expect(await none()(request, keyed, io)).to.deep.equal(request)
  })

  for (const [how, settings] of withoutKey) {
    for (const [name, auth] of Object.entries(methods)) {
      it(`${name} sends no credential with ${how}`, async () => {
        expect(await auth(request, settings, io)).to.deep.equal(request)
      })
    }
  }

  it('never changes its input', async () => {
    const frozen = Object.freeze({ ...request, headers: Object.freeze({ ...request.headers }) })
    for (const auth of Object.values(methods)) await auth(frozen, keyed, io)
    expect(frozen.headers).to.deep.equal(request.headers)
  })

  it('sends the OpenAI organisation and project, which override forwarded headers', async () => {
    const forwarded = { ...request, headers: { 'openai-organization': 'org-caller' } }
    const settings = { ...keyed, compat_organization: 'org-1', compat_project: 'proj-1' }
    expect((await openai.auth(forwarded, settings, io)).headers).to.deep.equal({
      'openai-organization': 'org-1',
      'openai-project': 'proj-1',
      authorization: 'Bearer sk-secret',
    })
    expect((await openai.auth(request, keyed, io)).headers).to.not.have.any.keys(
      'openai-organization',
      'openai-project',
    )
  })

  it('sends the Anthropic key and API version', async () => {
    const sent = await anthropic.auth(request, keyed, io)
    expect(sent.headers).to.include({ 'x-api-key': 'sk-secret', 'anthropic-version': '2023-06-01' })
    expect(sent.headers).to.not.have.property('authorization')
  })
})
