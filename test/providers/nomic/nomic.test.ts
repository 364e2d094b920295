/**
 * Embeddings of Nomic, and its server behind the gateway.
 * Source: https://docs.nomic.ai/reference/api/embed-text-v-1-embedding-text-post
 */
import type { JsonObject } from '@gateway/contract'
import nomic from '@gateway/provider-nomic'
import { expect } from 'chai'
import { configHeader, startGateway, type TestGateway } from '../../support/gateway.ts'
import { readReply } from '../../support/scene.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { createContext } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'

const model = 'nomic-embed-text-v1.5'
const answer = { embeddings: [[0.5], [-1]], usage: { prompt_tokens: 6, total_tokens: 6 }, model }

function dialect() {
  const endpoint = nomic.endpoints.embed
  if (endpoint?.kind !== 'http') throw new Error('Nomic does not embed.')
  return endpoint.dialect
}

describe('Nomic embeddings', () => {
  const requests: [JsonObject, JsonObject][] = [
    [{ input: 'a', user: 'u' }, { texts: ['a'] }],
    [
      { input: ['a', 'b'], dimensions: 64, encoding_format: 'base64' },
      { texts: ['a', 'b'], dimensionality: 64 },
    ],
    [
      { input: 'a', task_type: 'search_query', long_text_mode: 'mean', max_tokens_per_text: 9 },
      { texts: ['a'], task_type: 'search_query', long_text_mode: 'mean', max_tokens_per_text: 9 },
    ],
  ]
  for (const [body, expected] of requests) {
    it(`request ${JSON.stringify(body)}`, () => {
      expect(dialect().request({ model, ...body }, createContext())).to.deep.equal({ model, ...expected })
    })
  }

  it('accept text, not tokens', () => {
    const error = gatewayErrorOf(() => dialect().request({ model, input: [1] }, createContext()))
    expect(error).to.include({ code: 'invalid_body', param: '/input/0' })
  })

  it('are base64 when that was requested', () => {
    const context = createContext({ request: { encoding_format: 'base64' } })
    expect(dialect().answer(answer, context).data).to.deep.equal([
      { object: 'embedding', index: 0, embedding: 'AAAAPw==' },
      { object: 'embedding', index: 1, embedding: 'AACAvw==' },
    ])
  })

  for (const usage of [{ total_tokens: 6 }, { prompt_tokens: 6 }, { prompt_tokens: 6, total_tokens: 6 }]) {
    it(`count tokens by ${JSON.stringify(usage)}`, () => {
      const list = dialect().answer({ ...answer, usage }, createContext())
      expect(list.usage).to.deep.equal({ prompt_tokens: 6, total_tokens: 6 })
    })
  }

  it('are refused when the answer contains none', () => {
    expect(gatewayErrorOf(() => dialect().answer({}, createContext())).code).to.equal(
      'upstream_invalid_response',
    )
  })

  describe('behind the gateway', () => {
    let gateway: TestGateway
    let upstream: Upstream
    before(async () => {
      upstream = await openUpstream()
      gateway = await startGateway()
    })
    after(async () => {
      await gateway.stop()
      await upstream.close()
    })
    const ask = async () => {
      const config = { provider: 'nomic', api_key: 'nk-1', custom_host: upstream.url }
      return readReply(
        await gateway.post('/v1/embeddings', { model, input: ['a', 'b'] }, configHeader(config)),
      )
    }

    it('are requested from the configured address', async () => {
      upstream.handle((_request, response) => sendJson(response, 200, answer))
      const reply = await ask()
      expect(reply.body).to.deep.include({
        object: 'list',
        model,
        usage: { prompt_tokens: 6, total_tokens: 6 },
      })
      expect(upstream.seen[0]).to.include({ method: 'POST', path: '/v1/embedding/text' })
      expect(upstream.seen[0]?.headers.authorization).to.equal('Bearer nk-1')
    })

    it('keep the status and message of an error', async () => {
      upstream.handle((_request, response) => sendJson(response, 422, { detail: 'unknown task type' }))
      const reply = await ask()
      expect([reply.status, reply.error.message]).to.deep.equal([422, 'unknown task type'])
    })
  })
})
