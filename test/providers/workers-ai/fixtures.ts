/** The adapter's dialects, and requests with the parts that most cases share filled in. */
import type { Dialect, EndpointId, HttpEndpoint, JsonObject } from '@gateway/contract'
import adapter from '@gateway/provider-workers-ai'
import { type ContextOptions, createContext } from '../fixtures/context.ts'

export function endpointOf(id: EndpointId): HttpEndpoint {
  const endpoint = adapter.endpoints[id]
  if (endpoint?.kind !== 'http') throw new Error(`no ${id}`)
  return endpoint
}

export const dialectOf = (id: EndpointId): Dialect => endpointOf(id).dialect

/** A model of the older form, and one of the later. */
export const llama = '@cf/meta/llama-3.3-70b-instruct-fp8-fast'
export const kimi = '@cf/moonshotai/kimi-k2.6'

export const user: JsonObject = { role: 'user', content: 'Hi' }

const settings = { provider: 'workers-ai' }

/** The request that is sent for a body. */
export function sentFor(id: EndpointId, body: JsonObject, options: ContextOptions = {}): JsonObject {
  const request = { model: llama, ...body }
  return dialectOf(id).request(request, createContext({ endpoint: id, settings, ...options, request }))
}

/** The caller's answer for a provider's answer. */
export function answerFor(id: EndpointId, answer: JsonObject, options: ContextOptions = {}): JsonObject {
  const context = createContext({ endpoint: id, settings, request: { model: llama }, ...options })
  return dialectOf(id).answer(answer, context)
}

/** An answer as the vendor wraps it. */
export const wrapped = (result: JsonObject): JsonObject => ({
  result,
  success: true,
  errors: [],
  messages: [],
})

export const weather: JsonObject = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
