/** The adapter's dialect, and requests with the parts that most cases share filled in. */
import type { Dialect, JsonObject } from '@gateway/contract'
import oracle from '@gateway/provider-oracle'
import { type ContextOptions, createContext } from '../fixtures/context.ts'

const endpoint = oracle.endpoints.chatComplete
if (endpoint?.kind !== 'http') throw new Error('no chat')

export const dialect: Dialect = endpoint.dialect
export const user: JsonObject = { role: 'user', content: 'Hi' }
export const generic = 'xai.grok-4'
export const cohere = 'cohere.command-a-03-2025'
export const vision = 'cohere.command-a-vision'

/** The details that a chat request becomes; without a model it is one of the generic format. */
export function detailsOf(body: JsonObject, options: ContextOptions = {}): JsonObject {
  const request = { model: generic, messages: [user], ...body }
  return dialect.request(request, createContext({ settings: { provider: 'oracle' }, ...options, request }))
}

/** The `chatRequest` of those. */
export const chatOf = (body: JsonObject, options: ContextOptions = {}): JsonObject =>
  detailsOf(body, options).chatRequest as JsonObject

export const weather: JsonObject = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Its name', enum: ['Paris', 'Rome'] },
        days: { type: 'integer' },
      },
      required: ['city'],
    },
  },
}

/** A tool call as an assistant message carries it. */
export const callOf = (id: string, name: string, args: string): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
