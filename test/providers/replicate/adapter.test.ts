/** Replicate has an address and a credential, and no unified endpoint. Source: https://replicate.com/docs/reference/http */
import replicate from '@gateway/provider-replicate'
import { expect } from 'chai'
import { emptyParts, registerPackage } from '#core/discovery/register'
import { createIo } from '../fixtures/context.ts'

describe('Replicate', () => {
  it('sends a bearer token to its API', async () => {
    const request = {
      method: 'GET',
      url: `${String(replicate.baseUrl)}/models`,
      headers: {},
      body: null,
    } as const
    const sent = await replicate.auth(request, { provider: 'replicate', api_key: 'r8_1' }, createIo())
    expect(sent.url).to.equal('https://api.replicate.com/v1/models')
    expect(sent.headers).to.deep.equal({ authorization: 'Bearer r8_1' })
  })

  it('is registered without endpoints', () => {
    const parts = emptyParts()
    const faults: never[] = []
    const info = {
      kind: 'provider',
      name: 'p',
      version: '1',
      directory: '/',
      entry: '/index.js',
      provides: [],
    } as const
    registerPackage({ info, named: null, module: { default: replicate } }, parts, { disabled: [], faults })
    expect(faults).to.deep.equal([])
    expect([...parts.providers.keys()]).to.deep.equal(['replicate'])
  })
})
