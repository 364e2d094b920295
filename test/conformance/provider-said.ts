/** Requests and answers in the suite for all providers. */
import type { InferenceEndpoint, JsonObject } from '@gateway/contract'
import type { Said } from './vendors/vendor.ts'

export const text = 'Good morning, wide world of many words'
/** A PNG of one pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const instruction = 'Say it back'

const usage = { prompt: 11, completion: 7 }

/** A text, vectors, an image, scores: the result of any endpoint. */
export const saying: Said = {
  text,
  pieces: text.split(/(?<= )/),
  calls: [],
  usage,
  vectors: [
    [0.25, -0.5],
    [1, 0],
  ],
  image: png,
  scores: [0.125, 0.875],
}

/** Two parallel calls. */
export const calling: Said = {
  ...saying,
  text: '',
  pieces: [],
  calls: [
    { id: 'call_one', name: 'get_weather', input: { city: 'Zürich "Nord"', days: [1, 2] } },
    { id: 'call_two', name: 'get_time', input: { zone: 'CET' } },
  ],
}

export const schema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

const tool = (name: string): JsonObject => ({
  type: 'function',
  function: {
    name,
    description: `The ${name}`,
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
})
export const tools = [tool('get_weather'), tool('get_time')]

const chatBody: JsonObject = {
  messages: [
    { role: 'system', content: instruction },
    { role: 'user', content: text },
  ],
}

/** A user message with an image. */
export const imageBody: JsonObject = {
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
  ],
}

export const schemaBody: JsonObject = {
  ...chatBody,
  response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
}

/** The smallest body of an endpoint. */
export const bodies: Readonly<Record<InferenceEndpoint, JsonObject>> = {
  chatComplete: chatBody,
  complete: { prompt: text },
  embed: { input: [text, 'Second text'] },
  imageGenerate: { prompt: text },
  rerank: { query: text, documents: ['First document', { text: 'Second document' }] },
}

export const routes: Readonly<Record<InferenceEndpoint, string>> = {
  chatComplete: '/v1/chat/completions',
  complete: '/v1/completions',
  embed: '/v1/embeddings',
  imageGenerate: '/v1/images/generations',
  rerank: '/v1/rerank',
}
