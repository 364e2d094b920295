/** A gateway with limits in a config file, in front of an upstream with configurable usage. */
import { createHash } from 'node:crypto'
import type { Handler } from '../../../support/upstream.ts'
import { sendJson } from '../../../support/upstream.ts'

const keyText = 'gw-limited-key-0123456789'

/** An entry of `api_keys` with limits. */
export const limitedKey = (limits: Record<string, unknown>, text = keyText) => ({
  name: 'limited',
  key_hash: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  scopes: ['completions.write'],
  ...limits,
})

export const asKey = (text = keyText) => ({ 'x-gateway-api-key': text })

/** The price of a token in these tests: one US cent for input, two for output. */
export const pricing = { pay_as_you_go: { request_token: { price: 1 }, response_token: { price: 2 } } }

export const usageOf = (prompt: number, completion: number, more: Record<string, unknown> = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...more,
})

/** An upstream that reports this usage; null: none. */
export const reports =
  (usage: Record<string, unknown> | null): Handler =>
  (request, response) => {
    const model = request.json?.model
    if (request.json?.stream !== true) {
      sendJson(response, 200, {
        id: 'c1',
        object: 'chat.completion',
        model,
        choices: [{ index: 0, message: { role: 'assistant', content: 'well then' }, finish_reason: 'stop' }],
        ...(usage === null ? {} : { usage }),
      })
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (members: object) =>
      response.write(
        `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', model, ...members })}\n\n`,
      )
    for (const content of ['well ', 'then'])
      chunk({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    const options = request.json.stream_options as { include_usage?: boolean } | undefined
    if (usage !== null && options?.include_usage === true) chunk({ choices: [], usage })
    response.end('data: [DONE]\n\n')
  }

export interface RateHeaders {
  limit: string | null
  remaining: string | null
  reset: string | null
}

export const ratesOf = (headers: Headers, measure: 'requests' | 'tokens'): RateHeaders => ({
  limit: headers.get(`x-ratelimit-limit-${measure}`),
  remaining: headers.get(`x-ratelimit-remaining-${measure}`),
  reset: headers.get(`x-ratelimit-reset-${measure}`),
})
