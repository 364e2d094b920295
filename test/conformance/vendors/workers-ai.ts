/**
 * Cloudflare Workers AI, in the form of its older models. Source: https://developers.cloudflare.com/workers-ai/models/
 * (each model's own page), https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/
 */
import type { JsonObject } from '@gateway/contract'
import { usageOf } from './compatible.ts'
import { eventAnswer, jsonAnswer, listOf, member, type Said, textsIn, type Vendor } from './vendor.ts'

const envelope = (result: JsonObject) => jsonAnswer({ result, success: true, errors: [], messages: [] })

const error = (status: number, message: string) =>
  jsonAnswer({ result: null, success: false, errors: [{ code: 5007, message }], messages: [] }, status)

const callsOf = (said: Said): JsonObject =>
  said.calls.length === 0
    ? {}
    : { tool_calls: said.calls.map(({ name, input }) => ({ name, arguments: input })) }

const whole = (said: Said) => envelope({ response: said.text, ...callsOf(said), usage: usageOf(said) })

const stream = (said: Said) =>
  eventAnswer([
    ...said.pieces.map((response) => ({ response, p: 'padding' })),
    ...(said.calls.length === 0 ? [] : [{ response: '', ...callsOf(said) }]),
    { response: '', usage: usageOf(said) },
    '[DONE]',
  ])

export const workersChat: Vendor = {
  dialects: ['workers-ai-chat'],
  hasNoCallIds: true,
  whole,
  stream,
  error,
  heard({ request: { json } }) {
    const messages = listOf(member(json, 'messages'))
    const parts = messages.flatMap((message) => listOf(member(message, 'content')))
    const format = member(json, 'response_format', 'json_schema')
    return {
      texts: textsIn(messages.map((message) => member(message, 'content'))),
      tools: listOf(member(json, 'tools')).map((tool) =>
        String(member(tool, 'function', 'name') ?? member(tool, 'name')),
      ),
      images: parts.flatMap((part) => {
        const url = member(part, 'image_url', 'url')
        return typeof url === 'string' ? [url] : []
      }),
      schema: member(format, 'schema') ?? format,
    }
  },
}

export const workersText: Vendor = {
  dialects: ['workers-ai-text'],
  whole,
  stream,
  error,
  heard: ({ request }) => ({ texts: textsIn(request.json) }),
}

export const workersEmbedding: Vendor = {
  dialects: ['workers-ai-embedding'],
  hasNoUsage: true,
  whole: (said) => envelope({ shape: [said.vectors.length, 2], data: said.vectors.map((each) => [...each]) }),
  error,
  heard: ({ request }) => ({ texts: textsIn(request.json) }),
}

export const workersImage: Vendor = {
  dialects: ['workers-ai-image'],
  whole: ({ image }) => envelope({ image }),
  error,
  heard: ({ request }) => ({ texts: textsIn(request.json) }),
}
