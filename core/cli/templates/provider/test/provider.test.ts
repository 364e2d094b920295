import { deepEqual, equal, ok } from 'node:assert/strict'
import type { CallContext, JsonObject, ProviderIo } from '@gateway/contract'
import provider from '../index.ts'

const settings = { provider: '{{name}}', api_key: 'a-key' }
const io: ProviderIo = {
  signal: new AbortController().signal,
  now: () => 0,
  isTrusted: () => false,
  fetch: () => Promise.reject(new Error('nothing is fetched here')),
}

describe('{{name}}', () => {
  it('has an address with a version segment', () => {
    equal(provider.baseUrl, 'https://api.example.com/v1')
  })

  it('sends the credential as a bearer token', async () => {
    const url = 'https://api.example.com/v1/chat/completions'
    const { headers } = await provider.auth({ method: 'POST', url, headers: {}, body: null }, settings, io)
    equal(headers.authorization, 'Bearer a-key')
  })

  it('forwards a chat unchanged', () => {
    const endpoint = provider.endpoints.chatComplete
    ok(endpoint?.kind === 'http')
    equal(endpoint.path, '/chat/completions')
    const body: JsonObject = { model: 'a-model', messages: [{ role: 'user', content: 'Hello' }] }
    const context: CallContext = {
      endpoint: 'chatComplete',
      settings,
      request: body,
      strict: true,
      includeUsage: false,
      files: [],
      now: () => 0,
      id: (prefix) => `${prefix}1`,
    }
    deepEqual(endpoint.dialect.request(body, context), body)
  })

  it('does not offer features that it does not have', () => {
    equal(provider.endpoints.rerank, undefined)
  })
})
